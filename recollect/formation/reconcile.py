"""Close what rests on words that an edit took back. Reads the store."""

from uuid import UUID

import numpy as np

from recollect.formation.runtime import Runtime
from recollect.ids import new_id
from recollect.text import source_key
from recollect.types import (
    KIND_ORDER,
    Action,
    CloseMemory,
    Decision,
    Lease,
    Memory,
    MemoryId,
    MemoryKind,
    SubjectSnapshot,
)


async def close_abandoned(
    hot: SubjectSnapshot, gone: set[int], lease: Lease, tools: Runtime, *, kinds: frozenset[MemoryKind]
) -> tuple[list[CloseMemory], list[Decision]]:
    """Find the active memories whose only evidence left the active path, and close them.

    Args:
        hot: The subject's active memories.
        gone: `seq` of the conversation's abandoned messages.
        lease: Whose conversation it is.
        tools: Store and clock.
        kinds: Which kinds this stage answers for.
    """
    if not gone or not len(hot):
        return [], []
    keys = np.array([source_key(lease.key.conversation, seq) for seq in gone], dtype=np.int64)
    touched = np.flatnonzero(np.isin(hot.source_key, keys))
    owners = np.unique(np.searchsorted(hot.source_start, touched, side="right") - 1)
    ids = [MemoryId(str(UUID(bytes=hot.ids[owner]))) for owner in owners if KIND_ORDER[hot.kinds[owner]] in kinds]
    now = tools.clock.now()
    closes: list[CloseMemory] = []
    decisions: list[Decision] = []
    for memory in await tools.store.memories(lease.key.subject, ids):
        if not _rests_only_on(memory, gone, lease):
            continue
        # What was taken back was never true: it ends when it began.
        closes.append(CloseMemory(id=memory.id, valid_to=memory.valid_from, closed_at=now))
        decisions.append(
            Decision(
                id=new_id(tools.clock),
                subject=lease.key.subject,
                at=now,
                action=Action.ABANDON,
                memory_id=memory.id,
                target_id=None,
                reason="the message it rests on was edited",
                text=memory.text if memory.kind is not MemoryKind.TURN else "",
                profile=lease.key.profile,
                conversation=lease.key.conversation,
                seq=memory.evidence[0].seq,
            )
        )
    return closes, decisions


def _rests_only_on(memory: Memory, gone: set[int], lease: Lease) -> bool:
    return bool(memory.evidence) and all(
        evidence.conversation == lease.key.conversation and evidence.seq in gone for evidence in memory.evidence
    )
