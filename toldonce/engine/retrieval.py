"""Recall over the store: embed the query, rank in a snapshot of the store, finalize with the texts. Reads the store.

The reading of messages, which quotations need, is loaded with the first of these.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from toldonce.concurrency import run_in_thread_if_large
from toldonce.engine.components import Components
from toldonce.engine.query_builder import QueryBuilder, QueryVector, cleaned, without_similarity
from toldonce.engine.rerank import RerankStep, explained
from toldonce.engine.unindexed_reader import UnindexedReader
from toldonce.engine.withheld import find_withheld, omit
from toldonce.errors import SpaceMovedError, StaleSubjectError
from toldonce.formation.runtime import Runtime, user_zone
from toldonce.providers.embedder_router import EmbedderRouter
from toldonce.recall.ann import AnnPlanner
from toldonce.recall.finalize import finalize
from toldonce.recall.query import Query, RecallRequest
from toldonce.recall.recall import Ranking, rank_subjects
from toldonce.recall.unindexed import with_unindexed
from toldonce.store.store import Store
from toldonce.types import (
    Memory,
    MemoryId,
    MemoryKind,
    Recall,
    RecalledMemory,
    Subject,
    SubjectSnapshot,
)

# Characters of quotations from which redacting them takes longer than some 5 ms.
_LARGE_TEXT = 20_000
# While a reading list is read, each of its subjects may move to another embedder, and the list itself may change.
_MAX_ATTEMPTS = 10
# Users whose subscriptions are cached; a dropped entry costs one more read.
_MAX_CACHED_LISTS = 10_000
_TURN = MemoryKind.TURN.number
# Recalls for one request in which more memories turn out to be withheld; after that the result is only shorter.
_MAX_ROUNDS = 8


class _ReadingListChangedError(Exception):
    """The reading list changed while its subjects were read. Never leaves this file."""


class ReadingListCache:
    """Subjects that a user reads: their own, shared ones, and the global one. Subscriptions are cached by version."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cached: OrderedDict[Subject, tuple[int, tuple[Subject, ...]]] = OrderedDict()
        self._lock = threading.Lock()

    async def get(self, subject: Subject, *, cold_start: int) -> list[Subject]:
        """Return the subjects that recall for a subject reads: itself, then shared ones, then the global one.

        The global subject is on the list if `cold_start` is not 0.
        """
        own = [subject]
        owner = subject.owner
        if subject.kind == "app" and owner is not None and owner.kind == "user":
            # Not cached: the version of an app's subject does not change when its user subscribes.
            return own + (await self._store.apps.subscriptions(owner))[1]
        if subject.kind != "user":
            return own
        own += (self._cached.get(subject) or await self._read(subject))[1]
        return [*own, subject.everyone] if cold_start else own

    def is_current_now(self, subject: Subject, version: int) -> bool:
        """Do as `is_current` from any thread; False as well if the list cannot be read now."""
        cached = self._cached.get(subject)
        if cached is None or cached[0] == version:
            return cached is not None
        found = self._store.apps.subscriptions_in_caller(subject)
        return found is not None and self._keep(subject, *found)[1] == cached[1]

    async def is_current(self, subject: Subject, version: int) -> bool:
        """Return whether the cached reading list is still current at a subject's version; refresh it if not."""
        cached = self._cached.get(subject)
        if cached is None or cached[0] == version:
            return True
        return (await self._read(subject))[1] == cached[1]

    def get_now(self, subject: Subject, *, cold_start: int) -> list[Subject] | None:
        """Do as `get` from any thread; None if that takes an event loop."""
        if subject.kind != "user":
            return None
        known = self._cached.get(subject)
        if known is None:
            found = self._store.apps.subscriptions_in_caller(subject)
            if found is None:
                return None
            known = self._keep(subject, *found)
        return [subject, *known[1], subject.everyone] if cold_start else [subject, *known[1]]

    def forget_names(self) -> None:
        """Drop the names of all users, from any thread."""
        with self._lock:
            self._cached.clear()

    async def _read(self, subject: Subject) -> tuple[int, tuple[Subject, ...]]:
        return self._keep(subject, *await self._store.apps.subscriptions(subject))

    def _keep(self, subject: Subject, version: int, shared: Sequence[Subject]) -> tuple[int, tuple[Subject, ...]]:
        with self._lock:
            known = self._cached[subject] = (version, tuple(shared))
            self._cached.move_to_end(subject)
            while len(self._cached) > _MAX_CACHED_LISTS:
                self._cached.popitem(last=False)
        return known


def skip_global_if_warm(snapshots: Sequence[SubjectSnapshot], cold_start: int) -> Sequence[SubjectSnapshot]:
    """Leave out the global subject for users who have `cold_start` memories of their own, quotations not counted."""
    own, last = snapshots[0], snapshots[-1]
    if cold_start and last.subject.kind == "global" and np.count_nonzero(own.kinds != _TURN) >= cold_start:
        return snapshots[:-1]
    return snapshots


