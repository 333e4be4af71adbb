"""A message with its marked spans: what its speaker said, and what a model is shown of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from toldonce.extraction.own_text.spans import Excerpt, Span

MARK_OPEN, MARK_CLOSE = "⟪", "⟫"
"""Marks around what a message only carries, in a question to a model; such signs in messages are left out there."""
# Characters that a model is shown of one marked span, at its beginning and at its end.
_SHOWN_HEAD, _SHOWN_TAIL = 600, 200
# From this limit on, both ends of too long words are shown: the question may come last.
_MIN_BOTH_ENDS = 400
# Characters of horizontal rules, and white space.
_RULE_CHARACTERS = "-=*_#~+─— \t\r\n"


class Origin(Enum):
    """Where words come from that a message carries and that are not its speaker's own."""

    MEMORY = "memory"
    """Put into the prompt by ToldOnce, or passing for that: not shown again."""
    MARKUP = "markup"
    """Marks without words: tags, marks of quoted lines."""
    WRAPPED = "wrapped"
    """In tags, fences or other brackets: documents, code, reasoning."""
    RETRIEVED = "retrieved"
    """Written around a question by a retrieval pipeline."""
    MAIL = "mail"
    QUOTED = "quoted"
    """In lines that begin with `>`."""
    CHAT = "chat"
    POST = "post"
    MACHINE = "machine"
    """Code, logs, tables and results of programs without a wrapper."""
    UNMEANT = "unmeant"
    """Test data, templates, stories, and what is put into the mouth of others."""
    GIVEN = "given"
    """A text to work on, which names no other source."""
    PASTED = "pasted"
    """Announced by an order, a file name or a horizontal rule."""
    GAME = "game"
    """Said within a game or a supposition; a model is shown it apart."""


