"""Find memories that have exactly the terms of a text: they may say it in another spelling. Pure."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from toldonce.text import term_key
from toldonce.types import MemoryKind, SubjectSnapshot

# Counts are stored in 16 bits.
_MAX_COUNT = 2**16 - 1
# Odd numbers whose products spread the bits of a term over all 64.
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93))
_COUNT_BITS, _HALF = np.uint64(16), np.uint64(32)
_NOTE = MemoryKind.NOTE.number

Positions = npt.NDArray[np.intp]


def notes_by_terms(snapshot: SubjectSnapshot, counted: Mapping[str, int]) -> Positions:
    """Return the positions of the notes that have these terms, each as often, and no other.

    Each comparison leaves fewer memories for the next one; the first looks for one term among all.

    Args:
        snapshot: The subject's memories.
        counted: The terms and how often each occurs; none finds the notes without any term.
    """
    wanted = _keyed(snapshot, counted)
    positions: Positions
    if wanted:  # the longest of the words is likely the rarest one
        rarest = term_key(snapshot.salt, max(counted, key=len))
        hits = np.flatnonzero(snapshot.terms == np.uint32(rarest))
        positions = snapshot.term_start.searchsorted(hits, side="right") - 1
        positions = positions[snapshot.length[positions] == sum(counted.values())]
    else:
        positions = np.flatnonzero(snapshot.length == 0)
    positions = positions[snapshot.kinds[positions] == _NOTE]
    start = snapshot.term_start[positions]
    same = snapshot.term_start[positions + 1] - start == len(wanted)
    positions, start = positions[same], start[same]
    for number, key in enumerate(sorted(wanted)):
        if not len(positions):
            break
        place = start + number
        same = (snapshot.terms[place] == key) & (snapshot.counts[place] == wanted[key])
        positions, start = positions[same], start[same]
    return positions


def notes_by_any_terms(snapshot: SubjectSnapshot, texts: Sequence[Mapping[str, int]]) -> Positions:
    """Do as `notes_by_terms` for many texts at once; a memory of other terms may be among them by rare chance.

    All memories are looked at once, however many texts there are: by a number that sums up the terms of each.
    """
    pairs = [_keyed(snapshot, counted) for counted in texts]
    keys = np.array([key for wanted in pairs for key in wanted], dtype=np.uint32)
    counts = np.array([count for wanted in pairs for count in wanted.values()], dtype=np.uint16)
    start = np.cumsum([0, *map(len, pairs)], dtype=np.int64)
    sought = _sums(keys, counts, start)
    same = np.isin(_sums(snapshot.terms, snapshot.counts, snapshot.term_start), sought)
    return np.flatnonzero(same & (snapshot.kinds == _NOTE))


def _keyed(snapshot: SubjectSnapshot, counted: Mapping[str, int]) -> dict[int, int]:
    """Return the counts of terms by their keys, as they are stored."""
    wanted: dict[int, int] = {}
    for term, count in counted.items():
        key = term_key(snapshot.salt, term)
        wanted[key] = wanted.get(key, 0) + count
    return {key: min(count, _MAX_COUNT) for key, count in wanted.items()}


def _sums(
    keys: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint16], start: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """Sum up the mixed terms of each memory; numbers wrap at 64 bits."""
    mixed = keys.astype(np.uint64) << _COUNT_BITS | counts
    for factor in _FACTORS:
        mixed *= factor
        mixed ^= mixed >> _HALF
    total = np.zeros(len(mixed) + 1, dtype=np.uint64)
    np.cumsum(mixed, out=total[1:])
    sums: npt.NDArray[np.uint64] = total[start[1:]] - total[start[:-1]]
    return sums
