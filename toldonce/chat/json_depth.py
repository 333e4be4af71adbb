"""Nesting and number of values of JSON, before a parser fails on them or takes 50 bytes for each. Pure."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

# Bytes looked at in one go: other threads run between two of them.
_WINDOW = 64 * 1024
# Brackets become steps up and down, quotation marks zeros, and all else is left out.
_STEPS = bytes.maketrans(b'[{]}"', b"\x01\x01\xff\xff\x00")
_NO_STEPS = bytes(set(range(256)) - set(b'[{]}"'))
# Each value but the outermost follows an opening bracket or a comma.
_BEGINNINGS = bytes.maketrans(b'[{,"', b"\x01\x01\x01\x00")
_NO_BEGINNINGS = bytes(set(range(256)) - set(b'[{,"'))


def nests_deeper(data: bytes, limit: int) -> bool:
    """Return whether JSON nests values deeper than `limit`; data that is not JSON may count as either.

    >>> nests_deeper(b'{"a": ["[[[["]}', 2), nests_deeper(b"[[[", 2)
    (False, True)
    """
    if _count(data, b"[{") <= limit:
        return False
    depth = 0
    for steps in _outside_texts(data, _STEPS, _NO_STEPS):
        depths = depth + np.cumsum(steps)
        if depths.max() > limit:
            return True
        depth = int(depths[-1])
    return False


def has_more_values(data: bytes, limit: int) -> bool:
    """Return whether JSON holds more than `limit` values, a name with its value counting as one.

    >>> has_more_values(b'{"a": [1, "b, c, d", {}]}', 6), has_more_values(b"[[], []]", 2)
    (False, True)
    """
    if _count(data, b"[{,") < limit:
        return False
    found = 1
    for beginnings in _outside_texts(data, _BEGINNINGS, _NO_BEGINNINGS):
        found += int(np.count_nonzero(beginnings))
        if found > limit:
            return True
    return False


def _count(data: bytes, characters: bytes) -> int:
    windows = range(0, len(data), _WINDOW)
    return sum(data.count(character, at, at + _WINDOW) for at in windows for character in characters)


def _outside_texts(data: bytes, table: bytes, left_out: bytes) -> Iterator[npt.NDArray[Any]]:
    """Mark the characters of JSON by `table`, window by window; those within texts become zeros."""
    quotes = start = 0
    while start < len(data):
        window = data[start : start + _WINDOW]
        if (len(window) - len(window.rstrip(b"\\"))) % 2 and len(window) > 1:
            window = window[:-1]  # an escape stays whole
        start += len(window)
        text = window.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in window else window
        marks = np.frombuffer(text.translate(table, left_out), np.int8)
        if marks.size:
            counts = quotes + np.cumsum(marks == 0)
            yield np.where(counts % 2, 0, marks)
            quotes = int(counts[-1]) % 2
