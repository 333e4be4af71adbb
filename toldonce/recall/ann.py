"""Which vectors a recall reads of a subject whose vectors are indexed; all others stay in the database. Pure.

Similarity is one signal among words, time and importance. So the vectors near the query are not enough: memories that
the other signals put first need theirs as well, and so do the messages around the best quotations.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from toldonce.recall.bm25 import WordSignal
from toldonce.recall.order import apply_order
from toldonce.recall.query import Query
from toldonce.recall.rank import mask_hidden, score_memories
from toldonce.recall.signals import collect_signals
from toldonce.recall.similarity import Relevance
from toldonce.recall.top_k import top_k
from toldonce.types import KIND_ORDER, NO_VECTORS, MemoryKind, SubjectSnapshot, VectorRequest

# Number of memories that the index returns as near the query, and of memories whose vectors are read because the other
# signals rank them high.
NEAR, PROMISING = 200, 300
# Around so many of the best quotations the neighbouring messages' vectors are read, at these distances.
_AROUND_OF, _AROUND = 100, (-2, -1, 1, 2)
# Episodes are few compared with the turns they summarize, and compete among themselves.
_EPISODES = 100
_TURN, _EPISODE = MemoryKind.TURN.number, MemoryKind.EPISODE.number
_KINDS = tuple(range(len(KIND_ORDER)))

Places = npt.NDArray[np.intp]


class AnnPlanner:
    """Chooses the vectors of one subject that a query needs."""

    def __init__(self, query: Query, relevance: Relevance) -> None:
        """Create a planner for a query, with the calibration of the embedder that the subject is read with."""
        self._query = query
        self._relevance = relevance
        self._last_words: tuple[SubjectSnapshot, WordSignal] | None = None

    @property
    def vector_request(self) -> VectorRequest:
        """The vectors to ask the store for."""
        query = self._query
        if query.vector is None:
            return NO_VECTORS
        return VectorRequest(
            vectors=query.vector[None, :],
            limit_each=max(NEAR, 2 * query.limit, query.policy.candidates),
            kinds=_KINDS if query.policy.turns else tuple(kind for kind in _KINDS if kind != _TURN),
            expand=self.expand,
        )

    def expand(self, snapshot: SubjectSnapshot) -> Places:
        """Return the positions of memories whose vectors are missing and that may rank high with them.

        Args:
            snapshot: The subject, with only the vectors near the query.
        """
        query = self._query
        signals = collect_signals(snapshot, query, self._relevance)
        self._last_words = snapshot, signals.words
        evidence = score_memories(snapshot, signals, query)
        unread = np.ones(len(snapshot), dtype=np.bool_)
        unread[snapshot.vector_of] = False
        # If similarity is a factor of the score, unread memories are ordered by the other factors.
        similarity = np.where(unread, np.float32(1), signals.meaning.similarity)
        signals = replace(signals, meaning=replace(signals.meaning, similarity=similarity))
        evidence = apply_order(snapshot, signals, query, evidence)
        hidden = mask_hidden(snapshot, query)
        if hidden is not None:
            evidence[hidden] = -np.inf
        around = _around(snapshot, top_k(evidence, _AROUND_OF)) if query.policy.turns else np.zeros(0, dtype=np.intp)
        evidence[~unread] = -np.inf
        episodes = np.where(snapshot.kinds == _EPISODE, evidence, -np.inf)
        found = np.unique(np.concatenate((top_k(evidence, PROMISING), top_k(episodes, _EPISODES), around)))
        return found[unread[found]]

    def words(self, snapshot: SubjectSnapshot) -> WordSignal | None:
        """Return the word signal that `expand` computed, if it was for the same memories."""
        known = self._last_words
        return known[1] if known is not None and known[0].terms is snapshot.terms else None


def _around(snapshot: SubjectSnapshot, places: Places) -> Places:
    """Return the quotations before and after those at some positions."""
    turns = np.flatnonzero(snapshot.kinds == _TURN)
    here = turns.searchsorted(places[snapshot.kinds[places] == _TURN])
    beside = (here[:, None] + np.array(_AROUND)).ravel()
    found: Places = turns[beside[(beside >= 0) & (beside < len(turns))]]
    return found
