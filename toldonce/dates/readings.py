"""Which days a match of a date pattern means, in its context. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from toldonce.dates import ranges
from toldonce.dates.clause import DatedClause, Direction, Tense, clause_around
from toldonce.dates.mention import SEASONS, Days
from toldonce.dates.patterns import TIES, TODAY, Kind, context_patterns
from toldonce.dates.vocabulary import STEPS, UNITS, DateWords

# Years of two digits are those of this century.
_CENTURY = 2000
# Characters before a date that are read for an offset from it, or for a word that makes it none.
_MAX_LEAD = 40
# Every day of the month recurs within this many days.
MAX_DAYS_TO_A_DAY = 62
# Ends of what a count of days begins at, in Chinese and Japanese: '5月14日の3日後'.
_OTHER_DAY = (*"の日号號月年", "から")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A match of a pattern, with its context."""

    match: re.Match[str]
    words: DateWords
    today: date
    default: Direction
    said: str
    """The text."""
    groups: Mapping[str, str]
    """The groups that take part in the match."""
    is_coming: bool = False
    """The words around it are known to tell of one day ahead."""

    @property
    def clause(self) -> DatedClause:
        """The clause around the match."""
        return clause_around(self.said, *self.match.span(), self.words)

    @property
    def is_tied(self) -> bool:
        """Whether a word such as 'on' leads to it."""
        return not self.groups.keys().isdisjoint(TIES | {"on"})

    @property
    def future(self) -> bool | None:
        """Whether it is in the future, if it names no year; None if that is in doubt."""
        if "to" in self.groups:
            return True
        if self.is_offset:
            return None
        if "since" in self.groups:
            return False
        start, end = self.match.span()
        clause = clause_around(self.said, self.match.end("from") if "from" in self.groups else start, end, self.words)
        if clause.looks_back:
            return False
        if self.groups.keys() & {"until", "by"}:
            told = clause.deadline(ends="until" in self.groups)
        else:
            told = clause.direction(self.default)
        return None if told is None else told is Direction.AHEAD

    @property
    def lead(self) -> str:
        """The words before it, flattened."""
        start = self.match.start()
        return self.match.string[max(0, start - _MAX_LEAD) : start]

    @property
    def is_offset(self) -> bool:
        """Whether a number of days before it is counted from it: 'three days after 14 May'."""
        return bool(context_patterns(self.words.code)["offset"].search(self.lead))

    @property
    def one_day(self) -> Direction | None:
        """The direction of the one day or weekend that it means; None if it may recur or is in doubt."""
        if "since" in self.groups and not self.words.since_is_from:
            return Direction.BEHIND
        clause = self.clause
        told = clause.one_day
        if told is None and self.is_coming and clause.may_be_ahead:
            told = Direction.AHEAD
        is_limit = self.groups.keys() & {"until", "by", "before"}
        return None if (is_limit and told is Direction.BEHIND) or self.is_offset else told

    def is_everyday(self, group: str) -> bool:
        """Return whether the name of a month or weekday is an everyday word as it is written: 'may', 'sat'."""
        return self.groups[group] in self.words.everyday and self.said[self.match.start(group)].islower()

    @property
    def count(self) -> int:
        """The number of units it names."""
        if "count" in self.groups:
            return self.number("count")
        return next(n for n in range(1, len(self.words.counts) + 1) if f"count_{n}" in self.groups)

    def number(self, group: str) -> int:
        """Return the number of a group of digits."""
        return int(self.groups[group])

    def month_of(self, group: str) -> int:
        """Return the number of the month that a group names."""
        name = " ".join(self.groups[group].split())
        return self.words.months.get(name) or self.words.short_months[name]

    @property
    def month(self) -> int:
        """The number of the month it names."""
        return self.month_of("month")

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


def days_of(kind: Kind, reading: Reading) -> Days | None:
    """Return the days that a match of a kind of pattern means; None if it is no date, or may be none."""
    read = _READERS.get(kind)
    if kind in _YEARLESS and "since" in reading.groups and reading.clause.denies_since:
        return None  # 'since' looks back, the verb ahead
    if "to" in reading.groups and not _is_moved(reading):
        return None
    try:
        days = read(reading) if read else None
    except (ValueError, OverflowError):  # not a date: 30 February, 900 years ago
        return None
    if days and not days.explicit and not reading.which and kind in _MAY_RECUR and reading.clause.recurs:
        return replace(days, recurs=True)
    return days


