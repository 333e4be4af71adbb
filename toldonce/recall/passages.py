"""Choose what a prompt shows of a long message: the sentences that bear on the question, and those beside them. Pure.

A prompt has room for some five sentences of a memory. What a long message says of the question may be anywhere in it.
The passage is one stretch of the message, letter for letter; an ellipsis marks what is left out before and after it.
"""

from collections.abc import Iterator, Mapping

from toldonce.reading.sentences import TextSpan, sentences
from toldonce.text import terms
from toldonce.types import MAX_MEMORY_CHARACTERS

# Longest passage, in characters: days may be written out in it before it is cut.
MAX_PASSAGE = 500
# Only this many characters of a message are read: ten pages.
_MAX_READ = 30_000
# Pieces of a sentence that is longer than a passage.
_MAX_PIECE = MAX_PASSAGE // 2
_CUT = "…"


def find_passage(text: str, weights: Mapping[str, float]) -> str:
    """Return the part of a message that bears most on a question.

    Args:
        text: The message.
        weights: How much each term of the question tells.

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
    read = [piece for sentence in sentences(text[:_MAX_READ]) for piece in _pieces(sentence)]
    told = [sum(weights[term] for term in weights.keys() & terms(each.text).keys()) for each in read]
    best = max(range(len(read)), key=told.__getitem__, default=0)
    if not read or told[best] <= 0:
        return ""
    first, last = _widen(read, told, best)
    start, end = read[first].start, read[last].end
    if not text[:start].strip():
        return ""
    head, tail = f"{_CUT} ", f" {_CUT}" if text[end:].strip() else ""
    return f"{head}{text[start:end]}{tail}"


def _pieces(sentence: TextSpan) -> Iterator[TextSpan]:
    """Cut a sentence that is longer than a passage, after a word where it has any."""
    text, start = sentence.text, 0
    while len(text) - start > MAX_PASSAGE:
        end = text.rfind(" ", start + 1, start + _MAX_PIECE + 1)
        end = end if end > start else start + _MAX_PIECE
        yield TextSpan(text[start:end], sentence.start + start)
        start = end
    yield TextSpan(text[start:], sentence.start + start)


def _widen(read: list[TextSpan], told: list[float], best: int) -> tuple[int, int]:
    """Return the first and last sentence around the best one; what tells more is taken first, then what is nearer."""
    first = last = best
    while True:
        fitting = []
        if last + 1 < len(read) and read[last + 1].end - read[first].start <= MAX_PASSAGE:
            fitting.append((told[last + 1], best - last, first, last + 1))
        if first > 0 and read[last].end - read[first - 1].start <= MAX_PASSAGE:
            fitting.append((told[first - 1], first - best, first - 1, last))
        if not fitting:
            return first, last
        _, _, first, last = max(fitting, key=lambda each: each[:2])
