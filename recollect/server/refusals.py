"""Which models refused an altered request, and how to alter theirs from then on. Pure but for the clock."""

from datetime import datetime, timedelta

from recollect.clock import Clock
from recollect.types import InjectionMode

# A refusal may come from a full context window rather than from a model's taste: try again after this long.
REMEMBER = timedelta(hours=1)


class Refusals:
    """Remembers, per model, that a request altered in the configured way was refused."""

    def __init__(self, clock: Clock) -> None:
        """Start with a clean slate."""
        self._clock = clock
        self._until: dict[str, datetime] = {}

    def mode(self, model: str | None, configured: InjectionMode) -> InjectionMode:
        """Choose the way of injection: after a refusal only the last user message is touched, which all models take."""
        until = self._until.get(model or "")
        if until is None or until < self._clock.now():
            return configured
        return "user_prefix"

    def remember(self, model: str | None) -> None:
        """Note that this model refused the altered request and took it as it came."""
        self._until[model or ""] = self._clock.now() + REMEMBER
