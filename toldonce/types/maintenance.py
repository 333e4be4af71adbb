"""Leases and results of maintenance. Pure."""

from dataclasses import dataclass
from datetime import datetime

from toldonce.types.memory import Action, Decision, Memory, MemoryId
from toldonce.types.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceLease:
    """The right to maintain one subject for a while. Two at once do no harm, as each commit checks what it read."""

    subject: Subject
    token: int
    last: datetime | None
    """Time of the last maintenance; None: never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleTerms:
    """Memories of a subject whose terms must be recomputed."""

    subject: Subject
    after: MemoryId | None
    """Last id already recomputed; None: none yet."""
    memories: tuple[Memory, ...]
    """The next ones, ordered by id; empty if none is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceReport:
    """What maintenance closed, or would close, and why."""

    subjects: int
    """Number of subjects checked."""
    decisions: tuple[Decision, ...]
    """In order; `closed_memory` returns the memory that each one closes."""
    dry_run: bool
    """Nothing was changed."""


def closed_memory(decision: Decision) -> MemoryId | None:
    """Return the memory that a decision of maintenance closes: of a merge or fold, the one merged into another."""
    return decision.target_id if decision.action in (Action.MERGE, Action.FOLD) else decision.memory_id
