"""Features of texts in their context, for the learned gate. Pure.

A feature is a column of a table of weights and a value. Columns are hashes of words, of character n-grams and of names
of properties: the table holds no text, and any language has columns. Training and forming compute the same features.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import asks
from toldonce.text.scripts import script_of

FEATURES_VERSION = 3
"""Changes with the features: weights that were trained with other ones cannot be used."""
MESSAGE_NUMBERS = 28
"""Length of the row that describes a message to the second stage (`message_numbers.py`)."""
_COLUMN_BITS = 17
COLUMNS = 1 << _COLUMN_BITS
"""Size of the table of weights."""
# Lengths of the character n-grams, which cross no blank, and of the runs of words.
_CHARACTER_ORDERS = 5
_WORD_ORDERS = 3
# Characters that are read of a text, and of the end of what was said before it.
MAX_TEXT, MAX_BEFORE = 1_000, 300
# Texts that are read together, and earlier messages of the speaker.
MAX_TEXTS, _MAX_EARLIER = 400, 4
# How much a group of features counts: Euclidean length of its values. A flag is a value by itself.
_TEXT_LENGTH, _REPLY_LENGTH, _EARLIER_LENGTH, _FLAG = 1.0, 0.5, 0.7, 0.3
# Keep the words of the text apart from those of the reply and of earlier messages.
_TEXT_SEED, _REPLY_SEED, _EARLIER_SEED = 1, 2, 3
_MARK = LazyPattern(r"[^\w\s]")
_DIGITS = LazyPattern(r"\d++")
_SPACE, _BREAK = 32, 10
# Multipliers of the rolling hash (that of FNV-1a) and of the final one (Knuth, TAOCP 6.4).
_ROLL, _SPREAD = np.uint32(0x01000193), np.uint32(2654435769)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateInput:
    """Texts of one message, and what they are judged by besides their own words."""

    texts: Sequence[str]
    """The sentences of the message, or all of it."""
    previous_reply: str = ""
    """What the other side said last."""
    previous_texts: Sequence[str] = ()
    """The speaker's earlier messages, newest first."""
    turn: int = 0
    """Messages of the conversation before this one."""


@dataclass(frozen=True, slots=True)
class GateFeatures:
    """Features of the texts of a message."""

    rows: NDArray[np.intp]
    """For each feature of a text the text's place."""
    columns: NDArray[np.intp]
    values: NDArray[np.float32]
    shared_columns: NDArray[np.intp]
    """Columns of the features that all texts have: of what was said before the message."""
    shared_values: NDArray[np.float32]


def features_of(source: GateInput) -> GateFeatures:
    """Compute the features of texts, in time linear in what is read of them."""
    texts = [text[:MAX_TEXT] for text in source.texts[:MAX_TEXTS]]
    count = len(texts)
    reply = source.previous_reply[-MAX_BEFORE:]
    earlier = " ".join(text[:MAX_BEFORE] for text in source.previous_texts[:_MAX_EARLIER])
    own, around = _codes(texts), _codes((reply, earlier))
    lengths = np.array([_TEXT_LENGTH] * count + [_REPLY_LENGTH, _EARLIER_LENGTH], np.float32)
    seeds = np.array([_TEXT_SEED] * count + [_REPLY_SEED, _EARLIER_SEED], np.uint32)
    words = _scaled(_word_ngrams(np.concatenate((own, around[1:])), seeds), lengths)
    is_own = words[0] < count
    characters = _scaled(_character_ngrams(own), lengths[:count])
    flags = _flags([_names(text, reply, source.turn) for text in texts])
    return GateFeatures(
        rows=np.concatenate((characters[0], words[0][is_own], flags[0])),
        columns=np.concatenate((characters[1], words[1][is_own], flags[1])),
        values=np.concatenate((characters[2], words[2][is_own], flags[2])),
        shared_columns=words[1][~is_own],
        shared_values=words[2][~is_own],
    )


def _codes(texts: Iterable[str]) -> NDArray[np.uint32]:
    """Return the code points of normalized texts, one after the other, each between line feeds and blanks."""
    joined = "\n " + "".join(f"{_normalized(text)} \n " for text in texts)
    return np.frombuffer(joined.encode("utf-32-le", "replace"), "<u4").astype(np.uint32)


def _normalized(text: str) -> str:
    """Write a text in small letters with blanks around each mark, and numbers as zeros."""
    return " ".join(_DIGITS.sub("0", _MARK.sub(r" \g<0> ", text.lower())).split())


