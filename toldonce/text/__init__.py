"""Words: cleaning at the entrance, normalisation, terms for the word index, similarity of spelling. Pure."""

from toldonce.text.abbreviations import is_list_number as is_list_number
from toldonce.text.hashes import conversation_tag as conversation_tag
from toldonce.text.hashes import hash64 as hash64
from toldonce.text.hashes import source_key as source_key
from toldonce.text.hashes import term_key as term_key
from toldonce.text.hashes import term_keys as term_keys
from toldonce.text.languages import STOP_WORDS as STOP_WORDS
from toldonce.text.languages import is_english as is_english
from toldonce.text.normalize import bare as bare
from toldonce.text.normalize import clean as clean
from toldonce.text.normalize import fold as fold
from toldonce.text.normalize import fold_runs as fold_runs
from toldonce.text.normalize import normalise as normalise
from toldonce.text.normalize import spelling_similarity as spelling_similarity
from toldonce.text.normalize import squeeze as squeeze
from toldonce.text.normalize import words as words
from toldonce.text.proper_names import find_capitals as find_capitals
from toldonce.text.proper_names import find_names as find_names
from toldonce.text.proper_names import has_no_capitals as has_no_capitals
from toldonce.text.proper_names import is_common as is_common
from toldonce.text.proper_names import is_function_word as is_function_word
from toldonce.text.proper_names import is_given_name as is_given_name
from toldonce.text.questions import asks as asks
from toldonce.text.questions import is_courtesy as is_courtesy
from toldonce.text.questions import is_opener as is_opener
from toldonce.text.questions import is_small_talk as is_small_talk
from toldonce.text.questions import negations as negations
from toldonce.text.questions import reacts as reacts
from toldonce.text.scripts import is_unspaced as is_unspaced
from toldonce.text.scripts import mostly_unspaced as mostly_unspaced
from toldonce.text.sentence_ends import sentence_ends as sentence_ends
from toldonce.text.sentence_ends import split_sentences as split_sentences
from toldonce.text.stem import stem as stem
from toldonce.text.terms import CountedTerms as CountedTerms
from toldonce.text.terms import Read as Read
from toldonce.text.terms import count_terms as count_terms
from toldonce.text.terms import legacy_terms as legacy_terms
from toldonce.text.terms import other_stems as other_stems
from toldonce.text.terms import read_terms as read_terms
from toldonce.text.terms import terms as terms
from toldonce.text.terms import terms_of_word as terms_of_word
from toldonce.text.topics import Topic as Topic
from toldonce.text.topics import is_about as is_about

# How terms are made. Where that changes for words that were stored, the number moves and `legacy_terms` becomes what
# `terms` was; stored terms are then recomputed in the background.
TERM_SCHEME = 2
