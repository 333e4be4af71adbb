"""Which memories end with time: what is over, what nobody said or used for too long, what has worn off. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.decay import decay
from recollect.maintenance.retention import last_met
from recollect.profiles.policies import AgePolicy
from recollect.types import Memory, MemoryKind

_DAY = timedelta(days=1)
NO_AGE = AgePolicy()
"""Nothing ends by age alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """A memory that ends, since when, and why."""

    memory: Memory
    valid_to: datetime
    reason: str


def ending(memory: Memory, policy: AgePolicy, now: datetime) -> Expiry | None:
    """Say whether and why an active memory ends now.

    Args:
        memory: Any but a turn.
        policy: That of the profile it was formed under; it speaks of notes alone.
        now: The time.
    """
    if memory.valid_to is not None and memory.valid_to <= now:
        return Expiry(memory=memory, valid_to=memory.valid_to, reason=f"it ended on {memory.valid_to:%Y-%m-%d}")
    if memory.kind is not MemoryKind.NOTE:
        return None
    idle_days = (now - last_met(memory)) / _DAY
    if policy.expire_days and idle_days > policy.expire_days:
        return Expiry(memory=memory, valid_to=now, reason=f"neither said nor used for {idle_days:.0f} days")
    left = memory.importance * decay(idle_days, policy.half_life_days, memory.uses)
    if left < policy.prune_below:
        reason = f"worn off: {left:.3f} is left of importance {memory.importance:.2f} after {idle_days:.0f} days"
        return Expiry(memory=memory, valid_to=now, reason=reason)
    return None


def ages(policy: AgePolicy) -> bool:
    """Whether a policy ends anything by age."""
    return bool(policy.expire_days or policy.prune_below)
