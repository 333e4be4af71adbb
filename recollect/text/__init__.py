"""Words: cleaning at the entrance, normalisation, terms for the word index, similarity of spelling. Pure."""

from recollect.text.keys import conversation_tag, hash64, source_key, term_key
from recollect.text.languages import STOP_WORDS
from recollect.text.spelling import bare, clean, normalise, spelling_similarity, squeeze, words
from recollect.text.stems import stem
from recollect.text.terms import forget_terms, read_terms, terms, terms_of_word

__all__ = [
    "STOP_WORDS",
    "bare",
    "clean",
    "conversation_tag",
    "forget_words",
    "hash64",
    "normalise",
    "read_terms",
    "source_key",
    "spelling_similarity",
    "squeeze",
    "stem",
    "term_key",
    "terms",
    "terms_of_word",
    "words",
]


def forget_words() -> None:
    """Empty all caches that hold words."""
    forget_terms()
    term_key.cache_clear()
