"""Find the dates of a text, each part of it in its language: 'yesterday', 'letzten Montag', '3月12日'. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from toldonce.dates.clause import Direction
from toldonce.dates.mention import DateMention, Days, Precision, mention
from toldonce.dates.patterns import TIES, Kind, date_patterns, hint_pattern
from toldonce.dates.readings import Reading, days_of
from toldonce.dates.spoken import Part, foreign_parts
from toldonce.dates.vocabulary import date_words, flat
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.text.sentence_ends import sentence_ends

# Only this many characters are read, as a paste of megabytes must not delay a recall.
MAX_READ_CHARACTERS = 20_000
_DIGIT = LazyPattern(r"\d")
Span = tuple[int, int]
"""Start and end of a part of a text."""


@dataclass(frozen=True, slots=True)
class Found:
    """Days that words of a text name."""

    days: Days
    span: Span
    tie: str
    """Which of `TIES` leads to them, or empty."""


def may_name_time(text: str) -> bool:
    """Return cheaply whether a text needs a closer look; most in English do not.

    >>> may_name_time("since Monday"), may_name_time("a monkey of marble"), may_name_time("ich war es")
    (True, False, True)
    """
    return bool(hint_pattern("en").search(text.casefold()) or foreign_parts(text))


def parse_dates(
    text: str,
    *,
    said_at: datetime,
    zone: tzinfo,
    default: Direction = Direction.BEHIND,
    coming: Sequence[Span] = (),
) -> list[DateMention]:
    """Return the times that a text names, in order and without overlap.

    The tense of its clause decides whether 'Friday' or 'in May' is in the future or the past. Vague numbers ('a few
    days ago'), durations and dates that do not exist ('30 February') are left out.

    Args:
        text: Any text. Each part in another language than English is read in that language, if its date words are
            known; the rest is read as English.
        said_at: When it was said (aware).
        zone: The speaker's time zone, which determines when a day begins.
        default: For dates whose clause has no verb: 'dentist on Friday'.
        coming: Parts of the text that tell of something ahead, not of every week: where the verb leaves it open, a
            weekday in them is the next one.

    >>> from datetime import UTC
    >>> from zoneinfo import ZoneInfo
    >>> said_at = datetime(2023, 5, 8, 12, tzinfo=UTC)
    >>> [found.absolute for found in parse_dates("I met Ana yesterday", said_at=said_at, zone=ZoneInfo("UTC"))]
    ['7 May 2023']
    >>> [found.absolute for found in parse_dates("Ich sah Ana gestern", said_at=said_at, zone=ZoneInfo("UTC"))]
    ['7 May 2023']
    """
    return list(_parsed(text[:MAX_READ_CHARACTERS], said_at, zone, default, tuple(coming)))


@remembered
def _parsed(
    text: str, said_at: datetime, zone: tzinfo, default: Direction, coming: tuple[Span, ...]
) -> tuple[DateMention, ...]:
    today, mentions = said_at.astimezone(zone).date(), list[DateMention]()
    for part in (Part(0, len(text), ("en",), is_sure=False), *foreign_parts(text)):
        ahead = tuple((start - part.start, end - part.start) for start, end in coming)
        said = text[part.start : part.end]
        read = {code: find_dates(said, code, today, default, ahead) for code in part.languages}
        dates = [*_mentions(text, part, read, zone)]
        if dates or part.is_sure:
            mentions = [found for found in mentions if found.language != "en" or not _overlaps(part, found.span)]
        mentions += dates
    return _of_named_years(text, sorted(mentions, key=lambda found: found.span))


def _of_named_years(text: str, mentions: Sequence[DateMention]) -> tuple[DateMention, ...]:
    """Leave out days that would be of another year than the date before them: 'from 13 April 2024 to 20 April'."""
    kept, named = list[DateMention](), None
    for found in mentions:
        if found.explicit:
            named = found
        elif named and found.yearless and found.first.year != named.first.year:
            is_alike = named.precision in (found.precision, Precision.YEAR)
            if is_alike and not sentence_ends(text[named.span[1] : found.span[0]]):
                continue
        kept.append(found)
    return tuple(kept)


def _overlaps(part: Part, span: Span) -> bool:
    return part.start < span[1] and span[0] < part.end


def _read_alike(read: Mapping[str, list[Found]]) -> tuple[str, list[Found]]:
    """Return the dates that a text in one of several languages names, and one of these; no date that differs."""
    language = next((code for code, dates in read.items() if dates), "")
    others = [{found.span[0]: found.days for found in dates} for dates in read.values()]
    same = [
        each
        for each in read.get(language, [])
        if all(days.get(each.span[0], each.days) == each.days for days in others)
    ]
    return language, same


def _mentions(text: str, part: Part, read: Mapping[str, list[Found]], zone: tzinfo) -> Iterator[DateMention]:
    """Yield the dates of a part of a text; `read` has those in each language that it may be in."""
    language, dates = _read_alike(read)
    for found in dates:
        start, end = (part.start + place for place in found.span)
        quote = text[start:end]
        with suppress(OverflowError):  # outside the range of datetime
            yield mention(found.days, quote=quote, start=start, tie=found.tie, zone=zone, language=language)


def find_dates(text: str, code: str, today: date, default: Direction, coming: Sequence[Span] = ()) -> list[Found]:
    """Return the days that a text in a covered language names, without overlap.

    Args:
        text: A part of a text in one language.
        code: The language.
        today: The day it was said, for its speaker.
        default: For dates whose clause does not tell its tense.
        coming: See `parse_dates`.
    """
    if not hint_pattern(code).search(text.casefold()):
        return []
    flattened, words = flat(text), date_words(code)
    taken = bytearray(len(text))
    has_digits = bool(_DIGIT.search(flattened))
    found: list[Found] = []
    for pattern in date_patterns(code):
        for match in pattern.pattern.finditer(flattened) if has_digits or not pattern.has_digits else ():
            start, end = match.span()
            if any(taken[start:end]):
                continue
            groups = {name: group for name, group in match.groupdict().items() if group is not None}
            is_coming = any(first <= start < last for first, last in coming)
            reading = Reading(
                match=match,
                words=words,
                today=today,
                default=default,
                said=text,
                groups=groups,
                is_coming=is_coming,
            )
            days = days_of(pattern.kind, reading)
            if days is not None or pattern.kind is Kind.BLOCKED:
                taken[start:end] = b"\1" * (end - start)
            if days is not None and (not days.doubtful or days.recurs or reading.clause.is_future):
                found.append(Found(days, (start, end), next((name for name in TIES if name in groups), "")))
    return found
