"""A coming change: a plan until its day, on which it takes its slot, or ends what it names. Pure.

'Ab März wohne ich in Oslo', said in November, is a note with the key `plan:location`; the fact `location: Lima` holds
until March. 'I leave Norvik in March' has the key `end:employer`. The id of a further memory that ends on the day
follows a semicolon.
"""

from dataclasses import dataclass, replace

from toldonce.clock import Clock
from toldonce.ids import id_bytes, new_id
from toldonce.resolution.slots import stored_key
from toldonce.types import NO_COMPARISON, Candidate, Memory, MemoryId, MemoryKind

PLAN = "plan"
_END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """What a plan does on its day."""

    is_end: bool
    """What is said stops then; else it begins."""
    slot: str
    """Key of the slot whose value begins or ends; empty for a note."""
    names: MemoryId | None
    """A memory outside the slot that ends."""


def as_plan(candidate: Candidate, named: MemoryId | None, replaces: MemoryId | None = None) -> Candidate:
    """Return what is said of a coming day as a plan, which ends nothing yet.

    Args:
        candidate: Its `valid_from` is ahead.
        named: A memory outside its slot that ends on the day.
        replaces: A plan that it takes the place of at once.
    """
    is_fact = candidate.kind is MemoryKind.FACT
    slot = stored_key(candidate.key, candidate.value, candidate.speaker) if is_fact else ""
    head, tail = (_END if candidate.ends else PLAN), f";{named}" if named else ""
    key = f"{head}:{slot}{tail}" if slot or named else ""
    return replace(
        candidate,
        kind=MemoryKind.NOTE,
        type=PLAN,
        key=key,
        ends=False,
        replaces=replaces,
        replaces_item=0,
        comparison=NO_COMPARISON,
    )


def plan_key(candidate: Candidate) -> str:
    """Return the key under which a note is stored: that of a plan, else none."""
    return candidate.key if candidate.type == PLAN and _change_of(candidate.key) else ""


def change_of(plan: Memory) -> PlannedChange | None:
    """Return what a plan does on its day; None if it only tells of that day."""
    return _change_of(plan.key)


def _change_of(key: str) -> PlannedChange | None:
    head, _, rest = key.partition(":")
    if head not in (PLAN, _END) or not rest:
        return None
    slot, _, last = rest.rpartition(";")
    is_id = id_bytes(last) is not None
    return PlannedChange(is_end=head == _END, slot=slot if is_id else rest, names=MemoryId(last) if is_id else None)


def begun(plan: Memory, change: PlannedChange, clock: Clock) -> Memory:
    """Return the fact or note that a plan becomes on its day: its words, value and evidence stay."""
    kind = plan.category if plan.category in ("preference", "instruction") else "fact"
    return replace(
        plan,
        id=MemoryId(new_id(clock)),
        kind=MemoryKind.FACT if change.slot else MemoryKind.NOTE,
        type=kind if change.slot else PLAN,
        key=change.slot,
        known_from=clock.now(),
        uses=0,
        last_used_at=None,
    )
