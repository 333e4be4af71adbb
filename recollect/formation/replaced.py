"""Bring back what an abandoned memory had replaced. Reads the store, embeds what comes back."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.formation.batch import NOTHING_BACK, RestoredMemories
from recollect.formation.restoration import restore
from recollect.formation.runtime import Runtime
from recollect.formation.undo_history import read_past, shortened_quotations
from recollect.ids import new_id
from recollect.resolution.undo_plan import plan_memories
from recollect.types import (
    Action,
    CloseMemory,
    Decision,
    Lease,
    MemoryId,
    MemoryState,
)


async def restore_replaced(closes: Sequence[CloseMemory], lease: Lease, tools: Runtime) -> RestoredMemories:
    """Find what the memories that an edit took back had replaced, where nothing else took its place since."""
    if not closes:
        return NOTHING_BACK
    subject = lease.key.subject
    gone = await tools.store.memories(subject, [closing.id for closing in closes])
    plan = plan_memories(await read_past(tools, subject, gone), gone)
    memories = [replace(one.memory, state=MemoryState.ACTIVE, valid_to=None, closed_at=None) for one in plan.returning]
    restored = await restore(tools, memories, undone=frozenset(closing.id for closing in closes))
    return RestoredMemories(
        memories=restored.memories,
        changes=restored.reopened,
        added=restored.added,
        closes=(*await shortened_quotations(tools, memories), *restored.closes),
        decisions=tuple(
            Decision(
                id=new_id(tools.clock),
                subject=subject,
                at=tools.clock.now(),
                action=Action.UNDO,
                memory_id=one.memory.id,
                target_id=MemoryId(one.closed_by.id),
                reason="came back: what had replaced it rests on a message that was edited",
                text=one.memory.text,
                profile=lease.key.profile,
                conversation=lease.key.conversation,
            )
            for one in plan.returning
        ),
    )
