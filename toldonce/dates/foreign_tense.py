"""Whether a date of another language is in the future or the past, by the words of its clause. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from toldonce.dates.foreign_patterns import WORD_BEGINS, WORD_ENDS
from toldonce.dates.foreign_words import DateWords, date_words, flat, lower
from toldonce.dates.tense import MAX_AFTER, MAX_BEFORE, Direction, Tense, certain
from toldonce.lazy_pattern import LazyPattern
from toldonce.text.sentence_ends import sentence_ends

_SEMICOLON = LazyPattern("[;；]")
_WORD = LazyPattern(r"\w")
_COMMA = "[,:，、：،—–]"


@dataclass(frozen=True, slots=True)
class _TensePatterns:
    """The patterns of a language's clauses; None where nothing tells."""

    joint: LazyPattern[str]
    planned: LazyPattern[str] | None
    past: LazyPattern[str] | None
    future: LazyPattern[str] | None
    ahead: LazyPattern[str] | None
    measured: LazyPattern[str] | None
    since: LazyPattern[str] | None
    habit: LazyPattern[str] | None
    recurs: LazyPattern[str] | None

    @property
    def tenses(self) -> Iterator[tuple[Tense, LazyPattern[str] | None]]:
        """The patterns of each tense, in the order in which they count."""
        yield Tense.FUTURE, self.planned
        yield Tense.PAST, self.past
        yield Tense.FUTURE, self.future
        yield Tense.PRESENT, self.ahead


@dataclass(frozen=True, slots=True)
class DatedClause:
    """The words around a date: of its clause, and of its sentence."""

    own: str
    sentence: str
    patterns: _TensePatterns

    def direction(self, default: Direction | None) -> Direction | None:
        """Return the tense of the clause, else that of the sentence, else `default`."""
        tense = self._tense(self.own) or self._tense(self.sentence)
        return default if tense is None else Direction.BEHIND if tense is Tense.PAST else Direction.AHEAD

    @property
    def deadline(self) -> Direction | None:
        """The direction of the date after 'until': ahead, but in doubt if the verb tells of the past."""
        return Direction.AHEAD if self._tense(self.own) in (Tense.PRESENT, Tense.FUTURE) else None

    @property
    def one_day(self) -> Direction | None:
        """The direction of the one day that its weekday means; None if it may mean every week.

        A clause whose verb is not known does not take its tense from another clause.
        """
        if self._is_habit:
            return None
        said = self.own if _WORD.search(self.own) else self.sentence
        return certain(self._tense(said))

    @property
    def measures(self) -> bool:
        """Whether a number of days in it is how long something took, or how much it is: 'not in 3 days'."""
        return bool(self.patterns.measured and self.patterns.measured.search(self.own))

    @property
    def looks_back(self) -> bool:
        """Whether it counts from something in the past: 'since my call of 11 March'."""
        return bool(self.patterns.since and self.patterns.since.search(flat(self.own)))

    @property
    def is_future(self) -> bool:
        """Whether its verb tells of the future alone."""
        return self._tense(self.own) is Tense.FUTURE

    def _tense(self, said: str) -> Tense | None:
        return next((tense for tense, pattern in self.patterns.tenses if pattern and pattern.search(said)), None)

    @property
    def _is_habit(self) -> bool:
        return bool(self.patterns.habit and self.patterns.habit.search(self.own))

    @property
    def recurs(self) -> bool:
        """Whether its date comes every year: a birthday."""
        return self._is_habit or bool(self.patterns.recurs and self.patterns.recurs.search(self.own))


def clause_around(text: str, start: int, end: int, words: DateWords) -> DatedClause:
    """Return the clause of a date, the date left out.

    Args:
        text: A text.
        start: Start of the date in it.
        end: End of the date.
        words: The words of its language.
    """
    patterns = _tense_patterns(words.code)
    before, after = text[max(0, start - MAX_BEFORE) : start], text[end : end + MAX_AFTER]
    begin, stop = max(sentence_ends(before), default=0), min(sentence_ends(after), default=len(after))
    before, after = _cut(lower(before[begin:]), lower(after[:stop]), _SEMICOLON)
    return DatedClause(" … ".join(_cut(before, after, patterns.joint)), f"{before} … {after}", patterns)


def _cut(before: str, after: str, at: LazyPattern[str]) -> tuple[str, str]:
    """Return what is left of the text before and after a date up to the nearest match on either side."""
    begins = [found.end() for found in at.finditer(before)]
    stop = at.search(after)
    return before[begins[-1] if begins else 0 :], after[: stop.start()] if stop else after


@cache
def _tense_patterns(code: str) -> _TensePatterns:
    words = date_words(code)
    begins, ends = (WORD_BEGINS, WORD_ENDS) if words.edges != "none" else ("", "")
    if words.edges == "start":
        begins, ends = "", ""  # the ending of a verb tells its tense, and more endings follow

    def made(pattern: str) -> LazyPattern[str] | None:
        return LazyPattern(f"{begins}(?:{pattern}){ends}") if pattern else None

    is_sure = words.since and words.edges == "both" and not words.since_is_from
    return _TensePatterns(
        joint=LazyPattern(f"{_COMMA}|{begins}(?:{words.joint}){ends}" if words.joint else _COMMA),
        planned=made(words.planned),
        past=made(words.past),
        future=made(words.future),
        ahead=made(words.ahead),
        measured=made(words.measured),
        since=LazyPattern(f"{begins}(?:{words.since})") if is_sure else None,
        habit=made(words.habit),
        recurs=made(words.recurs),
    )
