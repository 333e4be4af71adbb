"""All that speaks for each memory of one subject: meaning, words, time, neighbours. A union: none filters. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from recollect.clock import to_micros
from recollect.recall.adjacency import adjacency_signal
from recollect.recall.bm25 import WORD_WEIGHT, WordSignal, match_alternative_terms, word_signal
from recollect.recall.query import Interval, Query
from recollect.recall.similarity import Relevance, SimilaritySignal, similarity_signal
from recollect.types import MemoryKind, SubjectSnapshot

# Up to so many comparisons sources are compared with the request's messages at once; beyond, by sorting.
_AT_ONCE = 200_000
_DISTILLED = [kind.number for kind in (MemoryKind.NOTE, MemoryKind.FACT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSignals:
    """Evidence of each kind, one row a memory."""

    meaning: SimilaritySignal
    words: WordSignal
    own: npt.NDArray[np.float64]
    """n: words and meaning together, in log-odds; about 0 where neither says anything."""
    around: npt.NDArray[np.float64] | None
    """n: what its neighbours in the conversation say, in log-odds; None where no memory has any."""
    in_time: npt.NDArray[np.bool_] | None
    """n: began in a time the query asks about; None where it asks about none."""
    kindred: npt.NDArray[np.bool_] | None
    """n: a note or fact with words that stand for what the query names in general; None where it names nothing so."""
    present: npt.NDArray[np.bool_] | None
    """n: all its source messages stand in the request; None where no memory's do."""


def collect_signals(
    hot: SubjectSnapshot, query: Query, relevance: Relevance, words: WordSignal | None = None
) -> RankingSignals:
    """Weigh all memories of a subject by each source of evidence; what they share with its words may be known."""
    meaning = similarity_signal(hot, query.vector, relevance)
    words = words or _words(hot, query)
    own = WORD_WEIGHT * words.evidence + meaning.evidence
    return RankingSignals(
        meaning=meaning,
        words=words,
        own=own,
        around=adjacency_signal(hot, own) if query.policy.turns else None,
        in_time=_in_time(hot, query.dates),
        kindred=_kindred(hot, query),
        present=_present(hot, query.present),
    )


def _words(hot: SubjectSnapshot, query: Query) -> WordSignal:
    found = word_signal(hot, tuple(query.terms))
    return match_alternative_terms(hot, query, found) if hot.has_legacy_terms or query.elsewhere else found


def _kindred(hot: SubjectSnapshot, query: Query) -> npt.NDArray[np.bool_] | None:
    if not query.kindred:
        return None
    found: npt.NDArray[np.bool_] = np.isin(hot.kinds, _DISTILLED) & (word_signal(hot, query.kindred).hits > 0)
    return found


def _in_time(hot: SubjectSnapshot, dates: Sequence[Interval]) -> npt.NDArray[np.bool_] | None:
    if not dates:
        return None
    inside = np.zeros(len(hot), dtype=np.bool_)
    for start, end in dates:
        inside |= (hot.valid_from >= to_micros(start)) & (hot.valid_from < to_micros(end))
    return inside


def _present(hot: SubjectSnapshot, hashes: frozenset[int]) -> npt.NDArray[np.bool_] | None:
    """Tell which memories rest on messages of the request alone; a memory without sources never does."""
    if not hashes or not len(hot.source_hash):
        return None
    known = np.fromiter(hashes, dtype=np.int64, count=len(hashes))
    if len(known) * len(hot.source_hash) <= _AT_ONCE:
        found = (hot.source_hash[:, None] == known).any(axis=1)
    else:
        found = np.isin(hot.source_hash, known)
    if not found.any():
        return None
    before = np.zeros(len(found) + 1, dtype=np.int64)
    np.cumsum(found, out=before[1:])
    inside = before[hot.source_start[1:]] - before[hot.source_start[:-1]]
    sources = np.diff(hot.source_start)
    whole: npt.NDArray[np.bool_] = (sources > 0) & (inside == sources)
    return whole
