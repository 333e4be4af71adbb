"""Proper names in a text, by their capital letters, and words that are none. Pure."""

from functools import cache
from importlib.resources import files

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.languages import LANGUAGES
from toldonce.text.markers import english_stems
from toldonce.text.normalize import fold
from toldonce.text.scripts import STOP_HAN, runs
from toldonce.text.stem import stem

# Capitalized in English, but no names of anything that a memory could be about.
_NO_NAMES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday english""".split()
)
# After these, a name says where something is: "a restaurant in Lisbon".
_BEFORE_PLACES = frozenset("in at to from near around on".split())
_OPENING = "\"'“‘(["
# A word after one of these begins a sentence or a title.
_CLOSING = (*".!?:", *_OPENING)
_POSSESSIVES = ("'s", "’s")
_LETTERS = LazyPattern(r"[^\W\d_]++")
# Before the first word of a sentence or quotation.
_BEGINNING = (".", "!", "?", ":", "…", "¿", "¡", "。", "！", "？", "：", *_OPENING)


def find_capitals(text: str) -> dict[str, bool]:
    """Return the words that begin with a capital, folded, and whether one is within a sentence, and not shouted.

    >>> find_capitals("Write a card to Lotte."), find_capitals("给Priya的礼物"), find_capitals("I want ONLY two")
    ({'write': False, 'lotte': True}, {'priya': True}, {'only': False})
    """
    found: dict[str, bool] = {}
    end = 0
    for match in _LETTERS.finditer(text):
        is_within = end > 0 and not text[end : match.start()].rstrip().endswith(_BEGINNING)
        end = match.end()
        for kind, run in runs(match.group()):
            if kind == "spaced" and len(run) > 1 and run[0].isupper():
                word = fold(run.casefold())
                found[word] = found.get(word, False) or (is_within and not run.isupper())
            is_within = True
    return found


def has_no_capitals(term: str) -> bool:
    """Return whether a term is of a script without capitals, and may be a name or a part of one.

    >>> has_no_capitals("王芳"), has_no_capitals("是谁"), has_no_capitals("ana")
    (True, False, False)
    """
    return len(term) > 1 and term.lower() == term.upper() and STOP_HAN.isdisjoint(term) and not term.isdecimal()


def is_function_word(word: str) -> bool:
    """Return whether a folded word is a function word of any language, and no common English word.

    >>> is_function_word("para"), is_function_word("car")
    (True, False)
    """
    return word in _function_words()


@cache
def _function_words() -> frozenset[str]:
    found = {word for language in LANGUAGES.values() for word in language.stop}
    return frozenset(word for word in found if not is_common(word))


def is_given_name(word: str) -> bool:
    """Return whether a folded word is a common given name.

    >>> is_given_name("tom"), is_given_name("anais"), is_given_name("paris")
    (True, True, False)
    """
    return word in _given_names()


@cache
def _given_names() -> frozenset[str]:
    lines = files(__package__).joinpath("given_names.txt").read_text("utf-8").splitlines()
    return frozenset(fold(word) for line in lines if not line.startswith("#") for word in line.split())


def is_common(word: str) -> bool:
    """Return whether a folded word is a common English one.

    >>> is_common("gifts"), is_common("lotte")
    (True, False)
    """
    return stem(word) in english_stems()


def find_names(text: str, *, places: bool = True) -> frozenset[str]:
    """Return the capitalized words within sentences, in lower case; the first word of a sentence does not count.

    Args:
        text: An English text.
        places: Whether to include names after "in", "near" and the like.

    >>> sorted(find_names("What is Marie Curie's best café in New York?"))
    ['curie', 'marie', 'new', 'york']
    >>> sorted(find_names("What is Marie Curie's best café in New York?", places=False))
    ['curie', 'marie']
    """
    found: set[str] = set()
    before, is_place = "", False
    for token in text.split():
        word = token.strip("\"'“”‘’()[].,;:!?")
        for ending in _POSSESSIVES:
            word = word.removesuffix(ending)
        if len(word) > 1 and word[0].isupper() and word[1].islower():
            is_place = is_place or before.lower() in _BEFORE_PLACES
            if before and not before.endswith(_CLOSING) and (places or not is_place):
                found.add(word.lower())
        else:
            is_place = False
        before = token
    return frozenset(found - _NO_NAMES)
