"""Texts as bit patterns: they reveal at once most pairs, among very many, that must never be merged. Pure.

`never_merge` forbids every pair that is recognized here, and others too: a pair that passes must still be compared.
A text that is compared without a part of it (a heading, a tag, the speaker) has no pattern.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from toldonce.resolution.compare import DOUBLED, signs
from toldonce.resolution.lexicon import DEGREE
from toldonce.resolution.tokens import is_plain, is_sign, token, tokenize
from toldonce.text import hash64, negations, words

# Texts with more words have no pattern, so that no pair with them is recognized.
MAX_WORDS = 24
# Bits of a text's words: some thirty forms of a sentence set few of them.
_BITS = 512
_BYTE = 8
_MAX_HASH = 2**32 - 1
# What fills up the rows of shorter texts; no word and no two words have it.
_NO_WORD, _NO_JOINED = 0, 1
_FIRST_HASH = 2
Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TextPattern:
    """What a text has, as numbers."""

    plain: bool
    """Whether the text is compared whole; if not, no pair with it is recognized."""
    denials: int
    """Hash of its negations, and of signs such as `C++`."""
    numbers: int
    """Hash of its numbers."""
    words: list[int]
    """Hashes of its words."""
    joined: list[int]
    """Hashes of each two adjacent words written as one, which another text may do."""
    own: Bits
    """Bits of its words of meaning."""
    known: Bits
    """Bits of all its words, in all their spellings."""


def pattern_of(text: str) -> TextPattern:
    """Return the pattern of a text."""
    sentence, all_words = tokenize(text), words(text)
    forms = {(token(word), token(DOUBLED.sub(r"\1", word))) for word in all_words}
    meant = sentence.content - DEGREE
    return TextPattern(
        plain=len(all_words) <= MAX_WORDS and is_plain(text),
        denials=hash64("denials", repr((negations(text), signs(text)))),
        numbers=hash64("numbers", *sentence.numbers),
        words=[_hash(word) for word in all_words[:MAX_WORDS]],
        joined=[_hash(first + second) for first, second in pairwise(all_words[:MAX_WORDS])],
        own=_bits(form for form, spelt in forms if form == spelt and form in meant and not is_sign(form)),
        known=_bits(form for both in forms for form in both),
    )


class PatternTable:
    """Patterns of many texts, each at a place of its own."""

    def __init__(self, size: int) -> None:
        """Prepare for places below `size`; no pattern is known yet."""
        self.is_known = np.zeros(size, dtype=np.bool_)
        self._plain = np.zeros(size, dtype=np.bool_)
        self._denials = np.zeros(size, dtype=np.int64)
        self._numbers = np.zeros(size, dtype=np.int64)
        self._words = np.full((size, MAX_WORDS), _NO_WORD, dtype=np.uint32)
        self._joined = np.full((size, MAX_WORDS), _NO_JOINED, dtype=np.uint32)
        self._own = np.zeros((size, _BITS // _BYTE), dtype=np.uint8)
        self._known = np.zeros((size, _BITS // _BYTE), dtype=np.uint8)

    def put(self, place: int, pattern: TextPattern) -> None:
        """Set the pattern of a text."""
        self.is_known[place] = True
        self._plain[place] = pattern.plain
        self._denials[place] = pattern.denials
        self._numbers[place] = pattern.numbers
        self._words[place, : len(pattern.words)] = pattern.words
        self._joined[place, : len(pattern.joined)] = pattern.joined
        self._own[place] = pattern.own
        self._known[place] = pattern.known

    def apart(self, first: Sequence[int], second: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return which pairs of texts must never be merged, as far as their patterns show it.

        Args:
            first: Place of the first text of each pair.
            second: Place of the second text of each pair.
        """
        a, b = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        exchanged = _has_beyond(self._own[a], self._known[b]) & _has_beyond(self._own[b], self._known[a])
        counted_apart = self._numbers[a] != self._numbers[b]
        regrouped = _share_any(self._words[a], self._joined[b]) | _share_any(self._words[b], self._joined[a])
        differ = (self._denials[a] != self._denials[b]) | ((counted_apart | exchanged) & ~regrouped)
        return np.asarray(differ & self._plain[a] & self._plain[b], dtype=np.bool_)


def _share_any(words_of: npt.NDArray[np.uint32], joined: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    return np.asarray((words_of[:, :, None] == joined[:, None, :]).any(axis=(1, 2)), dtype=np.bool_)


def _has_beyond(own: Bits, there: Bits) -> npt.NDArray[np.bool_]:
    return np.asarray((own & ~there).any(axis=1), dtype=np.bool_)


def _bits(forms: Iterable[str]) -> Bits:
    bits = np.zeros(_BITS, dtype=np.bool_)
    bits[[hash64("form", form) % _BITS for form in forms]] = True
    return np.packbits(bits)


def _hash(word: str) -> int:
    return _FIRST_HASH + hash64("word", word) % (_MAX_HASH - _FIRST_HASH)
