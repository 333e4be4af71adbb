"""Choose what a prompt shows of a long message: the sentences that bear on the question, and those beside them. Pure.

A prompt has room for some five sentences of a memory. What a long message says of the question may be anywhere in it.
The passage is one stretch of the message, letter for letter; an ellipsis marks what is left out before and after it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from toldonce.text import sentence_ends, terms
from toldonce.types import MAX_MEMORY_CHARACTERS

# Longest passage, in characters: days may be written out in it before it is cut.
MAX_PASSAGE = 500
# Only this many characters are read for all passages of a prompt, the best messages first: it takes some 10 ms in Latin
# letters, 50 in Japanese.
MAX_READ = 20_000
# Pieces of a sentence that is longer than a passage.
_MAX_PIECE = MAX_PASSAGE // 2
_CUT = "…"

Place = tuple[int, int]
"""Start and end of a sentence in its message."""


def find_passage(text: str, weights: Mapping[str, float], *, max_read: int = MAX_READ) -> str:
    """Return the part of a message that bears most on a question.

    Args:
        text: The message.
        weights: How much each term of the question tells.
        max_read: Characters of the message that are read.

    Returns:
        Sentences that follow each other, `MAX_PASSAGE` characters at most besides the ellipses; empty if the message is
        short enough to be shown whole, or its beginning serves as well.

    >>> chat = "I slept well. " * 50 + "My bike is a red Brompton. It folds. " + "I ate soup. " * 50
    >>> passage = find_passage(chat, {"bike": 1.0})
    >>> "My bike is a red Brompton. It folds." in passage, passage[:8], passage[-8:], len(passage) <= MAX_PASSAGE + 4
    (True, '… I slep', ' soup. …', True)
    """
    if len(text) <= MAX_MEMORY_CHARACTERS:
        return ""
    places = list(_pieces(text[:max_read]))
    told = [sum(weights[term] for term in weights.keys() & terms(text[start:end]).keys()) for start, end in places]
    best = max(range(len(told)), key=told.__getitem__, default=0)
    if not told or told[best] <= 0:
        return ""
    first, last = _widen(places, told, best)
    start, end = places[first][0], places[last][1]
    if not text[:start].strip():
        return ""
    head, tail = f"{_CUT} ", f" {_CUT}" if text[end:].strip() else ""
    return f"{head}{text[start:end]}{tail}"


def _pieces(text: str) -> Iterator[Place]:
    """Yield the sentences of a text without the blanks around them; one that is longer than a passage in pieces."""
    for start, end in pairwise(sorted({0, *sentence_ends(text), len(text)})):
        while end - start > MAX_PASSAGE:
            cut = text.rfind(" ", start + 1, start + _MAX_PIECE + 1)
            cut = cut if cut > start else start + _MAX_PIECE
            yield start, cut
            start = cut
        told = text[start:end].rstrip()
        if told.strip():
            yield end - len(text[start:end].lstrip()), start + len(told)


def _widen(places: Sequence[Place], told: Sequence[float], best: int) -> tuple[int, int]:
    """Return the first and last sentence around the best one; what tells more is taken first, then what is nearer."""
    first = last = best
    while True:
        fitting = []
        if last + 1 < len(places) and places[last + 1][1] - places[first][0] <= MAX_PASSAGE:
            fitting.append((told[last + 1], best - last, first, last + 1))
        if first > 0 and places[last][1] - places[first - 1][0] <= MAX_PASSAGE:
            fitting.append((told[first - 1], first - best, first - 1, last))
        if not fitting:
            return first, last
        _, _, first, last = max(fitting, key=lambda each: each[:2])
