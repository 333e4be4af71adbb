"""What is to be erased, what was, and the receipt that says of each place how far it went. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.types.memory import ConversationId, MemoryId
from recollect.types.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseRequest:
    """What is to be erased of one subject: memories, messages of one conversation, or all of it."""

    subject: Subject
    memories: tuple[MemoryId, ...] = ()
    conversation: ConversationId | None = None
    seqs: tuple[int, ...] = ()
    """Messages of the conversation; none named: all of it."""
    everything: bool = False
    """All of the subject and of those within it; what else is named does not count."""
    part_of: Subject | None = None
    """The subject whose erasure this is a part of: what that one and others within it hold goes, too."""
    keep_messages: bool = False
    """Leave the messages that the memories rest on."""
    said: frozenset[int] = frozenset()
    """Hashes of what the messages state that are to be erased: a resent history does not bring it back."""
    everywhere: bool = False
    """Copies in other subjects too, and what other subjects formed of the messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRecord:
    """An erasure that was committed."""

    id: str
    at: datetime
    cleaned_at: datetime | None
    """When the last byte of it left file and log; None while that is pending."""
    counts: Mapping[str, int]
    """How much of what was taken away or left; see `store/sql/tables.py`."""
    inner: tuple[tuple[Subject, Mapping[str, int]], ...] = ()
    """The subjects within it that were erased whole, each with its counts."""


class StorageKind(StrEnum):
    """Where a store's rows come to rest, and what of deleted ones stays there."""

    FILE = "file"
    """A file of our own and its log: nothing of them stays once both are clean."""
    SERVER = "server"
    """A database server's files: deleted rows stay in them until its tables are written anew, and in its log longer."""


class ErasureStatus(StrEnum):
    """How far an erasure went in one place."""

    REACHED = "reached"
    PENDING = "pending"
    OUT_OF_REACH = "out of reach"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptLine:
    """One place where what was erased lay or may lie."""

    name: str
    reach: ErasureStatus
    count: int
    text: str
    """A sentence: what was done there, or what remains and what to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseReceipt:
    """What an erasure did, place by place."""

    id: str
    subject: Subject
    at: datetime
    places: tuple[ReceiptLine, ...]

    @property
    def done(self) -> bool:
        """Whether nothing is pending: no byte of text, vector or terms is left in database or log."""
        return all(place.reach is not ErasureStatus.PENDING for place in self.places)
