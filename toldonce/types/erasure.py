"""Requests to erase, records of erasures, and the receipt that tells the result for each place. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from toldonce.types.memory import ConversationId, MemoryId
from toldonce.types.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseRequest:
    """What to erase of one subject: memories, messages of one conversation, or everything."""

    subject: Subject
    memories: tuple[MemoryId, ...] = ()
    conversation: ConversationId | None = None
    seqs: tuple[int, ...] = ()
    """Messages of the conversation; empty: all of it."""
    everything: bool = False
    """The whole subject and those within it, whatever else is named."""
    part_of: Subject | None = None
    """The subject whose erasure this is a part of; that subject and the others within it are erased as well."""
    keep_messages: bool = False
    """Keep the source messages of the memories."""
    said: frozenset[int] = frozenset()
    """Hashes of the statements in the messages to erase, so that a resent history does not bring them back."""
    everywhere: bool = False
    """Also erase copies in other subjects, and what other subjects formed from the messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRecord:
    """A committed erasure."""

    id: str
    at: datetime
    cleaned_at: datetime | None
    """When the last byte was removed from file and log; None while that is pending."""
    counts: Mapping[str, int]
    """Number of rows removed or kept, by table; see `store/sql/tables.py`."""
    inner: tuple[tuple[Subject, Mapping[str, int]], ...] = ()
    """Subjects within it that were erased completely, each with its counts."""


class StorageKind(StrEnum):
    """Where a store keeps its rows, and what remains there of deleted ones."""

    FILE = "file"
    """A database file and its log: nothing remains once both are clean."""
    SERVER = "server"
    """A database server's files: deleted rows remain until the tables are rewritten, and longer in its log."""


class ErasureStatus(StrEnum):
    """Result of an erasure in one place."""

    REACHED = "reached"
    PENDING = "pending"
    OUT_OF_REACH = "out of reach"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptLine:
    """One place where erased data was or may remain."""

    name: str
    reach: ErasureStatus
    count: int
    text: str
    """A sentence: what was done there, or what remains and what to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseReceipt:
    """Result of an erasure, place by place."""

    id: str
    subject: Subject
    at: datetime
    places: tuple[ReceiptLine, ...]

    @property
    def done(self) -> bool:
        """Whether nothing is pending: no byte of text, vector or terms is left in database or log."""
        return all(place.reach is not ErasureStatus.PENDING for place in self.places)
