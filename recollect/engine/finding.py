"""Recall over the store: embed the query, let the store read what ranking wants, settle. Reads the store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.engine.asking import Asking, Wish
from recollect.engine.parts import Parts
from recollect.engine.reading import ReadingLists, warm
from recollect.form.sources import readable_text
from recollect.recall.recall import Ranking, finish, rank_subjects
from recollect.types import Hot, Memory, MemoryId, MemoryKind, Recall, Subject
from recollect.work.apart import apart

# Characters of quotations from which scrubbing them takes longer than some 5 ms.
_LARGE_TEXT = 20_000


class Finder:
    """Finds the memories that bear on a query."""

    def __init__(self, parts: Parts) -> None:
        """Take the store and the embedder."""
        self._parts = parts
        self._asking = Asking(parts)
        self._lists = ReadingLists(parts.store)

    async def recall(self, text: str, subject: Subject, wish: Wish) -> Recall:
        """Find memories for a query in a subject, and in what it reads beside its own."""
        return (await self.recall_keyed(text, subject, wish))[0]

    async def recall_keyed(self, text: str, subject: Subject, wish: Wish) -> tuple[Recall, bytes]:
        """Find memories; return with them the secret that names the subject's blocks.

        The secret is the same in every process, and unknown outside.
        """
        now = self._parts.clock.now()
        asked = await self._asking.embedded(text, wish)
        started = self._parts.clock.monotonic()
        subjects = await self._lists.of(subject, cold_start=wish.cold_start)
        query = await self._asking.query(asked, subjects, wish, now)
        relevance = self._parts.embedder.relevance

        def rank(hots: Sequence[Hot]) -> tuple[Mapping[Subject, Sequence[MemoryId]], tuple[Ranking, Hot]]:
            ranking = rank_subjects(query, warm(hots, wish.cold_start), relevance)
            return ranking.wanted(), (ranking, hots[0])

        store, space = self._parts.store, self._parts.embedder.space
        (ranking, own), memories = await store.choose(subjects, space, rank)
        if not await self._lists.still(subject, own.version):
            subjects = await self._lists.of(subject, cold_start=wish.cold_start)
            (ranking, own), memories = await store.choose(subjects, space, rank)
        found = finish(ranking, await _presentable(memories), count_tokens=self._parts.counter.count)
        took_ms = (self._parts.clock.monotonic() - started) * 1000
        return replace(found, took_ms=took_ms), own.salt


async def _presentable(memories: Sequence[Memory]) -> dict[MemoryId, Memory]:
    """Scrub quotations: the log keeps a message as it came, what is derived from it holds no secret."""
    size = sum(len(memory.text) for memory in memories if memory.kind is MemoryKind.TURN)
    if not size:
        return {memory.id: memory for memory in memories}
    shown = await apart(size, lambda: [presentable(memory) for memory in memories], above=_LARGE_TEXT)
    return {memory.id: memory for memory in shown}


def presentable(memory: Memory) -> Memory:
    """Scrub a quotation; anything else is as it was stored."""
    return replace(memory, text=readable_text(memory.text)) if memory.kind is MemoryKind.TURN else memory
