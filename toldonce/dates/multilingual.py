"""Dates of a text in any language whose date words are known: each part of it is read in its own. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from toldonce.dates.mention import DateMention, Precision, mention
from toldonce.dates.parser import may_name_english_time, parse_english
from toldonce.dates.spoken import Part, foreign_parts
from toldonce.dates.tense import Direction
from toldonce.memo import remembered
from toldonce.text.sentence_ends import sentence_ends

if TYPE_CHECKING:
    from toldonce.dates.foreign import Found

# Only this many characters are read, as a paste of megabytes must not delay a recall.
MAX_READ_CHARACTERS = 20_000


def may_name_time(text: str) -> bool:
    """Return cheaply whether a text needs a closer look; most in English do not.

    >>> may_name_time("since Monday"), may_name_time("a monkey of marble"), may_name_time("ich war es")
    (True, False, True)
    """
    return may_name_english_time(text) or bool(foreign_parts(text))


def parse_dates(
    text: str, *, said_at: datetime, zone: tzinfo, default: Direction = Direction.BEHIND
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

    >>> from datetime import UTC
    >>> from zoneinfo import ZoneInfo
    >>> said_at = datetime(2023, 5, 8, 12, tzinfo=UTC)
    >>> [found.phrase for found in parse_dates("I met Ana yesterday", said_at=said_at, zone=ZoneInfo("UTC"))]
    ['on 7 May 2023']
    >>> [found.absolute for found in parse_dates("Ich sah Ana gestern", said_at=said_at, zone=ZoneInfo("UTC"))]
    ['7 May 2023']
    """
    return list(_parsed(text[:MAX_READ_CHARACTERS], said_at, zone, default))


@remembered
def _parsed(text: str, said_at: datetime, zone: tzinfo, default: Direction) -> tuple[DateMention, ...]:
    parts = foreign_parts(text)
    english = parse_english(text, said_at, zone, default)
    if not parts:
        return _of_named_years(text, english)
    mentions: list[DateMention] = []
    for part in parts:
        dates = _foreign(text, part, said_at, zone, default)
        if dates or part.is_sure:
            english = tuple(found for found in english if not _overlaps(part, found.span))
        mentions += dates
    return _of_named_years(text, sorted((*english, *mentions), key=lambda found: found.span))


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


def _overlaps(part: Part, span: tuple[int, int]) -> bool:
    return part.start < span[1] and span[0] < part.end


def _read_alike(read: Mapping[str, list["Found"]]) -> tuple[str, list["Found"]]:
    """Return the dates that a text in one of several languages names, and one of these; no date that differs."""
    language = next((code for code, dates in read.items() if dates), "")
    others = [{found.span[0]: found.days for found in dates} for dates in read.values()]
    same = [
        each
        for each in read.get(language, [])
        if all(days.get(each.span[0], each.days) == each.days for days in others)
    ]
    return language, same


def _foreign(text: str, part: Part, said_at: datetime, zone: tzinfo, default: Direction) -> list[DateMention]:
    from toldonce.dates.foreign import foreign_dates  # most processes need none of it

    today, said = said_at.astimezone(zone).date(), text[part.start : part.end]
    language, dates = _read_alike({code: foreign_dates(said, code, today, default) for code in part.languages})
    mentions = []
    for found in dates:
        start, end = (part.start + place for place in found.span)
        try:
            read = mention(
                found.days,
                quote=text[start:end],
                start=start,
                preposition=found.preposition,
                zone=zone,
                language=language,
            )
        except OverflowError:  # outside the range of datetime
            continue
        mentions.append(read)
    return mentions
