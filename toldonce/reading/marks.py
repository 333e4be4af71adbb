"""What the heads see of the wording of a sentence: requests to forget and to remember, suppositions, fiction. Pure.

The words are those of `forget_words.toml`, in twelve languages. They are features: what they mean, the heads learn.
"""

import re
from collections.abc import Iterator

from toldonce.memo import remembered
from toldonce.reading.forget_words import (
    MAX_REQUEST_CHARACTERS,
    REQUEST_MARKS,
    WordLists,
    languages_with,
    plain_text,
    word_lists,
    wording,
)
from toldonce.text import squeeze

_KEEP_MARKS, _UNMEANT_MARKS = 4, 3
MARKS = REQUEST_MARKS + _KEEP_MARKS + _UNMEANT_MARKS
"""Length of what `marks_of` returns."""
# Characters beside a word that asks to remember where a negation turns it round, and after it where a colon opens
# what is to be remembered.
_NEAR, _OPENS = 30, 12
_COLONS = {":", "："}


@remembered
def marks_of(sentence: str) -> tuple[float, ...]:
    """Return what the heads see of a sentence's wording: `MARKS` numbers from 0 to 1, zeros for most sentences."""
    read = wording(sentence)
    plain = plain_text(squeeze(sentence)[:MAX_REQUEST_CHARACTERS])
    return (*(read.marks if read else (0.0,) * REQUEST_MARKS), *_keep_marks(plain), *_unmeant_marks(plain))


def _keep_marks(plain: str) -> tuple[float, ...]:
    """Return the marks of a word that asks to remember: it is there, first or last, asserted, before a colon."""
    best = (0.0,) * _KEEP_MARKS
    for language, found in _found(plain, "keeps"):
        near = max(0, found.start() - _NEAR), found.end() + _NEAR
        seen = (
            True,
            not (_has_word(plain[: found.start()]) and _has_word(plain[found.end() :])),
            not language.words["not"].search(plain, *near),
            not _COLONS.isdisjoint(plain[found.end() : found.end() + _OPENS]),
        )
        best = max(best, tuple(map(float, seen)))
    return best


def _unmeant_marks(plain: str) -> tuple[float, ...]:
    """Return the marks of what is unmeant: a supposition is opened, before all other words, a text is told."""
    supposed = [found.start() for _, found in _found(plain, "supposes")]
    begins = bool(supposed) and not _has_word(plain[: min(supposed)])
    return tuple(map(float, (bool(supposed), begins, any(True for _ in _found(plain, "fiction")))))


def _found(plain: str, kind: str) -> Iterator[tuple[WordLists, "re.Match[str]"]]:
    """Yield the words of a kind in a text, with their languages."""
    lists = word_lists()
    for name in sorted(languages_with(plain, kind)):
        for found in lists[name].words[kind].finditer(plain):
            yield lists[name], found


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))
