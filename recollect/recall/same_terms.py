"""Find memories that have exactly the terms of a text: they may say it in another spelling. Pure."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from recollect.text import term_key
from recollect.types import MemoryKind, SubjectSnapshot

# Counts are stored in 16 bits.
_MAX_COUNT = 2**16 - 1
_NOTE = MemoryKind.NOTE.number

Positions = npt.NDArray[np.intp]


def notes_by_terms(snapshot: SubjectSnapshot, counted: Mapping[str, int]) -> Positions:
    """Return the positions of the notes that have these terms, each as often, and no other.

    Each comparison leaves fewer memories for the next one, and the first looks at one number of each.

    Args:
        snapshot: The subject's memories.
        counted: The terms and how often each occurs; none finds the notes without any term.
    """
    wanted: dict[int, int] = {}
    for term, count in counted.items():
        key = term_key(snapshot.salt, term)
        wanted[key] = wanted.get(key, 0) + count
    positions: Positions = np.flatnonzero(snapshot.length == sum(counted.values()))
    positions = positions[snapshot.kinds[positions] == _NOTE]
    start = snapshot.term_start[positions]
    same = snapshot.term_start[positions + 1] - start == len(wanted)
    positions, start = positions[same], start[same]
    for number, key in enumerate(sorted(wanted)):
        if not len(positions):
            break
        place, count = start + number, min(wanted[key], _MAX_COUNT)
        same = (snapshot.terms[place] == key) & (snapshot.counts[place] == count)
        positions, start = positions[same], start[same]
    return positions
