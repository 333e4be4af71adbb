"""Bring a subject's arrays up to date with the memories that changed, instead of reading all of them again. Pure."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from recollect.types import SubjectSnapshot

Ints = npt.NDArray[np.int64]


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
    """Put the memories of `other` behind those of `one`."""
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
    # The vectors of a memory stand together, in the order of the memories: a span like the others.
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
