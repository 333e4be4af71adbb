"""Values of the placeholders in a row. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from toldonce.chat.content import speaker_name
from toldonce.dates import DateMention, Direction, leave_out_doubtful, parse_dates, write_out, written
from toldonce.lazy_pattern import LazyPattern
from toldonce.prompt.escape import escape_quotation
from toldonce.prompt.sentences import fact_sentence, key_of_speaker
from toldonce.text.source_marks import words_said
from toldonce.time_zones import day_of, zone_of
from toldonce.types import MAX_MEMORY_CHARACTERS, Memory, MemoryKind

# Names are short; a longer text is not a name.
_MAX_NAME_CHARACTERS = 60
_UNITS = ((365, "year"), (7, "week"), (1, "day"))
# Prefixes for plans whose day has passed; a quotation may say other things as well.
_PASSED = {
    MemoryKind.NOTE: "Was still ahead then, and the day has passed: ",
    MemoryKind.TURN: "Days named here have passed: ",
}
# Recurring days are in the future again.
_RECURS = LazyPattern(r"\b(?:birthdays?|anniversar(?:y|ies)|every|each|\w{3,6}days)\b", re.IGNORECASE)
# Only this many characters are read for days that have passed: every request does so for every note it shows.
_MAX_DATED = 500
_ROLES = {"user": "the user", "assistant": "the assistant"}


@dataclass(frozen=True, slots=True)
class RowFormat:
    """How the values of a row are written."""

    zone: tzinfo
    now: datetime
    max_characters: int
    scale: int
    """Importance is written from 0 to 1 if this is 1, from 1 to 10 if it is 10."""

    def day(self, memory: Memory) -> date:
        """Return the day on which something was said: where it was said, or else where the reader is."""
        return day_of(memory.valid_from, self.zone)


def value_of(name: str, memory: Memory, reading: RowFormat) -> str:
    """Return the value of a placeholder; empty for an unknown one."""
    write = _VALUES.get(name)
    return write(memory, reading) if write else ""


def age(day: date, today: date) -> str:
    """Return how long ago a day was: in days, from a week on in weeks, from a year on in years.

    The words stay the same all day, which keeps a prompt's cache.

    >>> age(date(2026, 5, 3), date(2026, 5, 3)), age(date(2026, 5, 2), date(2026, 5, 3))
    ('today', '1 day ago')
    >>> age(date(2026, 4, 26), date(2026, 5, 3)), age(date(2026, 4, 1), date(2026, 5, 3))
    ('1 week ago', '4 weeks ago')
    """
    days = (today - day).days
    if days <= 0:
        return "today"
    count, unit = next((days // length, unit) for length, unit in _UNITS if days >= length)
    return f"{count} {unit}{'' if count == 1 else 's'} ago"


def importance(weight: float, scale: int) -> str:
    """Return an importance, stored from 0 to 1, on another scale.

    >>> importance(0.9, 1), importance(0.75, 1), importance(0.75, 10), importance(0.0, 10)
    ('0.9', '0.75', '8', '1')
    """
    if scale == 1:
        whole, _, rest = f"{weight:.2f}".partition(".")
        return f"{whole}.{rest.rstrip('0') or '0'}"
    return str(min(scale, max(1, int(weight * scale + 0.5))))


def speaker_of(memory: Memory) -> str:
    """Return the speaker: a role in words, or a name that cannot be mistaken for one."""
    role = next((evidence.role for evidence in memory.evidence), "")
    # A name that reads like a role counts only if the role is unknown.
    name = (speaker_name(memory.speaker) or role) if role else memory.speaker
    plain = escape_quotation(name, _MAX_NAME_CHARACTERS).replace('"', "'").strip("()")
    return _ROLES.get(name) or plain or "someone"


def _class(memory: Memory, reading: RowFormat) -> str:
    return escape_quotation(memory.type or memory.kind.value, _MAX_NAME_CHARACTERS).upper()


def _statement(memory: Memory, reading: RowFormat) -> str:
    """Return a memory as it is stored; what quotes its speaker with the speaker and the day."""
    return fact_sentence(memory, reading.max_characters) if _said(memory, reading) is None else _quote(memory, reading)


def _quote(memory: Memory, reading: RowFormat) -> str:
    """Return a memory between quotation marks, with who said it and when."""
    said = _said(memory, reading)
    if said is None:
        return f'"{fact_sentence(memory, reading.max_characters)}" ({_from(memory)}{written(reading.day(memory))})'
    words = escape_quotation(said, reading.max_characters)
    return f'"{words}" ({speaker_of(memory)}, {written(said_on(memory, reading.zone))})'


def _said(memory: Memory, reading: RowFormat) -> str | None:
    """Return the words that a memory quotes, days written out; None if it is not in its speaker's words."""
    if memory.kind is not MemoryKind.TURN:
        return words_said(memory.text)  # their days were written out when it was formed
    return dated_words(memory, reading.zone, 2 * reading.max_characters)


