"""Close what lost its source to an edit or a new extractor, and restore what it had replaced. Reads the store."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np

from toldonce.formation.batch import NOTHING_BACK, RestoredMemories, by_formation
from toldonce.formation.restoration import read_past, restore, shortened_quotations
from toldonce.formation.runtime import Runtime
from toldonce.resolution.undo_plan import plan_memories
from toldonce.text import source_key
from toldonce.types import (
    KIND_ORDER,
    Action,
    Change,
    CloseMemory,
    Decision,
    FormationKey,
    Lease,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    ReopenMemory,
    StrengthenMemory,
    SubjectSnapshot,
)

_FORMED = frozenset({MemoryKind.NOTE, MemoryKind.FACT})


async def close_abandoned(
    snapshot: SubjectSnapshot, gone: Collection[int], lease: Lease, runtime: Runtime, *, kinds: frozenset[MemoryKind]
) -> tuple[list[CloseMemory], list[Decision]]:
    """Find the active memories whose only evidence left the active path, and close them.

    Args:
        snapshot: The subject's active memories.
        gone: `seq` of the conversation's abandoned messages.
        lease: Whose conversation it is.
        runtime: Store and clock.
        kinds: Which kinds this stage answers for.
    """
    if not gone or not len(snapshot):
        return [], []
    keys = np.array([source_key(lease.key.conversation, seq) for seq in gone], dtype=np.int64)
    touched = np.flatnonzero(np.isin(snapshot.source_key, keys))
    owners = np.unique(np.searchsorted(snapshot.source_start, touched, side="right") - 1)
    ids = [
        MemoryId(str(UUID(bytes=snapshot.ids[owner]))) for owner in owners if KIND_ORDER[snapshot.kinds[owner]] in kinds
    ]
    now = runtime.clock.now()
    closes: list[CloseMemory] = []
    decisions: list[Decision] = []
    for memory in await runtime.store.memories.get_many(lease.key.subject, ids):
        if not _rests_only_on(memory, gone, lease):
            continue
        # What was taken back was never true: it ends when it began.
        closes.append(CloseMemory(id=memory.id, valid_to=memory.valid_from, closed_at=now))
        reason = "the message it rests on was edited"
        text = memory.text if memory.kind is not MemoryKind.TURN else ""
        decisions.append(
            by_formation(
                replace(Decision.of(memory, Action.ABANDON, reason, clock=runtime.clock, text=text), at=now),
                lease.key,
                memory.evidence[0].seq,
            )
        )
    return closes, decisions


def _rests_only_on(memory: Memory, gone: Collection[int], lease: Lease) -> bool:
    return bool(memory.evidence) and all(
        evidence.conversation == lease.key.conversation and evidence.seq in gone for evidence in memory.evidence
    )


async def close_outdated(
    lease: Lease, runtime: Runtime, changes: Sequence[Change], *, formed_seq: int
) -> tuple[list[CloseMemory], list[Decision]]:
    """Find what is to be closed with the commit that completes the reading of a conversation by a new extractor.

    A memory goes if an older extractor of the same profile made it, it rests on this conversation alone, and the new
    one did not make it again: what is made again carries the new one's name.

    Args:
        lease: The formation.
        runtime: Store and clock.
        changes: What the formation commits beside this.
        formed_seq: How far it has read.
    """
    key = lease.key
    if formed_seq < lease.last_seq or not await runtime.store.formations.has_other_version(key):
        return [], []
    touched = {change.id for change in changes if isinstance(change, CloseMemory | StrengthenMemory | ReopenMemory)}
    found = await runtime.store.memories.from_source(key.subject, key.conversation)
    old = [memory for memory in _of_others(found, lease) if memory.id not in touched]
    now = runtime.clock.now()
    closes = [CloseMemory(id=memory.id, valid_to=memory.valid_from, closed_at=now) for memory in old]
    decisions = [
        by_formation(
            replace(
                Decision.of(memory, Action.ABANDON, _replaced_by(memory, key), clock=runtime.clock, text=memory.text),
                at=now,
            ),
            key,
            memory.evidence[0].seq,
        )
        for memory in old
    ]
    return closes, decisions


def _replaced_by(memory: Memory, key: FormationKey) -> str:
    return f"{memory.version} made it; {key.version}, which reads the conversation now, does not"


def _of_others(memories: Iterable[Memory], lease: Lease) -> list[Memory]:
    key = lease.key
    return [
        memory
        for memory in memories
        if memory.state is MemoryState.ACTIVE
        and memory.kind in _FORMED
        and memory.profile == key.profile
        and memory.version not in ("", key.version)
        and all(said.conversation == key.conversation for said in memory.evidence)
    ]


async def restore_replaced(closes: Sequence[CloseMemory], lease: Lease, runtime: Runtime) -> RestoredMemories:
    """Find what the memories that an edit took back had replaced, where nothing else took its place since."""
    if not closes:
        return NOTHING_BACK
    subject = lease.key.subject
    gone = await runtime.store.memories.get_many(subject, [closing.id for closing in closes])
    plan = plan_memories(await read_past(runtime, subject, gone), gone)
    memories = [
        replace(back.memory, state=MemoryState.ACTIVE, valid_to=None, closed_at=None) for back in plan.returning
    ]
    restored = await restore(runtime, memories, undone=frozenset(closing.id for closing in closes))
    return RestoredMemories(
        memories=restored.memories,
        changes=restored.reopened,
        added=restored.added,
        closes=(*await shortened_quotations(runtime, memories), *restored.closes),
        decisions=tuple(
            by_formation(
                Decision.of(
                    back.memory,
                    Action.UNDO,
                    "came back: what had replaced it rests on a message that was edited",
                    clock=runtime.clock,
                    target=back.closed_by.id,
                    text=back.memory.text,
                ),
                lease.key,
            )
            for back in plan.returning
        ),
    )
