"""Recall over the store: embed the query, rank in a snapshot of the store, finalize with the texts. Reads the store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.concurrency import run_in_thread_if_large
from recollect.engine.components import Components
from recollect.engine.query_builder import QueryBuilder, QueryVector, cleaned, without_similarity
from recollect.engine.reading_lists import ReadingListCache, skip_global_if_warm
from recollect.engine.rerank import RerankStep, explained
from recollect.errors import SpaceMovedError, StaleSubjectError
from recollect.extraction.sources import quotation_text
from recollect.providers.embedder_router import EmbedderRouter
from recollect.recall.ann import AnnPlanner
from recollect.recall.query import Query, RecallRequest
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
        self._queries = QueryBuilder(parts)
        self._lists = ReadingListCache(parts.store)

    async def recall(self, request: RecallRequest) -> Recall:
        """Find memories in the subject of a request and the rest of its reading list."""
        return (await self.recall_keyed(request))[0]

    async def recall_keyed(self, request: RecallRequest) -> tuple[Recall, bytes]:
        """Find memories; return with them the secret that names the subject's blocks.

        The secret is the same in every process, and unknown outside.
        """
        request, subject = cleaned(request), request.subject
        for _ in range(_TRIES):
            subjects = await self._lists.of(subject, cold_start=request.cold_start)
            try:
                return await self._recall(request, subjects)
            except SpaceMovedError as moved:
                await self._embedders.refresh(Subject.parse(moved.subject), moved)
            except _OtherListError:
                continue
        said = "kept changing while it was read; try again"
        raise StaleSubjectError(f"{subject.text} {said}", logged=f"subject {subject.key} {said}")

    async def _recall(self, request: RecallRequest, subjects: Sequence[Subject]) -> tuple[Recall, bytes]:
        """Find memories in these subjects, each in the space that it was last known to be read in.

        Raises:
            SpaceMovedError: one of them is read in another space.
            _OtherListError: the reading list changed.
        """
        clock = self._parts.clock
        now = clock.now()
        embedders = {subject: await self._embedders.cached_for(subject) for subject in subjects}
        embedded = {
            embedder.space: await self._queries.embed(request, embedder)
            for embedder in dict.fromkeys(embedders.values())
        }
        started = clock.monotonic()
        own_embedder = embedders[subjects[0]]
        narrow = await self._queries.query(request, embedded[own_embedder.space], subjects, now)
        query = self._reranking.widened(narrow)
        others = {
            subject: (_in_space(query, embedded[embedder.space]), embedder.relevance)
            for subject, embedder in embedders.items()
            if embedder is not own_embedder
        }
        planners = {subject: AnnPlanner(*others.get(subject, (query, own_embedder.relevance))) for subject in embedders}

        def rank(
            snapshots: Sequence[SubjectSnapshot],
        ) -> tuple[Mapping[Subject, Sequence[MemoryId]], tuple[Ranking, SubjectSnapshot]]:
            warm = skip_global_if_warm(snapshots, request.cold_start)
            ranking = rank_subjects(query, warm, own_embedder.relevance, others, planners)
            return ranking.wanted(), (ranking, snapshots[0])

        spaces = {subject: embedder.space for subject, embedder in embedders.items()}
        sought = {subject: planner.vector_request for subject, planner in planners.items()}
        (ranking, own), memories = await self._parts.store.snapshots.rank_and_fetch(spaces, rank, vectors=sought)
        if not await self._lists.still(subjects[0], own.version):
            raise _OtherListError
        texts = await _presentable(memories)
        order = await self._reranking.ordered(ranking, narrow, texts)
        recall = explained(finalize(order.ranking, texts, count_tokens=self._parts.counter.count), order)
        took_ms = (clock.monotonic() - started) * 1000
        failures = {vector.failure for vector in embedded.values() if vector.failure}
        remark = "; ".join(filter(None, [*sorted(failures), recall.warning]))
        return replace(recall, took_ms=took_ms, warning=remark), own.salt


def _in_space(query: Query, embedded: QueryVector) -> Query:
    """Return a query for subjects that are read in another space."""
    policy = without_similarity(query.policy) if embedded.failure else query.policy
    return replace(query, vector=embedded.vector, policy=policy)


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