# What no model is shown.
_UNSHOWN = frozenset({Origin.MEMORY, Origin.MARKUP, Origin.GAME})
_ORIGINS = tuple(Origin)


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A part of a message that is not its speaker's own."""

    start: int
    end: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A message with its marked spans."""

    text: str
    spans: tuple[MarkedSpan, ...]
    """Apart, in order."""

    @classmethod
    def of(cls, text: str, found: Sequence[tuple[Origin, Sequence[Span]]]) -> "MarkedText":
        """Mark a text; where spans overlap, the first origin counts."""
        paint = bytearray(len(text))
        for origin, spans in reversed(found):
            colour = bytes((_ORIGINS.index(origin) + 1,))
            for start, end in spans:
                paint[start:end] = colour * (min(end, len(text)) - start)
        edges = [place for place, (left, right) in enumerate(pairwise(paint), start=1) if left != right]
        bounds = [0, *edges, len(text)] if text else []
        marked = ((start, end, paint[start]) for start, end in pairwise(bounds) if paint[start])
        return cls(text, tuple(MarkedSpan(start, end, _ORIGINS[colour - 1]) for start, end, colour in marked))

    def own(self, *, with_given: bool = False) -> str:
        """Return the speaker's own words; each is as it was written, and a line feed parts what a mark stood between.

        Args:
            with_given: Also return the texts to work on.
        """
        hidden = (span for span in self.spans if not (with_given and span.origin is Origin.GIVEN))
        said = Excerpt.of(self.text).without((span.start, span.end) for span in hidden).text.strip()
        # Horizontal rules at the end part what is no longer there.
        end = said.find("\n", len(said.rstrip(_RULE_CHARACTERS)))
        return said if end < 0 else said[:end]

    def quoted(self) -> str:
        """Return the speaker's own words, and "…" where other words are left out; empty without own words.

        ToldOnce's own block is not marked at either end of the message.

        >>> from toldonce.extraction.own_text.own_words import mark
        >>> mark("> I hate tea\\nMe too.\\n> And cake?\\nNo.").quoted()
        '…\\nMe too.\\n…\\nNo.'
        """
        if not any(map(self._leaves_out, self.spans)) or not self.own():
            return self.own()
        kept: list[str] = []
        at, after_gap = 0, False
        for span in self.spans:
            between = self.text[at : span.start]
            at = span.end
            if after_gap and not between.strip():
                continue
            if after_gap:
                between = between.lstrip()
            after_gap = self._leaves_out(span)
            kept.append(f"{between.rstrip()}\n…\n" if after_gap else f"{between}\n")
        rest = self.text[at:]
        return "".join([*kept, rest.lstrip() if after_gap else rest]).strip()

    def _leaves_out(self, span: MarkedSpan) -> bool:
        """Return whether words are left out of a quotation where a span stood."""
        if span.origin is Origin.MARKUP or not any(map(str.isalnum, self.text[span.start : span.end])):
            return False
        is_inside = self.text[: span.start].strip() and self.text[span.end :].strip()
        return span.origin is not Origin.MEMORY or bool(is_inside)

    def holds(self, *origins: Origin) -> bool:
        """Return whether it has marked words, of one of these origins if any are named."""
        return any(
            any(map(str.isalnum, self.text[span.start : span.end]))
            for span in self.spans
            if (span.origin in origins if origins else span.origin not in _UNSHOWN)
        )

    def for_model(self) -> str:
        """Return own words, and between ⟪ and ⟫ what is not the speaker's own, long parts shortened.

        >>> from toldonce.extraction.own_text.own_words import mark
        >>> mark("I moved. Please polish this: I teach in Ulm.").for_model()
        'I moved. Please polish this:⟪ I teach in Ulm.⟫'
        """
        kept: list[str] = []
        at = 0
        for span in self.spans:
            words = without_marks(self.text[span.start : span.end])
            is_shown = span.origin not in _UNSHOWN and any(map(str.isalnum, words))
            kept += [without_marks(self.text[at : span.start]), _in_marks(words) if is_shown else "\n"]
            at = span.end
        return "".join([*kept, without_marks(self.text[at:])]).strip()


def without_marks(words: str) -> str:
    """Return words without the marks around what a message only carries."""
    return words.replace(MARK_OPEN, "").replace(MARK_CLOSE, "")


def shortened(words: str, head: int, tail: int) -> str:
    """Leave out the middle of long words; a mark says how much.

    >>> shortened("I live in Oslo, and I ski all through the long winter.", 9, 7)
    'I live in[… 38 characters left out …]winter.'
    """
    left = len(words) - head - tail
    if left <= len(_LEFT_OUT):
        return words
    return f"{words[:head]}{_LEFT_OUT.format(left)}{words[len(words) - tail :]}"


def fitted(words: str, limit: int) -> str:
    """Leave out the middle of words that are too long for a prompt, or the end of short ones; a mark takes its place.

    >>> fitted("I live in Oslo.", 8), fitted("I live in Oslo.", 20)
    ('I live …', 'I live in Oslo.')
    """
    if len(words) <= limit:
        return words
    if limit < _MIN_BOTH_ENDS:
        return _closed(f"{words[: limit - 1]}…")
    tail = limit // 4
    head = limit - tail - len(_LEFT_OUT) - len(str(len(words)))
    kept = shortened(words, head, tail)
    edge = len(kept) - tail
    before, left_out, after = kept[:head], kept[head:edge], kept[edge:]
    # A mark whose other one is left out gets it back.
    lacks_open = MARK_CLOSE in after.partition(MARK_OPEN)[0]
    return f"{_closed(before)}{left_out}{MARK_OPEN if lacks_open else ''}{after}"


def _closed(words: str) -> str:
    return words + MARK_CLOSE if words.rfind(MARK_OPEN) > words.rfind(MARK_CLOSE) else words


_LEFT_OUT = "[… {:,} characters left out …]"


def _in_marks(words: str) -> str:
    return f"{MARK_OPEN}{shortened(words, _SHOWN_HEAD, _SHOWN_TAIL)}{MARK_CLOSE}"
