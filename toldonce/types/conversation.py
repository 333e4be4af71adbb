"""The log: messages, conversations, turns, and what was injected into them. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from toldonce.types.detail import SummarizedPart
from toldonce.types.formation import FormationRequest
from toldonce.types.memory import ConversationId, MemoryId, MemoryKind, MemoryState, MessageRef
from toldonce.types.recall import OmittedMemory
from toldonce.types.request import UNKNOWN_DESTINATION, Destination
from toldonce.types.subject import Subject

MAX_OMITTED = 50
"""Memories left out of an injection that are stored with it."""
DECLARED = "the prompt says that it no longer holds"
"""Reason in the record of a prompt for a memory that earlier prompts showed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a conversation, as received."""

    role: str
    """`user`, `assistant`, `tool`, … (system and developer messages are never logged)."""
    text: str
    """The text parts, joined by line feeds; empty for pure tool calls or images."""
    name: str | None = None
    """The speaker's name, if the client sent one."""
    said_at: datetime
    payload: str | None = None
    """The message as JSON if it has more than text (tool calls, parts); else None."""
    call_ids: tuple[str, ...] = ()
    """Ids of the tool calls an assistant message makes."""
    complete: bool = True
    """False for a reply that broke off before a finish reason was seen."""
    hash: int
    """64-bit signed hash of role, a user's name, normalized text and payload; equal for equal messages."""
    anchor: int | None = None
    """For an assistant message: hash of it with the user message before it (see chat/messages.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMessage:
    """A message of a conversation's log."""

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
    """Its words were erased: position, role and times remain, and a hash that reveals nothing about them."""

    @property
    def ref(self) -> MessageRef:
        """Its place in the log."""
        return MessageRef(self.conversation, self.seq)


class UserWords(NamedTuple):
    """The beginning of what a user said in one message."""

    seq: int
    name: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """An append-only log of messages of one home subject."""

    id: ConversationId
    subject: Subject
    external_id: str | None
    """The client's own id of the chat; None if it sent none."""
    created_at: datetime
    updated_at: datetime
    last_seq: int
    profile: str | None = None
    """The profile it was opened with; None if requests name theirs."""
    app: str | None = None
    """The app it belongs to."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings of this conversation, named as in its profile's interface."""
    ended_at: datetime | None = None
    end_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSetup:
    """Properties that a conversation is opened with."""

    profile: str | None = None
    app: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