class Retriever:
    """Finds the memories relevant to a query."""

    def __init__(self, components: Components, runtime: Runtime, embedders: EmbedderRouter) -> None:
        """Read from the components' store; `runtime` reads what is not formed yet."""
        self._components = components
        self._embedders = embedders
        self._unindexed = UnindexedReader(components.store, runtime)
        self._reranking = RerankStep(components)
        self._queries = QueryBuilder(components)
        self._lists = ReadingListCache(components.store)

    def forget_texts(self) -> None:
        """Drop the texts of queries and the names of users that are kept."""
        self._queries.forget_texts()
        self._lists.forget_names()

    def begin(self, request: RecallRequest) -> None:
        """Begin what a recall of the same request will wait for; nothing waits for it."""
        if (embedder := self._embedders.opened_for(request.subject)) is not None:
            self._queries.begin(cleaned(request), embedder)

    async def recall(self, request: RecallRequest) -> Recall:
        """Find memories in the subject of a request and the rest of its reading list."""
        return (await self.recall_keyed(request))[0]

    def recall_now(self, request: RecallRequest) -> Recall | None:
        """Do as `recall` in the calling thread, which may be any, for a caller without an event loop.

        Returns:
            None if it takes an event loop: something is not cached, or the embedder, a reranker or the database need
            to be waited for.
        """
        store, clock = self._components.store.snapshots, self._components.clock
        subjects = self._lists.get_now(request.subject, cold_start=request.cold_start)
        is_alone = (
            request.beside is None and not request.rules and not self._components.aliases.resting(request.subject)
        )
        if subjects is None or not is_alone or self._reranking.is_set or not store.ranks_in_callers:
            return None
        embedders = {self._embedders.opened_for(subject) for subject in subjects}
        embedder = embedders.pop()
        if embedder is None or embedders or self._unindexed.waits_now(request, subjects):
            return None
        request, now = cleaned(request), clock.now()
        if request.zone is None and self._queries.may_name_time(request):
            return None
        embedded = self._queries.embed_now(request, embedder)
        if embedded is None:
            return None
        started = clock.monotonic()
        query = self._queries.query_now(request, embedded, now)

        def rank(
            snapshots: Sequence[SubjectSnapshot],
        ) -> tuple[Mapping[Subject, Sequence[MemoryId]], tuple[Ranking, int, tuple[Subject, ...]]]:
            warm = skip_global_if_warm(snapshots, request.cold_start)
            ranking = rank_subjects(query, warm, embedder.relevance)
            return ranking.wanted(), (ranking, snapshots[0].version, _subjects_of(warm))

        try:
            found = store.rank_and_fetch_in_caller(dict.fromkeys(subjects, embedder.space), rank)
        except SpaceMovedError:
            return None
        if found is None or not self._lists.is_current_now(subjects[0], found[0][1]):
            return None
        (ranking, _, read), memories = found
        recall = finalize(ranking, _redact_now(memories), count_tokens=self._components.counter.count)
        return replace(recall, subjects=read, took_ms=(clock.monotonic() - started) * 1000)

    async def recall_keyed(self, request: RecallRequest) -> tuple[Recall, bytes]:
        """Find memories, and return the secret that names the subject's prompt blocks with them.

        The secret is the same in every process, and unknown outside.
        """
        request = await self._without_ended(await self.zoned(request))
        recall, key = await self._recall_anywhere(request)
        withheld = await find_withheld(self._components.store, [item.memory for item in recall.items], request.rules)
        # What may not go where the result goes makes room for what may, of which some may not either.
        for _ in range(_MAX_ROUNDS if withheld else 0):
            recall, key = await self._recall_anywhere(replace(request, withheld=request.withheld | withheld))
            shown = [item.memory for item in recall.items]
            found = await find_withheld(self._components.store, shown, request.rules)
            withheld |= found
            if not found:
                break
        return omit(recall, withheld), key

    async def zoned(self, request: RecallRequest) -> RecallRequest:
        """Return a request with its subject's time zone, where its words may ask about a time."""
        if request.zone is not None or not self._queries.may_name_time(cleaned(request)):
            return request
        zone = await user_zone(self._components.store, request.subject, self._queries.zone)
        return replace(request, zone=zone)

    async def reading_list(self, request: RecallRequest) -> list[Subject]:
        """Return the subjects that are read for a request, its own first."""
        subjects = await self._lists.get(request.subject, cold_start=request.cold_start)
        if request.beside is not None:
            subjects.insert(1, request.beside)  # the global one stays last
        subjects[1:1] = [source for source, _ in self._components.aliases.resting(request.subject)]
        return subjects

    async def _without_ended(self, request: RecallRequest) -> RecallRequest:
        """Withhold what ended in a user's memory while another's is copied into it: it may still hold there."""
        ended = [
            await self._components.store.aliases.closed_since(request.subject, since)
            for _, since in self._components.aliases.resting(request.subject)
        ]
        return replace(request, withheld=request.withheld.union(*ended)) if ended else request

    async def _recall_anywhere(self, request: RecallRequest) -> tuple[Recall, bytes]:
        """Find memories whatever rules there are, but for those that are known to be withheld."""
        request, subject = cleaned(request), request.subject
        for _ in range(_MAX_ATTEMPTS):
            try:
                return await self._recall(request, await self.reading_list(request))
            except SpaceMovedError as moved:
                await self._embedders.refresh(Subject.parse(moved.subject), moved)
            except _ReadingListChangedError:
                continue
        why = "kept changing while it was read; try again"
        raise StaleSubjectError(f"{subject.text} {why}", logged=f"subject {subject.key} {why}")

    async def _recall(self, request: RecallRequest, subjects: Sequence[Subject]) -> tuple[Recall, bytes]:
        """Find memories in these subjects, each in the space that it was last known to be read in.

        Raises:
            SpaceMovedError: one of them is read in another space.
            _ReadingListChangedError: the reading list changed.
        """
        clock = self._components.clock
        now = clock.now()
        embedders = {subject: await self._embedders.cached_for(subject) for subject in subjects}
        began = clock.monotonic()
        # Before the snapshot: what is indexed meanwhile is in both, and counts once. A begun embedding goes on.
        said = await self._unindexed.read(request, subjects)
        read_s = clock.monotonic() - began
        embedded = {
            embedder.space: await self._queries.embed(request, embedder)
            for embedder in dict.fromkeys(embedders.values())
        }
        started = clock.monotonic() - read_s
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
        ) -> tuple[Mapping[Subject, Sequence[MemoryId]], tuple[Ranking, SubjectSnapshot, tuple[Subject, ...]]]:
            warm = skip_global_if_warm(snapshots, request.cold_start)
            whole = [with_unindexed(snapshot, said.get(snapshot.subject, ())) for snapshot in warm]
            ranking = rank_subjects(query, whole, own_embedder.relevance, others, planners)
            return ranking.wanted(), (ranking, snapshots[0], _subjects_of(warm))

        spaces = {subject: embedder.space for subject, embedder in embedders.items()}
        vectors = {subject: planner.vector_request for subject, planner in planners.items()}
        (ranking, own, read), memories = await self._components.store.snapshots.rank_and_fetch(
            spaces, rank, vectors=vectors
        )
        if not await self._lists.is_current(subjects[0], own.version):
            raise _ReadingListChangedError
        texts = await redact_quotations([*memories, *(item.memory for items in said.values() for item in items)])
        order = await self._reranking.ordered(ranking, narrow, texts)
        recall = explained(finalize(order.ranking, texts, count_tokens=self._components.counter.count), order)
        took_ms = (clock.monotonic() - started) * 1000
        failures = {vector.failure for vector in embedded.values() if vector.failure}
        warning = "; ".join(filter(None, [*sorted(failures), recall.warning]))
        return replace(recall, subjects=read, took_ms=took_ms, warning=warning), own.salt


