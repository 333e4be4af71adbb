"""Plan what taking back decisions or sources changes: what leaves, what comes back, what rests on less. Pure.

A memory whose every source is taken back leaves. What it had replaced comes back, unless something else fills its slot
or took the place of what replaced it meanwhile. A memory that rests on other messages as well stays on these.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toldonce.resolution.outcomes import REPETITION_BONUS
from toldonce.resolution.slots import slot_mark, value_mark
from toldonce.types import Action, Decision, Memory, MemoryId, MemoryKind, MemoryState, MessageRef, WeakenMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredMemory:
    """A closed memory that comes back, and the decision that had closed it."""

    memory: Memory
    closed_by: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPlan:
    """What undoing changes."""

    leaving: tuple[Memory, ...] = ()
    returning: tuple[RestoredMemory, ...] = ()
    weakened: tuple[WeakenMemory, ...] = ()
    unheard: tuple[Decision, ...] = ()
    """Statements of others that were not kept because of what leaves: they are not brought back by themselves."""
    undone: frozenset[MemoryId] = frozenset()
    """Memories that are taken back whole, those that were closed already among them."""

    @property
    def empty(self) -> bool:
        """Whether nothing changes."""
        return not (self.leaving or self.returning or self.weakened)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoHistory:
    """What the plan rests on."""

    memories: Mapping[MemoryId, Memory]
    """All that may leave, come back or rest on less, of any state."""
    decisions: Sequence[Decision]
    """All that made, touched or weighed them, oldest first."""
    active: Sequence[Memory] = field(default=())
    """The facts that hold: they fill their slots."""

    def waits(self, memory: MemoryId) -> bool:
        """Return whether a memory was held for review and not approved: then undoing must not let it in."""
        said = [line.action for line in self.decisions if line.memory_id == memory]
        return Action.HOLD in said and Action.APPROVE not in said

    def closing_of(self, memory: MemoryId) -> Decision | None:
        """Return the last decision that closed a memory, if there is one."""
        last = None
        for line in self.decisions:
            if closes(line, memory):
                last = line
        return last


def closes(line: Decision, memory: MemoryId) -> bool:
    """Whether a decision closed a memory: put another in its place, ended it, or stored it as ended already."""
    if line.action is Action.REPLACE:
        return line.target_id == memory
    if line.action in (Action.CLOSE, Action.ABANDON, Action.UNDO, Action.EXPIRE, Action.EVICT):
        return line.memory_id == memory
    if line.action in (Action.MERGE, Action.FOLD):  # of two memories the target went into the other
        return line.target_id == memory != line.memory_id
    return line.action is Action.ADD and line.memory_id == memory and line.target_id is not None


def plan_sources(past: UndoHistory, sources: frozenset[MessageRef], ending: Iterable[Decision] = ()) -> UndoPlan:
    """Plan to take back all that was said in some messages.

    Args:
        past: The memories that rest on them, and those that they closed.
        sources: The messages.
        ending: The decisions on what these messages said.
    """
    whole: list[Memory] = []
    weakened: list[WeakenMemory] = []
    for memory in past.memories.values():
        all_of_it = {source.ref for source in memory.evidence}
        taken_back = frozenset(all_of_it & sources)
        if taken_back and taken_back == all_of_it:
            whole.append(memory)
        elif taken_back:
            weakened.append(weaken(memory, taken_back, past.decisions))
    return plan_memories(past, whole, _said_to_have_ended(ending), weakened)


def plan_memories(
    past: UndoHistory, whole: Sequence[Memory], ending: Sequence[Decision] = (), weakened: Sequence[WeakenMemory] = ()
) -> UndoPlan:
    """Plan to take back memories whole, and decisions that ended others.

    What a memory had replaced comes back only if nothing that stays took the memory's own place.
    """
    leaving = [memory for memory in whole if memory.state is not MemoryState.CLOSED]
    leaving_ids = _without_successor(past, whole, {line.id for line in ending})
    undone = {line.id for line in ending} | {line.id for line in past.decisions if _closed_for(line, leaving_ids)}
    never = {memory.id for memory in whole}
    filled = {slot_mark(known.key, known.value, known.speaker) for known in past.active if known.id not in never}
    returning: list[RestoredMemory] = []
    for memory in sorted(past.memories.values(), key=_last_said, reverse=True):
        line = past.closing_of(memory.id)
        if memory.state is not MemoryState.CLOSED or line is None or line.id not in undone or memory.id in never:
            continue
        if past.waits(memory.id):
            continue
        if memory.kind is MemoryKind.FACT:
            mark = slot_mark(memory.key, memory.value, memory.speaker)
            if mark in filled:
                continue
            filled.add(mark)
        returning.append(RestoredMemory(memory=memory, closed_by=line))
    kept_ids = {restored.memory.id for restored in returning}
    kept_ids |= {memory.id for memory in past.memories.values() if memory.state is not MemoryState.CLOSED}
    return UndoPlan(
        leaving=tuple(leaving),
        returning=tuple(returning),
        weakened=tuple(weaker for weaker in weakened if weaker.id in kept_ids),
        unheard=tuple(line for line in past.decisions if _unheard(line, leaving)),
        undone=frozenset(never),
    )


def _said_to_have_ended(lines: Iterable[Decision]) -> list[Decision]:
    """Pick the decisions that ended a memory in words, with the notes that ended beside it."""
    closing = [line for line in lines if line.action is Action.CLOSE]
    ended = {line.memory_id for line in closing if line.memory_id == line.target_id}
    return [line for line in closing if line.target_id in ended]


def _without_successor(past: UndoHistory, whole: Sequence[Memory], undone: set[str]) -> set[MemoryId]:
    """Find the memories of `whole` that held until now, or were closed by one of them or by what is undone."""
    leaving_ids = {memory.id for memory in whole if memory.state is not MemoryState.CLOSED}
    waiting = [memory.id for memory in whole if memory.id not in leaving_ids]
    grown = True
    while grown:
        closed_by = {id_: past.closing_of(id_) for id_ in waiting}
        more = {
            id_ for id_, line in closed_by.items() if line and (line.id in undone or _closed_for(line, leaving_ids))
        }
        waiting = [id_ for id_ in waiting if id_ not in more]
        leaving_ids |= more
        grown = bool(more)
    never = {memory.id for memory in whole}
    return leaving_ids | {id_ for id_ in waiting if _goes_on(past, id_, never, leaving_ids)}


def _goes_on(past: UndoHistory, between: MemoryId, never: set[MemoryId], leaving_ids: set[MemoryId]) -> bool:
    """Whether what a memory replaced was said again right after it: then it never ended, nor what restates it."""
    before = [line.target_id for line in past.decisions if line.action is Action.REPLACE and line.memory_id == between]
    after: MemoryId | None = between
    while after in never:
        line = past.closing_of(after)
        after = line.memory_id if line and line.action is Action.REPLACE else None
    if after is None or after not in past.memories:
        return False
    ended = past.closing_of(after) if past.memories[after].state is MemoryState.CLOSED else None
    values = [_value(past, id_) for id_ in (*before, after)]
    holds = ended is None or _closed_for(ended, leaving_ids)
    return holds and values[-1] is not None and values[-1] in values[:-1]


def _value(past: UndoHistory, memory_id: MemoryId | None) -> tuple[str, str] | None:
    memory = past.memories.get(memory_id) if memory_id else None
    if memory is None or memory.kind is not MemoryKind.FACT:
        return None
    return slot_mark(memory.key, memory.value, memory.speaker), value_mark(memory.value)


def _closed_for(line: Decision, leaving_ids: set[MemoryId]) -> bool:
    """Whether a decision closed something only because of a memory that leaves."""
    if line.action is Action.REPLACE:
        return line.memory_id in leaving_ids
    return line.action in (Action.CLOSE, Action.ADD) and line.target_id in leaving_ids


def _unheard(line: Decision, leaving: Sequence[Memory]) -> bool:
    """Return whether another person's statement was not kept because of a memory that leaves."""
    if line.action is not Action.IGNORE or line.target_id is None:
        return False
    target = next((memory for memory in leaving if memory.id == line.target_id), None)
    return target is not None and all(said.ref != (line.conversation, line.seq) for said in target.evidence)


def weaken(memory: Memory, taken_back: frozenset[MessageRef], decisions: Sequence[Decision]) -> WeakenMemory:
    """Let a memory rest on what is left: true since the first of it, less important for each time it was raised."""
    left = [source for source in memory.evidence if source.ref not in taken_back]
    lost = [source for source in memory.evidence if source.ref in taken_back]
    raised = sum(
        line.action is Action.MERGE and line.memory_id == memory.id and (line.conversation, line.seq) in taken_back
        for line in decisions
    )
    first = min((source.said_at for source in left), default=memory.valid_from)
    began_there = any(source.said_at == memory.valid_from for source in lost)
    return WeakenMemory(
        id=memory.id,
        importance=max(0.0, memory.importance - REPETITION_BONUS * raised),
        valid_from=first if began_there else memory.valid_from,
        without=taken_back,
    )


def _last_said(memory: Memory) -> tuple[object, int]:
    newest = max(memory.evidence, key=lambda one: (one.said_at, one.seq), default=None)
    return (newest.said_at, newest.seq) if newest else (memory.known_from, 0)
