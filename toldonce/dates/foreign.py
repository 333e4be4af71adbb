"""Read the dates of a text in a language other than English: 'letzten Montag', '12 марта', '3月12日'. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from toldonce.dates import ranges
from toldonce.dates.foreign_patterns import TODAY, Kind, date_patterns, offset_pattern
from toldonce.dates.foreign_tense import DatedClause, clause_around
from toldonce.dates.foreign_words import STEPS, UNITS, DateWords, date_words, flat
from toldonce.dates.mention import SEASONS, Days
from toldonce.dates.tense import Direction

# Years of two digits are those of this century.
_CENTURY = 2000
# Characters before a date that are read for an offset from it.
_MAX_OFFSET = 40
# Ends of what a count of days begins at, in Chinese and Japanese: '5月14日の3日後'.
_OTHER_DAY = (*"の日号號月年", "から")


@dataclass(frozen=True, slots=True)
class Found:
    """Days that words of a text name."""

    days: Days
    span: tuple[int, int]
    preposition: str
    """'since', 'until' or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A match of a pattern, with its context."""

    match: re.Match[str]
    words: DateWords
    today: date
    default: Direction
    said: str
    """The text."""
    groups: Mapping[str, str]
    """The groups that take part in the match."""

    @property
    def clause(self) -> DatedClause:
        """The clause around the match."""
        return clause_around(self.said, *self.match.span(), self.words)

    @property
    def future(self) -> bool | None:
        """Whether it is in the future, if it names no year; None if that is in doubt."""
        if self.is_offset:
            return None
        if "since" in self.groups:
            return False
        clause = self.clause
        if clause.looks_back:
            return False
        told = clause.deadline if "until" in self.groups else clause.direction(self.default)
        return None if told is None else told is Direction.AHEAD

    @property
    def is_offset(self) -> bool:
        """Whether a number of days before it is counted from it: 'three days after 14 May'."""
        start = self.match.start()
        return bool(offset_pattern(self.words.code).search(self.match.string, max(0, start - _MAX_OFFSET), start))

    @property
    def one_day(self) -> Direction | None:
        """The direction of the one day or weekend that it means; None if it may recur or is in doubt."""
        clause = self.clause
        told = clause.one_day
        if "since" in self.groups and not self.words.since_is_from:
            return Direction.BEHIND
        return None if ("until" in self.groups and told is Direction.BEHIND) or self.is_offset else told

    def number(self, group: str) -> int:
        """Return the number of a group of digits."""
        return int(self.groups[group])

    @property
    def month(self) -> int:
        """The number of the month it names."""
        name = " ".join(self.groups["month"].split())
        return self.words.months.get(name) or self.words.short_months[name]

    @property
    def weekday(self) -> int:
        """The number of the weekday it names; Monday is 0."""
        name = " ".join(self.groups["weekday"].split())
        tables = (self.words.weekdays, self.words.tied_weekdays, self.words.weeks_weekdays)
        return next(table[name] for table in tables if name in table)

    @property
    def year(self) -> int:
        """The year it names, in digits or as 'last year'; 0 for none."""
        if "year" in self.groups:
            return self.number("year")
        return next((self.today.year + STEPS[step] for step in STEPS if f"{step}_year" in self.groups), 0)

    @property
    def which(self) -> str:
        """'last', 'next', 'this' or empty."""
        return next((step for step in STEPS if step in self.groups or f"{step}_after" in self.groups), "")


def foreign_dates(text: str, code: str, today: date, default: Direction) -> list[Found]:
    """Return the days that a text in a covered language names, without overlap.

    Args:
        text: A part of a text in one language.
        code: The language.
        today: The day it was said, for its speaker.
        default: For dates whose clause does not tell its tense.
    """
    flattened, words = flat(text), date_words(code)
    taken = bytearray(len(text))
    found: list[Found] = []
    for pattern in date_patterns(code):
        for match in pattern.pattern.finditer(flattened):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            groups = {name: group for name, group in match.groupdict().items() if group is not None}
            reading = _Reading(match=match, words=words, today=today, default=default, said=text, groups=groups)
            days = _read(pattern.kind, reading)
            if days is not None or pattern.kind is Kind.BLOCKED:
                taken[start:end] = b"\1" * (end - start)
            if days is not None and (not days.doubtful or days.recurs):
                tie = next((name for name in ("since", "until") if name in groups), "")
                found.append(Found(days, (start, end), tie))
    return found


def _read(kind: Kind, reading: _Reading) -> Days | None:
    read = _READERS.get(kind)
    if kind in _YEARLESS and "since" in reading.groups and reading.clause.is_future:
        return None  # 'since' looks back, the verb ahead
    try:
        days = read(reading) if read else None
    except (ValueError, OverflowError):  # not a date: 30 February, 900 years ago
        return None
    if days and not days.explicit and not reading.which and kind in _MAY_RECUR and reading.clause.recurs:
        return replace(days, recurs=True)
    return days


def _iso(reading: _Reading) -> Days:
    return ranges.day(date(reading.year, reading.number("number"), reading.number("day")), explicit=True)


def _digits(reading: _Reading) -> Days | None:
    one, two = reading.number("one"), reading.number("two")
    if reading.words.order != "dmy":
        if one <= 12 and two <= 12 and one != two:
            return None  # a language that begins with the year has no order for the rest
        one, two = max(one, two), min(one, two)
    return ranges.day(date(reading.year, two, one), explicit=True)


def _day_and_month(reading: _Reading) -> Days:
    day, month = reading.number("one"), reading.number("two")
    if "short" in reading.groups:
        return ranges.day(date(_CENTURY + reading.number("short"), month, day), explicit=True)
    return ranges.near_day(reading.today, month, day, future=reading.future)


def _date(reading: _Reading) -> Days | None:
    day = 1 if "first" in reading.groups else reading.number("day")
    if reading.year:
        return ranges.day(date(reading.year, reading.month, day), explicit="year" in reading.groups)
    is_short = reading.groups["month"] in reading.words.abbreviations
    if is_short and not (reading.groups.keys() & {"since", "until", "on"} or reading.match.group().endswith(".")):
        return None
    return ranges.near_day(reading.today, reading.month, day, future=reading.future)


def _month(reading: _Reading) -> Days | None:
    if reading.year:
        return ranges.month(reading.year, reading.month, explicit="year" in reading.groups)
    tied = reading.groups.keys() & {"since", "until", "on", "part", "tied"}
    if not tied and not reading.which and not reading.words.bare_month:
        return None
    return ranges.near_month(reading.today, reading.month, reading.which, future=reading.future)


def _season(reading: _Reading) -> Days | None:
    name = next(season for season in SEASONS if season in reading.groups)
    if reading.year:
        return ranges.season(name, reading.year, explicit="year" in reading.groups)
    if not reading.which and not reading.words.bare_season and not reading.groups.keys() & {"since", "until", "on"}:
        return None
    where = reading.one_day
    if not reading.which and where is None:
        return None  # 'I walk a lot in summer'
    return ranges.near_season(reading.today, name, reading.which, future=where is Direction.AHEAD)


def _year(reading: _Reading) -> Days:
    return ranges.year(reading.number("year"), explicit=True)


def _distance(reading: _Reading) -> tuple[str, int]:
    """Return a unit, and how many of them it is away."""
    for unit in UNITS:
        for group, count in (("one", 1), ("two", 2)):
            if f"{group}_{unit}" in reading.groups:
                return unit, count
    unit = next(unit for unit in UNITS if f"unit_{unit}" in reading.groups)
    if "count" in reading.groups:
        return unit, reading.number("count")
    return unit, next(n for n in range(1, len(reading.words.counts) + 1) if f"count_{n}" in reading.groups)


def _ago(reading: _Reading) -> Days:
    unit, count = _distance(reading)
    return ranges.shifted(reading.today, unit, -count)


def _ahead(reading: _Reading) -> Days | None:
    clause = reading.clause
    # Where the word means 'later', as in Chinese, the count may begin on another day.
    told = clause.direction(None if reading.words.edges == "none" else Direction.AHEAD)
    is_later = reading.match.string[: reading.match.start()].endswith(_OTHER_DAY)
    if told is not Direction.AHEAD or clause.measures or is_later:
        return None  # 'I read it in two days' is a duration
    unit, count = _distance(reading)
    return ranges.shifted(reading.today, unit, count)


def _near_day(reading: _Reading) -> Days:
    away = next(int(name.removeprefix("away_")) for name in reading.groups if name.startswith("away_"))
    return ranges.shifted(reading.today, "day", away - TODAY)


def _step(reading: _Reading, unit: str) -> int | None:
    return next((STEPS[step] for step in STEPS if f"{step}_{unit}" in reading.groups), None)


def _day_of_week(reading: _Reading) -> Days:
    monday = ranges.week(reading.today + timedelta(weeks=_step(reading, "week") or 0)).first
    return ranges.day(monday + timedelta(days=reading.weekday))


def _unit(reading: _Reading) -> Days | None:
    for unit in UNITS:
        step = _step(reading, unit)
        if step == 0 and unit == "weekend":
            return ranges.weekend_there(reading.today, behind=reading.one_day is Direction.BEHIND)
        if step is not None:
            return ranges.shifted(reading.today, unit, step)
    return None


def _weekend(reading: _Reading) -> Days | None:
    where = reading.one_day
    return ranges.weekend_there(reading.today, behind=where is Direction.BEHIND) if where else None


def _weekday(reading: _Reading) -> Days | None:
    words, which = reading.words, reading.which
    bare = words.bare_weekday and reading.groups["weekday"] in words.weekdays
    if not which and not bare and not reading.groups.keys() & {"since", "until", "on", "tied"}:
        return None
    where = reading.one_day
    if not which and where is None:
        return None
    return ranges.near_weekday(reading.today, reading.weekday, which, future=where is not Direction.BEHIND)


_READERS: Mapping[Kind, Callable[[_Reading], Days | None]] = {
    Kind.ISO: _iso,
    Kind.DIGITS: _digits,
    Kind.DAY_AND_MONTH: _day_and_month,
    Kind.DATE: _date,
    Kind.MONTH: _month,
    Kind.SEASON: _season,
    Kind.YEAR: _year,
    Kind.AGO: _ago,
    Kind.AHEAD: _ahead,
    Kind.NEAR_DAY: _near_day,
    Kind.DAY_OF_WEEK: _day_of_week,
    Kind.UNIT: _unit,
    Kind.WEEKEND: _weekend,
    Kind.WEEKDAY: _weekday,
}
_YEARLESS = frozenset({Kind.DATE, Kind.DAY_AND_MONTH, Kind.MONTH, Kind.SEASON, Kind.WEEKDAY})
_MAY_RECUR = frozenset({Kind.DATE, Kind.DAY_AND_MONTH, Kind.MONTH})
