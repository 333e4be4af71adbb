"""Names that a message has and memories have: who or what is asked for. Pure.

"Gift ideas for Lotte" shares one word with what is known of Lotte, and several with what is known of gifts. The name is
what it is about.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from toldonce.recall.query import Query
from toldonce.recall.signals import RankingSignals
from toldonce.text import (
    find_capitals,
    fold,
    has_no_capitals,
    is_common,
    is_function_word,
    is_given_name,
    terms_of_word,
    words,
)
from toldonce.text.languages import untold

# Log-odds that a memory with a name of the message gets beside what BM25 gives for the word, for each nat of the name's
# rarity: names count about three times as much as other words.
NAME_WEIGHT = 0.5
# A capitalized word is a name if at most this share of the memories, or so few, have it: German nouns have capitals.
MAX_NAME_SHARE, MAX_NAME_COUNT = 0.1, 3
# The same for a word of a message without capitals.
MAX_RARE_SHARE, MAX_RARE_COUNT = 0.02, 2
# Words of questions about the memory itself, and of times: they do not say what a message is about.
REMEMBERING = frozenset(
    fold(word.casefold())
    for word in """know known remember recall remind reminded memory memories tell told say said talk talked speak spoke
    mention mentioned discuss discussed discussion conversation conversations chat chats chatted message messages bring
    brought ask asked weißt kennst erinnerst sabes recuerdas acuerdas sais souviens ricordi sai lembra lembras sabe
    weet 知道 记得 了解 覚え""".split()
)
"""Words of questions about the memory itself, folded."""
GENERAL = REMEMBERING | frozenset(
    """anything everything something thing things stuff all ever last recent recently earlier before previous previously
    past today yesterday day days week weeks month months year years time times ago list order walk throughout across
    different aspects items summarize summarise summary overview""".split()
)
"""These, and words of times: they do not say what a message is about."""


def find_known_names(query: Query, hits: npt.NDArray[np.int64]) -> int:
    """Return the terms of a message, as bits of `hits`, that are names, or else rare words, of some memory.

    A name begins with a capital, and is not a common word at the beginning of a sentence. Where nothing has a capital
    (a script without them, or a message typed without), a word that few memories have may be one.
    """
    capitals = {
        term: is_within
        for word, is_within in find_capitals(query.text).items()
        if is_within or not is_common(word)
        for term in terms_of_word(word)
    }
    typed_without = query.text == query.text.lower()
    is_untold = untold(words(query.text), query.text)
    most_named, most_rare = MAX_NAME_SHARE * len(hits), MAX_RARE_SHARE * len(hits)
    names = 0
    for bit, (term, word) in enumerate(spoken_terms(query)):
        if term in GENERAL or word in GENERAL or word in query.dated:
            continue
        if term.lower() == term.upper():
            is_name, is_rare = False, has_no_capitals(term) and not is_function_word(word)
        else:
            # A text that tells its language has lost the function words of that one.
            is_word = is_common(word) or (is_function_word(word) and (is_untold or term not in capitals))
            is_name = term in capitals and (capitals[term] or not is_word)
            is_rare = typed_without and (not is_word or (is_given_name(word) and not is_common(word)))
        most = max(MAX_NAME_COUNT, most_named) if is_name else max(MAX_RARE_COUNT, most_rare) if is_rare else 0
        if 0 < np.count_nonzero(hits >> bit & 1) <= most:
            names |= 1 << bit
    return names


def spoken_terms(query: Query) -> Iterator[tuple[str, str]]:
    """Return each term of a query with its word as it is compared."""
    return ((term, fold(query.spoken[term]).removesuffix("'s")) for term in query.terms)


def weigh_known_names(query: Query, signals: RankingSignals) -> npt.NDArray[np.float64]:
    """Return what the names of a message add to the evidence for each memory, in log-odds."""
    hits = signals.words.hits
    names = find_known_names(query, hits)
    weights = np.array([NAME_WEIGHT * rare * (names >> bit & 1) for bit, rare in enumerate(signals.words.rarity)])
    return ((hits[:, None] >> np.arange(len(weights))) & 1) @ weights if names else np.zeros(len(hits))
