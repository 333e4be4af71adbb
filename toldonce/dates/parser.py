"""Find English date words, and read them against the moment they were said: 'yesterday', 'since 2019'. Pure."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo

from toldonce.dates import ranges
from toldonce.dates.mention import MONTHS, SEASONS, DateMention, Days, mention
from toldonce.dates.moment import COUNT, UNIT, Moment
from toldonce.dates.tense import Direction, is_ahead, is_put_off, recurs, surely_ahead
from toldonce.lazy_pattern import LazyPattern

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()

_MONTH_NAMES = {name.lower(): number for number, name in enumerate(MONTHS, start=1)}
_MONTH_NUMBER = _MONTH_NAMES | {name[:3]: number for name, number in _MONTH_NAMES.items()} | {"sept": 9}
_MONTH = "(?P<month>" + "|".join([*_MONTH_NAMES, "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"]) + r")\b\.?"
_WEEKDAY = (
    "(?P<weekday>" + "|".join([*_WEEKDAYS, "mon|tues|tue|weds|wed|thurs|thur|thu|fri|sat|sun"]) + r")\b(?!['’]s\b)"
)
_DAY_NAME = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_ONE = r"(?P<one>\d{1,2})(?:st|nd|rd|th)?\b"
_MONTH_ONE = _MONTH.replace("<month>", "<month_one>")
_TO = r"\s*+(?:-|–|—|to|until|till|through|(?P<and>and))\s*+"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_SEASON = "(?P<season>" + "|".join(SEASONS) + r")\b"
_TIE = r"(?:(?P<tie>on|in|since|until|till|by|from|during|around|before|after|of)\s++)?"
# 'Tuesday evenings' are not a date.
_PART = r"(?!\s++(?:morning|afternoon|evening|night)s\b)(?:\s++(?:morning|afternoon|evening|night))?"
# 'Monday to Friday' is a week.
_NO_RUN = rf"(?!\s*+(?:-|–|—|to|through|thru|until|till)\s*+{_DAY_NAME}\b)"
_WHICH = r"(?P<which>(?:this\s++|the\s++)?(?:last|past|coming)|next|this)\s++"

# Every day of the month recurs within this many days.
MAX_DAYS_TO_A_DAY = 62

# With 'last week' these words mean the end of something.
_OWN, _OF = (
    LazyPattern(r"\b(?:my|your|his|her|our|their|very)\s$", re.IGNORECASE),
    LazyPattern(r"\sof\b", re.IGNORECASE),
)
# Before 'next day' it means the one after another; before a weekday, any one, or one of a noun.
_ARTICLE = LazyPattern(r"\b(?:the|that|very|an?|every|each|any|most|some|other|alternate|my|our)\s$", re.IGNORECASE)
# What may follow a weekday that is an adverbial by itself; 'the Friday meeting' and 'Sun Hill' have a noun.
_AFTER_BARE = LazyPattern(
    r"\s*+(?:$|[^\w\s]|\d|(?:at|in|with|and|or|so|but|for|from|to|about|because|when|while|after|before|until|till|then|as"
    r"|if|i|we|he|she|they|you|it|my|our|the|that|this|last|next|again|too|already|noon|please|instead|just|off)\b)",
    re.IGNORECASE,
)
# Every time contains one of these: one search instead of eighteen for most sentences, which name no time. The text is
# folded first, as a search regardless of case takes three times as long.
_ANY_TIME = LazyPattern(
    r"\d|\b(?:(?:day|weekend|week|month|year|decade)s?|yesterday|today|tomorrow|tonight|night|morning|afternoon|evening|"
    + "|".join([*SEASONS, *_MONTH_NUMBER, *_WEEKDAYS, "mon|tues|tue|weds|wed|thurs|thur|thu|fri|sat|sun"])
    + r")\b"
)
# Names of months and days that are common words in lower case.
_ALSO_WORDS = {"may", "march", "mar", "jan", "jun", "dec", "sun", "sat", "mon", "wed", "fri", "tue", "thu"}


class _InDoubtError(Exception):
    """Which year is meant is in doubt."""


def may_name_english_time(text: str) -> bool:
    """Return cheaply whether a text needs a closer look; most do not.

    >>> may_name_english_time("since Monday"), may_name_english_time("a monkey of marble")
    (True, False)
    """
    return _ANY_TIME.search(text.casefold()) is not None


def parse_english(text: str, said_at: datetime, zone: tzinfo, default: Direction) -> tuple[DateMention, ...]:
    """Return the times that English date words and dates in digits name; see `parse_dates`."""
    if not may_name_english_time(text):
        return ()
    today = said_at.astimezone(zone).date()
    taken: list[tuple[int, int]] = []
    mentions: list[DateMention] = []
    for pattern, read in _PATTERNS:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            try:
                parsed = _read(Moment(match=match, today=today, default=default), read, zone)
            except _InDoubtError:
                taken.append(match.span())
                continue
            if parsed is not None:
                taken.append(parsed.span)
                mentions.append(parsed)
    return tuple(sorted(mentions, key=lambda parsed: parsed.span))


def _read(moment: Moment, read: Callable[[Moment], Days | None], zone: tzinfo) -> DateMention | None:
    try:
        days = read(moment)
        if days is None:
            return None
        start, end = moment.match.span()
        if not days.explicit and not moment.which and recurs(moment.match.string, start, end):
            days = replace(days, recurs=True)
        if days.doubtful and not days.recurs and not surely_ahead(moment.match.string, start, end):
            raise _InDoubtError
        return mention(
            days,
            quote=moment.match.group(),
            start=moment.match.start(),
            preposition=_preposition(moment),
            zone=zone,
        )
    except (ValueError, OverflowError):  # not a date: 30 February, 900 years ago
        return None


def _preposition(moment: Moment) -> str:
    part = moment.get("part").strip(" -")
    if part:
        return f"in {part}"
    tie = moment.get("tie")
    return "" if tie in ("in", "on") else tie


def _numeric(moment: Moment) -> Days:
    return ranges.day(date(*(int(moment.get(part)) for part in ("year", "number", "day"))), explicit=True)


def _slashed(moment: Moment) -> Days | None:
    one, two = int(moment.get("one")), int(moment.get("two"))
    if one <= 12 and two <= 12 and one != two:
        return None  # 05/07/2023 is May in one country and July in another
    number, of_month = (two, one) if one > 12 else (one, two)
    return ranges.day(date(int(moment.get("year")), number, of_month), explicit=True)


def _small_word(moment: Moment, group: str) -> bool:
    written = moment.match.group(group)
    return written.islower() and written in _ALSO_WORDS


def _may_count(moment: Moment) -> bool:
    """Return whether digits beside a small word that is a month, too, may count things: '1 dec file', '2 may go'."""
    is_bare = not moment.get("year") and moment.get("tie") in ("", "in") and moment.match.group()[-1:].isalnum()
    return is_bare and _small_word(moment, "month") and not _AFTER_BARE.match(moment.match.string, moment.match.end())


def _written_day(moment: Moment) -> Days | None:
    if _may_count(moment):
        return None
    number, of_month = _MONTH_NUMBER[moment.get("month")], int(moment.get("day"))
    if moment.get("year"):
        return ranges.day(date(int(moment.get("year")), number, of_month), explicit=True)
    return ranges.near_day(moment.today, number, of_month, future=moment.future)


def _period(moment: Moment) -> Days | None:
    """Read '3 to 9 March', 'March 3-9', '30 March to 4 April'."""
    if (moment.get("and") and not moment.match.group().lower().startswith("between")) or _may_count(moment):
        return None  # 'rooms 3 and 4', '2 to 3 may fail'
    last_month = _MONTH_NUMBER[moment.get("month")]
    first_month = _MONTH_NUMBER[moment.get("month_one")] if moment.get("month_one") else last_month
    ends = ranges.near_day(moment.today, last_month, int(moment.get("day")), future=moment.future).last
    if moment.get("year"):
        ends = date(int(moment.get("year")), last_month, int(moment.get("day")))
    year = ends.year - (first_month > last_month)
    begins = date(year, first_month, int(moment.get("one")))
    explicit = bool(moment.get("year"))
    return replace(ranges.period(begins, ends, explicit=explicit), yearless=not explicit) if begins < ends else None


def _day_alone(moment: Moment) -> Days:
    """Read 'on the 14th': the nearest one."""
    if moment.future is None:
        raise _InDoubtError
    step = 1 if moment.future else -1
    found = moment.today
    for _ in range(MAX_DAYS_TO_A_DAY):
        found += timedelta(days=step)
        if found.day == int(moment.get("day")):
            return ranges.day(found)
    raise ValueError("no month near has such a day")


def _days_alone(moment: Moment) -> Days | None:
    """Read 'from the 23rd to the 30th': the nearest run of such days."""
    if moment.get("and") and not moment.match.group().lower().startswith("between"):
        return None
    ends = _day_alone(moment).last
    begins = ends - timedelta(days=1)
    while begins.day != int(moment.get("one")):
        if ends - begins > timedelta(days=MAX_DAYS_TO_A_DAY):
            return None
        begins -= timedelta(days=1)
    return ranges.period(begins, ends)


def _moved_to(read: Callable[[Moment], Days | None]) -> Callable[[Moment], Days | None]:
    """Read 'to June', 'to the 16th' if something was moved there."""
    return lambda moment: read(moment) if is_put_off(moment.match.string, moment.match.start()) else None


def _weeks_on(moment: Moment) -> Days:
    """Read 'a week on Monday': that many weeks after the next one."""
    number = next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(moment.get("weekday")[:3]))
    monday = ranges.near_weekday(moment.today, number, "", future=True).first
    return ranges.day(monday + timedelta(weeks=moment.count))


def _named_month(moment: Moment) -> Days | None:
    number = _MONTH_NUMBER[moment.get("month")]
    if moment.get("year"):
        return ranges.month(int(moment.get("year")), number, explicit=True)
    tied = moment.get("tie") or moment.get("part") or moment.which in ("last", "next")
    if not tied and (moment.which != "this" or _small_word(moment, "month")):
        return None
    return ranges.near_month(moment.today, number, moment.which, future=moment.future)


def _named_season(moment: Moment) -> Days | None:
    name = moment.get("season")
    if moment.get("year"):
        return ranges.season(name, int(moment.get("year")), explicit=True)
    where = moment.one_day
    if not moment.which and (moment.get("tie") in ("", "of", "by") or where is None):
        return None  # 'the haze of summer', 'I walk a lot in summer'
    return ranges.near_season(moment.today, name, moment.which, future=where is Direction.AHEAD)


def _plain_year(moment: Moment) -> Days:
    return ranges.year(int(moment.get("year")), explicit=True)


def _ago(moment: Moment) -> Days:
    return ranges.shifted(moment.today, moment.get("unit"), -moment.count)


def _ahead(moment: Moment) -> Days | None:
    if not is_ahead(moment.match.string, *moment.match.span(), rate=moment.get("count") in ("a", "an")):
        return None
    return ranges.shifted(moment.today, moment.get("unit"), moment.count)


def _which_unit(moment: Moment) -> Days | None:
    step = {"last": -1, "this": 0, "next": 1}[moment.which]
    if moment.which == "last" and (moment.get("unit") == "day" or _is_final(moment)):
        return None  # 'my last week there', 'last year of school'
    if moment.which == "next" and (moment.get("unit") == "day" or _ARTICLE.search(moment.lead)):
        return None  # the one after another: 'the next day'
    if moment.get("which").startswith("the") and moment.which == "last" and moment.get("unit") != "weekend":
        return None  # 'the last year' is a duration
    if moment.which == "this" and moment.get("unit") == "weekend":
        return ranges.weekend_there(moment.today, behind=moment.one_day is Direction.BEHIND)
    return ranges.shifted(moment.today, moment.get("unit"), step)


def _is_final(moment: Moment) -> bool:
    """Return whether 'last' means the final one, not the previous one."""
    text = moment.match.string
    return bool(_OWN.search(text, max(0, moment.match.start() - 12), moment.match.start())) or bool(
        _OF.match(text, moment.match.end())
    )


def _over_weekend(moment: Moment) -> Days | None:
    where = moment.one_day
    return ranges.weekend_there(moment.today, behind=where is Direction.BEHIND) if where else None


def _named_weekday(moment: Moment) -> Days | None:
    if not moment.which and not moment.get("tie") and not _is_adverbial(moment):
        return None
    if not moment.which and _small_word(moment, "weekday"):
        return None
    where = moment.one_day
    if not moment.which and where is None:
        return None
    abbreviated = moment.get("weekday")
    number = next(n for n, name in enumerate(_WEEKDAYS) if name.startswith(abbreviated[:3]))
    return ranges.near_weekday(moment.today, number, moment.which, future=where is not Direction.BEHIND)


def _is_adverbial(moment: Moment) -> bool:
    """Return whether a weekday without 'on' tells when: 'We met Friday'; not 'the Friday meeting'."""
    is_name = moment.match.group("weekday")[0].isupper() and not _ARTICLE.search(moment.lead)
    return is_name and bool(_AFTER_BARE.match(moment.match.string, moment.match.end()))


def _days_off(count: int) -> Callable[[Moment], Days]:
    return lambda moment: ranges.shifted(moment.today, "day", count)


def _compiled(pattern: str) -> LazyPattern[str]:
    return LazyPattern(rf"\b{pattern}", re.IGNORECASE)


# Most specific first: words matched by an earlier pattern are not read by a later one.
_PATTERNS: tuple[tuple[LazyPattern[str], Callable[[Moment], Days | None]], ...] = (
    (_compiled(_TIE + r"(?P<year>\d{4})[-/](?P<number>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)"), _numeric),
    (_compiled(_TIE + r"(?P<one>\d{1,2})[/.](?P<two>\d{1,2})[/.](?P<year>(?:19|20)\d\d)\b"), _slashed),
    (
        _compiled(
            rf"(?:from\s++|between\s++)?(?:the\s++)?{_ONE}(?:\s++(?:of\s++)?{_MONTH_ONE})?{_TO}(?:the\s++)?{_DAY}"
            rf"(?:\s++of)?\s++{_MONTH}(?:,?\s++{_YEAR})?"
        ),
        _period,
    ),
    (_compiled(rf"(?:from\s++|between\s++)?{_MONTH}\s++{_ONE}{_TO}{_DAY}(?!:)(?:,?\s++{_YEAR})?"), _period),
    (
        _compiled(_TIE + rf"(?:{_DAY_NAME},?\s++)?(?:the\s++)?{_DAY}(?:\s++of)?\s++{_MONTH}(?:,?\s++{_YEAR})?"),
        _written_day,
    ),
    (_compiled(_TIE + rf"(?:{_DAY_NAME},?\s++)?{_MONTH}\s++(?:the\s++)?{_DAY}(?!:)(?:,?\s++{_YEAR})?"), _written_day),
    (
        _compiled(_TIE + rf"(?P<part>(?:early|late|mid)[\s-])?(?:{_WHICH})?{_MONTH}(?:(?:\s++of)?,?\s++{_YEAR})?"),
        _named_month,
    ),
    (_compiled(_TIE + rf"(?:{_WHICH}|the\s++)?{_SEASON}(?:(?:\s++of)?\s++{_YEAR})?"), _named_season),
    (
        _compiled(
            rf"(?P<tie>in|since|during|from|until|till|by|around|before|after|of)\s++(?:early\s++|"
            rf"late\s++)?{_YEAR}(?!\s*+[-–]\d)"
        ),
        _plain_year,
    ),
    (_compiled(rf"(?:about\s++|around\s++|over\s++)?{COUNT}\s++{UNIT}\s++(?:ago|back)\b"), _ago),
    (_compiled(rf"in\s++(?:about\s++)?{COUNT}\s++{UNIT}\b(?!\s++(?:of|ago))"), _ahead),
    (_compiled(rf"{COUNT}\s++{UNIT}\s++from\s++now\b"), _ahead),
    (_compiled(r"(?:the\s++)?day\s++before\s++yesterday\b"), _days_off(-2)),
    (_compiled(r"(?:the\s++)?day\s++after\s++tomorrow\b"), _days_off(2)),
    (
        _compiled(rf"(?<!\blike\s)(?<!\blike\sjust\s)(?<!\blike\sonly\s)(?:yesterday{_PART}|last\s++night)\b"),
        _days_off(-1),
    ),
    (_compiled(rf"tomorrow{_PART}\b"), _days_off(1)),
    (_compiled(r"(?:earlier\s++today|today|tonight|this\s++(?:morning|afternoon|evening))\b"), _days_off(0)),
    (_compiled(_TIE + rf"{_WHICH}{UNIT}\b(?<!s)"), _which_unit),
    (
        _compiled(rf"(?P<count>a|one|two|three)\s++weeks?\s++(?:on|from)\s++(?:this\s++|next\s++)?{_WEEKDAY}"),
        _weeks_on,
    ),
    (
        _compiled(
            rf"(?:from|between|on)\s++the\s++(?P<one>\d{{1,2}})(?:st|nd|rd|th)?{_TO}(?:the\s++)?"
            r"(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?!\s++(?:floor|century|grade|street|place|of))"
        ),
        _days_alone,
    ),
    (
        _compiled(
            r"(?P<tie>to)\s++the\s++(?P<day>\d{1,2})(?:st|nd|rd|th)"
            r"(?=\s*+(?:[,.;:!?)]|$|(?:at|in|with|and|so|for|we|i|because|but|or|now|instead|if|please)\b))"
        ),
        _moved_to(_day_alone),
    ),
    (_compiled(rf"(?P<tie>to)\s++(?:{_WHICH})?{_MONTH}(?!\s++(?:\d|(?-i:[A-Z])))"), _moved_to(_named_month)),
    (
        _compiled(
            r"(?P<tie>on|by|until|till|from|since|for)\s++the\s++(?P<day>\d{1,2})(?:st|nd|rd|th)"
            r"(?=\s*+(?:[,.;:!?)]|$|(?:at|in|with|and|so|for|we|i|to|because|but|or|from|if|please)\b))"
        ),
        _day_alone,
    ),
    (_compiled(r"(?:over|during|on|at)\s++the\s++weekend\b"), _over_weekend),
    (_compiled(_TIE + rf"(?:{_WHICH})?(?<!to\s){_WEEKDAY}{_PART}{_NO_RUN}"), _named_weekday),
)
