"""Which models refused a subject's altered requests: new memory alters user messages alone. Pure but for the clock."""

from datetime import datetime, timedelta

from toldonce.clock import Clock
from toldonce.types import Subject

# A refusal may come from a full context window and not from the place of the memory: try again after this long.
REMEMBER = timedelta(hours=1)
# Pairs of subject and model that are kept; the oldest is dropped, because a client may invent any number of names.
MAX_REMEMBERED = 10_000


class InjectionFallbacks:
    """Remembers, per subject and model, that a request altered in the configured way was refused.

    Per subject, because the requests of one user must not change the prompts of another.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[tuple[str, str], datetime] = {}

    def __len__(self) -> int:
        return len(self._until)

    def is_refused(self, subject: Subject, model: str | None) -> bool:
        """Return whether a model refused a subject's altered request in the last hour.

        Then only the newest user message is altered, which all models accept.
        """
        until = self._until.get((subject.text, model or ""))
        return until is not None and until >= self._clock.now()

    def remember(self, subject: Subject, model: str | None) -> None:
        """Note that a model refused a subject's altered request, and accepted the original."""
        key, now = (subject.text, model or ""), self._clock.now()
        self._until.pop(key, None)  # keeps the order by time
        self._until[key] = now + REMEMBER
        for oldest in tuple(self._until):
            if self._until[oldest] >= now and len(self._until) <= MAX_REMEMBERED:
                break
            del self._until[oldest]