NO_OPENING = ConversationSetup()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRange:
    """The turns that an episode summarizes."""

    id: MemoryId
    state: MemoryState
    began: datetime
    """When the first of them was said."""
    first_turn: int
    """Counted from 1 over all turns of the user, or of the conversation."""
    last_turn: int
    is_added: bool = field(default=False, compare=False)
    """Whether it was the last of the user's episodes when it was made."""
    parts: tuple[SummarizedPart, ...]
    """The messages of each conversation; one part where the range is read for one conversation."""

    @property
    def first_seq(self) -> int:
        """The first message, of the first conversation; 0 without any."""
        return self.parts[0].first_seq if self.parts else 0

    @property
    def last_seq(self) -> int:
        """The last message, of the first conversation; 0 without any."""
        return self.parts[0].last_seq if self.parts else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsummarizedConversation:
    """A conversation of which messages wait to be summed up."""

    conversation: Conversation
    cursor: int
    """All up to this message is in episodes, or was."""
    began: datetime
    """When the first message after it was said; where the newest are listed, when the last one was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRequest:
    """How memory was asked for a chat request."""

    profile: str = ""
    """The profile that applied; empty if unknown, as of requests of earlier versions."""
    reads: tuple[Subject, ...] = ()
    """The reading list: whose memories were considered."""
    destination: Destination = UNKNOWN_DESTINATION
    """The model that the request was for."""
    considered: int | None = None
    """Number of active memories that were scored; None if unknown."""
    took_ms: float | None = None
    """Time in milliseconds that recall took, embedding and writing included; None if unknown."""


NO_MEMORY_REQUEST = MemoryRequest()


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionRecord:
    """The memories injected into one request, stored with its turn."""

    id: str
    at: datetime
    query_hash: int
    items: tuple[tuple[Subject, MemoryId, float], ...]
    """Injected memories with their scores, best first."""
    hits: frozenset[MemoryId] | None = None
    """Those that the answer used; None while that is unknown."""
    block_hash: str
    """Keyed hash of the block, as in its boundary."""
    tokens: int
    replayed: int = 0
    """Number of memories that the prompt replayed from earlier prompts of the conversation."""
    omitted: tuple[OmittedMemory, ...] = ()
    """Memories that recall left out, and why; at most `MAX_OMITTED` are stored."""
    prefix: str = ""
    """What became of the previous prompt: `kept`, or what broke it; empty if unknown."""
    failure: str = ""
    """Why nothing was recalled although it was wanted: recall failed or was late; empty if neither."""
    request: MemoryRequest = field(default=NO_MEMORY_REQUEST, compare=False)
    """How memory was asked; only traces have it."""
    seq: int | None = field(default=None, compare=False)
    """The turn's last recorded message, mostly the answer; None before the turn is recorded."""

    @property
    def declared(self) -> tuple[MemoryId, ...]:
        """Memories that the prompt says no longer hold, because earlier ones showed them."""
        return tuple(memory.id for memory in self.omitted if memory.reason == DECLARED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPage:
    """Messages of a conversation, with what a formation has to know of them."""

    messages: tuple[LoggedMessage, ...] = ()
    """Of all branches, ordered by `seq`."""
    abandoned: frozenset[int] = frozenset()
    """`seq` of all messages of the conversation that an edit took off the active path."""
    injections: tuple[InjectionRecord, ...] = ()
    """Newest injections of memories into the conversation's prompts, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSite:
    """Place where a memory was injected."""

    conversation: ConversationId
    seq: int
    """The message that was answered with it."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """An answered request to record, completely or not at all."""

    subject: Subject
    external_id: str | None
    """The client's id of the chat, bound to the subject; None: find the thread by anchors."""
    append: bool = False
    """The client keeps no history: with an id and no anchor, follow the newest leaf."""
    message_id: str | None = None
    """The client's own id of this turn: another turn with the same id is the same one, perhaps edited."""
    after: str | None = None
    """The id of a call or an answer that the messages come after; see `Message.call_ids`."""
    messages: tuple[Message, ...]
    """The request's messages in order, without system messages."""
    reply: Message | None
    said_at: datetime
    recall: InjectionRecord | None = None
    formations: tuple[FormationRequest, ...] = ()
    opening: ConversationSetup = NO_OPENING
    """Properties of a conversation that begins with this turn."""
    only_app: bool = False
    """Whether it may continue conversations of the opening's app alone, however well it fits others."""
    charges: tuple[tuple[Subject, float], ...] = ()
    """Subjects with a budget, each with the units that the turn counts for; charged if anything was new."""
    thread: int | None = None
    """Thread of the injection ledger whose insertions get this turn's conversation; None: there is none."""
    answer_chains: tuple[int, ...] = ()
    """Chains up to the reply, which the thread went on with; without any, nothing is marked."""
    answer_depth: int = 0
    """Number of messages up to the reply, with it and without system messages."""

    def of_other_users(self, resolve: Callable[[Subject], Subject]) -> "Turn":
        """Return the turn under the subjects that `resolve` returns in place of its own; mostly itself."""
        subject = resolve(self.subject)
        if subject == self.subject:
            return self
        due = tuple(replace(due, key_subject=resolve(due.key_subject)) for due in self.formations)
        charges = tuple((resolve(charged), units) for charged, units in self.charges)
        return replace(self, subject=subject, formations=due, charges=charges)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn:
    """Where a turn was recorded."""

    conversation: ConversationId
    new_conversation: bool
    appended: tuple[int, ...]
    """`seq` of the messages that were new."""
    reply_seq: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormedMemory:
    """A memory that rests on a message."""

    id: MemoryId
    subject: Subject
    kind: MemoryKind
    state: MemoryState


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeMessage:
    """A message, its place in the tree (`message.parent_seq`), and what it left."""

    message: LoggedMessage
    active: bool
    """It is on the active path: the newest message, its parent, and so on up."""
    memories: tuple[FormedMemory, ...]
    """Notes, facts and episodes of any state that rest on it, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTree:
    """A conversation with all its branches, to record completely or not at all."""

    subject: Subject
    external_id: str
    messages: Sequence[Message]
    """Each after its parent; the newest message of the current branch is the last."""
    parents: Sequence[int]
    """Index of the parent of each message; -1 for a first message."""
    begun_at: datetime
    ended_at: datetime
    formations: tuple[FormationRequest, ...] = ()
    """Requested if anything was new."""
    opening: ConversationSetup = NO_OPENING
