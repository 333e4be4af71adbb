"""Take back a decision, or everything from a source or a time. Reads and writes the store; embeds what comes back."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from toldonce.concurrency import retry_while_stale
from toldonce.errors import BadRequestError, StaleSubjectError
from toldonce.formation.replays import unmark_words
from toldonce.formation.restoration import MAX_DECISIONS, read_lines, read_past, restore, shortened_quotations
from toldonce.formation.runtime import Runtime
from toldonce.ids import new_id
from toldonce.resolution.undo_plan import UndoHistory, UndoPlan, plan_memories, plan_sources, weaken
from toldonce.types import (
    NO_VECTORS,
    Action,
    Change,
    CloseMemory,
    ConversationId,
    Decision,
    MemoryId,
    MemoryKind,
    MemoryState,
    MessageRef,
    Subject,
    WeakenMemory,
)

Plan = Callable[[], Awaitable[UndoPlan]]


async def undo_decision(runtime: Runtime, subject: Subject, decision_id: str, *, dry_run: bool = False) -> UndoPlan:
    """Do the inverse of what a decision did: see `Undoing.undo`."""

    async def plan() -> UndoPlan:
        line = await runtime.store.decisions.get(subject, decision_id)
        if line is None:
            raise BadRequestError(f"no decision {decision_id} in this memory; `show` names them", param="decision")
        await _refuse_twice(runtime, subject, line)
        return await _plan_decision(runtime, line)

    return await _undo(runtime, subject, plan, f"decision {decision_id}", undone=decision_id, dry_run=dry_run)


async def undo_source(
    runtime: Runtime, subject: Subject, conversation: ConversationId, *, seq: int | None = None, dry_run: bool = False
) -> UndoPlan:
    """Take back what a conversation, or one message of it, left: see `Undoing.undo_from`."""

    async def plan() -> UndoPlan:
        memories = await runtime.store.memories.from_source(subject, conversation, seq=seq)
        sources = frozenset(
            source.ref
            for memory in memories
            for source in memory.evidence
            if source.conversation == conversation and seq in (None, source.seq)
        )
        ending = await runtime.store.decisions.from_source(subject, conversation=conversation, seq=seq)
        return plan_sources(await read_past(runtime, subject, memories, ending), sources, ending)

    where = f"conversation {conversation}" if seq is None else f"message {seq} of conversation {conversation}"
    return await _undo(runtime, subject, plan, where, dry_run=dry_run)


async def undo_since(runtime: Runtime, subject: Subject, since: datetime, *, dry_run: bool = False) -> UndoPlan:
    """Take back what was stored, closed or strengthened since an instant: see `Undoing.undo_from`."""

    async def plan() -> UndoPlan:
        changed = await runtime.store.memories.since(subject, since)
        decided = await runtime.store.decisions.from_source(subject, since=since)
        past = await read_past(runtime, subject, changed, decided)
        ended = [line for line in decided if line.action in (Action.CLOSE, Action.ABANDON, Action.UNDO)]
        whole = [memory for memory in changed if memory.known_from >= since]
        new = {memory.id for memory in whole}
        again: dict[MemoryId, set[MessageRef]] = {}
        for line in decided:
            target = line.target_id if line.action in (Action.MERGE, Action.IGNORE) else None
            if target and target not in new and line.conversation and line.seq is not None:
                again.setdefault(target, set()).add(MessageRef(line.conversation, line.seq))
        return plan_memories(past, whole, ended, _weaker(past, again, before=since))

    return await _undo(runtime, subject, plan, f"what came since {since.isoformat()}", dry_run=dry_run)


async def _undo(
    runtime: Runtime, subject: Subject, plan: Plan, what: str, *, undone: str | None = None, dry_run: bool
) -> UndoPlan:
    async def attempt() -> UndoPlan:
        current = await runtime.for_subject(subject)
        version = (await current.store.snapshots.snapshot(subject, current.embedder.space, vectors=NO_VECTORS)).version
        planned = await plan()
        if planned.empty:
            raise BadRequestError(f"nothing of {what} is left to undo", param="undo")
        if not dry_run:
            changes = await _changes(current, planned)
            decisions = _decisions(current, subject, planned, f"taken back with {what}", undone)
            await current.store.memories.apply(subject, changes, decisions, subject_version=version)
        return planned

    failure = StaleSubjectError("the memories kept changing; nothing was undone, try again")
    async with runtime.turns.hold(subject):  # else notes added meanwhile make every attempt stale
        return await retry_while_stale(attempt, failure=failure)


async def _changes(runtime: Runtime, plan: UndoPlan) -> list[Change]:
    now = runtime.clock.now()
    # What is taken back was never true: it ends when it began.
    leaving = {memory.id for memory in plan.leaving}
    closes = [CloseMemory(id=memory.id, valid_to=memory.valid_from, closed_at=now) for memory in plan.leaving]
    back = [returning.memory for returning in plan.returning]
    rivals = [closing for closing in await shortened_quotations(runtime, back) if closing.id not in leaving]
    restored = await restore(runtime, back, undone=plan.undone | leaving)
    quotations = (*restored.memories, *(add.memory for add in restored.added))
    told = unmark_words(back, quotations, runtime)
    return [*closes, *rivals, *plan.weakened, *restored.closes, *restored.reopened, *restored.added, *told]


def _decisions(runtime: Runtime, subject: Subject, plan: UndoPlan, reason: str, undone: str | None) -> list[Decision]:
    touched: list[tuple[MemoryId, str, str | None, str]] = []
    for memory in plan.leaving:
        touched.append((memory.id, reason, undone, memory.text if memory.kind is not MemoryKind.TURN else ""))
    for back in plan.returning:
        text = back.memory.text if back.memory.kind is not MemoryKind.TURN else ""
        touched.append((back.memory.id, f"came back: what closed it was {reason}", back.closed_by.id, text))
    for weaker in plan.weakened:
        touched.append((weaker.id, f"rests on less: some of it was {reason}", undone, ""))
    return [
        Decision(
            id=new_id(runtime.clock),
            subject=subject,
            at=runtime.clock.now(),
            action=Action.UNDO,
            memory_id=memory,
            target_id=MemoryId(target) if target else None,
            reason=why,
            text=text,
        )
        for memory, why, target, text in touched
    ]


async def _refuse_twice(runtime: Runtime, subject: Subject, line: Decision) -> None:
    if line.action is Action.UNDO:
        raise BadRequestError(f"decision {line.id} is itself an undoing; say again what should hold", param="decision")
    for other in await runtime.store.decisions.list(subject, memory=MemoryId(line.id), limit=MAX_DECISIONS):
        if other.action is Action.UNDO:
            raise BadRequestError(f"decision {line.id} was undone already at {other.at.isoformat()}", param="decision")


async def _plan_decision(runtime: Runtime, line: Decision) -> UndoPlan:
    subject = line.subject
    touched = line.target_id if line.action in (Action.MERGE, Action.IGNORE) else line.memory_id
    memories = await runtime.store.memories.get_many(subject, [touched] if touched else [])
    decided = {line.id: line}
    if line.action in (Action.CLOSE, Action.ABANDON):  # notes that ended with a quotation come back with it
        await read_lines(runtime, subject, memories, decided)
    past = await read_past(runtime, subject, memories, decided.values())
    source = (
        frozenset([MessageRef(line.conversation, line.seq)])
        if line.conversation and line.seq is not None
        else frozenset()
    )
    if line.action in (Action.CLOSE, Action.ABANDON):
        with_it = [decision for decision in past.decisions if _ended_with(decision, line)]
        return plan_memories(past, (), [line, *with_it])
    if line.action in (Action.MERGE, Action.IGNORE):
        again = {memory.id: set(source) for memory in memories}
        return plan_memories(past, (), (), _weaker(past, again))
    [memory] = memories
    on_others = [said for said in memory.evidence if said.ref not in source]
    if on_others and memory.state is not MemoryState.CLOSED:
        return plan_sources(past, frozenset(source))
    return plan_memories(past, memories)


def _ended_with(other: Decision, line: Decision) -> bool:
    """Whether a memory was closed together with what a decision ended."""
    return other.action is Action.CLOSE and other.at == line.at and other.target_id == line.memory_id


def _weaker(
    past: UndoHistory, again: dict[MemoryId, set[MessageRef]], *, before: datetime | None = None
) -> list[WeakenMemory]:
    weakened: list[WeakenMemory] = []
    for memory_id, sources in again.items():
        memory = past.memories.get(memory_id)
        if memory is None or memory.state is MemoryState.CLOSED or (before and memory.known_from >= before):
            continue
        gone = frozenset(said.ref for said in memory.evidence) & sources
        if gone:
            weakened.append(weaken(memory, frozenset(gone), past.decisions))
    return weakened
