"""Cuts a long message into pieces that are embedded separately. Pure."""

import unicodedata
from collections.abc import Iterator

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import mostly_unspaced, sentence_ends

# About 250 tokens: longer pieces average many topics into one vector that is near none of them. In scripts without
# spaces, each letter is at least a token.
CHUNK_CHARACTERS, UNSPACED_CHARACTERS = 1000, 300
# 32 pieces are about 15 pages; more vectors would crowd out the subject's other memories.
MAX_CHUNKS = 32
# Boundaries in the first quarter of a piece are ignored, so that pieces do not become tiny.
_MIN_SHARE = 4

_PARAGRAPH_END = LazyPattern(r"\n\s*\n")
_CLAUSE_END = LazyPattern(r"[,;:،؛၊]\s|[、，；]")
_WORD_END = LazyPattern(r"\s")


def chunks(text: str, *, size: int | None = None, max_pieces: int = MAX_CHUNKS) -> list[str]:
    """Cut text into consecutive pieces, preferably at paragraphs and sentences.

    Pieces do not overlap, and only white space between them is dropped.

    Args:
        text: Any text.
        size: Maximum length of a piece; None: about 250 tokens in the script of the text's beginning.
        max_pieces: Maximum number of pieces; the rest of the text is left out (and still found by its words).

    Returns:
        Stripped pieces in order; none for a blank text.

    >>> chunks("We met in Oslo. It rained all day. Ana laughed.", size=20)
    ['We met in Oslo.', 'It rained all day.', 'Ana laughed.']
    """
    if size is None:
        size = UNSPACED_CHARACTERS if mostly_unspaced(text[:CHUNK_CHARACTERS]) else CHUNK_CHARACTERS
    pieces: list[str] = []
    start = _skip_blank(text, 0)
    while start < len(text) and len(pieces) < max_pieces:
        end = len(text) if len(text) - start <= size else start + _cut(text[start : start + size + 1], size)
        pieces.append(text[start:end].rstrip())
        start = _skip_blank(text, end)
    return pieces


def _skip_blank(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _boundaries(window: str) -> Iterator[list[int]]:
    """Yield the places to cut, best first: after a paragraph, a line or sentence, a clause, a word."""
    yield [found.end() for found in _PARAGRAPH_END.finditer(window)]
    yield sentence_ends(window)
    yield [found.end() for found in _CLAUSE_END.finditer(window)]
    yield [found.end() for found in _WORD_END.finditer(window)]


def _cut(window: str, size: int) -> int:
    """Return the length of the piece at the start of `window`, which is one character longer than a piece may be."""
    for ends in _boundaries(window):
        # White space after a sentence may exceed the piece: it is dropped anyway.
        fitting = [end for end in ends if len(window[:end].rstrip()) <= size and end > size // _MIN_SHARE]
        if fitting:
            return fitting[-1]
    # Do not separate a combining mark from its letter.
    letters = (end for end in range(size, size // _MIN_SHARE, -1) if unicodedata.category(window[end])[0] != "M")
    return next(letters, size)
