"""Baselines: BM25, vectors, and both merged with equal weight. Calls the embedder.

They search all turns of a conversation, each with its speaker as prefix, with the stems and the embedder of the engine.
They form nothing, leave nothing out and ignore time.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from toldonce.datasets.dataset import DatasetTurn
from toldonce.providers.protocols import Embedder
from toldonce.text import terms
from toldonce.types import Vectors

BM25, VECTORS, FUSED = "BM25", "vectors", "BM25 + vectors"
NAMES = (BM25, VECTORS, FUSED)
# The usual constants of BM25 (Robertson and Zaragoza, 2009) and of rank fusion (Cormack et al., 2009).
_K1, _B = 1.2, 0.75
_RANK_OFFSET = 60


class Baselines:
    """Ranks the turns of a conversation."""

    def __init__(self, turns: Sequence[DatasetTurn], vectors: Vectors) -> None:
        """Index the terms of turns; `vectors` are theirs, one row per turn, as `index` computes them."""
        self._turns = turns
        self._vectors = vectors
        counts = [terms(turn.line) for turn in turns]
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, turn_counts in enumerate(counts):
            for term, count in turn_counts.items():
                self._postings[term].append((position, count))
        length = np.array([turn_counts.total() for turn_counts in counts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * length / max(length.mean(), 1.0))

    def rank(self, query: str, vector: npt.NDArray[np.float32]) -> Mapping[str, list[int]]:
        """Rank the turns with a positive score by each method, best first, ties in order; returns positions."""
        by_words = _sort_best_first(self._score_bm25(query))
        by_vectors = _sort_best_first(np.asarray(self._vectors @ vector, dtype=np.float64))
        fused = np.zeros(len(self._turns))
        for ranking in (by_words, by_vectors):
            for rank, document in enumerate(ranking, start=1):
                fused[document] += 1 / (_RANK_OFFSET + rank)
        return {BM25: by_words, VECTORS: by_vectors, FUSED: _sort_best_first(fused)}

    def _score_bm25(self, query: str) -> npt.NDArray[np.float64]:
        scores = np.zeros(len(self._turns))
        for term, times in Counter(terms(query)).items():
            postings = self._postings.get(term, ())
            rarity = np.log(1 + (len(self._turns) - len(postings) + 0.5) / (len(postings) + 0.5))
            for position, count in postings:
                scores[position] += times * rarity * count * (_K1 + 1) / (count + self._norm[position])
        return scores


async def index(turns: Sequence[DatasetTurn], embedder: Embedder) -> Baselines:
    """Embed turns and index them.

    Raises:
        ModelError: The embedder did not answer.
    """
    return Baselines(turns, await embedder.embed([turn.line for turn in turns]))


def _sort_best_first(scores: npt.NDArray[np.float64]) -> list[int]:
    """Return the positions with a positive score, best first."""
    order = np.argsort(-scores, kind="stable")
    return [int(position) for position in order if scores[position] > 0]
