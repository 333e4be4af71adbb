"""What tending did, or would do. Pure."""

from dataclasses import dataclass
from datetime import datetime

from recollect.types.memory import Action, Decision, Memory, MemoryId
from recollect.types.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceLease:
    """The right to tend one subject for a while. Two that tend at once do no harm: each commit checks what it read."""

    subject: Subject
    token: int
    last: datetime | None
    """When the subject was last tended; None for never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleTerms:
    """Memories of a subject whose terms are to be made anew."""

    subject: Subject
    after: MemoryId | None
    """Up to this id they were made already; None where none was."""
    memories: tuple[Memory, ...]
    """The next ones, ordered by id; none where all were reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceReport:
    """What was closed, or would be, and why."""

    subjects: int
    """How many were looked at."""
    decisions: tuple[Decision, ...]
    """In the order in which they were made; `closed_memory` says which memory each one closes."""
    dry_run: bool
    """Nothing was changed."""


def closed_memory(decision: Decision) -> MemoryId | None:
    """Return the memory that a decision of tending closes: for a merge or a fold, the one that went into another."""
    return decision.target_id if decision.action in (Action.MERGE, Action.FOLD) else decision.memory_id
