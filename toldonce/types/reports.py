"""What the store reports: counts, progress, cost of memory work, and maintenance. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from toldonce.types.memory import Action, Decision, Memory, MemoryId
from toldonce.types.subject import Subject


class ProgressReporter(Protocol):
    """Shows how far a long operation is."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Begin a phase of `total` units."""
        ...

    def reach(self, done: int) -> None:
        """Report how many units of the phase are done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AppRecord:
    """An app that was announced."""

    subject: Subject
    """Whose memory is the app's."""
    created_at: datetime
    removed_at: datetime | None
    """When it was uninstalled; None while it is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSummary:
    """An app, over all its users."""

    id: str
    """The name by which it calls itself."""
    users: int
    """Number of users with conversations, or with memories, whichever are more."""
    memories: int
    """Number of active memories."""
    conversations: int
    installed_at: datetime | None
    """When it was first registered; None if it never was."""
    removed_at: datetime | None
    """When the last user uninstalled it; None while it is installed, and if it never was."""
    last_used_at: datetime | None
    """When it last said or learned something; None if it never did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTotals:
    """What the operator's metrics say of everything kept."""

    memories: int
    """Active notes, facts, episodes and kept quotations."""
    apps: int
    apps_with_memories: int
    formations_due: int
    formations_parked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectTotals:
    """What is counted of one subject."""

    memories: int
    """Active notes, facts, episodes and kept quotations."""
    decisions: Mapping[str, int]
    """By action."""
    recalled: int
    """Memories put into prompts whose answers are known."""
    hits: int
    """Those of them that the answers made use of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSummary:
    """A user in a list of users."""

    subject: Subject
    memories: int
    """Active notes, facts, episodes and kept quotations of the user's own."""
    conversations: int
    is_partial: bool = False
    """Whether there may be more of either: only so many rows are counted."""
    last_seen: datetime | None = None
    """When the newest conversation last went on; None without any."""
    merged_into: Subject | None = None
    """The user whose memory is read and written in its place, while what is counted here rests; None: its own is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserAlias:
    """A user whose requests read and write the memory of another: they are one person."""

    source: Subject
    target: Subject
    at: datetime
    joined_at: datetime | None
    """When the memory of `source` was copied into that of `target`; None: it is not yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMergeReport:
    """What merging two users, or undoing that, did."""

    source: Subject
    target: Subject
    conversations: int
    """Conversations that came to the target, or went from it."""
    memories: int
    """Memories that came or went, in any state."""
    replaced: int
    """Facts that were closed as the other user has a newer value; after an undo, those that came back."""
    kept: int = 0
    """Conversations of the source that stay with the target after an undo, as they went on there."""


class CostPurpose(StrEnum):
    """What a cost was for."""

    CREATE = "create"
    """Forming memories from messages, by a model or by rules."""
    COMPACT = "compact"
    """Choosing what to evict."""
    JUDGE = "judge"
    """Deciding which memories say the same or contradict each other."""
    EPISODE = "episode"
    """Summarizing old turns."""
    TURN = "turn"
    """A chat turn: not memory work, but what the share of memory work is measured against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Units reserved for a model call. They count as spent until the call is settled."""

    id: str
    purpose: CostPurpose
    units: float
    tokens: int
    at: datetime
    needs: float | None = None
    """Units that must be available; None: those reserved; 0: none, since its work was admitted as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What something cost."""

    calls: int = 0
    """Number of calls, those that were reserved and never settled included."""
    units: float = 0.0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SincePoll:
    """Cost of memory work since the same poller's last request."""

    since: datetime | None
    """Time of its last request; None: this is the first, so all cost is included."""
    spent: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyStatus:
    """State of a subject's budget."""

    level: float
    """Units left, 0 to `capacity`; 0 if work has no budget."""
    capacity: float
    critical: float
    """Units below which work waits."""
    refill_per_day: float
    today: Mapping[CostPurpose, Cost]
    """Cost of this day (UTC) by purpose, without those that cost nothing."""
    tokens_today: int
    tokens_per_day: int
    """The cap; 0: none."""
    share: float
    """Units of memory work in all units, chat turns included, over the last 30 days; 0 if nothing was spent."""
    max_share: float
    unsettled: int
    """Calls in progress, or whose process died."""
    total: Cost
    """Total cost of memory work."""
    since_poll: SincePoll | None
    """None if no poller was named."""
    waiting: str | None
    """Why a creation would wait now; None: it would not."""
    waits_until: datetime | None
    """Latest time of the next try; None: it would not wait."""


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
