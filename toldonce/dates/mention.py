"""Meaning of date words: a range of days, its precision, and how to write it without going stale. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

MONTHS = (
    "January February March April May June July August September October November December".split()
)  # index 0 is January
_HALF_A_YEAR_DAYS = 183
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month of each season, in the northern hemisphere."""


class Precision(StrEnum):
    """The unit that date words name."""

    DAY = "day"
    PERIOD = "period"
    """From a day to another: '3 to 9 March'."""
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """A range of calendar days, both ends included."""

    first: date
    last: date
    precision: Precision
    explicit: bool = False
    """The words name the year, so they never go stale."""
    recurs: bool = False
    """It recurs every year, such as a birthday."""
    yearless: bool = False
    """The words leave the year open: 'in May'."""
    doubtful: bool = False
    """Another year may be meant: unless it recurs or is surely in the future, it is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """One mention of a time in a text."""

    quote: str
    """The words, preposition included: 'in May'."""
    span: tuple[int, int]
    """Their position in the text."""
    first: date
    """First day meant, in the speaker's zone."""
    last: date
    """Last day meant."""
    precision: Precision
    start: datetime
    """First moment of the first day (aware, UTC)."""
    end: datetime
    """First moment after the last day (aware, UTC)."""
    tie: str
    """'since', 'until', 'by', 'from', 'before' or 'after', if such a word leads to it; else empty."""
    explicit: bool
    """The words name the year, so they need no rewriting."""
    recurs: bool = False
    """It recurs every year, and is written without a year."""
    yearless: bool = False
    """The words leave the year open: 'in May'."""
    language: str = "en"
    """The language of the words."""

    @property
    def since(self) -> bool:
        """Whether the time continues from there on."""
        return self.tie == "since"

    @property
    def absolute(self) -> str:
        """The time as it reads at any later day: '7 May 2023'."""
        if self.recurs and self.precision is Precision.DAY:
            return f"{self.first.day} {MONTHS[self.first.month - 1]}"
        if self.recurs and self.precision is Precision.MONTH:
            return MONTHS[self.first.month - 1]
        if self.precision is Precision.YEAR:
            return str(self.first.year)
        if self.precision is Precision.MONTH:
            return f"{MONTHS[self.first.month - 1]} {self.first.year}"
        if self.precision is Precision.SEASON:
            return _season(self.first, self.last)
        if self.precision is Precision.DAY:
            return written(self.first)
        if self.precision is Precision.PERIOD:
            return _period(self.first, self.last)
        unit = self.precision.value
        return f"the {unit} of {written(self.first)}"


def written(day: date) -> str:
    """Return a day as text in which month and day cannot be confused.

    >>> written(date(2023, 5, 7))
    '7 May 2023'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _period(first: date, last: date) -> str:
    """Return a range of days as text: '3 to 9 March 2026'."""
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {written(last)}"
    begin = f"{first.day} {MONTHS[first.month - 1]}" if first.year == last.year else written(first)
    return f"{begin} to {written(last)}"


def _season(first: date, last: date) -> str:
    name = next(season for season, month in SEASONS.items() if month == first.month)
    years = str(first.year) if first.year == last.year else f"{first.year}/{last.year % 100:02}"
    return f"the {name} of {years}"


def midnight(day: date, zone: tzinfo) -> datetime:
    """Return the first moment of a day in a zone, in UTC, even if clocks skip midnight.

    >>> from zoneinfo import ZoneInfo
    >>> midnight(date(2024, 3, 10), ZoneInfo("America/New_York")).isoformat()
    '2024-03-10T05:00:00+00:00'
    """
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)


def mention(days: Days, *, quote: str, start: int, tie: str, zone: tzinfo, language: str = "en") -> DateMention:
    """Return the mention of some days by the words that name them.

    Raises:
        OverflowError: The days are outside the range of datetime.
    """
    return DateMention(
        quote=quote,
        span=(start, start + len(quote)),
        first=days.first,
        last=days.last,
        precision=days.precision,
        start=midnight(days.first, zone),
        end=midnight(days.last + timedelta(days=1), zone),
        tie=tie,
        explicit=days.explicit,
        recurs=days.recurs,
        yearless=days.yearless,
        language=language,
    )


def leave_out_doubtful(mentions: Sequence[DateMention], said_at: datetime) -> list[DateMention]:
    """Return the mentions whose year is sure: words that leave it open may mean another of a day half a year away."""
    half = timedelta(days=_HALF_A_YEAR_DAYS)
    return [each for each in mentions if not each.yearless or (each.start - half <= said_at <= each.end + half)]


def write_out(text: str, mentions: Sequence[DateMention]) -> str:
    """Write the days that relative dates mean after them, in brackets: 'tomorrow [4 May 2026]'.

    Dates that name their year stay as they are; every word of the text stays.

    Args:
        text: A part of the text in which the mentions were found, from its beginning.
        mentions: Dates of that text; those outside the part are ignored.
    """
    for mention in sorted(mentions, key=lambda found: found.span, reverse=True):
        start, end = mention.span
        if mention.explicit or mention.recurs or end > len(text):
            continue
        end -= text[start:end].endswith(".")
        # "Tomorrow's exam": the day belongs to the whole word.
        end += 2 if text[end : end + 2] in ("'s", "’s") else 0
        text = f"{text[:end]} [{mention.absolute}]{text[end:]}"
    return text
