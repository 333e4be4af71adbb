"""Bring back what an abandoned memory had replaced. Reads the store, embeds what comes back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recollect.ids import new_id
from recollect.providers.protocol import Embedder
from recollect.resolve.plan import Neighbour, Neighbours
from recollect.resolve.undo import plan_memories
from recollect.types import (
    Action,
    CloseMemory,
    Decision,
    Lease,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    ReopenMemory,
    Vectors,
)
from recollect.work.tools import Tools
from recollect.work.undoing import past_of, reopened, shortened_quotations


@dataclass(frozen=True, slots=True, kw_only=True)
class Back:
    """What comes back with a formation."""

    memories: tuple[Memory, ...] = ()
    """As they are once they are back."""
    changes: tuple[ReopenMemory, ...] = ()
    """One for each of `memories`."""
    closes: tuple[CloseMemory, ...] = ()
    """Quotations of a part of a message that comes back whole."""
    decisions: tuple[Decision, ...] = ()

    def beside(self, neighbours: Neighbours, vectors: Vectors, embedder: Embedder) -> Neighbours:
        """Put what comes back among the memories that candidates are weighed against."""
        if not self.memories:
            return neighbours
        notes = [
            (memory, change.vectors[0])
            for memory, change in zip(self.memories, self.changes, strict=True)
            if memory.kind is MemoryKind.NOTE and change.vectors
        ]
        near = [
            [
                *found,
                *(
                    Neighbour(memory=memory, similarity=float(embedder.relevance(np.vecdot(row, vector)[None])[0]))
                    for memory, row in notes
                ),
            ]
            for found, vector in zip(neighbours.near, vectors, strict=True)
        ]
        facts = [memory for memory in self.memories if memory.kind is MemoryKind.FACT]
        return Neighbours(near=near, facts=[*neighbours.facts, *facts], restating=neighbours.restating)


NOTHING_BACK = Back()


async def coming_back(closes: Sequence[CloseMemory], lease: Lease, tools: Tools) -> Back:
    """Find what the memories that an edit took back had replaced, where nothing else took its place since."""
    if not closes:
        return NOTHING_BACK
    subject = lease.key.subject
    gone = await tools.store.memories(subject, [closing.id for closing in closes])
    plan = plan_memories(await past_of(tools, subject, gone), gone)
    memories = [replace(one.memory, state=MemoryState.ACTIVE, valid_to=None, closed_at=None) for one in plan.returning]
    return Back(
        memories=tuple(memories),
        changes=tuple(await reopened(tools, memories)),
        closes=tuple(await shortened_quotations(tools, memories)),
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
