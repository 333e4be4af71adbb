"""How far each memory shares the query's words: BM25 over one subject's own statistics. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from recollect.recall.query import MAX_TERMS, Query
from recollect.text import Read, legacy_terms, term_key
from recollect.types import SubjectSnapshot

Floats = npt.NDArray[np.float64]

# BM25's saturation and length norm: 0.9 to 1.3 and 0.6 to 0.9 are within half a point of R@10 on two collections.
SATURATION = 0.9
LENGTH_NORM = 0.75
# Terms that every memory counts as having: BM25 would prefer the shortest, but a greeting is no better an answer than a
# sentence. With 20 to 40 recall is the same; without, short messages cost it 1.5 points.
MIN_LENGTH = 30
# What a nat of BM25 is worth in log-odds: meaning sees the same sentence, and both at full weight would count it twice.
# 0.5 and 0.7 are within a quarter of a point.
WORD_WEIGHT = 0.6
# Rarity (in nats) of the words of one question, about six rare ones. Longer queries are scaled down to it: each of
# their words says less of what is asked, and the sum would drown what the meaning says.
MAX_MASS = 30.0
# Up to so many comparisons all terms are looked up at once; beyond, one by one is faster (measured).
_AT_ONCE = 20_000
# A term's bit among a memory's hits (see `Query.terms` for how many there can be), and the same as a sum takes it.
_BITS = 1 << np.arange(53)
_POWERS = _BITS.astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSignal:
    """What a subject's memories share with the query's words."""

    evidence: Floats
    """n: BM25, in nats; 0 where no word is shared."""
    hits: npt.NDArray[np.int64]
    """n: bit `j` is set where the memory has the query's term `j`."""
    rarity: Floats
    """One a query term: how little it is spread among the memories, in nats."""

    def shares(self, rows: npt.NDArray[np.intp]) -> Floats:
        """Return the share of the query's rarity-weighted words that each of the rows answers, 0 to 1."""
        total = float(np.add.reduce(self.rarity))
        if total <= 0:
            return np.zeros(len(rows))
        bits = (self.hits[rows][:, None] & _BITS[: len(self.rarity)]) != 0
        shares: Floats = bits @ self.rarity / total
        return shares


def rarity(memories: int, holding: npt.NDArray[np.intp] | int) -> Floats:
    """Weigh a feature by how few memories have it: the log-odds of BM25, always above 0.

    >>> bool(rarity(100, 1) > rarity(100, 50) > 0)
    True
    """
    half_more = holding + 0.5
    weighed: Floats = np.log1p((memories + 1 - half_more) / half_more)
    return weighed


def word_signal(hot: SubjectSnapshot, terms: Sequence[str]) -> WordSignal:
    """Weigh all memories by the query's terms.

    Args:
        hot: The subject's memories.
        terms: Distinct terms, at most 52 (see `Query.terms`).
    """
    n = len(hot)
    keys = np.array([term_key(hot.salt, term) for term in terms], dtype=np.uint32)
    which, place = _find(hot.terms, keys)
    weights = rarity(n, np.bincount(which, minlength=len(keys)))
    if not len(place):
        return WordSignal(evidence=np.zeros(n), hits=np.zeros(n, dtype=np.int64), rarity=weights)
    owner = hot.term_start.searchsorted(place, side="right") - 1
    count = hot.counts[place]
    length = np.maximum(hot.length, MIN_LENGTH)
    average = int(np.add.reduce(length, dtype=np.int64)) / n
    norm = SATURATION * ((1 - LENGTH_NORM) + LENGTH_NORM / average * length[owner])
    total = float(np.add.reduce(weights))
    gain = weights * (MAX_MASS / total) if total > MAX_MASS else weights
    evidence = np.bincount(owner, gain[which] * count / (count + norm), minlength=n).astype(np.float64, copy=False)
    # Each term stands once in a memory's list, so that adding its power of two sets its bit; exact below 2**53.
    hits = np.bincount(owner, _POWERS[which], minlength=n).astype(np.int64)
    return WordSignal(evidence=evidence, hits=hits, rarity=weights)


def _find(
    terms: npt.NDArray[np.uint32], keys: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Find all places of the keys: (which key, where in `terms`), key by key."""
    if len(terms) * len(keys) <= _AT_ONCE:
        which, place = np.nonzero(terms == keys[:, None])
        return which, place
    places = [np.flatnonzero(terms == key) for key in keys]
    sizes = [len(place) for place in places]
    return np.repeat(np.arange(len(keys)), sizes), np.concatenate(places)


def match_alternative_terms(hot: SubjectSnapshot, query: Query, found: WordSignal) -> WordSignal:
    """Add what the query's other terms find to what its terms found.

    A memory has the terms of one scheme, so that what differs between two is counted once. Another language's stem is
    asked for where a word is found by none of its own. A hit is noted as one of the term that the word has now.
    """
    now = {word: place for place, word in reversed(list(enumerate(query.spoken[term] for term in query.terms)))}
    missing = _missing(query, found)
    beside: list[Read] = [(word, own) for word, own in query.elsewhere if word in missing]
    if hot.has_legacy_terms:
        beside += legacy_terms(query.text)
    places: dict[str, int | None] = {}
    for word, own in beside:
        places |= {term: _place(word, now) for term in own if term not in query.terms and term not in places}
    asked = list(places)[:MAX_TERMS]
    if not asked:
        return found
    others = word_signal(hot, asked)
    hits = found.hits.copy()
    for bit, term in enumerate(asked):
        place = places[term]
        if place is not None:
            hits |= (others.hits >> bit & 1) << place
    return replace(found, evidence=found.evidence + others.evidence, hits=hits)


def _missing(query: Query, found: WordSignal) -> set[str]:
    """Return the words of which no memory has a term."""
    held = int(np.bitwise_or.reduce(found.hits)) if len(found.hits) else 0
    words: Iterable[str] = (query.spoken[term] for bit, term in enumerate(query.terms) if held >> bit & 1)
    return set(query.spoken.values()).difference(words)


def _place(word: str, now: dict[str, int]) -> int | None:
    """Find the term of a word as it is cut now: the same, or one that holds it or is held by it."""
    if word in now:
        return now[word]
    return next((place for other, place in now.items() if word in other or other in word), None)
