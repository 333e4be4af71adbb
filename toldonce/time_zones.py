"""Time zones of users, read as people and programs write them, and the zone that an instant was said in. Pure.

An instant in UTC tells no zone: programs write instants so, wherever their users are.
"""

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern
from toldonce.text_caches import register_text_cache

EXAMPLES = "Europe/Berlin, CET or UTC+2"
# What people say that the database of zones has not, or has without daylight saving. The letters of a zone mean its
# place in summer and winter alike.
_SPOKEN = {
    word: place
    for place, words in {
        "America/New_York": "est edt et eastern",
        "America/Chicago": "cst cdt ct central",
        "America/Denver": "mst mdt mt mountain",
        "America/Los_Angeles": "pst pdt pt pacific",
        "America/Anchorage": "akst akdt",
        "America/Sao_Paulo": "brt",
        "Europe/London": "bst",
        "Europe/Berlin": "cest mez mesz",
        "Europe/Helsinki": "eest",
        "Europe/Moscow": "msk",
        "Europe/Lisbon": "west",
        "Africa/Johannesburg": "sast",
        "Asia/Kolkata": "ist",
        "Asia/Singapore": "sgt",
        "Asia/Hong_Kong": "hkt",
        "Asia/Tokyo": "jst",
        "Asia/Seoul": "kst",
        "Australia/Sydney": "aest aedt",
        "Australia/Adelaide": "acst acdt",
        "Australia/Perth": "awst",
        "Pacific/Auckland": "nzst nzdt",
    }.items()
    for word in words.split()
}
_OFFSET = LazyPattern(
    r"(?:utc|gmt)?\s?(?P<sign>[+\-−–])\s?(?P<hours>\d{1,2})(?::?(?P<minutes>[0-5]\d))?", re.IGNORECASE
)
# A zone in a sentence: an offset, or words with capitals.
_NAMED = LazyPattern(
    r"(?:UTC|GMT)(?:\s?[+\-−–]\s?\d{1,2}(?::?[0-5]\d)?)?|[+\-−–]\d{1,2}:[0-5]\d"
    r"|[A-Z][A-Za-z]+(?:[/_ -][A-Z][A-Za-z]+){0,3}"
)
# Areas of the database of zones whose names end in a city's.
_AREAS = frozenset("Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific".split())
_SAID_BESIDE = LazyPattern(r"\s(?:standard\s|daylight\s|summer\s)?time(?:\szone)?$", re.IGNORECASE)
# The largest offset in use is 14 hours.
_MAX_OFFSET = timedelta(hours=14)
# Zones have short names; a longer text is none.
_MAX_CHARACTERS = 64


@register_text_cache
@lru_cache(maxsize=1024)
def read_zone(text: str) -> tzinfo | None:
    """Return the time zone that a text names; None if it names none.

    >>> str(read_zone("europe/berlin")), str(read_zone("Pacific time")), str(read_zone("UTC+5:30")), read_zone("home")
    ('Europe/Berlin', 'America/Los_Angeles', 'UTC+05:30', None)
    """
    if len(text) > _MAX_CHARACTERS:
        return None
    written = _SAID_BESIDE.sub("", " ".join(text.split()).strip(" ."))
    offset = _OFFSET.fullmatch(written)
    if offset:
        distance = timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"] or 0))
        return timezone(distance if offset["sign"] == "+" else -distance) if distance <= _MAX_OFFSET else None
    word = written.casefold()
    name = word.replace(" ", "_")
    place = _SPOKEN.get(word) or _known_zones().get(name) or _cities().get(name)
    return _zone_info(place) if place else None


def named_zone(text: str) -> tuple[int, int] | None:
    """Return where a sentence first names a time zone: as the database of zones does, by a city or by an offset.

    >>> text = "Meine Zeitzone ist die von New York"
    >>> text[slice(*named_zone(text))], named_zone("Mon fuseau est le même")
    ('New York', None)
    """
    for found in _NAMED.finditer(text):
        end = found.end()
        while end > found.start():
            if read_zone(text[found.start() : end]):
                return found.start(), end
            end = max(text.rfind(mark, found.start(), end) for mark in " -")
    return None


def require_zone(text: str, source: str) -> tzinfo:
    """Return the time zone that a request names.

    Args:
        text: What it says.
        source: The header or argument that says so.

    Raises:
        BadRequestError: It names none.
    """
    zone = read_zone(text)
    if zone is None:
        shown = text[:_MAX_CHARACTERS]
        raise BadRequestError(
            f"{source} is {shown!r}, which is no time zone; write for instance {EXAMPLES}", param=source
        )
    return zone


def zone_of(instant: datetime, otherwise: tzinfo) -> tzinfo:
    """Return the time zone in which something was said at an aware instant.

    >>> zone_of(datetime.fromisoformat("2026-05-04T01:00:00+09:00"), UTC)
    datetime.timezone(datetime.timedelta(seconds=32400))
    >>> zone_of(datetime(2026, 5, 4, tzinfo=UTC), ZoneInfo("Asia/Tokyo")).key
    'Asia/Tokyo'
    """
    return _own_zone(instant) or otherwise


def day_of(instant: datetime, otherwise: tzinfo) -> date:
    """Return the day of an aware instant where it was said.

    >>> day_of(datetime.fromisoformat("2026-05-04T01:00:00+09:00"), UTC).isoformat()
    '2026-05-04'
    """
    return instant.astimezone(zone_of(instant, otherwise)).date()


def in_own_zone(instant: datetime, otherwise: tzinfo = UTC) -> datetime:
    """Return an aware instant in the zone that it tells, else in another."""
    return instant.astimezone(zone_of(instant, otherwise))


def write_zone(instant: datetime) -> str | None:
    """Return the name of the zone that an aware instant tells, as `in_zone` reads it; None for UTC.

    >>> write_zone(datetime.fromisoformat("2026-05-04T01:00:00+09:00")), write_zone(datetime(2026, 5, 4, tzinfo=UTC))
    ('UTC+09:00', None)
    """
    zone = _own_zone(instant)
    return None if zone is None else str(zone)


def in_zone(instant: datetime, written: str | None) -> datetime:
    """Return an instant in the zone of that name; one that this machine does not know leaves it as it is."""
    zone = read_zone(written) if written else None
    return instant if zone is None else instant.astimezone(zone)


def _own_zone(instant: datetime) -> tzinfo | None:
    """Return the zone that an instant tells, as a place or a whole offset in minutes; None for UTC."""
    zone = instant.tzinfo
    if zone is UTC or zone is None:
        return None
    if isinstance(zone, ZoneInfo) and zone.key:
        return None if zone.key in ("UTC", "Etc/UTC") else zone
    minutes = round((instant.utcoffset() or timedelta()) / timedelta(minutes=1))
    return timezone(timedelta(minutes=minutes)) if minutes else None


@cache
def _known_zones() -> dict[str, str]:
    """Return the names of all zones by their folded names."""
    return {name.casefold(): name for name in available_timezones()}


@cache
def _cities() -> dict[str, str]:
    """Return the zones of cities by their folded names; the city of several zones has the one named most shortly."""
    placed = (name for name in available_timezones() if name.partition("/")[0] in _AREAS)
    return {name.rpartition("/")[2].casefold(): name for name in sorted(placed, key=lambda name: (-len(name), name))}


@cache
def _zone_info(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
