"""The log and the work it makes due: messages, conversations, turns, formations. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from recollect.types.memory import Change, ConversationId, Decision, MemoryId, MemoryState, Subject


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
    """For an assistant message: hash of it with the user message before it (see chat/thread.py)."""


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
class FormationKey:
    """The work of one (subject written to, conversation, profile, stage, extractor version)."""

    subject: Subject
    """Written to; the row lies in its partition."""
    home: Subject
    """Whose log the conversation is."""
    conversation: ConversationId
    profile: str
    stage: str
    """`index` (turns become recallable), `extract` (notes and facts) or `episodes` (old turns summed up)."""
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationRequest:
    """A formation that the recorded turn makes due."""

    key_subject: Subject
    profile: str
    stage: str
    version: str
    due_at: datetime
    every_turns: int = 1
    """Turns that must wait before they are formed; 0: only when it is asked for, or after silence."""
    after_idle: timedelta | None = None
    """Silence after which what waits is formed all the same."""
    on_edit: bool = False
    """Due at once, however few turns wait, where the turn does not go on from the newest leaf: what was formed may rest
    on words that were taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on one formation until it runs out. The commit checks the token."""

    key: FormationKey
    token: int
    until: datetime
    attempts: int
    """This one included; counted in its own transaction before the work starts."""
    formed_seq: int
    """The last message already formed."""
    last_seq: int
    """The last message of the conversation when the lease was taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationStatus:
    """A formation as people see it."""

    key: FormationKey
    formed_seq: int
    last_seq: int
    due_at: datetime | None
    attempts: int
    parked: bool
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationResult:
    """What a formation commits: all of it, or nothing."""

    formed_seq: int
    changes: tuple[Change, ...] = ()
    decisions: tuple[Decision, ...] = ()
    subject_version: int | None = None
    """The version of the subject the decisions rest on; None where they rest on nothing read."""
    waiting: bool = False
    """What is left of the messages read is too little to form: it waits for more to be recorded."""
    user_characters: int = 0
    """Length of the user's messages that it read, as they were recorded; for the log."""
    goes_back: bool = False
    """The cursor may move back: an edit took away what it had passed."""


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
class AppRecord:
    """An app that was announced."""

    subject: Subject
    """Whose memory is the app's."""
    created_at: datetime
    removed_at: datetime | None
    """When it was uninstalled; None while it is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTotals:
    """What the operator's metrics say of everything kept."""

    memories: int
    """Active notes, facts and episodes."""
    apps: int
    apps_with_memories: int
    formations_due: int
    formations_parked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectTotals:
    """What is counted of one subject."""

    memories: int
    """Active notes, facts and episodes."""
    decisions: Mapping[str, int]
    """By action."""
    recalled: int
    """Memories put into prompts whose answers are known."""
    hits: int
    """Those of them that the answers made use of."""


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
    """Where a turn came to lie."""

    conversation: ConversationId
    new_conversation: bool
    appended: tuple[int, ...]
    """`seq` of the messages that were new."""
    reply_seq: int | None
