"""Requests to remember what was said before: 'please remember that', '覚えておいて'. Loads `keep_words.toml`. Pure.

Such a request tells nothing itself: what it points to is to be kept.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from toldonce.reading.sentences import sentences
from toldonce.text import asks, is_small_talk, words

# Characters of such a request, and words of one phrase of the table.
_MAX_CHARACTERS, _MAX_PHRASE = 80, 4
_CLAUSE_MARKS = ",;:，、；：،—–"
_MARKS = " .!…。！~～'\"“”「」()\n\t"


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeepWords:
    keeps: frozenset[str]
    beside: frozenset[str]
    longest: int
    """Units of the longest phrase."""

    def covers(self, units: Sequence[str], joint: str) -> bool:
        """Return whether words, or characters, are a request of this language and nothing else."""
        place, keeps = 0, False
        while place < len(units):
            sizes = range(min(self.longest, len(units) - place), 0, -1)
            phrases = ((size, joint.join(units[place : place + size])) for size in sizes)
            found = next(((size, said) for size, said in phrases if said in self.keeps or said in self.beside), None)
            if found is None:
                return False
            place += found[0]
            keeps = keeps or found[1] in self.keeps
        return keeps


def points_back(sentence: str) -> bool:
    """Return whether a sentence asks to remember what was said before, and says nothing else.

    >>> [points_back(said) for said in ("Please remember that!", "merk dir das bitte", "覚えておいて", "记住这个")]
    [True, True, True, True]
    >>> [points_back(said) for said in ("Remember that I row.", "Do you remember that?", "That is good to know.")]
    [False, False, False]
    """
    plain = sentence.strip(_MARKS).lower().replace("’", "'")
    if not plain or len(plain) > _MAX_CHARACTERS or asks(sentence):
        return False
    spaced, unspaced = _tables()
    said = words(plain)
    if any(table.covers(said, " ") for table in spaced):
        return True
    return any(table.covers([letter for letter in plain if letter.isalnum()], "") for table in unspaced)


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


@cache
def _tables() -> tuple[Sequence[_KeepWords], Sequence[_KeepWords]]:
    """Return the words of the languages with blanks between words, and of those without."""
    rows = tomllib.loads(files(__package__).joinpath("keep_words.toml").read_text("utf-8")).values()
    spaced = [_table(row) for row in rows if not row.get("unspaced")]
    return spaced, [_table(row) for row in rows if row.get("unspaced")]


def _table(row: Mapping[str, str]) -> _KeepWords:
    keeps, beside = (frozenset(word.replace("_", " ") for word in row[name].split()) for name in ("keeps", "beside"))
    unspaced = bool(row.get("unspaced"))
    longest = max(map(len, keeps | beside)) if unspaced else _MAX_PHRASE
    return _KeepWords(keeps=keeps, beside=beside, longest=longest)
