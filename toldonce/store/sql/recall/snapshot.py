"""Snapshots: all active memories of a subject as arrays, cached and brought forward. Works on a connection."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from toldonce.errors import SpaceMovedError
from toldonce.freed_memory import return_freed_memory
from toldonce.store.sql.database import Row, SqlConnection, TooLargeError, load
from toldonce.store.sql.recall.growing_arrays import GrowingArrays
from toldonce.store.sql.recall.snapshot_cache import REREAD_CHANGES, REREAD_SIZE, SnapshotCache
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.store.sql.snapshot_codec import unpack
from toldonce.store.sql.subjects import salt_of, space_of, verified, version_of
from toldonce.text import TERM_SCHEME
from toldonce.types import Subject, SubjectSnapshot

SQL, SUBJECT_SQL = load("memory"), load("subject")
_NO_SPACE = (0, 0)
# Up to so many changes, or to a quarter of the memories, are merged; beyond, reading all is as quick.
MIN_MERGED, _MERGED_SHARE = 32, 4
# Memories read at once from a large subject: two or three megabytes, beside the arrays that they are copied into.
MAX_PORTION = 1_000
# Before all ids, and more memories than a subject has.
_BEFORE_ALL, _ALL = b"", 2**31 - 1
Sample = Callable[[SqlConnection, Subject, int, Sequence[bytes]], list[Row]]
"""Reads some of the vectors of a space (its number), of memories with these ids, as a sample of all of them: rows
of id and vectors, ordered by id."""


class SubjectState(NamedTuple):
    """The row of a subject, as far as a snapshot needs it."""

    version: int
    has_legacy_terms: bool
    space: int
    """Number of the space that is asked for; 0 if it is unknown."""
    dim: int


def read_snapshot(
    db: SqlConnection, subject: Subject, space: str, *, cache: SnapshotCache, term_key: bytes, most: int | None = None
) -> SubjectSnapshot:
    """Read a subject's active memories, from the cache where they have not changed.

    Raises:
        TooLargeError: there are more than `most` memories to be read.
    """
    kept = cache.get(subject, space)
    if kept is not None and kept.version == version_of(db, subject):
        return kept
    with db:  # one snapshot for version and rows
        return snapshot_within(db, subject, space, cache=cache, term_key=term_key, most=most)


def current_snapshot(
    db: SqlConnection, subject: Subject, space: str, *, cache: SnapshotCache
) -> SubjectSnapshot | None:
    """Return a subject's cached snapshot if it is the current one, by one statement; None if it is not.

    Raises:
        SpaceMovedError: the subject is read in another space.
    """
    kept = cache.get(subject, space)
    if kept is None or kept.sampled_vectors is not None:
        return None
    row = fetch_one(db, SUBJECT_SQL["snapshot_state"], subject.key, space, TERM_SCHEME)
    return kept if row is not None and read_state(db, subject, space, row).version == kept.version else None


def snapshot_within(  # noqa: PLR0913  (whose and where, what is kept, and the two ways of not reading all)
    db: SqlConnection,
    subject: Subject,
    space: str,
    *,
    cache: SnapshotCache,
    term_key: bytes,
    most: int | None = None,
    sample: Sample | None = None,
) -> SubjectSnapshot:
    """Do as `read_snapshot`, within the snapshot of the caller's transaction.

    With `sample`, for a subject whose vectors are indexed, the snapshot has only the vectors that it reads.

    Raises:
        SpaceMovedError: the subject is read in another space.
        TooLargeError: there are more than `most` memories to be read.
    """
    known = cache.get(subject, space)
    row = fetch_one(db, SUBJECT_SQL["snapshot_state"], subject.key, space, TERM_SCHEME)
    if row is None:
        dim = (space_of(db, space) or _NO_SPACE)[1]
        return unpack(subject, 0, salt_of(term_key, subject), dim, [], [])
    state = read_state(db, subject, space, row)
    bring_forward = partial(_brought_forward, db, space, state=state, cache=cache, sampled=sample is not None)
    if (kept := bring_forward(known)) is not None:
        return kept
    reader = WholeReader(db, subject, state, salt_of(term_key, subject))
    if sample is not None:
        return cache.put(space, reader.sampled(sample))
    if most is not None:
        return cache.put(space, reader.small(most))
    with cache.reading(subject, space):
        now = cache.get(subject, space)
        if now is not known and (kept := bring_forward(now)) is not None:  # another thread has read the subject
            return kept
        arrays = reader.large()
        return cache.put(space, arrays.latest, arrays)


def _brought_forward(
    db: SqlConnection,
    space: str,
    kept: SubjectSnapshot | None,
    *,
    state: SubjectState,
    cache: SnapshotCache,
    sampled: bool,
) -> SubjectSnapshot | None:
    """Bring a cached snapshot forward if necessary; return None if the subject has to be read whole."""
    if kept is None or (kept.sampled_vectors is not None and not sampled):
        return None
    if kept.version == state.version:
        return kept
    if not is_mergeable(kept, state, cache.changes(kept.subject, space), sampled=sampled):
        return None
    most_changed = max_changes(kept)
    vectors_of = 0 if kept.sampled_vectors is not None else state.space
    rows = fetch(db, SQL["changes"], kept.subject.key, kept.version, vectors_of, most_changed + 1)
    return advance(cache, space, kept, state, rows) if len(rows) <= most_changed else None


def read_state(db: SqlConnection, subject: Subject, space: str, row: Row) -> SubjectState:
    """Read the columns of `snapshot_state`.

    Raises:
        BadSubjectError: another subject's name has the same 64-bit key.
        SpaceMovedError: the subject is read in another space.
    """
    name, version, read_in, has_legacy_terms, number, dim = row
    version = verified(subject, name, version)
    if read_in not in (None, number or 0):
        found = fetch_value(db, SUBJECT_SQL["space_name"], read_in)
        raise SpaceMovedError(subject.text, key=subject.key, asked=space, found=found)
    return SubjectState(version, bool(has_legacy_terms), number or 0, dim or 0)


def is_mergeable(kept: SubjectSnapshot, state: SubjectState, changes: int, *, sampled: bool = False) -> bool:
    """Return whether a cached snapshot, which had so many changes since it was read, can be brought forward."""
    alike = (kept.sampled_vectors is not None) == sampled
    is_due = len(kept) < REREAD_SIZE and changes >= max(REREAD_CHANGES, len(kept))
    return alike and not is_due and kept.version < state.version and kept.vectors.shape[1] == state.dim


def max_changes(kept: SubjectSnapshot) -> int:
    """Return up to how many changes are merged."""
    return max(MIN_MERGED, len(kept) // _MERGED_SHARE)


def advance(
    cache: SnapshotCache, space: str, kept: SubjectSnapshot, state: SubjectState, rows: Sequence[Row]
) -> SubjectSnapshot:
    """Bring a cached snapshot forward by what the statement `changes` found.

    Each change leaves its version on the memory's row, and erasing its version in `gone`. What takes rows away without
    either, or changes the message that a quotation's words come from, has to drop the subject from the caches.
    """
    active = [row for row in rows if row[1] is not None]
    fresh = unpack(kept.subject, state.version, kept.salt, state.dim, active, None)
    if state.has_legacy_terms:
        fresh = replace(fresh, has_legacy_terms=True)
    return cache.advance(space, kept, fresh, [row[0] for row in rows])


class WholeReader:
    """Reads all of one subject."""

    def __init__(self, db: SqlConnection, subject: Subject, state: SubjectState, salt: bytes) -> None:
        self._db = db
        self._subject = subject
        self._state = state
        self._salt = salt

    def small(self, most: int) -> SubjectSnapshot:
        """Read few memories.

        Raises:
            TooLargeError: there are more than `most`.
        """
        rows = self._rows(_BEFORE_ALL, most + 1)
        if len(rows) > most:
            raise TooLargeError
        return self._unpacked(rows, self._vectors(_BEFORE_ALL, rows))

    def large(self) -> GrowingArrays:
        """Read memories in portions into arrays that grow, so that no row is in memory twice for long."""
        rows = self._rows(_BEFORE_ALL, MAX_PORTION)
        arrays = GrowingArrays(self._unpacked(rows, self._vectors(_BEFORE_ALL, rows)))
        if len(rows) == MAX_PORTION:
            return_freed_memory()  # what was cached of the subject before is free, but may be kept for another thread
            arrays.reserve(int(fetch_value(self._db, SQL["snapshot_size"], self._subject.key)))
        while len(rows) == MAX_PORTION:
            after = rows[-1][0]
            rows = self._rows(after, MAX_PORTION)
            if rows:
                arrays.extend(self._unpacked(rows, self._vectors(after, rows)))
        return arrays

    def sampled(self, sample: Sample) -> SubjectSnapshot:
        """Read all memories, and a sample of their vectors."""
        rows = self._rows(_BEFORE_ALL, _ALL)
        snapshot = self._unpacked(rows, sample(self._db, self._subject, self._state.space, [row[0] for row in rows]))
        return replace(snapshot, sampled_vectors=len(snapshot.vector_of))

    def _rows(self, after: bytes, limit: int) -> list[Row]:
        return fetch(self._db, SQL["snapshot"], self._subject.key, after, limit)

    def _vectors(self, after: bytes, rows: Sequence[Row]) -> list[Row]:
        if not rows or not self._state.space:
            return []
        return fetch(self._db, SQL["snapshot_vectors"], self._subject.key, self._state.space, after, rows[-1][0])

    def _unpacked(self, rows: Sequence[Row], vectors: Sequence[Row]) -> SubjectSnapshot:
        snapshot = unpack(self._subject, self._state.version, self._salt, self._state.dim, rows, vectors)
        return replace(snapshot, has_legacy_terms=True) if self._state.has_legacy_terms else snapshot
