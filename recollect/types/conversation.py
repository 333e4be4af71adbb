"""The log: messages, conversations, turns, and what was injected into them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.types.formation import FormationRequest
from recollect.types.memory import ConversationId, MemoryId, MemoryState
from recollect.types.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a conversation, as it came."""

    role: str
    """`user`, `assistant`, `tool`, … (system and developer messages are never logged)."""
    text: str
    """The text parts, joined by line feeds; empty for pure tool calls or images."""
    name: str | None = None
    """Who speaks, where the client says so."""
    said_at: datetime
    payload: str | None = None
    """The message as JSON where text does not say it all (tool calls, parts); None otherwise."""
    call_ids: tuple[str, ...] = ()
    """Ids of the tool calls an assistant message makes."""
    complete: bool = True
    """False for a reply that broke off before a finish reason was seen."""
    hash: int
    """64-bit signed hash of role and normalised text and payload; equal messages are equal here."""
    anchor: int | None = None
    """For an assistant message: hash of it with the user message before it (see chat/messages.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMessage:
    """A message in its place in a conversation."""

    conversation: ConversationId
    seq: int
    """Arrival order, gapless from 1."""
    parent_seq: int
    """The message it answers or follows; 0 for the first."""
    role: str
    text: str
    name: str | None
    said_at: datetime
    recorded_at: datetime
    complete: bool
    hash: int
    erased: bool = False
    """Its words were erased: place, role and times are left, and a hash that says nothing of what stood there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """An append-only log of messages of one home subject."""

    id: ConversationId
    subject: Subject
    external_id: str | None
    """The client's own id of the chat; None where none was sent."""
    created_at: datetime
    updated_at: datetime
    last_seq: int
    profile: str | None = None
    """The profile it was opened with; None where requests name theirs."""
    app: str | None = None
    """The app it belongs to."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings that hold for it alone, under the names of their profile's interface."""
    ended_at: datetime | None = None
    end_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSetup:
    """What a conversation is opened with, beside its id."""

    profile: str | None = None
    app: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


NO_OPENING = ConversationSetup()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRange:
    """The stretch of a conversation that an episode sums up."""

    id: MemoryId
    state: MemoryState
    first_turn: int
    """Counted from 1 along the active path."""
    last_turn: int
    first_seq: int
    last_seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRecord:
    """What was put into one request, kept with its turn."""

    id: str
    at: datetime
    query_hash: int
    items: tuple[tuple[Subject, MemoryId, float], ...]
    """Injected memories with their scores, best first."""
    hits: frozenset[MemoryId] | None = None
    """Those that the answer made use of; None while that is not known."""
    block_hash: str
    """Keyed hash of the block, as it stands in the block's own boundary."""
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSite:
    """Where a memory was put into a prompt."""

    conversation: ConversationId
    seq: int
    """The message that was answered with it."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one answered request leaves behind; recorded whole or not at all."""

    subject: Subject
    external_id: str | None
    """The client's id of the chat, bound to the subject; None: find the thread by anchors."""
    append: bool = False
    """The client keeps no history: with an id and no anchor, follow the newest leaf."""
    message_id: str | None = None
    """The client's own id of this turn: a turn that comes with the same one again is the same, perhaps edited."""
    messages: tuple[Message, ...]
    """The request's messages but system ones, in order."""
    reply: Message | None
    said_at: datetime
    recall: InjectionRecord | None = None
    formations: tuple[FormationRequest, ...] = ()
    opening: ConversationSetup = NO_OPENING
    """What a conversation that begins with this turn is opened with."""
    charges: tuple[tuple[Subject, float], ...] = ()
    """Rationed subjects, each with the units the turn counts for beside its memory work; booked if anything was new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn:
    """Where a turn was recorded."""

    conversation: ConversationId
    new_conversation: bool
    appended: tuple[int, ...]
    """`seq` of the messages that were new."""
    reply_seq: int | None