def dated_words(memory: Memory, zone: tzinfo, max_characters: int = MAX_MEMORY_CHARACTERS) -> str:
    """Return the beginning of a quotation, with the days that its relative dates mean in brackets."""
    text = memory.text[:max_characters]
    return write_out(text, leave_out_doubtful(_days_in(text, memory, zone), _said_at(memory)))


def _days_in(text: str, memory: Memory, zone: tzinfo) -> list[DateMention]:
    """Return the days that a part of a memory's text names, as they were meant when it was said."""
    there = zone_of(memory.valid_from, zone)
    return parse_dates(text, said_at=_said_at(memory), zone=there, default=Direction.AHEAD)


def _said_at(memory: Memory) -> datetime:
    return max((source.said_at for source in memory.evidence), default=memory.valid_from)


def said_on(memory: Memory, zone: tzinfo) -> date:
    """Return the day on which a memory's words were said; it may have begun to be true before."""
    at = memory.evidence[0].said_at if memory.evidence else memory.valid_from
    return at.astimezone(zone_of(memory.valid_from, zone)).date()


def _from(memory: Memory) -> str:
    return f"from {speaker_of(memory)}, " if memory.speaker else ""


def _turns(memory: Memory, reading: RowFormat) -> str:
    first, last = memory.detail.first_turn, memory.detail.last_turn
    if not first:
        return reading.day(memory).isoformat()
    return f"turns {first}-{last}" if last > first else f"turn {first}"


def has_passed(memory: Memory, reading: RowFormat) -> bool:
    """Return whether a note or quotation speaks of a future day that has passed since."""
    text = memory.text[:_MAX_DATED]
    if memory.kind not in _PASSED or _RECURS.search(text):
        return False
    said_at = _said_at(memory)
    ahead = [day for day in _days_in(text, memory, reading.zone) if day.start > said_at and not day.recurs]
    return bool(ahead) and all(day.end <= reading.now for day in ahead)


def _past(memory: Memory, reading: RowFormat) -> str:
    return _PASSED[memory.kind] if has_passed(memory, reading) else ""


_VALUES: Mapping[str, Callable[[Memory, RowFormat], str]] = {
    "text": lambda memory, reading: escape_quotation(memory.text, reading.max_characters),
    "statement": _statement,
    "quote": _quote,
    "key": lambda memory, reading: escape_quotation(memory.key, reading.max_characters),
    "plainKey": lambda memory, reading: escape_quotation(key_of_speaker(memory), reading.max_characters),
    "value": lambda memory, reading: escape_quotation(memory.value, reading.max_characters),
    "summary": lambda memory, reading: escape_quotation(memory.detail.summary or memory.text, reading.max_characters),
    "sourceContext": lambda memory, reading: escape_quotation(memory.detail.source_context, reading.max_characters),
    "memoryType": _class,
    "importance": lambda memory, reading: importance(memory.importance, reading.scale),
    "age": lambda memory, reading: age(reading.day(memory), reading.now.astimezone(reading.zone).date()),
    "date": lambda memory, reading: reading.day(memory).isoformat(),
    "turns": _turns,
    "past": _past,
    "speaker": lambda memory, reading: speaker_of(memory),
    "from": lambda memory, reading: _from(memory),
}
