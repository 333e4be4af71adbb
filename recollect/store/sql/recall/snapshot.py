"""Snapshots: all active memories of a subject as arrays, cached per version. Works on a connection."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from recollect.errors import SpaceMovedError
from recollect.store.sql.database import Row, SqlConnection, TooLargeError, load
from recollect.store.sql.recall.snapshot_cache import ChangedMemories, SnapshotCache
from recollect.store.sql.rows import fetch, fetch_value
from recollect.store.sql.snapshot_codec import unpack
from recollect.store.sql.subjects import salt_of, space_of, state_of, terms_behind, version_of
from recollect.types import Subject, SubjectSnapshot

SQL, SUBJECT_SQL = load("memory"), load("subject")
_NO_SPACE = (0, 0)
# Merging the changes of at least so many memories is clearly faster than reading all: 0.4 against 1.2 ms here, a tenth
# of the time at 10,000.
MIN_MERGED = 256
Ints = npt.NDArray[np.int64]
Sample = Callable[[SqlConnection, Subject, int, Sequence[bytes]], list[Row]]
"""Reads some of the vectors of a space (its number), of memories with these ids, as a sample of all of them: rows
of id and vectors, ordered by id."""


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
        hot = snapshot_within(db, subject, space, cache=cache, term_key=term_key, most=most)
    return hot


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
        rows = fetch(db, SQL["snapshot"], subject.key)
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
    rows = fetch(db, SQL["snapshot_changed"], base.subject.key, base.version)
    if base.sampled_vectors is not None:
        return rows, []
    return rows, fetch(db, SQL["vectors_changed"], base.subject.key, space, base.version)


def _all_rows(db: SqlConnection, subject: Subject, space: int, most: int | None) -> tuple[list[Row], list[Row] | None]:
    """Read a subject whole. Few memories are read quicker by two statements; many by a join, which makes fewer objects.

    Raises:
        TooLargeError: there are more than `most`.
    """
    if most is None:
        return fetch(db, SQL["snapshot_joined"], subject.key, space), None
    if fetch(db, SQL["snapshot_beyond"], subject.key, most):
        raise TooLargeError
    return fetch(db, SQL["snapshot"], subject.key), fetch(db, SQL["snapshot_vectors"], subject.key, space)


def _worth_merging(kept: SubjectSnapshot, dim: int, sample: Sample | None) -> bool:
    alike = (kept.sampled_vectors is None) == (sample is None)
    return alike and len(kept) >= MIN_MERGED and kept.vectors.shape[1] == dim


def _changed(db: SqlConnection, kept: SubjectSnapshot | None, version: int) -> ChangedMemories | None:
    """Return the memories that changed since `kept`; None where reading all of them is as well.

    Each change leaves its version on the memory's row. What takes rows away without a trace (erasing), or changes the
    message that a quotation's words come from, must not rely on this: it has to drop the subject from the caches.
    """
    if kept is None or kept.version >= version:
        return None
    most = len(kept) // 4 + 1
    rows = fetch(db, SQL["changed"], kept.subject.key, kept.version, most)
    return ChangedMemories(since=kept.version, ids=frozenset(row[0] for row in rows)) if len(rows) < most else None


def merge(old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Iterable[bytes]) -> SubjectSnapshot:
    """Replace the memories `changed` in `old` by those of them that are in `fresh`: the rest was closed.

    Args:
        old: The subject as it was.
        fresh: Its changed memories that are active, of the version it has now.
        changed: Ids of all that changed or were added since `old`.
    """
    gone = sorted({place for id_ in changed if (place := _place(old, id_)) is not None})
    both = _join(old, fresh)
    if not gone and (not len(old) or not len(fresh) or old.ids[-1] < fresh.ids[0]):
        return both
    kept = np.delete(np.arange(len(old)), gone)
    places = [at - bisect_left(gone, at) for at in (bisect_left(old.ids, id_) for id_ in fresh.ids)]
    return _take(both, np.insert(kept, places, np.arange(len(old), len(both))))


def _place(hot: SubjectSnapshot, id_: bytes) -> int | None:
    place = bisect_left(hot.ids, id_)
    return place if place < len(hot) and hot.ids[place] == id_ else None


def _join(one: SubjectSnapshot, other: SubjectSnapshot) -> SubjectSnapshot:
    """Append the memories of `other` to those of `one`."""
    return replace(
        other,
        ids=one.ids + other.ids,
        kinds=np.concatenate((one.kinds, other.kinds)),
        importance=np.concatenate((one.importance, other.importance)),
        confidence=np.concatenate((one.confidence, other.confidence)),
        valid_from=np.concatenate((one.valid_from, other.valid_from)),
        last_used_at=np.concatenate((one.last_used_at, other.last_used_at)),
        uses=np.concatenate((one.uses, other.uses)),
        roles=np.concatenate((one.roles, other.roles)),
        length=np.concatenate((one.length, other.length)),
        vectors=np.concatenate((one.vectors, other.vectors)),
        vector_of=np.concatenate((one.vector_of, other.vector_of + np.int32(len(one)))),
        terms=np.concatenate((one.terms, other.terms)),
        counts=np.concatenate((one.counts, other.counts)),
        term_start=np.concatenate((one.term_start, one.term_start[-1] + other.term_start[1:])),
        source_hash=np.concatenate((one.source_hash, other.source_hash)),
        source_key=np.concatenate((one.source_key, other.source_key)),
        source_start=np.concatenate((one.source_start, one.source_start[-1] + other.source_start[1:])),
    )


def _take(hot: SubjectSnapshot, order: Ints) -> SubjectSnapshot:
    """Take the memories at the places `order`, in that order."""
    term_places, term_start = _spans(hot.term_start, order)
    source_places, source_start = _spans(hot.source_start, order)
    # The vectors of a memory are adjacent, in the order of the memories: a span like the others.
    vector_start = np.searchsorted(hot.vector_of, np.arange(len(hot) + 1))
    vector_places, vectors_from = _spans(vector_start, order)
    return replace(
        hot,
        ids=[hot.ids[place] for place in order],
        kinds=hot.kinds[order],
        importance=hot.importance[order],
        confidence=hot.confidence[order],
        valid_from=hot.valid_from[order],
        last_used_at=hot.last_used_at[order],
        uses=hot.uses[order],
        roles=hot.roles[order],
        length=hot.length[order],
        vectors=hot.vectors[vector_places],
        vector_of=np.repeat(np.arange(len(order), dtype=np.int32), np.diff(vectors_from)),
        terms=hot.terms[term_places],
        counts=hot.counts[term_places],
        term_start=term_start,
        source_hash=hot.source_hash[source_places],
        source_key=hot.source_key[source_places],
        source_start=source_start,
    )


def _spans(start: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Return the places of the spans `start[i]:start[i + 1]`, i from `order`, and where each begins among them."""
    lengths = np.diff(start)[order]
    begins = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(lengths, out=begins[1:])
    places = np.arange(begins[-1]) + np.repeat(start[:-1][order] - begins[:-1], lengths)
    return places, begins
