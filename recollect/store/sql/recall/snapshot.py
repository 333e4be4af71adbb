"""All active memories of a subject as arrays, read anew only where its version moved. Works on a connection."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.errors import SpaceMovedError
from recollect.store.sql.database import Row, SqlConnection, TooLargeError
from recollect.store.sql.delta import merge
from recollect.store.sql.recall.snapshot_cache import ChangedMemories, SnapshotCache
from recollect.store.sql.rows import fetch, fetch_value
from recollect.store.sql.snapshot_codec import unpack
from recollect.store.sql.statements import load
from recollect.store.sql.subjects import salt_of, space_of, state_of, terms_behind, version_of
from recollect.types import Subject, SubjectSnapshot

SQL, SUBJECT_SQL = load("memory"), load("subject")
_NO_SPACE = (0, 0)
# From so many memories on, merging what changed is clearly quicker than reading all: 0.4 against 1.2 ms here, a tenth
# of the time at 10,000.
MIN_MERGED = 256
Sample = Callable[[SqlConnection, Subject, int, Sequence[bytes]], list[Row]]
"""Reads some of the vectors of a space (its number), of memories with these ids, that may stand for all of them: rows
of id and vectors, ordered by id."""


def read_hot(
    db: SqlConnection, subject: Subject, space: str, *, cache: SnapshotCache, term_key: bytes, most: int | None = None
) -> SubjectSnapshot:
    """Read a subject's active memories, from the cache where they have not changed: see `Store.hot`.

    Raises:
        TooLargeError: there are more than `most` memories to be read.
    """
    kept = cache.get(subject, space)
    if kept is not None and kept.version == version_of(db, subject):
        return kept
    with db:  # one snapshot for version and rows
        hot = hot_within(db, subject, space, cache=cache, term_key=term_key, most=most)
    return hot


def hot_within(  # noqa: PLR0913  (whose and where, what is kept, and the two ways of not reading all)
    db: SqlConnection,
    subject: Subject,
    space: str,
    *,
    cache: SnapshotCache,
    term_key: bytes,
    most: int | None = None,
    sample: Sample | None = None,
) -> SubjectSnapshot:
    """Do as `read_hot`, within the snapshot of the caller's transaction.

    With `sample`, of a subject whose vectors have an index, those that it reads are the background, and no others come.

    Raises:
        SpaceMovedError: the subject is read in another space.
        TooLargeError: there are more than `most` memories to be read.
    """
    kept = cache.get(subject, space)
    if kept is not None and kept.sampled_vectors is not None and sample is None:
        kept = None
    version, read_in = state_of(db, subject) or (None, None)
    if kept is not None and kept.version == version:
        return kept
    number, dim = space_of(db, space) or _NO_SPACE
    if version is None:
        return unpack(subject, 0, salt_of(term_key, subject), dim, [], [])
    if read_in not in (None, number):
        found = fetch_value(db, SUBJECT_SQL["space_name"], read_in)
        raise SpaceMovedError(subject.text, key=subject.key, asked=space, found=found)
    changed = _changed(db, kept, version)
    base = kept if changed is not None and kept is not None and _worth_merging(kept, dim, sample) else None
    vectors: list[Row] | None
    if base is not None:
        rows, vectors = _changed_rows(db, base, number)
    elif sample is not None:
        rows = fetch(db, SQL["hot"], subject.key)
        vectors = sample(db, subject, number, [row[0] for row in rows])
    else:
        rows, vectors = _all_rows(db, subject, number, most)
    hot = unpack(subject, version, salt_of(term_key, subject), dim, rows, vectors)
    if terms_behind(db, subject):
        hot = replace(hot, has_legacy_terms=True)
    if base is not None and changed is not None:
        hot = merge(base, hot, changed.ids)
    if sample is not None:
        hot = replace(hot, sampled_vectors=len(hot.vector_of))
    cache.put(space, hot, changed=changed)
    return hot


def _changed_rows(db: SqlConnection, base: SubjectSnapshot, space: int) -> tuple[list[Row], list[Row]]:
    """Read what changed since `base`; no vectors where it does not have them all."""
    rows = fetch(db, SQL["hot_changed"], base.subject.key, base.version)
    if base.sampled_vectors is not None:
        return rows, []
    return rows, fetch(db, SQL["vectors_changed"], base.subject.key, space, base.version)


def _all_rows(db: SqlConnection, subject: Subject, space: int, most: int | None) -> tuple[list[Row], list[Row] | None]:
    """Read a subject whole. Few memories are read quicker by two statements; many by a join, which makes fewer objects.

    Raises:
        TooLargeError: there are more than `most`.
    """
    if most is None:
        return fetch(db, SQL["hot_joined"], subject.key, space), None
    if fetch(db, SQL["hot_beyond"], subject.key, most):
        raise TooLargeError
    return fetch(db, SQL["hot"], subject.key), fetch(db, SQL["hot_vectors"], subject.key, space)


def _worth_merging(kept: SubjectSnapshot, dim: int, sample: Sample | None) -> bool:
    alike = (kept.sampled_vectors is None) == (sample is None)
    return alike and len(kept) >= MIN_MERGED and kept.vectors.shape[1] == dim


def _changed(db: SqlConnection, kept: SubjectSnapshot | None, version: int) -> ChangedMemories | None:
    """Return the memories that changed since `kept`; None where reading all of them is as well.

    Each change leaves its version on the memory's row. What takes rows away without a trace (erasing), or changes the
    message that a quotation's words come from, must not rely on this: it has to make the caches read anew.
    """
    if kept is None or kept.version >= version:
        return None
    most = len(kept) // 4 + 1
    rows = fetch(db, SQL["changed"], kept.subject.key, kept.version, most)
    return ChangedMemories(since=kept.version, ids=frozenset(row[0] for row in rows)) if len(rows) < most else None
