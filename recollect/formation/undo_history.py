"""What an undo rests on: decisions about memories, what they closed, and the facts that hold. Reads the store."""

from collections.abc import Iterable, Sequence

from recollect.formation.runtime import Runtime
from recollect.resolution.undo_plan import UndoHistory
from recollect.types import CloseMemory, Decision, Memory, MemoryId, MemoryKind, MemoryState, Subject

MAX_DECISIONS = 10_000
"""Decisions read for one memory: far more than a memory ever has."""


async def shortened_quotations(tools: Runtime, returning: Sequence[Memory]) -> list[CloseMemory]:
    """End the quotations of a part of a message, and episodes without a sentence, where the whole comes back."""
    now = tools.clock.now()
    closes: dict[MemoryId, CloseMemory] = {}
    for memory in returning:
        if memory.kind not in (MemoryKind.TURN, MemoryKind.EPISODE) or not memory.evidence:
            continue
        source = memory.evidence[0]
        for other in await tools.store.memories_from(memory.subject, source.conversation, seq=source.seq):
            if other.kind is memory.kind and other.state is MemoryState.ACTIVE and other.id != memory.id:
                closes[other.id] = CloseMemory(id=other.id, valid_to=max(other.valid_from, now), closed_at=now)
    return list(closes.values())


async def read_past(
    tools: Runtime, subject: Subject, memories: Sequence[Memory], decided: Iterable[Decision] = ()
) -> UndoHistory:
    """Read what taking back memories rests on: their decisions, what they closed, and the facts that hold.

    Args:
        tools: Store and clock.
        subject: The owner of the memories.
        memories: What is to be taken back.
        decided: Decisions about them that are known already.
    """
    known = {memory.id: memory for memory in memories}
    lines = {line.id: line for line in decided}
    await read_lines(tools, subject, [memory for memory in memories if memory.kind is not MemoryKind.TURN], lines)
    others = {other for line in lines.values() for other in (line.memory_id, line.target_id) if other} - known.keys()
    related = await tools.store.memories(subject, sorted(others))
    await read_lines(tools, subject, related, lines)
    known |= {memory.id: memory for memory in related}
    ordered = sorted(lines.values(), key=lambda line: (line.at, line.id))
    return UndoHistory(memories=known, decisions=ordered, active=await tools.store.facts(subject))


async def read_lines(tools: Runtime, subject: Subject, memories: Sequence[Memory], lines: dict[str, Decision]) -> None:
    """Add the decisions about memories to `lines`, by their ids."""
    for memory in memories:
        found = await tools.store.decisions(subject, memory=memory.id, limit=MAX_DECISIONS)
        lines |= {line.id: line for line in found}
