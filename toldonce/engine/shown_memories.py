"""Memories that a conversation's earlier prompts show: what became of them since, and their texts. Reads the store."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from toldonce.engine.ended_memories import MAX_ENDED, find_ended, is_replaced, read_decisions
from toldonce.engine.retrieval import redact_quotation
from toldonce.prompt.replay import PromptReplay
from toldonce.store.store import Store
from toldonce.types import (
    Memory,
    MemoryId,
    MemoryState,
    RecalledMemory,
    Subject,
)

_REPLAYED = ("an earlier prompt of the conversation shows it",)


@dataclass(frozen=True, slots=True)
class ClosedMemories:
    """What became of memories since they were shown."""

    removed: frozenset[MemoryId]
    """Erased or forgotten."""
    ended: Mapping[Subject, Sequence[MemoryId]]
    """Closed otherwise, and not declared no longer true so far."""


class ShownMemories:
    """Reads memories that earlier prompts show."""

    def __init__(self, store: Store) -> None:
        """Read from a store."""
        self._store = store

    async def closed(self, replay: PromptReplay, unstored: Set[MemoryId]) -> ClosedMemories:
        """Find what of the shown memories was erased, forgotten, or closed otherwise since they were shown.

        Args:
            replay: What earlier prompts show.
            unstored: Memories in rows that the store does not have, so that forgetting did not empty them. Whatever was
                closed of these counts as forgotten, unless it was replaced.
        """
        removed: set[MemoryId] = set()
        ended: dict[Subject, list[MemoryId]] = {}
        for subject, ids in by_subject(replay.shown).items():
            states = await self._store.memories.states(subject, ids)
            removed.update(memory for memory in ids if memory not in states)
            closed = [memory for memory in ids if states.get(memory) is MemoryState.CLOSED]
            closed = [memory for memory in closed if memory not in replay.withdrawn]
            decisions = await read_decisions(self._store, subject, [memory for memory in closed if memory in unstored])
            removed.update(memory for memory, known in decisions.items() if not is_replaced(memory, known))
            if rest := [memory for memory in closed if memory not in removed]:
                ended[subject] = rest
        return ClosedMemories(frozenset(removed), ended)

    async def ended(self, closed: ClosedMemories) -> tuple[Memory, ...]:
        """Find what no longer holds of closed memories and is to be declared; see `find_ended`."""
        found = [
            memory for subject, ids in closed.ended.items() for memory in await find_ended(self._store, subject, ids)
        ]
        return tuple(found[:MAX_ENDED])

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
