"""A place of an English text that may name a time, with its context. Pure."""

import re
from dataclasses import dataclass
from datetime import date

from toldonce.dates.tense import Direction, deadline, direction, one_day
from toldonce.lazy_pattern import LazyPattern

COUNTS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
} | {"a": 1, "an": 1, "couple": 2, "fifteen": 15, "twenty": 20, "thirty": 30}
COUNT = r"(?P<count>\d{1,3}|(?:a\s++)?couple(?:\s++of)?|" + "|".join(w for w in COUNTS if w != "couple") + ")"
UNIT = "(?P<unit>day|weekend|week|month|year|decade)s?"
# Characters before a time that are read for such words.
_MAX_LEAD = 40
# An offset from another day: 'five days from the 14th'. That day's own direction is not told by the verb.
_OFFSET = LazyPattern(
    rf"\b{COUNT}\s++{UNIT}\s++(?:(?:from|after|before|past|prior\s++to)\s++(?:the\s++)?)?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A match of a pattern, with its context."""

    match: re.Match[str]
    today: date
    default: Direction

    @property
    def future(self) -> bool | None:
        """Whether it is in the future, if it names no year; None if that is in doubt."""
        tie, (start, end) = self.get("tie"), self.match.span()
        if tie in ("since", "to"):
            return tie == "to"
        if _OFFSET.search(self.lead):
            return None
        if tie in ("by", "until", "till"):
            told = deadline(self.match.string, start, end, ends=tie != "by")
        else:
            start = self.match.end("tie") if tie == "from" else start
            told = direction(self.match.string, start, end, default=self.default)
        return None if told is None else told is Direction.AHEAD

    @property
    def lead(self) -> str:
        """The words before it."""
        start = self.match.start()
        return self.match.string[max(0, start - _MAX_LEAD) : start]

    @property
    def one_day(self) -> Direction | None:
        """The direction of the one day or weekend that it means; None if it may recur or is in doubt."""
        tie, span = self.get("tie"), self.match.span()
        if tie == "since":
            return Direction.BEHIND
        told = one_day(self.match.string, *span)
        is_limit = tie in ("by", "until", "till", "before")
        return None if (is_limit and told is Direction.BEHIND) or _OFFSET.search(self.lead) else told

    def get(self, name: str) -> str:
        """Return a group, folded; empty if absent."""
        return (self.match.groupdict().get(name) or "").casefold()

    @property
    def which(self) -> str:
        """Return 'last', 'next', 'this' or an empty text."""
        words = self.get("which").split()
        if not words:
            return ""
        return {"past": "last", "coming": "next"}.get(words[-1], words[-1])

    @property
    def count(self) -> int:
        """Return the number written as digits or as a word."""
        word = self.get("count")
        return int(word) if word.isdigit() else 2 if "couple" in word else COUNTS[word]
