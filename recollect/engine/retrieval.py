"""Recall over the store: embed the query, let the store read what ranking wants, settle. Reads the store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.concurrency import run_in_thread_if_large
from recollect.engine.components import Components
from recollect.engine.query_builder import Embedded, QueryBuilder, Wish, without_similarity
from recollect.engine.reading_lists import ReadingListCache, skip_global_if_warm
from recollect.engine.rerank import RerankStep, explained
from recollect.errors import SpaceMovedError, StaleSubjectError
from recollect.extraction.sources import quotation_text
from recollect.providers.embedder_router import EmbedderRouter
from recollect.recall.ann import AnnPlanner
from recollect.recall.query import Query
from recollect.recall.recall import Ranking, finalize, rank_subjects
from recollect.types import Memory, MemoryId, MemoryKind, Recall, Subject, SubjectSnapshot

# Characters of quotations from which scrubbing them takes longer than some 5 ms.
_LARGE_TEXT = 20_000
# Subjects of a reading list may each be told to be read by another embedder, or the list be another, while it is read.
_TRIES = 10


class _OtherListError(Exception):
    """What is read beside one's own changed meanwhile; said within this file."""


class Retriever:
    """Finds the memories that bear on a query."""

    def __init__(self, parts: Components, embedders: EmbedderRouter) -> None:
        """Take the store and the embedders."""
        self._parts = parts
        self._embedders = embedders
        self._reranking = RerankStep(parts)
        self._asking = QueryBuilder(parts)
        self._lists = ReadingListCache(parts.store)

    async def recall(self, text: str, subject: Subject, wish: Wish) -> Recall:
        """Find memories for a query in a subject, and in what it reads beside its own."""
        return (await self.recall_keyed(text, subject, wish))[0]

    async def recall_keyed(self, text: str, subject: Subject, wish: Wish) -> tuple[Recall, bytes]:
        """Find memories; return with them the secret that names the subject's blocks.

        The secret is the same in every process, and unknown outside.
        """
        for _ in range(_TRIES):
            subjects = await self._lists.of(subject, cold_start=wish.cold_start)
            try:
                return await self._recall(text, subjects, wish)
            except SpaceMovedError as moved:
                await self._embedders.learn(Subject.parse(moved.subject), moved)
            except _OtherListError:
                continue
        said = "kept changing while it was read; try again"
        raise StaleSubjectError(f"{subject.text} {said}", logged=f"subject {subject.key} {said}")

    async def _recall(self, text: str, subjects: Sequence[Subject], wish: Wish) -> tuple[Recall, bytes]:
        """Find memories in these subjects, each in the space it is thought to be read in.

        Raises:
            SpaceMovedError: one of them is read in another space.
            _OtherListError: other subjects are to be read.
        """
        clock = self._parts.clock
        now = clock.now()
        whose = {one: await self._embedders.likely(one) for one in subjects}
        asked = {one.space: await self._asking.embedded(text, wish, one) for one in dict.fromkeys(whose.values())}
        started = clock.monotonic()
        mine = whose[subjects[0]]
        narrow = await self._asking.query(asked[mine.space], subjects, wish, now)
        query = self._reranking.widened(narrow)
        others = {
            one: (_in_space(query, asked[embedder.space]), embedder.relevance)
            for one, embedder in whose.items()
            if embedder is not mine
        }

        seekers = {one: AnnPlanner(*others.get(one, (query, mine.relevance))) for one in whose}

        def rank(
            hots: Sequence[SubjectSnapshot],
        ) -> tuple[Mapping[Subject, Sequence[MemoryId]], tuple[Ranking, SubjectSnapshot]]:
            ranking = rank_subjects(query, skip_global_if_warm(hots, wish.cold_start), mine.relevance, others, seekers)
            return ranking.wanted(), (ranking, hots[0])

        spaces = {one: embedder.space for one, embedder in whose.items()}
        sought = {one: seeker.sought for one, seeker in seekers.items()}
        (ranking, own), memories = await self._parts.store.choose(spaces, rank, sought=sought)
        if not await self._lists.still(subjects[0], own.version):
            raise _OtherListError
        shown = await _presentable(memories)
        order = await self._reranking.ordered(ranking, narrow, shown)
        found = explained(finalize(order.ranking, shown, count_tokens=self._parts.counter.count), order)
        took_ms = (clock.monotonic() - started) * 1000
        failures = {one.failure for one in asked.values() if one.failure}
        remark = "; ".join(filter(None, [*sorted(failures), found.remark]))
        return replace(found, took_ms=took_ms, remark=remark), own.salt


def _in_space(query: Query, asked: Embedded) -> Query:
    """Return a query for subjects that are read in another space."""
    policy = without_similarity(query.policy) if asked.failure else query.policy
    return replace(query, vector=asked.vector, policy=policy)


async def _presentable(memories: Sequence[Memory]) -> dict[MemoryId, Memory]:
    """Scrub quotations: the log keeps a message as it came, what is derived from it holds no secret."""
    size = sum(len(memory.text) for memory in memories if memory.kind is MemoryKind.TURN)
    if not size:
        return {memory.id: memory for memory in memories}
    shown = await run_in_thread_if_large(
        size, lambda: [redact_quotation(memory) for memory in memories], above=_LARGE_TEXT
    )
    return {memory.id: memory for memory in shown}


def redact_quotation(memory: Memory) -> Memory:
    """Scrub a quotation; anything else is as it was stored."""
    return replace(memory, text=quotation_text(memory)) if memory.kind is MemoryKind.TURN else memory
