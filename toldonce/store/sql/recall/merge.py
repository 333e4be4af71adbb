"""Merge the changed memories of a subject into what is known of it, ordered by id. Pure."""

from bisect import bisect_left
from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from toldonce.store.sql.recall.uses import place_of
from toldonce.store.sql.snapshot_codec import Array, arrays_of, with_arrays
from toldonce.types import SubjectSnapshot

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
# What a memory has several of, with the offsets of each memory's own.
_TERMS, _SOURCES = ("terms", "counts"), ("source_hash", "source_key")


def merge(old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[bytes]) -> SubjectSnapshot:
    """Replace the memories `changed` in a copy of `old` by those of them that are in `fresh`: the rest was closed.

    Args:
        old: The subject as it was.
        fresh: Its changed memories that are active, of the version it has now.
        changed: Ids of all that changed or were added since `old`.
    """
    arrays, places = merged_arrays(old, fresh, changed)
    vectors = old.vectors.rearranged(np.asarray(fresh.vectors), places)
    return with_arrays(fresh, arrays, vectors, sampled=old.sampled_vectors is not None)


def merged_arrays(
    old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[bytes]
) -> tuple[dict[str, Array], Places]:
    """Copy everything but the vectors; return with it which vectors there are, as places in the old and fresh ones."""
    order = _merged_places(old, fresh, changed)
    vectors, owners = _vector_rows(old, fresh, order)
    terms, term_start = _spans(_joined(old.term_start, fresh.term_start), order)
    sources, source_start = _spans(_joined(old.source_start, fresh.source_start), order)
    made: dict[str, Array] = {"vector_of": owners, "term_start": term_start, "source_start": source_start}
    further = arrays_of(fresh)
    for name, array in arrays_of(old).items():
        if name not in made:
            places = terms if name in _TERMS else sources if name in _SOURCES else order
            made[name] = np.concatenate((array, further[name]))[places]
    return made, vectors


def _merged_places(old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[bytes]) -> Places:
    """Return the merged memories, ordered by id, as places in `old` followed by `fresh`."""
    gone = sorted({place for id_ in changed if (place := place_of(old, id_)) is not None})
    kept = np.delete(np.arange(len(old)), gone)
    places = [at - bisect_left(gone, at) for at in (bisect_left(old.ids, id_) for id_ in fresh.ids)]
    return np.insert(kept, places, np.arange(len(old), len(old) + len(fresh)))


def _vector_rows(old: SubjectSnapshot, fresh: SubjectSnapshot, order: Places) -> tuple[Places, npt.NDArray[np.int32]]:
    """Return which vectors the memories at the places `order` have, and the place of each vector's memory among these.

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
        place = place_of(old, id_)
        if place is not None:
            before, now = slice(start[place], start[place + 1]), slice(start[number], start[number + 1])
            vectors = fresh.vectors.between(now.start - kept, now.stop - kept)
            if np.array_equal(old.vectors.between(before.start, before.stop), vectors):
                same[now] = same[before]
    return same[places], owners


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
