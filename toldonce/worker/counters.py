"""Counters of what a worker did. Pure."""

from dataclasses import dataclass


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
