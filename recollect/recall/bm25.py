"""How far each memory shares the query's words: BM25 with the statistics of one subject. Pure."""

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
# Minimum length of a memory for scoring, in terms: BM25 would prefer the shortest, but a greeting is no better answer
# than a sentence. With 20 to 40 recall is the same; without, short messages cost 1.5 points.
MIN_LENGTH = 30
# Log-odds of one nat of BM25: similarity sees the same sentence, and both at full weight would count it twice.
# 0.5 and 0.7 are within a quarter of a point.
WORD_WEIGHT = 0.6
# Rarity (in nats) of the words of one question, about six rare ones. Longer queries are scaled down to it: each of
# their words says less, and the sum would drown the similarity.
MAX_MASS = 30.0
# Up to this many comparisons all terms are looked up at once; above, one by one is faster (measured).
_AT_ONCE = 20_000
# A term's bit among a memory's hits (see `Query.terms` for how many there can be), and the same as a sum takes it.
_BITS = 1 << np.arange(53)
_POWERS = _BITS.astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSignal:
    """What the memories of a subject share with the query's words."""

    evidence: Floats
    """n: BM25, in nats; 0 if no word is shared."""
    hits: npt.NDArray[np.int64]
    """n: bit `j` is set if the memory has the query's term `j`."""
    rarity: Floats
    """One number per query term: how rare it is among the memories, in nats."""

    def shares(self, rows: npt.NDArray[np.intp]) -> Floats:
        """Return the share of the query's rarity-weighted words that each of the rows answers, 0 to 1."""
        total = float(np.add.reduce(self.rarity))
        if total <= 0:
            return np.zeros(len(rows))
        bits = (self.hits[rows][:, None] & _BITS[: len(self.rarity)]) != 0
        shares: Floats = bits @ self.rarity / total
        return shares


def rarity(memories: int, holding: npt.NDArray[np.intp] | int) -> Floats:
    """Return the weight of a feature by how few memories have it: BM25's log-odds, always above 0.

    >>> bool(rarity(100, 1) > rarity(100, 50) > 0)
    True
    """
    half_more = holding + 0.5
    weighed: Floats = np.log1p((memories + 1 - half_more) / half_more)
    return weighed


def word_signal(snapshot: SubjectSnapshot, terms: Sequence[str]) -> WordSignal:
    """Score all memories by the query's terms.

    Args:
        snapshot: The subject's memories.
        terms: Distinct terms, at most 52 (see `Query.terms`).
    """
    n = len(snapshot)
    keys = np.array([term_key(snapshot.salt, term) for term in terms], dtype=np.uint32)
    which, place = _find(snapshot.terms, keys)
    weights = rarity(n, np.bincount(which, minlength=len(keys)))
    if not len(place):
        return WordSignal(evidence=np.zeros(n), hits=np.zeros(n, dtype=np.int64), rarity=weights)
    owner = snapshot.term_start.searchsorted(place, side="right") - 1
    count = snapshot.counts[place]
    length = np.maximum(snapshot.length, MIN_LENGTH)
    average = int(np.add.reduce(length, dtype=np.int64)) / n
    norm = SATURATION * ((1 - LENGTH_NORM) + LENGTH_NORM / average * length[owner])
    total = float(np.add.reduce(weights))
    gain = weights * (MAX_MASS / total) if total > MAX_MASS else weights
    evidence = np.bincount(owner, gain[which] * count / (count + norm), minlength=n).astype(np.float64, copy=False)
    # A memory lists each term once, so that adding its power of two sets its bit; exact below 2**53.
    hits = np.bincount(owner, _POWERS[which], minlength=n).astype(np.int64)
    return WordSignal(evidence=evidence, hits=hits, rarity=weights)


def _find(
    terms: npt.NDArray[np.uint32], keys: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return all positions of the keys, key by key: (which key, where in `terms`)."""
    if len(terms) * len(keys) <= _AT_ONCE:
        which, place = np.nonzero(terms == keys[:, None])
        return which, place
    places = [np.flatnonzero(terms == key) for key in keys]
    sizes = [len(place) for place in places]
    return np.repeat(np.arange(len(keys)), sizes), np.concatenate(places)


def match_alternative_terms(snapshot: SubjectSnapshot, query: Query, found: WordSignal) -> WordSignal:
    """Add the matches of the query's alternative terms: of the legacy scheme, and of stems in other languages.

    A memory has the terms of one scheme, so no match counts twice. The stems of other languages are used only for words
    that match no memory by their own stem. A match counts as a hit of the word's current term.
    """
    now = {word: place for place, word in reversed(list(enumerate(query.spoken[term] for term in query.terms)))}
    missing = _missing(query, found)
    beside: list[Read] = [(word, own) for word, own in query.elsewhere if word in missing]
    if snapshot.has_legacy_terms:
        beside += legacy_terms(query.text)
    places: dict[str, int | None] = {}
    for word, own in beside:
        places |= {term: _place(word, now) for term in own if term not in query.terms and term not in places}
    asked = list(places)[:MAX_TERMS]
    if not asked:
        return found
    others = word_signal(snapshot, asked)
    hits = found.hits.copy()
    for bit, term in enumerate(asked):
        place = places[term]
        if place is not None:
            hits |= (others.hits >> bit & 1) << place
    return replace(found, evidence=found.evidence + others.evidence, hits=hits)


def _missing(query: Query, found: WordSignal) -> set[str]:
    """Return the words that match no memory."""
    held = int(np.bitwise_or.reduce(found.hits)) if len(found.hits) else 0
    words: Iterable[str] = (query.spoken[term] for bit, term in enumerate(query.terms) if held >> bit & 1)
    return set(query.spoken.values()).difference(words)


def _place(word: str, now: dict[str, int]) -> int | None:
    """Return the position of a word's current term: of the same word, or one that contains it or is contained."""
    if word in now:
        return now[word]
    return next((place for other, place in now.items() if word in other or other in word), None)