_Ngrams = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Rows and columns."""
_Group = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]
"""Rows, columns and values."""


def _character_ngrams(codes: NDArray[np.uint32]) -> _Ngrams:
    """Hash the n-grams of characters that cross no blank; one may begin or end with it."""
    blank = (codes == _SPACE) | (codes == _BREAK)
    blanks = np.concatenate(([0], np.cumsum(blank)))
    row = np.cumsum(codes == _BREAK) - 1
    hashed = np.zeros(len(codes), np.uint32)
    rows, columns = [], []
    for order in range(1, min(_CHARACTER_ORDERS, len(codes)) + 1):
        count = len(codes) - order + 1
        hashed = hashed[:count] * _ROLL + codes[order - 1 :] + np.uint32(order)
        kept = np.flatnonzero(_crosses_none(blanks, order, count))
        rows.append(row[kept])
        columns.append(_spread(hashed[kept]))
    return np.concatenate(rows), np.concatenate(columns)


def _word_ngrams(codes: NDArray[np.uint32], seeds: NDArray[np.uint32]) -> _Ngrams:
    """Hash the runs of words; the first and the last ones of a text begin or end with its boundary.

    Args:
        codes: Of all texts.
        seeds: By text; the same words have other hashes with another seed.
    """
    is_start = (codes != _SPACE) & np.concatenate(([True], codes[:-1] == _SPACE))
    starts = np.flatnonzero(is_start)
    place = np.arange(len(codes)) - starts[np.cumsum(is_start) - 1]
    powers = np.cumprod(np.full(int(place.max()) + 1, _ROLL, np.uint32), dtype=np.uint32)
    letters = np.where(codes == _SPACE, np.uint32(0), codes) * powers[place]
    words = np.add.reduceat(letters, starts, dtype=np.uint32)
    boundary = codes[starts] == _BREAK
    boundaries = np.concatenate(([0], np.cumsum(boundary)))
    row = np.cumsum(boundary) - 1
    hashed = np.append(seeds, np.uint32(0))[row]
    rows, columns = [], []
    for order in range(1, min(_WORD_ORDERS, len(words)) + 1):
        count = len(words) - order + 1
        hashed = (hashed[:count] + words[order - 1 :]) * _SPREAD
        hashed ^= hashed >> np.uint32(15)
        kept = np.flatnonzero(_crosses_none(boundaries, order, count))
        rows.append(row[kept])
        columns.append(_spread(hashed[kept]))
    return np.concatenate(rows), np.concatenate(columns)


def _crosses_none(before: NDArray[np.intp], order: int, count: int) -> NDArray[np.bool_]:
    """Return for each n-gram whether no boundary is within it, and at most one of its ends is one.

    Args:
        before: For each place the number of boundaries before it.
        order: Length of the n-grams, n.
        count: Number of n-grams.
    """
    all_of_it = before[order : order + count] - before[:count]
    if order == 1:
        return np.asarray(all_of_it == 0)
    inside = before[order - 1 : order - 1 + count] - before[1 : 1 + count]
    return np.asarray((inside == 0) & (all_of_it < 2))


def _spread(hashed: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Return columns for hashes: the high bits of their product."""
    return ((hashed * _SPREAD) >> np.uint32(32 - _COLUMN_BITS)).astype(np.intp)


def _scaled(ngrams: _Ngrams, lengths: NDArray[np.float32]) -> _Group:
    """Give the n-grams of each text equal values: those of a long text together weigh as much as those of a short one.

    Args:
        ngrams: Of all texts.
        lengths: Euclidean length of the values, by text.
    """
    rows, columns = ngrams
    sizes = np.maximum(np.bincount(rows, minlength=len(lengths)), 1)
    return rows, columns, (lengths / np.sqrt(sizes)).astype(np.float32)[rows]


def _flags(names: Sequence[Sequence[str]]) -> _Group:
    """Hash the names of what texts are like."""
    columns = [crc32(name.encode()) >> (32 - _COLUMN_BITS) for its in names for name in its]
    rows = [row for row, its in enumerate(names) for _ in its]
    return np.array(rows, np.intp), np.array(columns, np.intp), np.full(len(rows), _FLAG, np.float32)


def _names(text: str, reply: str, turn: int) -> tuple[str, ...]:
    """Name what a text and its context are like; sizes in classes of as many binary digits."""
    length, lines = len(text).bit_length(), text.count("\n").bit_length()
    answers = "asked" if asks(reply) else "asked before" if "?" in reply else "told" if reply else "first"
    asking = "asks" if asks(text) else "tells"
    return (
        f"{length} characters on {lines} lines",
        f"{length} characters, {script_of(text)}",
        f"{length} characters, {asking}",
        f"{length} characters, {answers}",
        f"{answers}, {asking}",
        f"{answers}",
        f"turn {(turn // 2).bit_length()}",
    )
