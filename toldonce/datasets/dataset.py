"""Common form of all data sets: conversations of dated turns, questions and evidence. Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from typing import Literal

from toldonce.lazy_pattern import LazyPattern


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetTurn:
    """One message of a conversation."""

    id: str
    """Id used by evidence; unique in the conversation."""
    session: str
    """Session of the turn; sessions are consecutive."""
    role: Literal["user", "assistant"]
    speaker: str = ""
    """Name of the speaker; empty if the data has none."""
    text: str
    said_at: datetime
    """Aware, UTC."""

    @property
    def line(self) -> str:
        """Text with its speaker: searched by baselines, and used to count tokens."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetQuestion:
    """A question about a conversation, with its answer and evidence."""

    id: str
    text: str
    category: str
    answer: str = ""
    """Expected answer; empty if the data has none."""
    evidence: frozenset[str] = frozenset()
    """Turns that answer it; without any, it counts in no retrieval figure."""
    sessions: frozenset[str] = frozenset()
    """Sessions that answer it: those of the evidence, or those named by the data."""
    asked_at: datetime | None = None
    """Aware; None: after the last turn."""
    unanswerable: bool = False
    """The conversation does not contain the answer; any answer is wrong."""
    lost: int = 0
    """Number of evidence ids that are not in the conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the data records as worth remembering."""

    text: str
    turns: tuple[str, ...]
    """Turns that it is based on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetConversation:
    """One user's chat over one or more sessions, with its questions."""

    id: str
    turns: tuple[DatasetTurn, ...]
    """In order; at least one."""
    questions: tuple[DatasetQuestion, ...]
    observations: tuple[Observation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A data set."""

    kind: str
    """`locomo`, `beam`, `longmemeval` or `jsonl`."""
    conversations: tuple[DatasetConversation, ...]
    sha256: str
    """Hash of the file; for a folder, of the names and contents of its files."""

    @property
    def turns(self) -> int:
        """Total number of turns."""
        return sum(len(conversation.turns) for conversation in self.conversations)

    @property
    def questions(self) -> int:
        """Total number of questions."""
        return sum(len(conversation.questions) for conversation in self.conversations)


def digest(parts: dict[str, bytes]) -> str:
    """Hash one file by its content, several by their names and contents in order of name."""
    if len(parts) == 1:
        return sha256(next(iter(parts.values()))).hexdigest()
    whole = sha256()
    for name, content in sorted(parts.items()):
        whole.update(f"{name} {sha256(content).hexdigest()}\n".encode())
    return whole.hexdigest()


_DATE = LazyPattern(r"(\d{1,2}):(\d{2})\s*+([ap]m)\s++on\s++(\d{1,2})\s++([A-Za-z]{3,9}),?\s++(\d{4})", re.IGNORECASE)
MONTHS = tuple("january february march april may june july august september october november december".split())


def parse_session_date(value: object, zone: tzinfo) -> datetime | None:
    """Parse a session date as in LoCoMo, in UTC; None if it has another form.

    >>> parse_session_date("1:56 pm on 8 May, 2023", UTC).isoformat()
    '2023-05-08T13:56:00+00:00'
    """
    found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if not found or found[5].lower() not in MONTHS:
        return None
    hour, minute, half, day, month, year = found.groups()
    month_number = MONTHS.index(month.lower()) + 1
    hour_of_day = int(hour) % 12 + (12 if half.lower() == "pm" else 0)
    try:
        return datetime(int(year), month_number, int(day), hour_of_day, int(minute), tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
