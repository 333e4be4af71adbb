"""Simple baselines on the same terms and vectors, to compare with. Pure."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from toldonce.recall.query import Query
from toldonce.text import term_key
from toldonce.types import SubjectSnapshot

Scores = npt.NDArray[np.float64]

# BM25's usual constants for passages.
_SATURATION, _LENGTH_NORM = 0.9, 0.4
# Damps the lead of first places (Cormack et al., 2009).
_RANK_DAMPING = 60


def bm25(snapshot: SubjectSnapshot, query: Query) -> Scores:
    """Score by words alone."""
    n = len(snapshot)
    owner = _owner(snapshot)
    norm = _SATURATION * (1 - _LENGTH_NORM + _LENGTH_NORM * snapshot.length / max(1.0, float(snapshot.length.mean())))
    scores = np.zeros(n)
    for term in query.terms:
        places = np.flatnonzero(snapshot.terms == term_key(snapshot.salt, term))
        if len(places):
            rows, count = owner[places], snapshot.counts[places]
            scores[rows] += np.log1p((n - len(places) + 0.5) / (len(places) + 0.5)) * count / (count + norm[rows])
    return scores


def vectors(snapshot: SubjectSnapshot, query: Query) -> Scores:
    """Score by the cosine with the sum of a memory's vectors."""
    whole = _whole(snapshot)
    asked = np.zeros(whole.shape[1]) if query.vector is None else query.vector.astype(np.float64)
    scores: Scores = np.vecdot(whole, asked)
    return scores


def convex(snapshot: SubjectSnapshot, query: Query, words: float, before: float = 0.0) -> Scores:
    """Sum words and vectors, each brought to 0 to 1, and a share of the memory before."""
    scores = words * _to_one(bm25(snapshot, query)) + (1 - words) * _to_one(vectors(snapshot, query))
    scores[1:] += before * scores[:-1].copy()
    return scores


def rank_fusion(snapshot: SubjectSnapshot, query: Query) -> Scores:
    """Fuse the two rankings, equal in weight."""
    scores = np.zeros(len(snapshot))
    for each in (bm25(snapshot, query), vectors(snapshot, query)):
        place = np.empty(len(snapshot))
        place[np.argsort(-each, kind="stable")] = np.arange(1, len(snapshot) + 1)
        scores += 1 / (_RANK_DAMPING + place)
    return scores


@lru_cache(maxsize=1)
def _whole(snapshot: SubjectSnapshot) -> Scores:
    """Return one vector a memory: the sum of its pieces', of unit length."""
    whole = np.zeros((len(snapshot), snapshot.vectors.shape[1]))
    np.add.at(whole, snapshot.vector_of, snapshot.vectors)
    length = np.linalg.norm(whole, axis=1, keepdims=True)
    return whole / np.where(length > 0, length, 1)


@lru_cache(maxsize=1)
def _owner(snapshot: SubjectSnapshot) -> npt.NDArray[np.intp]:
    """Return for each term whose it is."""
    return np.repeat(np.arange(len(snapshot)), np.diff(snapshot.term_start))


def _to_one(scores: Scores) -> Scores:
    spread = float(scores.max() - scores.min())
    return (scores - scores.min()) / spread if spread else np.zeros(len(scores))
