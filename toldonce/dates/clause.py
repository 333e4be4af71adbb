"""Whether a date without a year is in the future or the past, by the words of its clause. Pure.

In doubt neither is said: the wrong day is worse than none.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from toldonce.dates.patterns import WORD_BEGINS, WORD_ENDS
from toldonce.dates.vocabulary import DateWords, date_words, flat, lower
from toldonce.lazy_pattern import LazyPattern
from toldonce.text.sentence_ends import sentence_ends

# Number of characters of a sentence before and after a date that are read for its verb.
MAX_BEFORE, MAX_AFTER = 160, 80

_SEMICOLON = LazyPattern("[;；]")
_WORD = LazyPattern(r"\w")
_COMMA = "[,:，、：،—–]"


class Direction(StrEnum):
    """Whether a date without a year is in the future or the past."""

    AHEAD = "ahead"
    BEHIND = "behind"


class Tense(StrEnum):
    """What the words of a clause tell of its time."""

    PAST = "past"
    PRESENT = "ahead"
    """Of now, of every week, or of the future."""
    FUTURE = "future"
    EITHER = "either"
    """A past form that may be no past: 'got exams on Friday', 'I'm stressed about Friday'."""


_LIES = {Tense.PAST: Direction.BEHIND, Tense.PRESENT: Direction.AHEAD, Tense.FUTURE: Direction.AHEAD}
# Where no verb is the nearest, the first of these that is there tells the tense.
_IN_ORDER = {"planned": Tense.FUTURE, "past": Tense.PAST, "future": Tense.FUTURE, "ahead": Tense.PRESENT}


@dataclass(frozen=True, slots=True)
class _Words:
    """The text before and after a date."""

    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.before} … {self.after}"


@dataclass(frozen=True, slots=True)
class DatedClause:
    """The words around a date: of its clause, and of its sentence."""

    own: _Words
    sentence: _Words
    patterns: Mapping[str, LazyPattern[str]]

    def direction(self, default: Direction | None) -> Direction | None:
        """Return the direction of the date, by the tense of the clause, else of the sentence, else `default`."""
        if self._has("arranged", self.sentence.before):
            return Direction.AHEAD
        tense = self._nearest_tense
        return default if tense is None else _LIES.get(tense)

    def deadline(self, *, ends: bool) -> Direction | None:
        """Return the direction of the date after 'by' or 'until', by its own clause alone; None if that is in doubt.

        What was promised or begun in the past has its end ahead: 'I promised to send it by Friday'.

        Args:
            ends: The word is 'until': what lasted until a day in the past does not say whether that has come.
        """
        tense = self._tense(self.own)
        if tense is Tense.PAST and (ends or self._has("infinitive", self.own.before)):
            return None
        return _LIES.get(tense) if tense else None

    @property
    def one_day(self) -> Direction | None:
        """The direction of the one day that its weekday means; None if it may mean every week.

        A sentence in the present tense may tell of either: 'My day off is Tuesday', 'My exam is on Tuesday'. A clause
        whose verb is not known does not take its tense from another clause.
        """
        if self._has("habit", self.own):
            return None
        tense = self._tense(self.own if _WORD.search(str(self.own)) else self.sentence)
        return _LIES[tense] if tense in (Tense.PAST, Tense.FUTURE) else None

    def is_ahead(self, *, tenses: Container[Tense | None]) -> bool:
        """Return whether 'in 3 days' means a time ahead, and not how long something took: 'not in 3 days'.

        Args:
            tenses: Those that tell it; None for a sentence without a known verb.
        """
        tense = self._tense(self.own, planned=False) or self._tense(self.sentence, planned=False)
        return tense in tenses and not self._has("measured", self.own)

    @property
    def may_be_ahead(self) -> bool:
        """Whether its words leave open that its weekday is one day ahead: no habit, no verb of the past."""
        return not self._has("habit", self.own) and self._nearest_tense is not Tense.PAST

    @property
    def looks_back(self) -> bool:
        """Whether it counts from something in the past: 'since my call of 11 March'."""
        return "since" in self.patterns and bool(self.patterns["since"].search(flat(str(self.own))))

    @property
    def is_future(self) -> bool:
        """Whether its verb tells of the future alone."""
        return self._nearest_tense is Tense.FUTURE

    @property
    def denies_since(self) -> bool:
        """Whether its verb tells of the future while 'since' looks back."""
        return "verb" not in self.patterns and self._tense(self.own) is Tense.FUTURE

    @property
    def recurs(self) -> bool:
        """Whether its date comes every year: a birthday, an event of every May."""
        return self._has("habit", self.own) or self._has("recurs", self.own)

    @property
    def is_moved(self) -> bool:
        """Whether the words before the date say that something was moved to it."""
        return self._has("moved", self.sentence.before) and not self._has("moved_house", self.sentence.before)

    def _has(self, name: str, words: _Words | str) -> bool:
        return name in self.patterns and bool(self.patterns[name].search(str(words)))

    @property
    def _nearest_tense(self) -> Tense | None:
        return self._tense(self.own) or self._tense(self.sentence)

    def _tense(self, words: _Words, *, planned: bool = True) -> Tense | None:
        """Return what the nearest verb before the date tells, else the first after it, if the language has these."""
        if "verb" not in self.patterns:
            return next((tense for name, tense in _IN_ORDER.items() if self._has(name, words)), None)
        if planned and self._has("planned", self.sentence.before):
            return Tense.FUTURE
        verbs = list(self.patterns["verb"].finditer(words.before))
        verb = verbs[-1] if verbs else self.patterns["verb"].search(words.after)
        if verb is None:
            return None
        return Tense.PAST if self._has("asked", words.before) else Tense(str(verb.lastgroup))