def _is_moved(reading: Reading) -> bool:
    """Return whether something was moved to a day, and not to a place: 'moved to May Street'."""
    follows = reading.said[reading.match.end() :][:2].strip()
    return reading.clause.is_moved and not follows[:1].isupper()


def _may_count(reading: Reading) -> bool:
    """Return whether digits beside an everyday word that is a month, too, may count things: '1 dec file'."""
    if not reading.is_everyday("month") or "year" in reading.groups or not reading.match.group()[-1:].isalnum():
        return False
    is_bare = not reading.is_tied or reading.groups.get("on", "").strip() == "in"
    return is_bare and not context_patterns(reading.words.code)["after_bare"].match(
        reading.match.string, reading.match.end()
    )


def _is_sum(reading: Reading) -> bool:
    """Return whether two numbers are no first and last: 'rooms 3 and 4'."""
    return "and" in reading.groups and not reading.match.group().startswith("between")


def _period(reading: Reading) -> Days | None:
    """Read '3 to 9 March', 'March 3-9', '30 March to 4 April'."""
    if _is_sum(reading) or _may_count(reading):
        return None  # '2 to 3 may fail'
    month, explicit = reading.month, "year" in reading.groups
    begin = reading.month_of("begin") if "begin" in reading.groups else month
    ends = ranges.near_day(reading.today, month, reading.number("day"), future=reading.future).last
    if explicit:
        ends = date(reading.year, month, reading.number("day"))
    begins = date(ends.year - (begin > month), begin, reading.number("one"))
    return replace(ranges.period(begins, ends, explicit=explicit), yearless=not explicit) if begins < ends else None


def _lone_day(reading: Reading) -> Days | None:
    """Read 'on the 14th', 'from the 23rd to the 30th': the nearest one."""
    future = reading.future
    if future is None or _is_sum(reading):
        return None
    ends = _nearest(reading.today, reading.number("day"), 1 if future else -1)
    if "one" not in reading.groups:
        return ranges.day(ends)
    return ranges.period(_nearest(ends, reading.number("one"), -1), ends)


def _nearest(start: date, day: int, step: int) -> date:
    """Return the nearest day of that number before or after another day.

    Raises:
        ValueError: No month near has such a day.
    """
    days = (start + timedelta(days=step * away) for away in range(1, MAX_DAYS_TO_A_DAY + 1))
    found = next((near for near in days if near.day == day), None)
    if found is None:
        raise ValueError(f"no month near has a day {day}")
    return found


def _weeks_after(reading: Reading) -> Days:
    """Read 'a week on Monday': that many weeks after the next one."""
    near = ranges.near_weekday(reading.today, reading.weekday, "", future=True)
    return ranges.day(near.first + timedelta(weeks=reading.count))


def _iso(reading: Reading) -> Days:
    return ranges.day(date(reading.year, reading.number("number"), reading.number("day")), explicit=True)


def _digits(reading: Reading) -> Days | None:
    one, two = reading.number("one"), reading.number("two")
    if reading.words.order != "dmy":
        if one <= 12 and two <= 12 and one != two:
            return None  # a language that begins with the year has no order for the rest
        one, two = max(one, two), min(one, two)
    return ranges.day(date(reading.year, two, one), explicit=True)


def _day_and_month(reading: Reading) -> Days:
    day, month = reading.number("one"), reading.number("two")
    if "short" in reading.groups:
        return ranges.day(date(_CENTURY + reading.number("short"), month, day), explicit=True)
    return ranges.near_day(reading.today, month, day, future=reading.future)


def _date(reading: Reading) -> Days | None:
    day = 1 if "first" in reading.groups else reading.number("day")
    if reading.year:
        return ranges.day(date(reading.year, reading.month, day), explicit="year" in reading.groups)
    if _may_count(reading):
        return None
    is_short = reading.groups["month"] in reading.words.abbreviations
    if is_short and not (reading.is_tied or reading.match.group().endswith(".")):
        return None
    return ranges.near_day(reading.today, reading.month, day, future=reading.future)


def _month(reading: Reading) -> Days | None:
    if reading.year:
        return ranges.month(reading.year, reading.month, explicit="year" in reading.groups)
    tied = reading.is_tied or reading.groups.keys() & {"part", "tied", "to"}
    if not tied and reading.which == "this" and reading.is_everyday("month"):
        return None
    if not tied and not reading.which and not reading.words.bare_month:
        return None
    return ranges.near_month(reading.today, reading.month, reading.which, future=reading.future)