def _subjects_of(snapshots: Sequence[SubjectSnapshot]) -> tuple[Subject, ...]:
    return tuple(snapshot.subject for snapshot in snapshots)


def _in_space(query: Query, embedded: QueryVector) -> Query:
    """Return a query for subjects that are read in another space."""
    policy = without_similarity(query.policy) if embedded.failure else query.policy
    return replace(query, vector=embedded.vector, policy=policy)


async def redact_quotations(memories: Sequence[Memory]) -> dict[MemoryId, Memory]:
    """Remove secrets from quotations, and return all memories by id.

    The log keeps a message as it came; anything derived from it has no secret.
    """
    size = sum(len(memory.text) for memory in memories if memory.kind is MemoryKind.TURN)
    if not size:
        return {memory.id: memory for memory in memories}
    shown = await run_in_thread_if_large(
        size, lambda: [redact_quotation(memory) for memory in memories], above=_LARGE_TEXT
    )
    return {memory.id: memory for memory in shown}


def _redact_now(memories: Sequence[Memory]) -> dict[MemoryId, Memory]:
    """Do as `redact_quotations` in this thread."""
    texts = {memory.id: memory for memory in memories}
    for memory in [memory for memory in memories if memory.kind is MemoryKind.TURN]:
        texts[memory.id] = redact_quotation(memory)
    return texts


def redact_quotation(memory: Memory) -> Memory:
    """Remove secrets and others' words from a quotation; other memories are returned as they were stored."""
    if memory.kind is not MemoryKind.TURN:
        return memory
    from toldonce.extraction.sources import read_quotation

    return replace(memory, text=read_quotation(memory).quoted)


async def record_uses(components: Components, items: Iterable[RecalledMemory]) -> None:
    """Count a use, now, of each stored memory among recalled ones."""
    by_subject: dict[Subject, list[MemoryId]] = {}
    for item in items:
        if item.is_stored:
            by_subject.setdefault(item.memory.subject, []).append(item.memory.id)
    for subject, ids in by_subject.items():
        await components.store.memories.record_uses(subject, ids, components.clock.now())
