"""Positions of the highest numbers, in a stable order. Pure."""

import numpy as np
import numpy.typing as npt

# Up to this many it is faster to sort all than to select the few that are needed.
_SORT_ALL_THRESHOLD = 500


def top_k(evidence: npt.NDArray[np.floating], most: int) -> npt.NDArray[np.intp]:
    """Return the positions of the highest, best first, ties by position (memories are ordered by id), without -inf."""
    if most <= 0:
        return np.zeros(0, dtype=np.intp)
    if max(most, _SORT_ALL_THRESHOLD) < len(evidence):
        # All that tie with the last are kept until they are sorted, so that the id decides.
        bar = np.partition(evidence, len(evidence) - most)[len(evidence) - most]
        places = np.flatnonzero(evidence >= bar)
        places = places[(-evidence[places]).argsort(kind="stable")][:most]
    else:
        places = (-evidence).argsort(kind="stable")[:most]
    found = evidence[places] > -np.inf
    return places if found.all() else places[found]
