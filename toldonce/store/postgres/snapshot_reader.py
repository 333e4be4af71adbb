"""A recall's reading in two answers of the server, where one subject is read without a transaction. On a connection."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from toldonce.store.executor import Rank, StoreContext
from toldonce.store.postgres.dialect import dialect_statements
from toldonce.store.postgres.hnsw_search import HnswSearch, sample
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.recall.rank_and_fetch import fetch_current, rank_and_fetch
from toldonce.store.sql.recall.snapshot import (
    MAX_PORTION,
    advance,
    is_mergeable,
    max_changes,
    read_state,
    snapshot_within,
)
from toldonce.store.sql.recall.snapshot_cache import SnapshotCache
from toldonce.store.sql.rows import fetch
from toldonce.store.sql.snapshot_codec import unpack
from toldonce.store.sql.subjects import salt_of, version_of
from toldonce.text import TERM_SCHEME
from toldonce.types import ALL_VECTORS, Memory, Subject, SubjectSnapshot, VectorRequest

SQL = dialect_statements("recall")
# Columns of the statements `whole` and `forward`: those of `snapshot_state`, whether the vectors have an index, and
# those of a memory.
_STATE, _INDEXED, _HEAD = slice(6), 6, 7
# A giant's vectors, read whole for once, would push out all others.
_NOTHING_KEPT = SnapshotCache(0)
T = TypeVar("T")


class PostgresSnapshotReader:
    """Reads subjects for recall: as they are kept, whole, or with those vectors that an index finds."""

    def __init__(self, context: StoreContext) -> None:
        self._executor = context.executor
        self._cache = context.cache
        self._term_key = context.term_key
        self._search = HnswSearch()

    async def snapshot(self, subject: Subject, space: str, *, vectors: VectorRequest | None = None) -> SubjectSnapshot:
        """Read all active memories of `subject`, after its pending writes."""
        await self._executor.flush(subject)
        return await self._executor.read(lambda db: self.read(db, subject, space, vectors))

    async def rank_and_fetch(
        self, subjects: Mapping[Subject, str], rank: Rank[T], *, vectors: Mapping[Subject, VectorRequest] = ALL_VECTORS
    ) -> tuple[T, list[Memory]]:
        """Read, rank and read the chosen memories, after the subjects' pending writes."""
        await self._executor.flush(*subjects)
        return await self._executor.read(lambda db: self._rank_and_fetch(db, subjects, rank, vectors))

    @property
    def ranks_in_callers(self) -> bool:
        """A server is asked in another thread."""
        return False

    def rank_and_fetch_in_caller(self, subjects: Mapping[Subject, str], rank: Rank[T]) -> None:
        """Leave it to a thread of the store."""
        del subjects, rank

    def read(self, db: SqlConnection, subject: Subject, space: str, sought: VectorRequest | None) -> SubjectSnapshot:
        """Do as `read_snapshot`: one answer confirms the cached snapshot, or brings all of it."""
        kept = self._cache.get(subject, space)
        if kept is not None:
            if kept.version == version_of(db, subject):
                return self._settled(db, kept, space, sought)
            if kept.sampled_vectors is not None:
                return self._in_snapshot(db, subject, space, sought)
            forward = self._brought_forward(db, kept, space)
            if forward is not None:
                return forward
        rows = fetch(db, SQL["whole"], subject.key, space, TERM_SCHEME, MAX_PORTION + 1)
        # A subject that is not there yet, one with an index, and one that is read in portions.
        if not rows or rows[0][_INDEXED]:
            return self._in_snapshot(db, subject, space, sought)
        memories = [row[_HEAD:] for row in rows if row[_HEAD] is not None]
        if len(memories) > MAX_PORTION:
            return self._in_snapshot(db, subject, space, sought)
        state = read_state(db, subject, space, rows[0][_STATE])
        found = unpack(subject, state.version, salt_of(self._term_key, subject), state.dim, memories, None)
        if state.has_legacy_terms:
            found = replace(found, has_legacy_terms=True)
        self._cache.put(space, found)
        return found

    def _brought_forward(self, db: SqlConnection, kept: SubjectSnapshot, space: str) -> SubjectSnapshot | None:
        """Bring a cached snapshot forward in one answer; None if it has to be read whole."""
        subject, most = kept.subject, max_changes(kept)
        rows = fetch(db, SQL["forward"], subject.key, space, TERM_SCHEME, kept.version, most + 1)
        if not rows or rows[0][_INDEXED]:
            return None
        state = read_state(db, subject, space, rows[0][_STATE])
        changed = [row[_HEAD:] for row in rows if row[_HEAD] is not None]
        if len(changed) > most or not is_mergeable(kept, state, self._cache.changes(subject, space)):
            return None
        return advance(self._cache, space, kept, state, changed)

    def _rank_and_fetch(
        self, db: SqlConnection, subjects: Mapping[Subject, str], rank: Rank[T], sought: Mapping[Subject, VectorRequest]
    ) -> tuple[T, list[Memory]]:
        """Do as `rank_and_fetch`; of a single subject in two answers, if its version did not move in between."""
        if len(subjects) == 1:
            ((subject, space),) = subjects.items()
            ranked = self.read(db, subject, space, sought.get(subject))
            wanted, outcome = rank([ranked])
            found = fetch_current(db, ranked, wanted.get(subject, ()), space, self._cache)
            if found is not None:
                return outcome, found

        def read(db: SqlConnection, subject: Subject, space: str) -> SubjectSnapshot:
            return self._within(db, subject, space, sought.get(subject))

        return rank_and_fetch(db, subjects, rank, read=read, cache=self._cache)

    def _in_snapshot(
        self, db: SqlConnection, subject: Subject, space: str, sought: VectorRequest | None
    ) -> SubjectSnapshot:
        with db:
            return self._within(db, subject, space, sought)

    def _within(self, db: SqlConnection, subject: Subject, space: str, sought: VectorRequest | None) -> SubjectSnapshot:
        """Read a subject within the snapshot of the caller's transaction, with or without its index."""
        kept = self._cache.get(subject, space)
        if kept is not None and kept.sampled_vectors is None and kept.version == version_of(db, subject):
            return kept
        read = partial(snapshot_within, db, subject, space, term_key=self._term_key)
        if not self._search.indexed(db, subject, space):
            return read(cache=self._cache)
        if sought is None:
            return read(cache=_NOTHING_KEPT)
        return self._search.with_vectors(db, read(cache=self._cache, sample=sample), space, sought)

    def _settled(
        self, db: SqlConnection, kept: SubjectSnapshot, space: str, sought: VectorRequest | None
    ) -> SubjectSnapshot:
        """Complete what is kept of a subject, if that is not all of it."""
        if kept.sampled_vectors is None:
            return kept
        if sought is None:
            return self._in_snapshot(db, kept.subject, space, None)
        return self._search.with_vectors(db, kept, space, sought)
