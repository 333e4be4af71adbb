"""Recall over the store: embed the query, read the subjects, rank, fetch what is shown. Reads the store."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from recollect.engine.asking import Asking, Wish
from recollect.engine.parts import Parts
from recollect.form.sources import readable_text
from recollect.recall.query import Query
from recollect.recall.recall import Ranking, finish, rank_subjects
from recollect.types import Hot, Memory, MemoryId, MemoryKind, Recall, Subject
from recollect.work.apart import apart

T = TypeVar("T")

# Past this many memories ranking takes long enough (some 5 ms) to be felt by other requests on the loop.
_LARGE = 20_000
# Characters of quotations from which scrubbing them takes longer than some 5 ms.
_LARGE_TEXT = 20_000


class Finder:
    """Finds the memories that bear on a query."""

    def __init__(self, parts: Parts) -> None:
        """Take the store and the embedder."""
        self._parts = parts
        self._asking = Asking(parts)

    async def recall(self, text: str, subjects: Sequence[Subject], wish: Wish) -> Recall:
        """Find memories for a query in the subjects of a reading list, own before shared before global."""
        return (await self.recall_keyed(text, subjects, wish))[0]

    async def recall_keyed(self, text: str, subjects: Sequence[Subject], wish: Wish) -> tuple[Recall, bytes]:
        """Find memories; return with them the secret that names the first subject's blocks.

        The secret is the same in every process, and unknown outside.
        """
        now = self._parts.clock.now()
        asked = await self._asking.embedded(text, wish)
        started = self._parts.clock.monotonic()
        space = self._parts.embedder.space
        hots = await _all([self._parts.store.hot(subject, space) for subject in subjects])
        query = await self._asking.query(asked, subjects, wish, now)
        ranking = await self._rank(query, hots)
        memories = await self._fetch(ranking)
        found = finish(ranking, memories, count_tokens=self._parts.counter.count)
        took_ms = (self._parts.clock.monotonic() - started) * 1000
        return replace(found, took_ms=took_ms), hots[0].salt

    async def _rank(self, query: Query, hots: Sequence[Hot]) -> Ranking:
        relevance = self._parts.embedder.relevance
        if sum(len(hot) for hot in hots) > _LARGE:
            return await asyncio.to_thread(rank_subjects, query, hots, relevance)
        return rank_subjects(query, hots, relevance)

    async def _fetch(self, ranking: Ranking) -> dict[MemoryId, Memory]:
        wanted = ranking.wanted()
        found = await _all([self._parts.store.memories(who, ids) for who, ids in wanted.items()])
        memories = [memory for each in found for memory in each]
        size = sum(len(memory.text) for memory in memories if memory.kind is MemoryKind.TURN)
        shown = await apart(size, lambda: [presentable(memory) for memory in memories], above=_LARGE_TEXT)
        return {memory.id: memory for memory in shown}


async def _all(reads: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Wait for all of several reads. One alone needs no task, which costs as much as the read's way to its thread."""
    return [await reads[0]] if len(reads) == 1 else await asyncio.gather(*reads)


def presentable(memory: Memory) -> Memory:
    """Scrub a quotation: the log keeps a message as it came, what is derived from it holds no secret."""
    if memory.kind is not MemoryKind.TURN:
        return memory
    return replace(memory, text=readable_text(memory.text))
