"""Cost of memory work: reservations, spending, and the budget of a subject. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
