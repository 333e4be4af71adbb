"""How near each memory is to the query in meaning: exact, over all vectors of a subject. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from recollect.types import Hot, Vector

Relevance = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]
"""An embedder's calibration: cosines to relevance, 0 to 1, the same shape."""

# What a memory without a vector (a fact) counts as: the median of unrelated pairs in the static embedder's calibration.
UNKNOWN_RELEVANCE = 0.04
# No cosine makes sure of anything: relevance is held this far from 0 and 1, where log-odds run away.
_SUREST = 0.02
_LEAST_SURE, _MOST_SURE = np.float32(_SUREST), np.float32(1 - _SUREST)
_BELOW_ALL = np.float32(-2)
_LEAST, _MOST = np.float32(-1), np.float32(1)
# The places of most subjects, made once.
_PLACES = np.arange(4096, dtype=np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningMatches:
    """What a subject's memories share with the query's meaning."""

    evidence: npt.NDArray[np.float32]
    """n: log-odds of the calibrated relevance."""
    similarity: npt.NDArray[np.float32]
    """n: calibrated relevance, 0 to 1; 0 where a memory has no vector."""


def match_meaning(hot: Hot, vector: Vector | None, relevance: Relevance) -> MeaningMatches:
    """Compare all memories with the query's vector; of several vectors of a memory the nearest counts."""
    n = len(hot)
    nearest = _nearest(hot, vector)
    if nearest is None:
        unknown = np.full(n, _log_odds(np.float32(UNKNOWN_RELEVANCE)), dtype=np.float32)
        return MeaningMatches(evidence=unknown, similarity=np.zeros(n, dtype=np.float32))
    similarity = relevance(nearest)
    evidence = _log_odds(np.fmin(np.fmax(similarity, _LEAST_SURE), _MOST_SURE))
    unknown_rows = nearest == _BELOW_ALL
    if np.count_nonzero(unknown_rows):
        similarity = np.where(unknown_rows, np.float32(0), similarity)
        evidence = np.where(unknown_rows, _log_odds(np.float32(UNKNOWN_RELEVANCE)), evidence)
    return MeaningMatches(evidence=evidence, similarity=similarity)


def _nearest(hot: Hot, vector: Vector | None) -> npt.NDArray[np.float32] | None:
    """Return the highest cosine of each memory, -2 where it has none; None where nothing can be compared."""
    if vector is None or not len(hot.vector_of) or not float(vector @ vector) > 0:  # NaN compares as False
        return None
    # One dot product a row, in this thread: as fast as BLAS, whose own threads wait for one another where the cores are
    # busy (10,000 rows: 0.4 ms against 8). A broken vector is no match rather than a hole: fmax passes over NaN.
    cosine: npt.NDArray[np.float32] = np.fmin(np.fmax(np.vecdot(hot.vectors, vector), _LEAST), _MOST)
    n = len(hot)
    places = _PLACES[:n] if n <= len(_PLACES) else np.arange(n, dtype=np.int32)
    if len(cosine) == n and not np.count_nonzero(hot.vector_of != places):  # one vector each
        return cosine
    nearest = np.full(n, _BELOW_ALL, dtype=np.float32)
    np.maximum.at(nearest, hot.vector_of, cosine)
    return nearest


def _log_odds(share: npt.NDArray[np.float32] | np.float32) -> npt.NDArray[np.float32]:
    odds: npt.NDArray[np.float32] = np.log(share / (1 - share))
    return odds
