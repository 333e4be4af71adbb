"""Cut a long message into pieces that are embedded one by one. Pure."""

import re
import unicodedata

from recollect.text import SENTENCE_END, mostly_unspaced

# About 250 tokens: longer pieces average many subjects into one vector that is near none of them. A letter of a script
# without blanks is a token or more.
CHUNK_CHARACTERS, UNSPACED_CHARACTERS = 1000, 300
# A message of 32 pieces fills some 15 pages; vectors of more would crowd out the subject's other memories.
MAX_CHUNKS = 32
# A boundary in the first quarter of a piece is passed over, so that pieces do not become crumbs.
_MIN_SHARE = 4

# From the best place to cut to the worst: behind a paragraph, a line or sentence, a clause, a word.
_BOUNDARIES = (
    re.compile(r"\n\s*\n"),
    re.compile(rf"\n|{SENTENCE_END}"),
    re.compile(r"[,;:،؛၊]\s|[、，；]"),
    re.compile(r"\s"),
)


def chunks(text: str, *, size: int | None = None, most: int = MAX_CHUNKS) -> list[str]:
    """Cut a text into consecutive pieces, at paragraphs and sentences where there are any.

    Nothing overlaps and nothing but white space between pieces is dropped, up to the last piece allowed.

    Args:
        text: Any text.
        size: Longest piece, in characters; None: as many as are some 250 tokens in the script of its beginning.
        most: Most pieces; what lies behind them is left out (it is still found by its words).

    Returns:
        Pieces without white space around them, in order; none for a blank text.

    >>> chunks("We met in Oslo. It rained all day. Ana laughed.", size=20)
    ['We met in Oslo.', 'It rained all day.', 'Ana laughed.']
    """
    if size is None:
        size = UNSPACED_CHARACTERS if mostly_unspaced(text[:CHUNK_CHARACTERS]) else CHUNK_CHARACTERS
    pieces: list[str] = []
    start = _skip_blank(text, 0)
    while start < len(text) and len(pieces) < most:
        end = len(text) if len(text) - start <= size else start + _cut(text[start : start + size + 1], size)
        pieces.append(text[start:end].rstrip())
        start = _skip_blank(text, end)
    return pieces


def _skip_blank(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _cut(window: str, size: int) -> int:
    """Find how much of the window the piece takes: `window` is one character longer than a piece may be."""
    for boundary in _BOUNDARIES:
        ends = [found.end() for found in boundary.finditer(window)]
        # The white space behind a sentence may stand just outside the piece: it is dropped anyway.
        fitting = [end for end in ends if len(window[:end].rstrip()) <= size and end > size // _MIN_SHARE]
        if fitting:
            return fitting[-1]
    # A sign stays with its letter.
    letters = (end for end in range(size, size // _MIN_SHARE, -1) if unicodedata.category(window[end])[0] != "M")
    return next(letters, size)
