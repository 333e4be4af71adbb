"""Merge, cut and blank out spans of a text, and split a text into clauses. Pure.

Where a span is cut out, a line feed is left, so that the text before and after it never reads as one sentence.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern

Span = tuple[int, int]
"""Start and end of a part of a text; the end is exclusive."""


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Join spans that overlap or touch, in order.

    >>> merge_spans([(4, 9), (0, 2), (8, 12)])
    [(0, 2), (4, 12)]
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def holds(spans: Sequence[Span], index: int) -> bool:
    """Return whether a character is inside one of the spans, which `merge_spans` returned."""
    last = bisect_right(spans, index, key=lambda span: span[0]) - 1
    return last >= 0 and index < spans[last][1]


@dataclass(frozen=True, slots=True)
class RemovedParts:
    """Parts of a text that are no words of its author: some are still to be cut out, others already are."""

    spans: Sequence[Span] = ()
    """Parts still in the text, as `merge_spans` returns them."""
    places: Sequence[int] = ()
    """Indexes in the text at which a part has been cut out, ascending."""

    def holds(self, index: int) -> bool:
        """Return whether a character belongs to a part still to be cut out."""
        return holds(self.spans, index)

    def follows(self, text: str, index: int) -> bool:
        """Return whether, apart from white space, a removed part comes next at an index."""
        following = index
        while following < len(text) and text[following].isspace():
            following += 1
        first = bisect_left(self.places, index - 1)
        return self.holds(following) or (first < len(self.places) and self.places[first] <= following)


def cut(text: str, spans: Iterable[Span]) -> str:
    """Remove spans from a text; a line feed keeps the text before and after them apart.

    >>> cut("I like tea.<x>and</x>Bye", [(11, 21)])
    'I like tea.\\nBye'
    """
    return cut_places(text, spans)[0]


def cut_places(text: str, spans: Iterable[Span]) -> tuple[str, list[int]]:
    """Remove spans from a text; return it with the indexes in the result at which they were.

    >>> cut_places("I like tea.<x>and</x>Bye", [(11, 21)])
    ('I like tea.\\nBye', [11])
    """
    kept: list[str] = []
    places: list[int] = []
    at = length = 0
    for start, end in merge_spans(spans):
        kept.append(text[at:start])
        length += start - at
        places.append(length)
        if not text[max(0, start - 1) : start].isspace() and not text[end : end + 1].isspace():
            kept.append("\n")
            length += 1
        at = end
    kept.append(text[at:])
    return "".join(kept), places


def blank_out(text: str, spans: Iterable[Span]) -> str:
    """Overwrite spans of a text with blanks; its lines stay.

    >>> blank_out("I ski. He skis.", [(7, 15)])
    'I ski.         '
    """
    kept: list[str] = []
    at = 0
    for start, end in merge_spans(spans):
        lines = text[start:end].split("\n")
        kept += [text[at:start], "\n".join(" " * len(line) for line in lines)]
        at = end
    kept.append(text[at:])
    return "".join(kept)


# Characters of a clause that are searched, from its end: announcements are short.
MAX_CLAUSE = 300
_CLAUSE = LazyPattern(r"(?:[^.!?:。！？：\n]|[.:](?=\S))++[.!?:。！？：]*+\n?")


@dataclass(frozen=True, slots=True)
class TextClause:
    """A clause of a message."""

    text: str
    """With its stop; only the end of a long clause."""
    start: int
    end: int

    @property
    def ends_line(self) -> bool:
        """Whether it ends its line."""
        return self.text.endswith("\n")


def clauses(text: str) -> Iterator[TextClause]:
    """Cut a text into clauses.

    >>> [clause.text for clause in clauses("Two things: I ski.\\nI swim.")]
    ['Two things:', ' I ski.\\n', 'I swim.']
    """
    for found in _CLAUSE.finditer(text):
        if found.group().strip():
            yield TextClause(found.group()[-MAX_CLAUSE:], found.start(), found.end())
