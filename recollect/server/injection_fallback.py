"""Which models refused a subject's altered request, and how to alter theirs from then on. Pure but for the clock."""

from datetime import datetime, timedelta

from recollect.clock import Clock
from recollect.types import InjectionMode, Subject

# A refusal may come from a full context window rather than from a model's taste: try again after this long.
REMEMBER = timedelta(hours=1)
# Pairs of subject and model that are kept, oldest out: a client names its models freely, and may name endless ones.
MAX_REMEMBERED = 10_000


class InjectionFallbacks:
    """Remembers, per subject and model, that a request altered in the configured way was refused.

    Per subject, because nobody's requests may change what another one's prompt looks like.
    """

    def __init__(self, clock: Clock) -> None:
        """Start with a clean slate."""
        self._clock = clock
        self._until: dict[tuple[str, str], datetime] = {}

    def __len__(self) -> int:
        """Count what is remembered."""
        return len(self._until)

    def mode(self, subject: Subject, model: str | None) -> InjectionMode | None:
        """Choose the way of injection: after a refusal only the last user message is touched, which all models take.

        None: as it is configured.
        """
        until = self._until.get((subject.text, model or ""))
        if until is None or until < self._clock.now():
            return None
        return "user_prefix"

    def remember(self, subject: Subject, model: str | None) -> None:
        """Note that this model refused this subject's altered request and took it as it came."""
        key, now = (subject.text, model or ""), self._clock.now()
        self._until.pop(key, None)  # so that the order stays that of the times
        self._until[key] = now + REMEMBER
        for oldest in tuple(self._until):
            if self._until[oldest] >= now and len(self._until) <= MAX_REMEMBERED:
                break
            del self._until[oldest]
