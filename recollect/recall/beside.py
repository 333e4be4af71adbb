"""Words of a query that a subject has under other terms: of the former scheme, or of a language not told. Pure."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from recollect.recall.bm25 import WordSignal, word_signal
from recollect.recall.query import MAX_TERMS, Query
from recollect.text import Read, former_terms
from recollect.types import SubjectSnapshot


def match_alternative_terms(hot: SubjectSnapshot, query: Query, found: WordSignal) -> WordSignal:
    """Add what the query's other terms find to what its terms found.

    A memory has the terms of one scheme, so that what differs between two is counted once. Another language's stem is
    asked for where a word is found by none of its own. A hit is noted as one of the term that the word has now.
    """
    now = {word: place for place, word in reversed(list(enumerate(query.spoken[term] for term in query.terms)))}
    missing = _missing(query, found)
    beside: list[Read] = [(word, own) for word, own in query.elsewhere if word in missing]
    if hot.has_legacy_terms:
        beside += former_terms(query.text)
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
