"""What every data set becomes: conversations of dated turns, and questions with the turns that answer them. Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from hashlib import sha256
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetTurn:
    """One message of a conversation."""

    id: str
    """By which evidence names it; once in its conversation."""
    session: str
    """The session it was said in; sessions follow one another."""
    role: Literal["user", "assistant"]
    speaker: str = ""
    """Who says it; empty where the data names nobody."""
    text: str
    said_at: datetime
    """Aware, UTC."""

    @property
    def line(self) -> str:
        """The words with who says them: what baselines search, and what every row's tokens are counted of."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetQuestion:
    """What is asked about a conversation, and what is known of the answer."""

    id: str
    text: str
    category: str
    answer: str = ""
    """What is expected; empty where the data does not say."""
    evidence: frozenset[str] = frozenset()
    """The turns that answer it; empty: no figure of retrieval counts it."""
    sessions: frozenset[str] = frozenset()
    """The sessions that answer it: those of the evidence, or what the data names."""
    asked_at: datetime | None = None
    """Aware; None: after the last turn."""
    unanswerable: bool = False
    """The conversation does not say: who answers anyway is wrong."""
    lost: int = 0
    """Evidence that the data names and the conversation has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the data records as worth remembering of a turn."""

    text: str
    turns: tuple[str, ...]
    """The turns it rests on."""


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
    """What was read."""

    kind: str
    """`locomo`, `beam`, `longmemeval` or `jsonl`."""
    conversations: tuple[DatasetConversation, ...]
    sha256: str
    """Of the file; of a folder, of the names and contents of what was read of it."""

    @property
    def turns(self) -> int:
        """How many turns there are in all."""
        return sum(len(conversation.turns) for conversation in self.conversations)

    @property
    def questions(self) -> int:
        """How many questions there are in all."""
        return sum(len(conversation.questions) for conversation in self.conversations)


def digest(parts: dict[str, bytes]) -> str:
    """Hash files: one by its content, several by their names and contents, in the names' order."""
    if len(parts) == 1:
        return sha256(next(iter(parts.values()))).hexdigest()
    whole = sha256()
    for name, content in sorted(parts.items()):
        whole.update(f"{name} {sha256(content).hexdigest()}\n".encode())
    return whole.hexdigest()


_DATE = re.compile(r"(\d{1,2}):(\d{2})\s*+([ap]m)\s++on\s++(\d{1,2})\s++([A-Za-z]{3,9}),?\s++(\d{4})", re.IGNORECASE)
MONTHS = tuple("january february march april may june july august september october november december".split())


def parse_session_date(value: object, zone: tzinfo) -> datetime | None:
    """Read a date as LoCoMo writes it, in UTC; None where it is not of that form.

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
