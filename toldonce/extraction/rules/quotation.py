"""A memory in its speaker's own words: 'The user said: "my exam is tomorrow [4 May 2026]"'. Pure.

Nothing is re-worded: a quotation is a part of its message, with the days that relative dates mean in brackets.
"""

from dataclasses import dataclass
from datetime import datetime

from toldonce.dates import leave_out_doubtful, write_out
from toldonce.extraction.rules.parsed_message import PLAIN, ParsedMessage
from toldonce.extraction.sources import speaker_of
from toldonce.reading.sentences import TextSpan
from toldonce.text.source_marks import said
from toldonce.types import Candidate, MemoryKind

IMPORTANCE = 0.5
"""Of a kept sentence that no slot is read from."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot with its value, such as `location: Oslo`."""

    category: str
    key: str
    value: str
    importance: float
    since: datetime
    """When it became true."""
    confidence: float = PLAIN


def quoted(reading: ParsedMessage, piece: TextSpan) -> str:
    """Return the text of a memory that quotes a part of a message."""
    days = leave_out_doubtful(reading.mentions_in(piece), reading.message.said_at)
    words = write_out(reading.quote(piece), days)
    return said(reading.speaker, " ".join(words.split()))


def note(reading: ParsedMessage, piece: TextSpan, *, importance: float = IMPORTANCE) -> Candidate:
    """Return a note that quotes a part of a message."""
    return Candidate(
        kind=MemoryKind.NOTE,
        text=quoted(reading, piece),
        type="fact",
        importance=importance,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(piece),
        valid_from=_began(reading, piece),
    )


def fact(reading: ParsedMessage, piece: TextSpan, slot: Slot) -> Candidate:
    """Return a fact that quotes the part of a message that states it."""
    return Candidate(
        kind=MemoryKind.FACT,
        text=quoted(reading, piece),
        type=slot.category if slot.category in ("instruction", "preference") else "fact",
        category=slot.category,
        key=slot.key,
        value=slot.value,
        importance=slot.importance,
        confidence=slot.confidence,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(piece),
        valid_from=slot.since,
    )


def _began(reading: ParsedMessage, piece: TextSpan) -> datetime:
    """Return when what a part tells began: the first day it names that is not ahead, else when it was said."""
    said_at = reading.message.said_at
    starts = [day.start for day in reading.mentions_in(piece) if day.start <= said_at and not day.recurs]
    return min(starts, default=said_at)
