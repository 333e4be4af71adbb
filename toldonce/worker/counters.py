"""What a worker did, and what is known of one in another process. Pure."""

from dataclasses import dataclass
from typing import Protocol

from toldonce.providers.circuit_breaker import BreakerStatus
from toldonce.types import Subject


@dataclass(slots=True)
class WorkerCounters:
    """What the worker did since it started."""

    formed: int = 0
    failed: int = 0
    parked: int = 0
    lost: int = 0
    """Leases that ran out before the commit."""
    deferred: int = 0
    """Formations deferred: the model is down, or the budget is spent."""
    skipped: int = 0
    """Formations skipped after a failure, as their profile says."""
    restarts: int = 0
    """How often a worker process of a server ended by itself."""


class WorkerElsewhere(Protocol):
    """A process that works in place of this one's worker."""

    breaker: BreakerStatus | None
    """Of its model; None: it has not told yet."""

    def wake(self, subject: Subject | None) -> None:
        """See `Worker.wake`."""
        ...

    def renew(self) -> None:
        """Begin again with an empty memory, after the work in progress: something was erased."""
