"""What a memory puts in the place of each placeholder of a row. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from recollect.chat.content import speaker_name
from recollect.dates import Direction, parse_dates
from recollect.prompt.escape import escape_quotation
from recollect.types import Memory, MemoryKind

# Most spoken names are short; what is longer is no name.
_MAX_NAME_CHARACTERS = 60
_UNITS = ((365, "year"), (7, "week"), (1, "day"))
# Put before what was ahead when it was said; a whole message may say more than that.
_PASSED = {
    MemoryKind.NOTE: "Was still ahead then, and the day has passed: ",
    MemoryKind.TURN: "Days named here have passed: ",
}
# What comes round every year or week is ahead again.
_RECURS = re.compile(r"\b(?:birthdays?|anniversar(?:y|ies)|every|each|\w{3,6}days)\b", re.IGNORECASE)
# Characters in which a day that has passed is looked for: each request does so for each note it shows.
_MAX_DATED = 500
_WHO = {"user": "the user", "assistant": "the assistant"}


@dataclass(frozen=True, slots=True)
class RowFormat:
    """How rows are read."""

    zone: ZoneInfo
    now: datetime
    longest: int
    scale: int
    """Importance is written from 0 to this; of 10, from 1."""

    def day(self, memory: Memory) -> date:
        """Return the day on which something was said, for the reader."""
        return memory.valid_from.astimezone(self.zone).date()


def value_of(name: str, memory: Memory, reading: RowFormat) -> str:
    """Return what stands for a placeholder; an unknown one is empty."""
    write = _VALUES.get(name)
    return write(memory, reading) if write else ""


def age(day: date, today: date) -> str:
    """Say how long ago a day was, in days, from a week on in weeks, from a year on in years.

    The words stay the same all day long, which keeps a prompt's cache.

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
    """Write an importance, stored from 0 to 1, on the scale of an interface.

    >>> importance(0.9, 1), importance(0.75, 1), importance(0.75, 10), importance(0.0, 10)
    ('0.9', '0.75', '8', '1')
    """
    if scale == 1:
        whole, _, rest = f"{weight:.2f}".partition(".")
        return f"{whole}.{rest.rstrip('0') or '0'}"
    return str(min(scale, max(1, int(weight * scale + 0.5))))


def who(memory: Memory) -> str:
    """Say who said it: a role in words, or a name that cannot pass for one."""
    role = next((one.role for one in memory.evidence), "")
    # A name that reads as a role counts only where nothing says which role it was.
    name = (speaker_name(memory.speaker) or role) if role else memory.speaker
    return _WHO.get(name) or escape_quotation(name, _MAX_NAME_CHARACTERS).strip("()") or "somebody"


def _class(memory: Memory, reading: RowFormat) -> str:
    return escape_quotation(memory.type or memory.kind.value, _MAX_NAME_CHARACTERS).upper()


def _turns(memory: Memory, reading: RowFormat) -> str:
    first, last = memory.detail.first_turn, memory.detail.last_turn
    if not first:
        return reading.day(memory).isoformat()
    return f"turns {first}-{last}" if last > first else f"turn {first}"


def has_passed(memory: Memory, reading: RowFormat) -> bool:
    """Return whether a note or a quotation tells of a day ahead which has passed since it was said."""
    text = memory.text[:_MAX_DATED]
    if memory.kind not in _PASSED or _RECURS.search(text):
        return False
    said_at = max((source.said_at for source in memory.evidence), default=memory.valid_from)
    mentions = parse_dates(text, said_at=said_at, zone=reading.zone, default=Direction.AHEAD)
    ahead = [mention for mention in mentions if mention.start > said_at and not mention.recurs]
    return bool(ahead) and all(mention.end <= reading.now for mention in ahead)


def _past(memory: Memory, reading: RowFormat) -> str:
    return _PASSED[memory.kind] if has_passed(memory, reading) else ""


_VALUES: Mapping[str, Callable[[Memory, RowFormat], str]] = {
    "text": lambda memory, reading: escape_quotation(memory.text, reading.longest),
    "key": lambda memory, reading: escape_quotation(memory.key, reading.longest),
    "value": lambda memory, reading: escape_quotation(memory.value, reading.longest),
    "summary": lambda memory, reading: escape_quotation(memory.detail.summary or memory.text, reading.longest),
    "sourceContext": lambda memory, reading: escape_quotation(memory.detail.source_context, reading.longest),
    "memoryType": _class,
    "importance": lambda memory, reading: importance(memory.importance, reading.scale),
    "age": lambda memory, reading: age(reading.day(memory), reading.now.astimezone(reading.zone).date()),
    "date": lambda memory, reading: reading.day(memory).isoformat(),
    "turns": _turns,
    "past": _past,
    "speaker": lambda memory, reading: who(memory),
    "from": lambda memory, reading: f"from {who(memory)}, " if memory.speaker else "",
}
