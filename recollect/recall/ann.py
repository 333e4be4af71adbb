"""Which vectors a recall needs of a subject that has an index of them: all others are left where they are. Pure.

Meaning is one kind of evidence beside words, time and weight. So those near to the query are not enough: what else
would come first without its meaning gets its own, and so does what stands around the best.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from recollect.recall.bm25 import WordSignal
from recollect.recall.order import by_policy
from recollect.recall.query import Query
from recollect.recall.rank import hidden_kinds, score_memories
from recollect.recall.signals import collect_signals
from recollect.recall.similarity import Relevance
from recollect.recall.top_k import top_k
from recollect.types import KIND_ORDER, NO_VECTORS, MemoryKind, SubjectSnapshot, VectorRequest

# Memories near to the query that the index is asked for, and of those that speak for themselves by words, time and
# weight how many get their vectors read, too.
NEAR, PROMISING = 200, 300
# Of how many of the best the messages before and after are read, and how far off: what lies there speaks for them.
_AROUND_OF, _AROUND = 100, (-2, -1, 1, 2)
# Episodes are few beside what they sum up, and chosen among themselves.
_EPISODES = 100
_TURN, _EPISODE = MemoryKind.TURN.number, MemoryKind.EPISODE.number
_KINDS = tuple(range(len(KIND_ORDER)))

Places = npt.NDArray[np.intp]


class AnnPlanner:
    """Says for one query which vectors of a subject it needs."""

    def __init__(self, query: Query, relevance: Relevance) -> None:
        """Take the query, and the calibration of the embedder by which the subject is read."""
        self._query = query
        self._relevance = relevance
        self._weighed: tuple[SubjectSnapshot, WordSignal] | None = None

    @property
    def vector_request(self) -> VectorRequest:
        """What the store is asked for."""
        query = self._query
        if query.vector is None:
            return NO_VECTORS
        return VectorRequest(
            vectors=query.vector[None, :],
            limit_each=max(NEAR, 2 * query.limit, query.policy.candidates),
            kinds=_KINDS if query.policy.turns else tuple(kind for kind in _KINDS if kind != _TURN),
            expand=self.expand,
        )

    def expand(self, hot: SubjectSnapshot) -> Places:
        """Find the memories whose vector was not read and may well be among the best once it is.

        Args:
            hot: The subject, with the vectors of those near to the query alone.
        """
        query = self._query
        matches = collect_signals(hot, query, self._relevance)
        self._weighed = hot, matches.words
        evidence = score_memories(hot, matches, query)
        unread = np.ones(len(hot), dtype=np.bool_)
        unread[hot.vector_of] = False
        # Where similarity is a factor, they are put in order by the others.
        similarity = np.where(unread, np.float32(1), matches.meaning.similarity)
        matches = replace(matches, meaning=replace(matches.meaning, similarity=similarity))
        evidence = by_policy(hot, matches, query, evidence)
        hidden = hidden_kinds(hot, query)
        if hidden is not None:
            evidence[hidden] = -np.inf
        around = _around(hot, top_k(evidence, _AROUND_OF)) if query.policy.turns else np.zeros(0, dtype=np.intp)
        evidence[~unread] = -np.inf
        episodes = np.where(hot.kinds == _EPISODE, evidence, -np.inf)
        found = np.unique(np.concatenate((top_k(evidence, PROMISING), top_k(episodes, _EPISODES), around)))
        return found[unread[found]]

    def words(self, hot: SubjectSnapshot) -> WordSignal | None:
        """Return what the memories share with the query's words, where `expand` looked at the same ones."""
        known = self._weighed
        return known[1] if known is not None and known[0].terms is hot.terms else None


def _around(hot: SubjectSnapshot, places: Places) -> Places:
    """Find the quotations that stand before and after some."""
    turns = np.flatnonzero(hot.kinds == _TURN)
    here = turns.searchsorted(places[hot.kinds[places] == _TURN])
    beside = (here[:, None] + np.array(_AROUND)).ravel()
    found: Places = turns[beside[(beside >= 0) & (beside < len(turns))]]
    return found
