"""Similarity of each memory to the query, over all of a subject's vectors or those that an index found. Pure.

A cosine alone says little: a subject whose memories are all about one topic has high cosines for any question about
it. What counts is how far a memory is above the subject's other memories for this query, in standard deviations. That
adapts to the subject and the embedder, so that one weight serves all (fitted alone, the static embedder wants 0.75
for a standard deviation and MiniLM 0.9, with little change a third around each; see docs/benchmarks.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from toldonce.types import MemoryKind, SubjectSnapshot, Vector

Relevance = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]
"""An embedder's calibration: cosines to relevance, 0 to 1, the same shape."""

# Log-odds of one standard deviation above the subject's other memories. Anything from 0.6 to 0.9 is within half a point
# of R@10 on two collections with two embedders.
DEVIATION_WEIGHT = 0.8
# Mean and spread of unrelated memories, as log-odds of calibrated relevance: about what both collections have with both
# embedders. They count as much as this many vectors: a few memories are judged by them, many by themselves.
USUAL_ODDS, USUAL_SPREAD = -2.5, 1.2
USUAL_COUNT = 50
# Minimum log-odds, as low similarity is no proof against a memory that shares words (-0.5 to -1.5 find the same); and
# the log-odds of a memory without a vector (a fact): one that says nothing about the question must not come before the
# nearest that has a vector, which is around 0.
MIN_LOG_ODDS = -0.6
WITHOUT_VECTOR = -0.3
# Log-odds of a memory whose vector an index did not return: as near as the subject's other memories.
UNREAD = 0.0
# Relevance is held this far from 0 and 1, where log-odds are infinite.
_SUREST = 0.001
_MIN_SURE, _MAX_SURE = np.float32(_SUREST), np.float32(1 - _SUREST)
_MIN_COSINE, _MAX_COSINE = np.float32(-1), np.float32(1)
_FACT = MemoryKind.FACT.number

Floats = npt.NDArray[np.float32]


class VectorLayout:
    """How the vectors of a snapshot are spread over its memories."""

    __slots__ = ("is_one_each", "log_pieces", "unread", "without")

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        n, owners = len(snapshot), snapshot.vector_of
        self.is_one_each = len(owners) == n and bool((owners == np.arange(n, dtype=np.int32)).all())
        """Whether each memory has exactly one vector, in the order of the memories."""
        if self.is_one_each:
            return
        pieces = np.bincount(owners, minlength=n)
        self.log_pieces = np.log(np.maximum(pieces, 1)).astype(np.float32)
        self.without = pieces == 0
        """n: without a vector."""
        self.unread = None if snapshot.sampled_vectors is None else self.without & (snapshot.kinds != _FACT)
        """n: the index did not return its vector; None if all were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilaritySignal:
    """How similar the memories of a subject are to the query."""

    evidence: Floats
    """n: log-odds, 0 for a memory as near as the subject's others."""
    similarity: Floats
    """n: calibrated relevance, 0 to 1; 0 for a memory without a vector."""


def similarity_signal(snapshot: SubjectSnapshot, vector: Vector | None, relevance: Relevance) -> SimilaritySignal:
    """Compare all memories with the query's vector; of several vectors of a memory the nearest counts."""
    n = len(snapshot)
    if vector is None or not len(snapshot.vector_of) or not float(vector @ vector) > 0:  # NaN compares as False
        return SimilaritySignal(evidence=np.zeros(n, dtype=np.float32), similarity=np.zeros(n, dtype=np.float32))
    # A broken vector is no match: fmax skips NaN.
    cosine: Floats = np.fmin(np.fmax(snapshot.vectors.cosines(vector), _MIN_COSINE), _MAX_COSINE)
    alike = relevance(cosine)
    deviation = _deviation(alike, snapshot)
    layout = snapshot.derive(VectorLayout)
    if layout.is_one_each:
        return SimilaritySignal(evidence=np.maximum(deviation, np.float32(MIN_LOG_ODDS)), similarity=alike)
    similarity = np.zeros(n, dtype=np.float32)
    np.maximum.at(similarity, snapshot.vector_of, alike)
    evidence = np.full(n, -np.inf, dtype=np.float32)
    np.maximum.at(evidence, snapshot.vector_of, deviation)
    # A memory of `k` pieces had `k` chances of being near by accident, which takes log(k) off its odds.
    evidence -= layout.log_pieces
    evidence = np.maximum(evidence, np.float32(MIN_LOG_ODDS))
    evidence[layout.without] = WITHOUT_VECTOR
    if layout.unread is not None:
        evidence[layout.unread] = UNREAD
    return SimilaritySignal(evidence=evidence, similarity=similarity)


def mean_and_spread(values: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation of numbers, to the bit as numpy does, which takes longer.

    >>> mean_and_spread(np.array([1, 3], dtype=np.float32))
    (2.0, 1.0)
    """
    n = len(values)
    mean = np.float32(float(np.add.reduce(values)) / n)
    apart = values - mean
    apart *= apart
    return float(mean), float(np.sqrt(np.float32(float(np.add.reduce(apart)) / n)))


def _deviation(alike: Floats, snapshot: SubjectSnapshot) -> Floats:
    """Return how far each vector is above the subject's others, as log-odds."""
    held = np.fmin(np.fmax(alike, _MIN_SURE), _MAX_SURE)
    odds: Floats = np.log(held / (1 - held))
    others = odds[: snapshot.sampled_vectors]
    n = len(odds) if snapshot.sampled_vectors is None else len(snapshot)
    share = USUAL_COUNT / (n + USUAL_COUNT) if len(others) else 1.0
    mean, spread = mean_and_spread(others) if len(others) else (USUAL_ODDS, USUAL_SPREAD)
    usual = share * USUAL_ODDS + (1 - share) * mean
    between = share * (1 - share) * (mean - USUAL_ODDS) ** 2
    variance = share * USUAL_SPREAD**2 + (1 - share) * spread**2 + between
    deviation: Floats = np.float32(DEVIATION_WEIGHT / sqrt(variance)) * (odds - np.float32(usual))
    return deviation
