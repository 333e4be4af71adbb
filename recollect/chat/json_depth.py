"""Nesting of JSON before it is parsed: parsers of other servers fail on what is nested thousands deep. Pure."""

import numpy as np

# Bytes looked at in one go: other threads run between two of them.
_WINDOW = 64 * 1024
# Brackets become steps up and down, quotation marks zeros, and all else is left out.
_MARKS = bytes.maketrans(b'[{]}"', b"\x01\x01\xff\xff\x00")
_UNMARKED = bytes(set(range(256)) - set(b'[{]}"'))


def nests_deeper(data: bytes, limit: int) -> bool:
    """Return whether JSON nests values deeper than `limit`; data that is not JSON may count as either.

    >>> nests_deeper(b'{"a": ["[[[["]}', 2), nests_deeper(b"[[[", 2)
    (False, True)
    """
    windows = range(0, len(data), _WINDOW)
    if sum(data.count(bracket, at, at + _WINDOW) for at in windows for bracket in (b"[", b"{")) <= limit:
        return False
    depth = quotes = start = 0
    while start < len(data):
        window = data[start : start + _WINDOW]
        if (len(window) - len(window.rstrip(b"\\"))) % 2 and len(window) > 1:
            window = window[:-1]  # an escape stays whole
        start += len(window)
        text = window.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in window else window
        marks = np.frombuffer(text.translate(_MARKS, _UNMARKED), np.int8)
        if not marks.size:
            continue
        counts = quotes + np.cumsum(marks == 0)
        depths = depth + np.cumsum(np.where(counts % 2, 0, marks))
        if depths.max() > limit:
            return True
        depth, quotes = int(depths[-1]), int(counts[-1]) % 2
    return False
