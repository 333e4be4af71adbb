"""How long one memory may be. Pure."""

import re

from recollect.text import SENTENCE_END

# What a model or a person writes may be longer than what is asked for, but not twice as long.
HARD_FACTOR = 2
_SENTENCE_END = re.compile(SENTENCE_END)


def shortened(text: str, longest: int) -> str:
    """Cut a text to `longest` characters: behind its last whole sentence there, else behind a word; 0 leaves it.

    >>> shortened("Ana likes tea. She also likes long walks.", 20)
    'Ana likes tea.'
    >>> shortened("Ana likes tea and long walks.", 20)
    'Ana likes tea and…'
    """
    if not longest or len(text) <= longest:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text) if match.end() <= longest]
    # Half of the room at least: a short first sentence alone would lose more than a cut one.
    if ends and 2 * ends[-1] >= longest:
        return text[: ends[-1]]
    head, blank, _ = text[:longest].rpartition(" ")
    return (head if blank else text[: longest - 1]).rstrip(" ,;:-") + "…"
