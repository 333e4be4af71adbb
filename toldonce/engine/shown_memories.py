"""Memories that a conversation's earlier prompts show: what became of them since, and their texts. Reads the store."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from toldonce.engine.retrieval import redact_quotation
from toldonce.formation.forgotten_words import is_forgotten
from toldonce.prompt.repeats import DENIED, content_words
from toldonce.prompt.replay import PromptReplay
from toldonce.store.store import Store
from toldonce.types import (
    Action,
    Decision,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    RecalledMemory,
    Subject,
)

# Memories that are declared with one prompt, and closed ones that are looked up for it; more follow with the next.
MAX_ENDED, MAX_LOOKED_UP = 20, 200
# A memory that made room for others (`EVICT`, `FOLD`) or went into another (`MERGE`) may hold all the same.
_ENDING = frozenset({Action.CLOSE, Action.UNDO, Action.ABANDON, Action.REJECT})
# What was said once stays said: a quotation is closed only where it is forgotten.
_DECLARED = (MemoryKind.FACT, MemoryKind.NOTE)


async def find_ended(store: Store, subject: Subject, closed: Sequence[MemoryId]) -> list[Memory]:
    """Return the facts and notes among closed memories that no longer hold; at most `MAX_ENDED`.

    Left out is what may hold all the same: what made room for others, was not used for long, is part of what replaced
    it, or was replaced by something that is forgotten. The number of statements does not depend on that of memories.

    Args:
        store: The store that has them.
        subject: Their owner.
        closed: Closed memories that are not forgotten, in the order in which they were shown.
    """
    closed = closed[-MAX_LOOKED_UP:]
    decisions = await read_decisions(store, subject, closed)
    ended = [
        memory for memory in await store.memories.get_many(subject, closed) if is_ended(memory, decisions[memory.id])
    ]
    newer = await _replacing(store, subject, ended, decisions)
    return [memory for memory in ended if is_declared(memory, newer[memory.id])][:MAX_ENDED]


async def read_decisions(
    store: Store, subject: Subject, memories: Sequence[MemoryId]
) -> dict[MemoryId, list[Decision]]:
    """Read the decisions about each of these memories, oldest first."""
    decisions: dict[MemoryId, list[Decision]] = {memory: [] for memory in memories}
    for decision in await store.decisions.of_many(subject, memories):
        for memory in {decision.memory_id, decision.target_id}:
            if memory in decisions:
                decisions[memory].append(decision)
    return decisions


def is_replaced(memory: MemoryId, decisions: Sequence[Decision]) -> bool:
    """Return whether another value took the place of a memory."""
    return any(decision.action is Action.REPLACE and decision.target_id == memory for decision in decisions)


def is_ended(memory: Memory, decisions: Sequence[Decision]) -> bool:
    """Return whether a memory was replaced, taken back, closed by what was said, or has expired by its date."""
    if memory.kind not in _DECLARED:
        return False
    if is_replaced(memory.id, decisions):
        return True
    own = [decision for decision in decisions if decision.memory_id == memory.id]
    # Notes also expire without use; those that end with something else name it.
    expired = any(
        decision.action is Action.EXPIRE and (decision.target_id or memory.kind is MemoryKind.FACT) for decision in own
    )
    return expired or any(decision.action in _ENDING for decision in own)


def is_declared(ended: Memory, newer: Sequence[Memory] | None) -> bool:
    """Return whether a fact or note that ended is declared so.

    Args:
        ended: The fact or note.
        newer: What replaced it; None if that is forgotten.
    """
    if newer is None:
        return False
    if ended.kind is not MemoryKind.NOTE:
        return True
    words = content_words(ended.text)
    more = [known for memory in newer if words <= (known := content_words(memory.text))]
    return not any((DENIED in known) is (DENIED in words) for known in more)


async def _replacing(
    store: Store, subject: Subject, ended: Sequence[Memory], decisions: Mapping[MemoryId, Sequence[Decision]]
) -> dict[MemoryId, list[Memory] | None]:
    """Read what replaced each of these memories; None where that is forgotten."""
    ids = {
        memory.id: [
            MemoryId(decision.memory_id)
            for decision in decisions[memory.id]
            if decision.action is Action.REPLACE and decision.target_id == memory.id and decision.memory_id
        ]
        for memory in ended
    }
    wanted = list(dict.fromkeys(id_ for replacing in ids.values() for id_ in replacing))
    newer = {memory.id: memory for memory in await store.memories.get_many(subject, wanted)}
    closed = [memory for memory in newer.values() if memory.state is MemoryState.CLOSED]
    own = await read_decisions(store, subject, [memory.id for memory in closed])
    gone = {memory.id for memory in closed if is_forgotten(memory, own[memory.id])}
    return {
        memory: None if gone.intersection(replacing) else [newer[id_] for id_ in replacing if id_ in newer]
        for memory, replacing in ids.items()
    }


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
