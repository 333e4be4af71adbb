"""Requests to remember what was said before: 'please remember that', '覚えておいて'. Loads `keep_words.toml`. Pure.

Such a request tells nothing itself: what it points to is to be kept.
"""

from dataclasses import dataclass

from toldonce.reading.sentences import sentences
from toldonce.text import asks, is_small_talk
from toldonce.text.phrases import kinds_of_phrases

# Characters of such a request.
_MAX_CHARACTERS = 80
_CLAUSE_MARKS = ",;:，、；：،—–"


def points_back(sentence: str) -> bool:
    """Return whether a sentence asks to remember what was said before, and says nothing else.

    >>> [points_back(said) for said in ("Please remember that!", "merk dir das bitte", "覚えておいて", "记住这个")]
    [True, True, True, True]
    >>> [points_back(said) for said in ("Remember that I row.", "Do you remember that?", "That is good to know.")]
    [False, False, False]
    """
    if len(sentence) > _MAX_CHARACTERS or asks(sentence):
        return False
    return any("keeps" in kinds for kinds in kinds_of_phrases(sentence, __package__, "keep_words.toml"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A request to remember, in a message."""

    to_itself: bool
    """It means what the message says before it; else what was said before the message."""


def pointer(text: str) -> Pointer | None:
    """Return what a message asks to remember, if a sentence or its last clause points back.

    >>> pointer("The key is under the pot, remember that"), pointer("Great. Remember that."), pointer("I row.")
    (Pointer(to_itself=True), Pointer(to_itself=False), None)
    """
    told = False
    for piece in sentences(text):
        said = piece.text.strip()
        cut = max(said.rfind(mark) for mark in _CLAUSE_MARKS)
        if points_back(said):
            return Pointer(to_itself=told)
        if cut > 0 and points_back(said[cut + 1 :]):
            return Pointer(to_itself=told or not is_small_talk(said[:cut]))
        told = told or not is_small_talk(said)
    return None
