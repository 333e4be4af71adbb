"""Which memories end with time, and which go when a subject holds more than it may. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import log1p
from typing import NamedTuple, Self

from toldonce.decay import decay
from toldonce.profiles.policies import AgePolicy, CapacityPolicy, Profile
from toldonce.types import Memory, MemoryId, MemoryKind

# What has no half life of its own is taken to weigh half after so long: the value that recall uses as well.
USUAL_HALF_LIFE_DAYS = 90.0
_DAY = timedelta(days=1)
NO_AGE = AgePolicy()
"""Nothing ends by age alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """How much a subject may hold, and by what rules room is made."""

    policy: CapacityPolicy
    half_life_days: float
    fact_importance: float
    """Standing facts, of at least this importance, go last."""

    @classmethod
    def of(cls, profile: Profile) -> Self:
        """Take the room of a profile."""
        return cls(
            policy=profile.capacity,
            half_life_days=profile.age.half_life_days or USUAL_HALF_LIFE_DAYS,
            fact_importance=profile.recall.fact_importance,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Eviction:
    """A memory that makes room, and why it and no other."""

    id: MemoryId
    reason: str


def strictest(profiles: Iterable[Profile]) -> Capacity | None:
    """Return the least room that any of a subject's profiles leaves it; None where none sets a limit."""
    bounded = sorted(
        (profile for profile in profiles if profile.capacity.max_memories),
        key=lambda one: (one.capacity.max_memories, one.name),
    )
    return Capacity.of(bounded[0]) if bounded else None


def last_met(memory: Memory) -> datetime:
    """Return when a memory was last said or used; one without evidence was said when it was stored."""
    last_said = max((source.said_at for source in memory.evidence), default=memory.known_from)
    return max(last_said, memory.last_used_at or last_said)


def worth(memory: Memory, now: datetime, half_life_days: float) -> float:
    """Return what a memory is worth: its importance, worn off since it was last met, times its use.

    The use counts twice: it makes the memory wear off more slowly, and what was used often is worth more today.
    """
    age_days = (now - last_met(memory)) / _DAY
    return memory.importance * decay(age_days, half_life_days, memory.uses) * (1 + log1p(memory.uses))


def find_evictions(
    memories: Sequence[Memory], new: frozenset[MemoryId], room: Capacity, *, now: datetime, oldest: bool = False
) -> list[Eviction]:
    """Choose what goes so that `room.policy.max_memories` are left; nothing where they fit.

    Args:
        memories: All active notes and facts, the new ones with them.
        new: Which of them are just being added: they go last.
        room: How much there is.
        now: The time.
        oldest: First in, first out, whatever the policy says.
    """
    oldest = oldest or room.policy.policy != "lowest_value"
    return pick_evictions(
        [weigh_occupant(memory, room, now, new=memory.id in new, oldest=oldest) for memory in memories], room
    )


class Occupant(NamedTuple):
    """What ranks a memory among those that take up room; the lowest goes first."""

    new: bool
    standing: bool
    value: float
    """0 where the age alone decides."""
    id: MemoryId
    """Ids ascend in the order of storing, also where the clock was set back."""
    oldest: bool
    """The age alone decides."""


def weigh_occupant(
    memory: Memory, room: Capacity, now: datetime, *, new: bool = False, oldest: bool = False
) -> Occupant:
    """Rank a memory; with `oldest` by its age, else by its worth."""
    if oldest:
        return Occupant(new, False, 0.0, memory.id, True)
    standing = memory.kind is MemoryKind.FACT and memory.importance >= room.fact_importance
    # Rounded, so that hours count for nothing: a clock that is set back makes no new memory the oldest.
    value = round(worth(memory, now, room.half_life_days), 2)
    return Occupant(new, standing, value, memory.id, False)


def pick_evictions(occupants: Sequence[Occupant], room: Capacity) -> list[Eviction]:
    """Choose what goes, lowest rank first; nothing where all fit."""
    count = len(occupants)
    over = count - room.policy.max_memories
    return [leave(ranked, count, room) for ranked in sorted(occupants)[:over]] if over > 0 else []


def leave(one: Occupant, count: int, room: Capacity) -> Eviction:
    """Say why a memory goes that was ranked among `count`."""
    why = f"the oldest of {count}" if one.oldest else f"worth least of {count} (value {one.value:.2f})"
    return Eviction(id=one.id, reason=f"{why}; {fitting(room)}")


def fitting(room: Capacity) -> str:
    """Say how much room there is."""
    return f"there is room for {room.policy.max_memories}"


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
