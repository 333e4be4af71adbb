"""How far each memory shares the query's words: BM25 with the statistics of one subject. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from toldonce.recall.query import MAX_TERMS, Query
from toldonce.text import Read, legacy_terms, term_key
from toldonce.types import SubjectSnapshot

Floats = npt.NDArray[np.float64]

# BM25's saturation and length norm: 0.9 to 1.3 and 0.6 to 0.9 are within half a point of R@10 on two collections.
SATURATION = 0.9
LENGTH_NORM = 0.75
# Minimum length of a memory for scoring, in terms: BM25 would prefer the shortest, but a greeting is no better answer
# than a sentence. With 20 to 40 recall is the same; without, short messages cost 1.5 points.
MIN_LENGTH = 30
# Factor from BM25 (in nats) to log-odds. It is below 1 because words and similarity judge the same sentence: at full
# weight they would count it twice.
# 0.5 and 0.7 are within a quarter of a point.
WORD_WEIGHT = 0.6
# Maximum total rarity of a query's terms, in nats: that of about six rare words. In a longer query their weights are
# scaled down to it, since each word says less and their sum would outweigh the similarity.
MAX_QUERY_RARITY = 30.0
# Up to this many comparisons it is faster (measured) to look up all terms at once; above, one after another.
_MAX_COMPARISONS = 20_000
# Up to so many memories each term's owner and norm are kept: 16 bytes a term.
MAX_INDEXED = 5_000
# The bit of term `j` in `WordSignal.hits`, and the same as a float, since `np.bincount` sums floats: exact up to 2**53,
# and `MAX_TERMS` is below 53.
_BITS = 1 << np.arange(53)
_BITS_AS_FLOATS = _BITS.astype(np.float64)


class TermIndex:
    """What BM25 needs of a snapshot with memories, whatever is asked."""

    __slots__ = ("denominators", "norm", "owners")

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        n = len(snapshot)
        length = np.maximum(snapshot.length, MIN_LENGTH)
        average = int(np.add.reduce(length, dtype=np.int64)) / n
        self.norm = SATURATION * ((1 - LENGTH_NORM) + LENGTH_NORM / average * length)
        """n: how much the length of a memory takes off."""
        self.owners: npt.NDArray[np.intp] | None = None
        """t: which memory a term belongs to; None for many memories, where few terms are looked up."""
        self.denominators: Floats | None = None
        """t: count of a term, plus its memory's norm."""
        if n <= MAX_INDEXED:
            self.owners = np.repeat(np.arange(n), np.diff(snapshot.term_start))
            self.denominators = snapshot.counts + self.norm[self.owners]


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
    smoothed = holding + 0.5
    log_odds: Floats = np.log1p((memories + 1 - smoothed) / smoothed)
    return log_odds


def word_signal(snapshot: SubjectSnapshot, terms: Sequence[str]) -> WordSignal:
    """Score all memories by the query's terms.

    Args:
        snapshot: The subject's memories.
        terms: Distinct terms, at most 52 (see `Query.terms`).
    """
    n = len(snapshot)
    keys = np.array([term_key(snapshot.salt, term) for term in terms], dtype=np.uint32)
    which, positions = _find(snapshot.terms, keys)
    weights = rarity(n, np.bincount(which, minlength=len(keys)))
    if not len(positions):
        return WordSignal(evidence=np.zeros(n), hits=np.zeros(n, dtype=np.int64), rarity=weights)
    index = snapshot.derive(TermIndex)
    count = snapshot.counts[positions]
    if index.owners is None or index.denominators is None:
        owner = snapshot.term_start.searchsorted(positions, side="right") - 1
        denominator = count + index.norm[owner]
    else:
        owner, denominator = index.owners[positions], index.denominators[positions]
    total = float(np.add.reduce(weights))
    gain = weights * (MAX_QUERY_RARITY / total) if total > MAX_QUERY_RARITY else weights
    evidence = np.bincount(owner, gain[which] * count / denominator, minlength=n).astype(np.float64, copy=False)
    # A memory lists each term once, so that adding its power of two sets its bit; exact below 2**53.
    hits = np.bincount(owner, _BITS_AS_FLOATS[which], minlength=n).astype(np.int64)
    return WordSignal(evidence=evidence, hits=hits, rarity=weights)


def _find(
    terms: npt.NDArray[np.uint32], keys: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return all positions of the keys, key by key: (which key, where in `terms`)."""
    if len(terms) * len(keys) <= _MAX_COMPARISONS:
        which, positions = (terms == keys[:, None]).nonzero()
        return which, positions
    by_key = [np.flatnonzero(terms == key) for key in keys]
    sizes = [len(positions) for positions in by_key]
    return np.repeat(np.arange(len(keys)), sizes), np.concatenate(by_key)


def match_alternative_terms(snapshot: SubjectSnapshot, query: Query, found: WordSignal) -> WordSignal:
    """Add the matches of the query's alternative terms: of the legacy scheme, and of stems in other languages.

    A memory has the terms of one scheme, so no match counts twice. The stems of other languages are used only for words
    that match no memory by their own stem. A match counts as a hit of the word's current term.
    """
    current_bits = {word: bit for bit, word in reversed(list(enumerate(query.spoken[term] for term in query.terms)))}
    unmatched = _find_unmatched_words(query, found)
    alternatives: list[Read] = [(word, stems) for word, stems in query.elsewhere if word in unmatched]
    if snapshot.has_legacy_terms:
        alternatives += legacy_terms(query.text)
    bits: dict[str, int | None] = {}
    for word, stems in alternatives:
        bits |= {
            term: _current_bit(word, current_bits) for term in stems if term not in query.terms and term not in bits
        }
    alternative_terms = list(bits)[:MAX_TERMS]
    if not alternative_terms:
        return found
    others = word_signal(snapshot, alternative_terms)
    hits = found.hits.copy()
    for alternative_bit, term in enumerate(alternative_terms):
        bit = bits[term]
        if bit is not None:
            hits |= (others.hits >> alternative_bit & 1) << bit
    return replace(found, evidence=found.evidence + others.evidence, hits=hits)


def _find_unmatched_words(query: Query, found: WordSignal) -> set[str]:
    """Return the words that match no memory."""
    all_hits = int(np.bitwise_or.reduce(found.hits)) if len(found.hits) else 0
    matched: Iterable[str] = (query.spoken[term] for bit, term in enumerate(query.terms) if all_hits >> bit & 1)
    return set(query.spoken.values()).difference(matched)


def _current_bit(word: str, current_bits: dict[str, int]) -> int | None:
    """Return the bit of a word's current term: of the same word, or of one that contains it or is contained in it."""
    if word in current_bits:
        return current_bits[word]
    return next((bit for other, bit in current_bits.items() if word in other or other in word), None)
