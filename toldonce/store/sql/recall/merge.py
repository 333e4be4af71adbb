"""Merge the changed memories of a subject into what is known of it, ordered by id. Pure."""

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from toldonce.types import ID_BYTES, IdColumn, SubjectSnapshot

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class VectorRows:
    """Which vectors the merged memories have."""

    places: Places
    """Places in the old vectors, followed by the fresh ones."""
    owners: npt.NDArray[np.int32]
    """The place of each vector's memory among the merged ones."""


def merge(old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[bytes]) -> SubjectSnapshot:
    """Replace the memories `changed` in a copy of `old` by those of them that are in `fresh`: the rest was closed.

    Args:
        old: The subject as it was.
        fresh: Its changed memories that are active, of the version it has now.
        changed: Ids of all that changed or were added since `old`.
    """
    order = merged_places(old, fresh, changed)
    vectors = vector_rows(old, fresh, order)
    rows = merged_rows(old, fresh, order)
    return replace(
        fresh,
        ids=IdColumn(rows["ids"]),
        kinds=rows["kinds"],
        importance=rows["importance"],
        confidence=rows["confidence"],
        valid_from=rows["valid_from"],
        last_used_at=rows["last_used_at"],
        uses=rows["uses"],
        roles=rows["roles"],
        length=rows["length"],
        vectors=old.vectors.rearranged(np.asarray(fresh.vectors), vectors.places),
        vector_of=vectors.owners,
        terms=rows["terms"],
        counts=rows["counts"],
        term_start=rows["term_start"],
        source_hash=rows["source_hash"],
        source_key=rows["source_key"],
        source_start=rows["source_start"],
        sampled_vectors=None if old.sampled_vectors is None else len(vectors.owners),
    )


def merged_places(old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[bytes]) -> Places:
    """Return the merged memories, ordered by id, as places in `old` followed by `fresh`."""
    gone = sorted({place for id_ in changed if (place := _place(old, id_)) is not None})
    kept = np.delete(np.arange(len(old)), gone)
    places = [at - bisect_left(gone, at) for at in (bisect_left(old.ids, id_) for id_ in fresh.ids)]
    return np.insert(kept, places, np.arange(len(old), len(old) + len(fresh)))


def merged_rows(old: SubjectSnapshot, fresh: SubjectSnapshot, order: Places) -> dict[str, Array]:
    """Copy everything but the vectors."""
    term_places, term_start = _spans(_joined(old.term_start, fresh.term_start), order)
    source_places, source_start = _spans(_joined(old.source_start, fresh.source_start), order)

    def picked(old_rows: Array, fresh_rows: Array, places: Places) -> Array:
        taken: Array = np.concatenate((old_rows, fresh_rows))[places]
        return taken

    return {
        "ids": picked(IdColumn.of(old.ids).array, IdColumn.of(fresh.ids).array, order).reshape(-1, ID_BYTES),
        "kinds": picked(old.kinds, fresh.kinds, order),
        "importance": picked(old.importance, fresh.importance, order),
        "confidence": picked(old.confidence, fresh.confidence, order),
        "valid_from": picked(old.valid_from, fresh.valid_from, order),
        "last_used_at": picked(old.last_used_at, fresh.last_used_at, order),
        "uses": picked(old.uses, fresh.uses, order),
        "roles": picked(old.roles, fresh.roles, order),
        "length": picked(old.length, fresh.length, order),
        "terms": picked(old.terms, fresh.terms, term_places),
        "counts": picked(old.counts, fresh.counts, term_places),
        "term_start": term_start,
        "source_hash": picked(old.source_hash, fresh.source_hash, source_places),
        "source_key": picked(old.source_key, fresh.source_key, source_places),
        "source_start": source_start,
    }


def vector_rows(old: SubjectSnapshot, fresh: SubjectSnapshot, order: Places) -> VectorRows:
    """Return which vectors the memories at the places `order` have.

    A changed memory keeps its old vectors where the fresh ones are equal: its importance changed, or its sources.
    """
    kept, count = len(old.vectors), len(old) + len(fresh)
    vector_of = np.concatenate((old.vector_of, fresh.vector_of + np.int32(len(old))))
    # The vectors of a memory are adjacent, in the order of the memories: a span like its terms.
    start = np.searchsorted(vector_of, np.arange(count + 1))
    places, begins = _spans(start, order)
    owners = np.repeat(np.arange(len(order), dtype=np.int32), np.diff(begins))
    same = np.arange(kept + len(fresh.vectors))
    for number, id_ in enumerate(fresh.ids, start=len(old)):
        place = _place(old, id_)
        if place is not None:
            before, now = slice(start[place], start[place + 1]), slice(start[number], start[number + 1])
            vectors = fresh.vectors.between(now.start - kept, now.stop - kept)
            if np.array_equal(old.vectors.between(before.start, before.stop), vectors):
                same[now] = same[before]
    return VectorRows(same[places], owners)


def _place(snapshot: SubjectSnapshot, id_: bytes) -> int | None:
    place = bisect_left(snapshot.ids, id_)
    return place if place < len(snapshot) and snapshot.ids[place] == id_ else None


def _joined(start: Ints, further: Ints) -> Ints:
    """Append the offsets of further memories."""
    return np.concatenate((start, start[-1] + further[1:]))


def _spans(start: Ints, order: Places) -> tuple[Places, Ints]:
    """Return the places of the spans `start[i]:start[i + 1]`, i from `order`, and where each begins among them."""
    lengths = np.diff(start)[order]
    begins = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(lengths, out=begins[1:])
    places = np.arange(begins[-1]) + np.repeat(start[:-1][order] - begins[:-1], lengths)
    return places, begins
