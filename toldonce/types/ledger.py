"""The injection ledger: what was inserted into the prompts of a conversation, so that it is inserted again. Pure.

A *chain* is a running 64-bit hash over the messages of a prompt without its system messages. It identifies a message
together with all messages before it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from toldonce.types.conversation import InjectionRecord
from toldonce.types.memory import ConversationId, MemoryId
from toldonce.types.subject import Subject

MAX_INSERTIONS_PER_THREAD = 512
"""Insertions with text that the ledger of one thread holds."""
MAX_THREAD_CHARACTERS = 262_144
"""Characters of text that the ledger of one thread holds: a quarter of a million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInsertion:
    """Text inserted into the prompts of a thread at a user's message; without text, nothing was recalled there."""

    thread: int
    """Groups the prompts of one client conversation: 64 bits with a sign."""
    chain: int
    """Chain up to the user's message, 64 bits with a sign."""
    depth: int
    """Number of messages up to its own, without system messages; 0 for a profile block that is kept apart."""
    id: str
    at: datetime
    """When the prompt was prepared (aware, UTC)."""
    standing: str = ""
    """The profile block, appended to the system message."""
    recalled: str = ""
    """Appended to the user's message."""
    items: tuple[tuple[Subject, MemoryId], ...] = ()
    """Memories whose words are in the text."""
    withdrawn: tuple[MemoryId, ...] = ()
    """Memories that the text declares no longer true."""
    quotes_messages: bool = False
    """The text has words of messages of other conversations."""
    sent_bytes: int = 0
    """Length in bytes of the prompt as sent, up to its message; 0 if unknown."""
    sent_hash: str = ""
    """Hash of these bytes; empty if unknown."""
    erased: bool = False
    """Its text was erased or forgotten, or came with an imported file that is not trusted. The row has none, and tells
    why the prefix broke."""

    @property
    def characters(self) -> int:
        """Length of its text."""
        return len(self.standing) + len(self.recalled)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMark:
    """A thread went on with an answer."""

    thread: int
    chain: int
    """Chain up to the answer, 64 bits with a sign."""
    depth: int
    """Number of messages up to the answer, without system messages."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRows:
    """What the ledger has at some chains, of all threads, by depth and then by time."""

    insertions: tuple[PromptInsertion, ...] = ()
    answers: tuple[AnswerMark, ...] = ()


TracePlace = tuple[datetime, str]
"""A place in a list of traces: when a request was recorded, and its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTrace:
    """What memory did for one request, as it was recorded."""

    record: InjectionRecord
    """What was injected, what was left out and why, and what was replayed; with `record.request`."""
    home: Subject
    """Subject whose log the conversation is in."""
    conversation: ConversationId
    external_id: str | None
    """The client's id of the conversation; None if it sent none."""
    recorded_at: datetime
    """When the turn was stored, after its answer (aware, UTC); lists are in this order."""

    @property
    def place(self) -> TracePlace:
        """Its place in lists."""
        return self.recorded_at, self.record.id


class BlockState(StrEnum):
    """Whether the text of a block can be shown."""

    KEPT = "kept"
    ERASED = "erased"
    """It was erased or forgotten."""
    HIDDEN = "hidden"
    """It has words of a subject that the user no longer reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBlock:
    """What memory added to a prompt at one message, as the model saw it."""

    at: datetime
    """When the prompt was prepared that had it first (aware, UTC)."""
    seq: int | None
    """The user's message that it was added at; None: the beginning of the conversation."""
    standing: str = ""
    """Appended to the system message."""
    recalled: str = ""
    """Appended to the user's message."""
    state: BlockState = BlockState.KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerBlock:
    """A block of the injection ledger, with what decides where it belongs and whether it is shown."""

    block: PromptBlock
    thread: int
    """See `PromptInsertion.thread`."""
    depth: int
    """See `PromptInsertion.depth`."""
    items: tuple[tuple[Subject, MemoryId], ...]
    """Memories whose words are in the text."""
