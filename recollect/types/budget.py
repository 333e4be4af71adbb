"""What memory work costs a subject: what is booked, what was spent, how much is left. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class CostPurpose(StrEnum):
    """What was spent on."""

    CREATE = "create"
    """Forming memories of messages, by a model or by rules."""
    COMPACT = "compact"
    """Making room."""
    JUDGE = "judge"
    """Deciding what is the same and what contradicts."""
    EPISODE = "episode"
    """Summarising old turns."""
    TURN = "turn"
    """A chat turn: no memory work, but what memory work is measured against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What is booked ahead of a model call; whatever becomes of the call, it is spent until it is settled."""

    id: str
    purpose: CostPurpose
    units: float
    tokens: int
    at: datetime
    needs: float | None = None
    """Units that must be at hand; None: those that are booked; 0: none, since its work was let through as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What something cost."""

    calls: int = 0
    """How often; a call that was booked and never settled counts."""
    units: float = 0.0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SincePoll:
    """What memory work cost since the same poller asked before."""

    since: datetime | None
    """When it asked; None: never, so this is all there was."""
    spent: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyStatus:
    """How a subject's budget stands."""

    level: float
    """Units left, 0 to `capacity`; 0 where work is not rationed."""
    capacity: float
    critical: float
    """Units below which work waits."""
    refill_per_day: float
    today: Mapping[CostPurpose, Cost]
    """What was spent this day (UTC), by purpose; what cost nothing is missing."""
    tokens_today: int
    tokens_per_day: int
    """The cap; 0: none."""
    share: float
    """Units of memory work in all units, chat turns included, over the last 30 days; 0 where nothing was spent."""
    max_share: float
    unsettled: int
    """Calls that are under way, or whose process died."""
    total: Cost
    """All that memory work ever cost."""
    since_poll: SincePoll | None
    """None where no poller was named."""
    waiting: str | None
    """Why a creation would wait now; None: it would not."""
    waits_until: datetime | None
    """When it is tried again at the latest; None: it would not wait."""
