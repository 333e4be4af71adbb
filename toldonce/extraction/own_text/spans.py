"""Merge, cut and blank out spans of a text, and split a text into clauses. Pure.

Where a span is cut out, a line feed is left, so that the text before and after it never reads as one sentence.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from toldonce.lazy_pattern import LazyPattern

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


NOTHING = RemovedParts()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of an excerpt that is as it was in the whole text."""

    start: int
    whole_start: int
    length: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text of which parts were removed or rewritten, and where each of its characters was before."""

    text: str
    places: tuple[int, ...]
    """Indexes in it at which something was removed, ascending."""
    _pieces: tuple[_Piece, ...]
    _whole_length: int

    @classmethod
    def of(cls, text: str) -> "Excerpt":
        """Return a whole text as an excerpt of itself."""
        return cls(text, (), (_Piece(0, 0, len(text)),), len(text))

    def without(self, spans: Iterable[Span]) -> "Excerpt":
        """Remove spans of this excerpt; a line feed keeps the text before and after them apart.

        >>> Excerpt.of("I like tea.<x>and</x>Bye").without([(11, 21)]).text
        'I like tea.\\nBye'
        """
        text = self.text
        return self.rewritten(
            (start, end, "" if text[max(0, start - 1) : start].isspace() or text[end : end + 1].isspace() else "\n")
            for start, end in merge_spans(spans)
        )

    def rewritten(self, edits: Iterable[tuple[int, int, str]]) -> "Excerpt":
        """Replace spans of this excerpt, each by other characters; in order and apart."""
        kept: list[str] = []
        places: list[int] = []
        pieces: list[_Piece] = []
        at = length = 0
        for start, end, new in (*edits, (len(self.text), len(self.text), "")):
            kept += [self.text[at:start], new]
            pieces += self._moved(at, start, length)
            length += start - at
            if start < end:
                places.append(length)
            length += len(new)
            at = end
        return Excerpt("".join(kept), tuple(places), tuple(pieces), self._whole_length)

    def _moved(self, start: int, end: int, place: int) -> Iterator[_Piece]:
        """Yield the pieces between two indexes as they are once `start` is moved to `place`."""
        first = max(0, bisect_right(self._pieces, start, key=lambda piece: piece.start) - 1)
        for piece in self._pieces[first:]:
            if piece.start >= end:
                return
            low, high = max(start, piece.start), min(end, piece.start + piece.length)
            if low < high:
                yield _Piece(place + low - start, piece.whole_start + low - piece.start, high - low)

    def whole_span(self, span: Span) -> Span:
        """Return where a span of this excerpt was in the whole text; what was removed within it is part of it.

        >>> Excerpt.of("I like tea.<x>and</x>Bye").without([(11, 21)]).whole_span((9, 15))
        (9, 24)
        """
        start, end = span
        after = bisect_right(self._pieces, start, key=lambda piece: piece.start)
        first = self._pieces[after - 1] if after else _Piece(0, 0, 0)
        before = bisect_left(self._pieces, end, key=lambda piece: piece.start)
        last = self._pieces[before - 1] if before else _Piece(0, 0, 0)
        behind = end > last.start + last.length
        following = self._pieces[before].whole_start if before < len(self._pieces) else self._whole_length
        return (
            first.whole_start + min(start - first.start, first.length),
            following if behind else last.whole_start + end - last.start,
        )


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
    return "".join([*kept, text[at:]])


# Characters of a clause that are searched, from its end: announcements are short.
_MAX_CLAUSE = 300
_CLAUSE = LazyPattern(r"(?:[^.!?:。！？：\n]|[.:](?=\S))++[.!?:。！？：]*+\n?")


@dataclass(frozen=True, slots=True)
class TextClause:
    """A clause of a message."""

    text: str
    """With its stop, without white space; only the end of a long clause."""
    start: int
    end: int
    ends_line: bool


def clauses(text: str) -> Iterator[TextClause]:
    """Cut a text into clauses.

    >>> [clause.text for clause in clauses("Two things: I ski.\\nI swim.")]
    ['Two things:', 'I ski.', 'I swim.']
    """
    for found in _CLAUSE.finditer(text):
        clause = found.group()[-_MAX_CLAUSE:].strip()
        if clause:
            yield TextClause(clause, found.start(), found.end(), found.group().endswith("\n"))
