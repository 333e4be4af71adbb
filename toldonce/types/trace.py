"""Traces of requests across conversations: what memory did for each. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from toldonce.types.conversation import InjectionRecord
from toldonce.types.memory import ConversationId, MemoryId
from toldonce.types.subject import Subject

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
