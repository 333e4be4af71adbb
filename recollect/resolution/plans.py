"""A coming change of a slot: a plan until its day, on which it takes the slot. Pure.

'Ab März wohne ich in Oslo', said in November, is a note with the key `plan:location`; the fact `location: Lima` holds
until March.
"""

from dataclasses import replace
from datetime import datetime

from recollect.clock import Clock
from recollect.ids import new_id
from recollect.resolution.slots import stored_key
from recollect.types import NO_COMPARISON, Candidate, Memory, MemoryId, MemoryKind

PLAN = "plan"
_PREFIX = "plan:"


def as_plan(candidate: Candidate, now: datetime) -> Candidate:
    """Return a fact that is not true yet as a plan, which replaces nothing; any other candidate as it is."""
    if candidate.kind is not MemoryKind.FACT or candidate.valid_from <= now:
        return candidate
    key = _PREFIX + stored_key(candidate.key, candidate.value, candidate.speaker)
    return replace(candidate, kind=MemoryKind.NOTE, type=PLAN, key=key, replaces=None, comparison=NO_COMPARISON)


def plan_key(candidate: Candidate) -> str:
    """Return the key under which a note is stored: that of a plan for a slot, else none."""
    return candidate.key if candidate.type == PLAN and candidate.key.startswith(_PREFIX) else ""


def slot_of(plan: Memory) -> str:
    """Return the key of the slot that a plan takes on its day; empty if it takes none."""
    return plan.key.removeprefix(_PREFIX) if plan.key.startswith(_PREFIX) else ""


def begun(plan: Memory, clock: Clock) -> Memory:
    """Return the fact that a plan becomes on its day: its words, value and evidence stay."""
    kind = plan.category if plan.category in ("preference", "instruction") else "fact"
    return replace(
        plan,
        id=MemoryId(new_id(clock)),
        kind=MemoryKind.FACT,
        type=kind,
        key=slot_of(plan),
        known_from=clock.now(),
        uses=0,
        last_used_at=None,
    )
