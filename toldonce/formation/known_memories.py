"""Memories that one formation has read: each is read once, however many steps ask for it. Reads the store."""

from collections.abc import Sequence

from toldonce.store.store import Store
from toldonce.types import Memory, MemoryId, Subject

# Memories kept of one formation: a large subject's quotations go through it in portions.
_MAX_KEPT = 1_000


class KnownMemories:
    """Reads memories for one attempt of a formation. Its commit is refused if they changed meanwhile."""

    def __init__(self, store: Store) -> None:
        """Start without known memories."""
        self._store = store
        self._known: dict[tuple[Subject, MemoryId], Memory] = {}

    async def get_many(self, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
        """Do as `MemoryRepository.get_many`, but read each memory once."""
        known = {id_: self._known[subject, id_] for id_ in ids if (subject, id_) in self._known}
        lacking = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
        for memory in await self._store.memories.get_many(subject, lacking):
            known[memory.id] = memory
            if len(self._known) < _MAX_KEPT:
                self._known[subject, memory.id] = memory
        return [known[id_] for id_ in ids if id_ in known]