def clause_around(text: str, start: int, end: int, words: DateWords) -> DatedClause:
    """Return the clause of a date, the date left out.

    Args:
        text: A text.
        start: Start of the date in it.
        end: End of the date.
        words: The words of its language.
    """
    patterns = _clause_patterns(words.code)
    before, after = text[max(0, start - MAX_BEFORE) : start], text[end : end + MAX_AFTER]
    begin, stop = max(sentence_ends(before), default=0), min(sentence_ends(after), default=len(after))
    sentence = _cut(_Words(lower(before[begin:]), lower(after[:stop])), _SEMICOLON)
    return DatedClause(_cut(sentence, patterns["joint"]), sentence, patterns)


def _cut(words: _Words, at: LazyPattern[str]) -> _Words:
    """Return what is left of the text before and after a date up to the nearest match on either side."""
    begins = [found.end() for found in at.finditer(words.before)]
    stop = at.search(words.after)
    return _Words(words.before[begins[-1] if begins else 0 :], words.after[: stop.start()] if stop else words.after)


@cache
def _clause_patterns(code: str) -> Mapping[str, LazyPattern[str]]:
    """Return the patterns of `CLAUSE_WORDS` that a language has; `verb` joins the tenses if the nearest one counts."""
    words = date_words(code)
    begins, ends = (
        (WORD_BEGINS, WORD_ENDS) if words.edges == "both" else ("", "")
    )  # the ending of a verb tells its tense
    patterns = {name: LazyPattern(f"{begins}(?:{form}){ends}") for name, form in words.clauses.items() if form}
    joint = words.clauses.get("joint")
    patterns["joint"] = LazyPattern(f"{_COMMA}|{begins}(?:{joint}){ends}" if joint else _COMMA)
    if words.nearest:
        forms = "|".join(f"(?P<{tense}>{words.clauses[tense]})" for tense in ("future", "either", "ahead", "past"))
        patterns["verb"] = LazyPattern(f"{begins}(?:{forms}){ends}")
    elif words.since and words.edges == "both" and not words.since_is_from:
        patterns["since"] = LazyPattern(f"{begins}(?:{words.since})")
    return patterns


_ENGLISH = _clause_patterns("en")  # declared at once: see `patterns`
