"""Close what an older extractor made of a conversation and the one that reads it now does not. Reads the store."""

from collections.abc import Iterable, Sequence

from recollect.formation.runtime import Runtime
from recollect.ids import new_id
from recollect.types import (
    Action,
    Change,
    CloseMemory,
    Decision,
    Lease,
    Memory,
    MemoryKind,
    MemoryState,
    ReopenMemory,
    StrengthenMemory,
)

_FORMED = frozenset({MemoryKind.NOTE, MemoryKind.FACT})


async def close_outdated(
    lease: Lease, tools: Runtime, changes: Sequence[Change], *, formed_seq: int
) -> tuple[list[CloseMemory], list[Decision]]:
    """Find what is to be closed with the commit that completes the reading of a conversation by a new extractor.

    A memory goes if an older extractor of the same profile made it, it rests on this conversation alone, and the new
    one did not make it again: what is made again carries the new one's name.

    Args:
        lease: The formation.
        tools: Store and clock.
        changes: What the formation commits beside this.
        formed_seq: How far it has read.
    """
    key = lease.key
    if formed_seq < lease.last_seq or not await tools.store.formed_by_another(key):
        return [], []
    touched = {change.id for change in changes if isinstance(change, CloseMemory | StrengthenMemory | ReopenMemory)}
    found = await tools.store.memories_from(key.subject, key.conversation)
    old = [memory for memory in _of_others(found, lease) if memory.id not in touched]
    now = tools.clock.now()
    closes = [CloseMemory(id=memory.id, valid_to=memory.valid_from, closed_at=now) for memory in old]
    decisions = [
        Decision(
            id=new_id(tools.clock),
            subject=key.subject,
            at=now,
            action=Action.ABANDON,
            memory_id=memory.id,
            target_id=None,
            reason=f"{memory.version} made it; {key.version}, which reads the conversation now, does not",
            text=memory.text,
            profile=key.profile,
            conversation=key.conversation,
            seq=memory.evidence[0].seq,
        )
        for memory in old
    ]
    return closes, decisions


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
