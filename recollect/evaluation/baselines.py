"""What a page of code finds: plain BM25, plain vectors, and the two merged with equal weight. Asks the embedder.

They search every turn of the conversation, each a text of its own with its speaker in front, with the same stems and
the same embedder as the engine, in the same run. They form nothing, leave nothing out and know no time.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from recollect.datasets.dataset import DatasetTurn
from recollect.providers.protocols import Embedder
from recollect.text import terms
from recollect.types import Vectors

BM25, VECTORS, FUSED = "BM25", "vectors", "BM25 + vectors"
NAMES = (BM25, VECTORS, FUSED)
# The usual constants of BM25 (Robertson and Zaragoza, 2009) and of rank fusion (Cormack et al., 2009).
_K1, _B = 1.2, 0.75
_DAMPING = 60


class Baselines:
    """The rankings of one conversation's turns."""

    def __init__(self, turns: Sequence[DatasetTurn], vectors: Vectors) -> None:
        """Index turns with their vectors; `index` embeds them."""
        self._turns = turns
        self._vectors = vectors
        counts = [terms(turn.line) for turn in turns]
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, found in enumerate(counts):
            for term, count in found.items():
                self._postings[term].append((place, count))
        length = np.array([found.total() for found in counts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * length / max(length.mean(), 1.0))

    def rank(self, query: str, vector: npt.NDArray[np.float32]) -> Mapping[str, list[int]]:
        """Rank the places of all turns that each way has something to say for, best first, ties by place."""
        words = _best_first(self._bm25(query))
        meant = _best_first(np.asarray(self._vectors @ vector, dtype=np.float64))
        fused = np.zeros(len(self._turns))
        for ranking in (words, meant):
            for place, document in enumerate(ranking, start=1):
                fused[document] += 1 / (_DAMPING + place)
        return {BM25: words, VECTORS: meant, FUSED: _best_first(fused)}

    def _bm25(self, query: str) -> npt.NDArray[np.float64]:
        scores = np.zeros(len(self._turns))
        for term, times in Counter(terms(query)).items():
            postings = self._postings.get(term, ())
            rarity = np.log(1 + (len(self._turns) - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, count in postings:
                scores[place] += times * rarity * count * (_K1 + 1) / (count + self._norm[place])
        return scores


async def index(turns: Sequence[DatasetTurn], embedder: Embedder) -> Baselines:
    """Embed turns and index them.

    Raises:
        ModelError: the embedder did not answer.
    """
    return Baselines(turns, await embedder.embed([turn.line for turn in turns]))


def _best_first(scores: npt.NDArray[np.float64]) -> list[int]:
    """Order the places that scored at all."""
    order = np.argsort(-scores, kind="stable")
    return [int(place) for place in order if scores[place] > 0]
