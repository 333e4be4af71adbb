"""A clock that stands where the conversation is, so that 'last week' means what it meant then. Reads the timer."""

import time
from datetime import datetime


class ConversationClock:
    """The instant it was set to; durations are the machine's, so that what is timed is real."""

    def __init__(self, start: datetime) -> None:
        """Stand at `start` (aware)."""
        self._now = start

    def now(self) -> datetime:
        """Return the instant it stands at."""
        return self._now

    def monotonic(self) -> float:
        """Return seconds that never run backwards."""
        return time.perf_counter()

    def reach(self, instant: datetime) -> None:
        """Move on to `instant`; an earlier one is passed over."""
        self._now = max(self._now, instant)

    def stand(self, instant: datetime) -> None:
        """Move to `instant`, back as well: a question may be asked about an earlier day."""
        self._now = instant
