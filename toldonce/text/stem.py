"""Words without their endings: Snowball where it knows the language, own rules elsewhere. Pure."""

from functools import lru_cache
from threading import local
from unicodedata import category

import Stemmer

from toldonce.text_caches import register_text_cache

# Where no stemmer is known, words of more letters count as well by so many of them: in Slavic languages that is near
# what a stemmer reaches (McNamee and Mayfield, 2004). Where vowels are signs on the letters, fewer make a word.
_CUT, _CUT_SIGNED = 5, 4
_MIN_HEBREW_CHARACTERS = 3

_stemmers = local()


@register_text_cache
@lru_cache(maxsize=50_000)
def stem(word: str, stemmer: str = "english") -> str:
    """Cut a normalised word to its stem.

    Args:
        word: Normalised.
        stemmer: Name of a Snowball stemmer, or `whole`, `cut` or `hebrew`.

    >>> stem("moving"), stem("mieszkania", "polish"), stem("мешкання", "cut")
    ('move', 'mieszkan', 'мешка*')
    """
    if stemmer in _OURS:
        return _OURS[stemmer](word)
    known: dict[str, Stemmer.Stemmer] | None = getattr(_stemmers, "known", None)
    if known is None:  # PyStemmer objects must not be shared between threads
        known = _stemmers.known = {}
    if stemmer not in known:  # without the stemmer's own cache, which other threads could not empty
        known[stemmer] = Stemmer.Stemmer(stemmer, 0)
    return str(known[stemmer].stemWord(word))


def _whole(word: str) -> str:
    return word


def _cut(word: str) -> str:
    letters = [place for place, character in enumerate(word) if category(character)[0] != "M"]
    most = _CUT if len(letters) == len(word) else _CUT_SIGNED
    return f"{word[: letters[most]]}*" if len(letters) > most else word


def _hebrew(word: str) -> str:
    """Take off what is written together with a word ("and", "in", "the" …), and the endings of the plural."""
    while len(word) > _MIN_HEBREW_CHARACTERS and word[0] in "והבכלמש":
        word = word[1:]
    for ending in ("ים", "ות"):
        if word.endswith(ending) and len(word) >= _MIN_HEBREW_CHARACTERS + len(ending):
            return word[: -len(ending)]
    return word


_OURS = {"whole": _whole, "cut": _cut, "hebrew": _hebrew}
