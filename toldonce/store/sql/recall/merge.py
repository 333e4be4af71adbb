"""Merge the changed memories of a subject into what is known of it, ordered by id. Pure.

Uses of memories are counted in the cache before they are written.
"""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from toldonce.clock import from_micros
from toldonce.ids import id_bytes
from toldonce.store.sql.snapshot_codec import Array, arrays_of, with_arrays
from toldonce.types import Memory, MemoryId, SubjectSnapshot

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


def place_of(snapshot: SubjectSnapshot, id_: bytes | None) -> int | None:
    """Return the position of a memory in a snapshot; None if it is not there."""
    if id_ is None:
        return None
    place = bisect_left(snapshot.ids, id_)
    return place if place < len(snapshot.ids) and snapshot.ids[place] == id_ else None


def with_one_use(
    snapshot: SubjectSnapshot, ids: Sequence[MemoryId], at: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the counts and times of use with one more use of some memories, `at` in microseconds."""
    uses, last_used_at = snapshot.uses.copy(), snapshot.last_used_at.copy()
    for memory in ids:
        place = place_of(snapshot, id_bytes(memory))
        if place is not None:
            uses[place] += 1
            last_used_at[place] = max(last_used_at[place], at)
    return uses, last_used_at


def with_known_uses(fresh: SubjectSnapshot, known: SubjectSnapshot) -> SubjectSnapshot:
    """Return rows that were just read with the uses that the cache counts, and that are written later."""
    used = np.flatnonzero(known.uses)
    if len(fresh) < len(used):
        places = [(here, at) for here, id_ in enumerate(fresh.ids) if (at := place_of(known, id_)) is not None]
    else:
        places = [(here, at) for at in used.tolist() if (here := place_of(fresh, known.ids[at])) is not None]
    if not any(fresh.uses[here] < known.uses[at] for here, at in places):
        return fresh
    uses, last_used_at = fresh.uses.copy(), fresh.last_used_at.copy()
    for here, at in places:
        uses[here] = max(uses[here], known.uses[at])
        last_used_at[here] = max(last_used_at[here], known.last_used_at[at])
    return replace(fresh, uses=uses, last_used_at=last_used_at)


def memory_with_uses(memory: Memory, snapshot: SubjectSnapshot) -> Memory:
    """Return a memory that was just read with the uses that the cache counts, and that are written later."""
    place = place_of(snapshot, id_bytes(memory.id))
    if place is None or snapshot.uses[place] <= memory.uses:
        return memory
    return replace(memory, uses=int(snapshot.uses[place]), last_used_at=from_micros(int(snapshot.last_used_at[place])))
