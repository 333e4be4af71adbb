"""All evidence for each memory of one subject: meaning, words, time, neighbours. No signal excludes memories. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toldonce.clock import to_micros
from toldonce.recall.adjacency import adjacency_signal
from toldonce.recall.bm25 import WORD_WEIGHT, WordSignal, match_alternative_terms, word_signal
from toldonce.recall.query import Interval, Query
from toldonce.recall.similarity import Relevance, SimilaritySignal, similarity_signal
from toldonce.types import MemoryKind, SubjectSnapshot

# Up to this many comparisons, each source is compared with each message of the request; above, `np.isin` sorts.
_MAX_COMPARISONS = 200_000
_DISTILLED = [kind.number for kind in (MemoryKind.NOTE, MemoryKind.FACT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSignals:
    """Evidence of each kind, one number per memory."""

    meaning: SimilaritySignal
    words: WordSignal
    own: npt.NDArray[np.float64]
    """n: words and meaning together, in log-odds; about 0 if neither says anything."""
    around: npt.NDArray[np.float64] | None
    """n: evidence from neighbours in the conversation, in log-odds; None if no memory has neighbours."""
    in_time: npt.NDArray[np.bool_] | None
    """n: began in a time the query asks about; None if it asks about none."""
    has_related_term: npt.NDArray[np.bool_] | None
    """n: a note or fact with a related term of the query; None if the query has none."""
    present: npt.NDArray[np.bool_] | None
    """n: the request contains all its source messages; None if that holds for no memory."""


def collect_signals(
    snapshot: SubjectSnapshot, query: Query, relevance: Relevance, words: WordSignal | None = None
) -> RankingSignals:
    """Compute each kind of evidence for all memories of a subject; `words` is computed unless given."""
    meaning = similarity_signal(snapshot, query.vector, relevance)
    words = words or _match_words(snapshot, query)
    own = WORD_WEIGHT * words.evidence + meaning.evidence
    return RankingSignals(
        meaning=meaning,
        words=words,
        own=own,
        around=adjacency_signal(snapshot, own) if query.policy.turns else None,
        in_time=_mark_in_time(snapshot, query.dates),
        has_related_term=_mark_related_terms(snapshot, query),
        present=_mark_present(snapshot, query.present),
    )


def _match_words(snapshot: SubjectSnapshot, query: Query) -> WordSignal:
    found = word_signal(snapshot, tuple(query.terms))
    return match_alternative_terms(snapshot, query, found) if snapshot.has_legacy_terms or query.elsewhere else found


def _mark_related_terms(snapshot: SubjectSnapshot, query: Query) -> npt.NDArray[np.bool_] | None:
    if not query.related_terms:
        return None
    found: npt.NDArray[np.bool_] = np.isin(snapshot.kinds, _DISTILLED) & (
        word_signal(snapshot, query.related_terms).hits > 0
    )
    return found


def _mark_in_time(snapshot: SubjectSnapshot, dates: Sequence[Interval]) -> npt.NDArray[np.bool_] | None:
    if not dates:
        return None
    inside = np.zeros(len(snapshot), dtype=np.bool_)
    for start, end in dates:
        inside |= (snapshot.valid_from >= to_micros(start)) & (snapshot.valid_from < to_micros(end))
    return inside


def _mark_present(snapshot: SubjectSnapshot, hashes: frozenset[int]) -> npt.NDArray[np.bool_] | None:
    """Return which memories have all their sources in the request; a memory without sources never has."""
    if not hashes or not len(snapshot.source_hash):
        return None
    known = np.fromiter(hashes, dtype=np.int64, count=len(hashes))
    if len(known) * len(snapshot.source_hash) <= _MAX_COMPARISONS:
        found = (snapshot.source_hash[:, None] == known).any(axis=1)
    else:
        found = np.isin(snapshot.source_hash, known)
    if not found.any():
        return None
    found_before = np.zeros(len(found) + 1, dtype=np.int64)
    np.cumsum(found, out=found_before[1:])
    found_sources = found_before[snapshot.source_start[1:]] - found_before[snapshot.source_start[:-1]]
    sources = np.diff(snapshot.source_start)
    has_all: npt.NDArray[np.bool_] = (sources > 0) & (found_sources == sources)
    return has_all
