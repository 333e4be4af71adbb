"""The injection ledger: what was inserted into the prompts of a conversation, so that it is inserted again. Pure.

A *chain* is a running 64-bit hash over the messages of a prompt without its system messages. It identifies a message
together with all messages before it.
"""

from dataclasses import dataclass
from datetime import datetime

from toldonce.types.memory import MemoryId
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
