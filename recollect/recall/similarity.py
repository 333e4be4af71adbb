"""How near each memory is to the query in meaning, over all of a subject's vectors or those an index found. Pure.

A cosine by itself says little: a subject whose memories are all about one thing has high ones for any question about
it. What counts is how far a memory stands out of what the subject's others have for this query, in standard deviations:
that adapts to the subject and to the embedder, so that one weight serves them all (fitted alone, the built-in embedder
wants 0.75 for a standard deviation and MiniLM 0.9, each flat to a third around; see docs/benchmarks.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from recollect.types import MemoryKind, SubjectSnapshot, Vector

Relevance = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]
"""An embedder's calibration: cosines to relevance, 0 to 1, the same shape."""

# Log-odds that a standard deviation above the subject's others is worth. Anything from 0.6 to 0.9 is within half a
# point of R@10 on two collections with two embedders.
DEVIATION_WEIGHT = 0.8
# What unrelated memories have, as log-odds of calibrated relevance, and how much they vary: about what both
# collections have with both embedders. It counts as so many vectors: a handful is judged by it, many by themselves.
USUAL_ODDS, USUAL_SPREAD = -2.5, 1.2
USUAL_COUNT = 50
# Being far in meaning is no proof against a memory that words speak for: its log-odds fall no lower (-0.5 to -1.5 find
# the same). And what one without a vector (a fact) counts as: one that says nothing of what is asked must not come
# before the nearest that has one, which lies around 0.
LOWEST = -0.6
WITHOUT_VECTOR = -0.3
# Where an index found the nearest, what a memory counts as whose vector was not read: as near as the subject's others.
UNREAD = 0.0
# Relevance is held this far from 0 and 1, where log-odds run away.
_SUREST = 0.001
_MIN_SURE, _MAX_SURE = np.float32(_SUREST), np.float32(1 - _SUREST)
_MIN_COSINE, _MAX_COSINE = np.float32(-1), np.float32(1)
# The places of most subjects, made once.
_PLACES = np.arange(4096, dtype=np.int32)
_FACT = MemoryKind.FACT.number

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilaritySignal:
    """What a subject's memories share with the query's meaning."""

    evidence: Floats
    """n: log-odds, 0 for what is as near as the subject's others."""
    similarity: Floats
    """n: calibrated relevance, 0 to 1; 0 where a memory has no vector."""


def similarity_signal(hot: SubjectSnapshot, vector: Vector | None, relevance: Relevance) -> SimilaritySignal:
    """Compare all memories with the query's vector; of several vectors of a memory the nearest counts."""
    n = len(hot)
    if vector is None or not len(hot.vector_of) or not float(vector @ vector) > 0:  # NaN compares as False
        return SimilaritySignal(evidence=np.zeros(n, dtype=np.float32), similarity=np.zeros(n, dtype=np.float32))
    # One dot product a row, in this thread: as fast as BLAS, whose own threads wait for one another where the cores are
    # busy (10,000 rows: 0.4 ms against 8). A broken vector is no match rather than a hole: fmax passes over NaN.
    cosine: Floats = np.fmin(np.fmax(np.vecdot(hot.vectors, vector), _MIN_COSINE), _MAX_COSINE)
    alike = relevance(cosine)
    standing = _standing(alike, hot)
    places = _PLACES[:n] if n <= len(_PLACES) else np.arange(n, dtype=np.int32)
    if len(cosine) == n and not np.count_nonzero(hot.vector_of != places):  # one vector each
        return SimilaritySignal(evidence=np.maximum(standing, np.float32(LOWEST)), similarity=alike)
    similarity = np.zeros(n, dtype=np.float32)
    np.maximum.at(similarity, hot.vector_of, alike)
    evidence = np.full(n, -np.inf, dtype=np.float32)
    np.maximum.at(evidence, hot.vector_of, standing)
    pieces = np.bincount(hot.vector_of, minlength=n)
    # A memory of `k` pieces had `k` chances of being near by chance, which takes log(k) off its odds.
    evidence -= np.log(np.maximum(pieces, 1)).astype(np.float32)
    evidence = np.maximum(evidence, np.float32(LOWEST))
    evidence[pieces == 0] = WITHOUT_VECTOR
    if hot.sampled_vectors is not None:
        evidence[(pieces == 0) & (hot.kinds != _FACT)] = UNREAD
    return SimilaritySignal(evidence=evidence, similarity=similarity)


def _standing(alike: Floats, hot: SubjectSnapshot) -> Floats:
    """Return how far each vector stands out of the subject's, as log-odds."""
    held = np.fmin(np.fmax(alike, _MIN_SURE), _MAX_SURE)
    odds: Floats = np.log(held / (1 - held))
    others = odds[: hot.sampled_vectors]
    n = len(odds) if hot.sampled_vectors is None else len(hot)
    share = USUAL_COUNT / (n + USUAL_COUNT) if len(others) else 1.0
    mean, spread = (float(others.mean()), float(others.std())) if len(others) else (USUAL_ODDS, USUAL_SPREAD)
    usual = share * USUAL_ODDS + (1 - share) * mean
    between = share * (1 - share) * (mean - USUAL_ODDS) ** 2
    variance = share * USUAL_SPREAD**2 + (1 - share) * spread**2 + between
    standing: Floats = np.float32(DEVIATION_WEIGHT / sqrt(variance)) * (odds - np.float32(usual))
    return standing
