"""What the readers of exports yield: conversations, memories, and what could not be read. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, TypeAlias

from toldonce.datasets.recordings import BadRecord, BadRecordError, read_date

# Length of an id as a product's file may give it; a longer one is replaced by its hash.
MAX_ID_CHARACTERS = 100
_ID_MARKS = "-_.:@"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMessage:
    """A message as a product exported it."""

    id: str
    parent: str | None
    """Id of the message it answers or follows; None, or an id that the conversation has not: it is a first message."""
    role: str
    """`user` or `assistant`; a message with another role keeps the tree together, and is not recorded."""
    text: str
    """Its words; a message without any is not recorded."""
    said_at: datetime | None
    """Aware, UTC; None: unknown, so it is that of the message before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceConversation:
    """A conversation as a product exported it."""

    id: str
    messages: tuple[SourceMessage, ...]
    current: str | None = None
    """Id of the message that the product showed last; None: the last of the file."""
    created_at: datetime | None = None
    owner: str = ""
    """The product's user who had it, where an export has several."""
    where: str
    """Position in the export: 'conversations.json: record 7'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMemory:
    """A memory that another product kept."""

    id: str
    text: str
    since: datetime | None = None
    """When that product learned it (aware, UTC); None: unknown."""
    type: str = ""
    owner: str = ""
    """The product's user whom it is about, where an export has several."""
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A conversation or memory that its user kept out of memory, or that has no words."""

    reason: str
    where: str


SourceRecord: TypeAlias = SourceConversation | SourceMemory | LeftOut | BadRecord
"""What a source yields."""
SourceRecords: TypeAlias = Iterator[SourceRecord]

NOT_TO_REMEMBER = "not to be remembered"
TEMPORARY = "temporary"
NO_WORDS = "no words"


def source_id(value: object, *otherwise: str) -> str:
    """Return an id that a file gives, or a hash of what identifies the record if it gives none that can be kept.

    >>> source_id("6b0f-1"), source_id(7), len(source_id(None, "I like figs."))
    ('6b0f-1', '7', 24)
    """
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if text and len(text) <= MAX_ID_CHARACTERS and all(mark.isalnum() or mark in _ID_MARKS for mark in text):
        return text
    return blake2b("\0".join((text, *otherwise)).encode("utf-8", "replace"), digest_size=12).hexdigest()


def date_or_none(value: object) -> datetime | None:
    """Read a date of a file; None if there is none, or none that can be read.

    >>> date_or_none(1_777_795_200.5).isoformat(), date_or_none("soon")
    ('2026-05-03T08:00:00.500000+00:00', None)
    """
    if value is None or value == "":
        return None
    try:
        return read_date(value, UTC)
    except BadRecordError:
        return None


def mapping_of(value: object) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence_of(value: object) -> Sequence[Any]:
    """Return a value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def text_of(value: object) -> str:
    """Return a value if it is text, else no text."""
    return value if isinstance(value, str) else ""