def _season(reading: Reading) -> Days | None:
    name = next(season for season in SEASONS if season in reading.groups)
    if reading.year:
        return ranges.season(name, reading.year, explicit="year" in reading.groups)
    if not reading.which and not reading.words.bare_season and (not reading.is_tied or "by" in reading.groups):
        return None
    where = reading.one_day
    if not reading.which and where is None:
        return None  # 'I walk a lot in summer'
    return ranges.near_season(reading.today, name, reading.which, future=where is Direction.AHEAD)


def _year(reading: Reading) -> Days:
    return ranges.year(reading.number("year"), explicit=True)


def _distance(reading: Reading) -> tuple[str, int]:
    """Return a unit, and how many of them it is away."""
    for unit in UNITS:
        for group, count in (("one", 1), ("two", 2)):
            if f"{group}_{unit}" in reading.groups:
                return unit, count
    return next(unit for unit in UNITS if f"unit_{unit}" in reading.groups), reading.count


def _ago(reading: Reading) -> Days:
    unit, count = _distance(reading)
    return ranges.shifted(reading.today, unit, -count)


def _ahead(reading: Reading) -> Days | None:
    # Where the word means 'later', as in Chinese, the count may begin on another day.
    is_later = reading.match.string[: reading.match.start()].endswith(_OTHER_DAY)
    tenses = {Tense.FUTURE, Tense.PRESENT, *([None] if reading.words.edges != "none" else [])}
    if is_later or not reading.clause.is_ahead(tenses={Tense.FUTURE} if "rate" in reading.groups else tenses):
        return None  # 'I read it in two days', '24 hours in a day'
    unit, count = _distance(reading)
    return ranges.shifted(reading.today, unit, count)


def _near_day(reading: Reading) -> Days:
    away = next(int(name.removeprefix("away_")) for name in reading.groups if name.startswith("away_"))
    return ranges.shifted(reading.today, "day", away - TODAY)


def _step(reading: Reading, unit: str) -> int | None:
    return next((STEPS[step] for step in STEPS if f"{step}_{unit}" in reading.groups), None)


def _day_of_week(reading: Reading) -> Days | None:
    if reading.is_everyday("weekday"):
        return None  # 'I sat last week'
    monday = ranges.week(reading.today + timedelta(weeks=_step(reading, "week") or 0)).first
    return ranges.day(monday + timedelta(days=reading.weekday))


def _unit(reading: Reading) -> Days | None:
    for unit in UNITS:
        step = _step(reading, unit)
        if step == 0 and unit == "weekend":
            return ranges.weekend_there(reading.today, behind=reading.one_day is Direction.BEHIND)
        if step is not None:
            return ranges.shifted(reading.today, unit, step)
    return None


def _weekend(reading: Reading) -> Days | None:
    where = reading.one_day
    return ranges.weekend_there(reading.today, behind=where is Direction.BEHIND) if where else None


def _weekday(reading: Reading) -> Days | None:
    words, which = reading.words, reading.which
    bare = words.bare_weekday and reading.groups["weekday"] in words.weekdays
    tied = reading.is_tied or ("tied" in reading.groups and _is_adverbial(reading))
    if not which and ((not bare and not tied) or reading.is_everyday("weekday")):
        return None
    where = reading.one_day
    if not which and where is None:
        return None
    return ranges.near_weekday(reading.today, reading.weekday, which, future=where is not Direction.BEHIND)


def _is_adverbial(reading: Reading) -> bool:
    """Return whether a weekday without 'on' tells when: 'We met Friday'; not 'the Friday meeting'."""
    if not reading.words.capitals:
        return True
    is_name = reading.said[reading.match.start("weekday")].isupper()
    return is_name and not context_patterns(reading.words.code)["not_bare"].search(reading.lead)


_READERS: Mapping[Kind, Callable[[Reading], Days | None]] = {
    Kind.ISO: _iso,
    Kind.DIGITS: _digits,
    Kind.DAY_AND_MONTH: _day_and_month,
    Kind.PERIOD: _period,
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
    Kind.LONE_DAY: _lone_day,
    Kind.WEEKS_AFTER: _weeks_after,
    Kind.WEEKDAY: _weekday,
}
_YEARLESS = frozenset({Kind.DATE, Kind.DAY_AND_MONTH, Kind.MONTH, Kind.SEASON, Kind.WEEKDAY})
_MAY_RECUR = frozenset({Kind.AHEAD, Kind.DATE, Kind.DAY_AND_MONTH, Kind.PERIOD, Kind.MONTH, Kind.LONE_DAY})
