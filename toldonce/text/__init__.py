"""Words: cleaning at the entrance, normalisation, terms for the word index, similarity of spelling. Pure."""

from toldonce.text.abbreviations import is_list_number
from toldonce.text.hashes import conversation_tag, hash64, source_key, term_key, term_keys
from toldonce.text.languages import STOP_WORDS, is_english
from toldonce.text.normalize import bare, clean, fold, fold_runs, normalise, spelling_similarity, squeeze, words
from toldonce.text.proper_names import (
    find_capitals,
    find_names,
    has_no_capitals,
    is_common,
    is_function_word,
    is_given_name,
)
from toldonce.text.questions import (
    asks,
    is_courtesy,
    is_opener,
    is_small_talk,
    negations,
    reacts,
)
from toldonce.text.scripts import is_unspaced, mostly_unspaced
from toldonce.text.sentence_ends import sentence_ends, split_sentences
from toldonce.text.stem import stem
from toldonce.text.terms import (
    CountedTerms,
    Read,
    count_terms,
    legacy_terms,
    other_stems,
    read_terms,
    terms,
    terms_of_word,
)
from toldonce.text.topics import Topic, is_about

__all__ = [
    "STOP_WORDS",
    "TERM_SCHEME",
    "CountedTerms",
    "Read",
    "Topic",
    "asks",
    "bare",
    "clean",
    "conversation_tag",
    "count_terms",
    "find_capitals",
    "find_names",
    "fold",
    "fold_runs",
    "has_no_capitals",
    "hash64",
    "is_about",
    "is_common",
    "is_courtesy",
    "is_english",
    "is_function_word",
    "is_given_name",
    "is_list_number",
    "is_opener",
    "is_small_talk",
    "is_unspaced",
    "legacy_terms",
    "mostly_unspaced",
    "negations",
    "normalise",
    "other_stems",
    "reacts",
    "read_terms",
    "sentence_ends",
    "source_key",
    "spelling_similarity",
    "split_sentences",
    "squeeze",
    "stem",
    "term_key",
    "term_keys",
    "terms",
    "terms_of_word",
    "words",
]

# How terms are made. Where that changes for words that were stored, the number moves and `legacy_terms` becomes what
# `terms` was; stored terms are then recomputed in the background.
TERM_SCHEME = 2
