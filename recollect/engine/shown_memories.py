"""Memories that a conversation's earlier prompts show: what became of them since, and their texts. Reads the store."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from recollect.engine.ended_memories import find_ended, is_replaced
from recollect.engine.retrieval import redact_quotation
from recollect.prompt.replay import PromptReplay
from recollect.store.store import Store
from recollect.types import (
    Memory,
    MemoryId,
    MemoryState,
    RecalledMemory,
    Subject,
)

# Memories that ended since they were shown and are looked up for one prompt; more follow with the next.
MAX_ENDED = 20
_REPLAYED = ("an earlier prompt of the conversation shows it",)


@dataclass(frozen=True, slots=True)
class ClosedMemories:
    """What became of memories since they were shown."""

    removed: frozenset[MemoryId]
    """Erased or forgotten."""
    ended: tuple[Memory, ...]
    """What no longer holds and is to be declared; see `find_ended`."""


class ShownMemories:
    """Reads memories that earlier prompts show."""

    def __init__(self, store: Store) -> None:
        """Read from a store."""
        self._store = store

    async def closed(self, replay: PromptReplay, unstored: Set[MemoryId]) -> ClosedMemories:
        """Find what of the shown memories was erased or forgotten, and what no longer holds, since they were shown.

        Args:
            replay: What earlier prompts show.
            unstored: Memories in rows that the store does not have, so that forgetting did not empty them. Whatever was
                closed of these counts as forgotten, unless it was replaced.
        """
        removed: set[MemoryId] = set()
        ended: list[Memory] = []
        for subject, ids in by_subject(replay.shown).items():
            states = await self._store.memories.states(subject, ids)
            removed.update(memory for memory in ids if memory not in states)
            closed = [memory for memory in ids if states.get(memory) is MemoryState.CLOSED]
            closed = [memory for memory in closed if memory not in replay.withdrawn]
            for memory in await self._store.memories.get_many(subject, closed) if closed else ():
                is_forgotten = memory.id in unstored
                if len(ended) < MAX_ENDED:
                    lines = await self._store.decisions.list(subject, memory=memory.id)
                    is_forgotten = is_forgotten and not is_replaced(memory, lines)
                    if not is_forgotten and (found := await find_ended(self._store, memory, lines)):
                        ended.append(found)
                if is_forgotten:
                    removed.add(memory.id)
        return ClosedMemories(frozenset(removed), tuple(ended))

    async def read(self, shown: Mapping[Subject, Sequence[MemoryId]]) -> tuple[RecalledMemory, ...]:
        """Read memories that earlier prompts of a conversation show, newest first."""
        read = [
            RecalledMemory(
                memory=redact_quotation(memory), score=0.0, similarity=0.0, word_share=0.0, reasons=_REPLAYED
            )
            for subject, ids in shown.items()
            for memory in await self._store.memories.get_many(subject, ids)
        ]
        return tuple(reversed(read))


def by_subject(shown: Mapping[MemoryId, Subject]) -> dict[Subject, list[MemoryId]]:
    """Group memories by their subject."""
    ids: dict[Subject, list[MemoryId]] = {}
    for memory, subject in shown.items():
        ids.setdefault(subject, []).append(memory)
    return ids
