"""What travels between the steps: frozen values, no behaviour beyond reading themselves. Pure.

Instants are aware datetimes in UTC, weights are floats from 0 to 1, ids are UUIDv7 in canonical text form.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import NewType, Self

import numpy as np
import numpy.typing as npt

from recollect.errors import BadSubjectError

MemoryId = NewType("MemoryId", str)
ConversationId = NewType("ConversationId", str)

Vector = npt.NDArray[np.float32]
"""One embedding: `dim` float32 numbers of unit length (all zero for a text without content)."""
Vectors = npt.NDArray[np.float32]
"""Several embeddings: shape (n, dim)."""

SUBJECT_KINDS = frozenset({"user", "app", "session", "pair", "shared", "global"})
# Longest subject name in UTF-8 bytes: room for any id a client sends, too short to carry a payload.
SUBJECT_NAME_BYTES = 512
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose memory it is. Storage is partitioned by it.

    >>> Subject.parse("user:alice").key == Subject("user", "alice").key
    True
    """

    kind: str
    name: str

    def __post_init__(self) -> None:
        """Refuse what could not be told apart from another subject later on."""
        if self.kind not in SUBJECT_KINDS:
            raise BadSubjectError(f"{self.kind}:{self.name}", f"the kind is none of {sorted(SUBJECT_KINDS)}")
        if not self.name and self.kind != "global":
            raise BadSubjectError(f"{self.kind}:", "the name is empty")
        if _CONTROL.search(self.name):
            raise BadSubjectError(f"{self.kind}:{self.name}", "the name holds a control character or lone surrogate")
        if len(self.name.encode()) > SUBJECT_NAME_BYTES:
            raise BadSubjectError(
                f"{self.kind}:{self.name[:40]}…", f"the name is longer than {SUBJECT_NAME_BYTES} bytes"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `kind:name`; a text without a known kind in front is the name of a user."""
        kind, colon, name = text.partition(":")
        if text == "global":
            return cls("global", "")
        return cls(kind, name) if colon and kind in SUBJECT_KINDS else cls("user", text)

    @property
    def text(self) -> str:
        """The name as it is shown and stored: `kind:name`, or `global`."""
        return f"{self.kind}:{self.name}" if self.name else self.kind

    @property
    def key(self) -> int:
        """The 64-bit signed partition key: blake2b of the text. The store verifies the name behind it."""
        return int.from_bytes(blake2b(self.text.encode(), digest_size=8).digest(), "big", signed=True)


class MemoryKind(StrEnum):
    """The four kinds of memory, one table."""

    NOTE = "note"
    FACT = "fact"
    EPISODE = "episode"
    TURN = "turn"


class MemoryState(StrEnum):
    """Whether a memory takes part in recall."""

    ACTIVE = "active"
    HELD = "held"
    """Waits for review; never recalled."""
    CLOSED = "closed"
    """Ended: replaced, forgotten or abandoned; history only."""


class Action(StrEnum):
    """What resolution did with a candidate, and what people did by hand."""

    ADD = "add"
    MERGE = "merge"
    REPLACE = "replace"
    IGNORE = "ignore"
    HOLD = "hold"
    ABANDON = "abandon"
    CLOSE = "close"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The message a memory was formed from, and the words in it."""

    conversation: ConversationId
    seq: int
    hash: int
    """`Message.hash` of the source, so that a request which already holds it can be told."""
    role: str
    speaker: str
    """Name of who said it; the role where no name is known."""
    quote: str
    """Words found in the source message; empty for a whole turn."""
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing known about a subject. Its words are never edited: a newer memory replaces it."""

    id: MemoryId
    subject: Subject
    kind: MemoryKind
    text: str
    """One sentence, third person: 'Ana is allergic to peanuts.'; for a turn, the message's words (from the log)."""
    type: str = ""
    """The extractor's class: `preference`, `fact`, `insight`, `instruction`, …; empty where there is none."""
    category: str = ""
    """Facts only: `identity`, `preference`, `constraint` or `instruction`."""
    key: str = ""
    """Facts only: the slot, `location` or `allergy:peanuts`."""
    value: str = ""
    """Facts only: what the slot holds."""
    importance: float = 0.5
    confidence: float = 1.0
    speaker: str = ""
    """Who said it."""
    valid_from: datetime
    """When it became true in the world, not when it was stored."""
    valid_to: datetime | None = None
    """When it stopped being true; None while it holds."""
    known_from: datetime
    """When it was stored."""
    closed_at: datetime | None = None
    """When it was closed in the store; None while it is active or held."""
    state: MemoryState = MemoryState.ACTIVE
    profile: str = "default"
    version: str = ""
    """The extractor that made it; empty for memories added by hand."""
    evidence: tuple[Evidence, ...] = ()
    uses: int = 0
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What an extractor proposes, before resolution."""

    kind: MemoryKind
    text: str
    type: str = ""
    category: str = ""
    key: str = ""
    value: str = ""
    importance: float = 0.5
    confidence: float = 1.0
    speaker: str
    seq: int
    """The message it rests on."""
    quote: str
    """Words of that message; a candidate whose quote is not found there is dropped."""
    valid_from: datetime
    valid_to: datetime | None = None
    ends: bool = False
    """The statement says that something stopped ('no longer', 'used to'): it closes, and adds nothing that holds."""
    replaces: MemoryId | None = None
    """The existing memory which the extractor says this one updates (it was shown it by a short id)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One line of the append-only log of what was decided, and why."""

    id: str
    subject: Subject
    at: datetime
    action: Action
    memory_id: MemoryId | None
    """The memory the decision made or touched; None for an ignored candidate."""
    target_id: MemoryId | None
    """The existing memory it was weighed against."""
    reason: str
    text: str
    """The candidate's words (erasable with its memory)."""
    profile: str = ""
    conversation: ConversationId | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMemory:
    """Store a new memory with its vectors and terms."""

    memory: Memory
    space: str = ""
    """Name of the vectors' space (model and dimension); empty with no vectors."""
    vectors: tuple[Vector, ...] = ()
    """One a chunk; facts have none."""
    terms: Mapping[str, int] = field(default_factory=dict)
    """Terms of the text (text.py) with their counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseMemory:
    """End a memory: it leaves recall, its history stays."""

    id: MemoryId
    valid_to: datetime
    closed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthenMemory:
    """A known memory was said again: keep the further evidence, raise its weight."""

    id: MemoryId
    importance: float
    """The new importance; the store keeps the larger of this and its own."""
    evidence: tuple[Evidence, ...] = ()


Change = AddMemory | CloseMemory | StrengthenMemory


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
    """`index` (turns become recallable) or `extract` (notes and facts)."""
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationDue:
    """A formation that the recorded turn makes due."""

    key_subject: Subject
    profile: str
    stage: str
    version: str
    due_at: datetime


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRecord:
    """What was put into one request, kept with its turn."""

    id: str
    at: datetime
    query_hash: int
    items: tuple[tuple[Subject, MemoryId, float], ...]
    """Injected memories with their scores, best first."""
    block_hash: str
    """Keyed hash of the block, as it stands in the block's own boundary."""
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one answered request leaves behind; recorded whole or not at all."""

    subject: Subject
    external_id: str | None
    """The client's id of the chat, bound to the subject; None: find the thread by anchors."""
    append: bool = False
    """The client keeps no history: with an id and no anchor, follow the newest leaf."""
    messages: tuple[Message, ...]
    """The request's messages but system ones, in order."""
    reply: Message | None
    said_at: datetime
    recall: RecallRecord | None = None
    formations: tuple[FormationDue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Where a turn came to lie."""

    conversation: ConversationId
    new_conversation: bool
    appended: tuple[int, ...]
    """`seq` of the messages that were new."""
    reply_seq: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hot:
    """All active memories of one subject as arrays, read in one snapshot: what recall computes on.

    `n` memories, `m` vectors, `t` distinct terms summed over memories, `e` sources. Memory `i` has the terms
    `term_start[i]:term_start[i + 1]` and the sources `source_start[i]:source_start[i + 1]`. Ordered by id.
    """

    subject: Subject
    version: int
    """Moves with every change to the subject's memories."""
    salt: bytes
    """Key of the term hashes: `text.term_key(salt, term)`."""
    ids: list[bytes]
    """n ids of 16 bytes."""
    kinds: npt.NDArray[np.uint8]
    """n: index into `KIND_ORDER`."""
    importance: npt.NDArray[np.float32]
    confidence: npt.NDArray[np.float32]
    valid_from: npt.NDArray[np.int64]
    """n: microseconds since 1970 UTC."""
    last_used_at: npt.NDArray[np.int64]
    """n: microseconds since 1970 UTC; 0 where never used."""
    uses: npt.NDArray[np.int32]
    roles: npt.NDArray[np.uint8]
    """n: 0 nobody's words, 1 the user's, 2 the assistant's, 3 another's."""
    length: npt.NDArray[np.int32]
    """n: number of terms, repeats counted."""
    vectors: Vectors
    """m rows of the space asked for."""
    vector_of: npt.NDArray[np.int32]
    """m: which memory a vector belongs to."""
    terms: npt.NDArray[np.uint32]
    """t term keys, ascending within a memory."""
    counts: npt.NDArray[np.uint16]
    """t: how often the term stands in the memory."""
    term_start: npt.NDArray[np.int64]
    """n + 1 offsets."""
    source_hash: npt.NDArray[np.int64]
    """e: `Message.hash` of each source."""
    source_key: npt.NDArray[np.int64]
    """e: 64-bit hash of (conversation, seq), equal for a turn and the notes formed from it."""
    source_start: npt.NDArray[np.int64]
    """n + 1 offsets."""

    def __len__(self) -> int:
        """The number of memories."""
        return len(self.ids)


KIND_ORDER = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE, MemoryKind.TURN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """One memory for one request, with the reasons for its rank."""

    memory: Memory
    score: float
    """0 to 1; comparable within one recall."""
    similarity: float
    """Calibrated similarity in meaning, 0 to 1; 0 where the memory has no vector."""
    words: float
    """Share of the query's rarity-weighted words that the memory answers, 0 to 1."""
    reasons: tuple[str, ...]
    """Short sentences: 'means the same (0.82)', 'shares "peanuts"', 'a standing fact'."""
    certain: bool = False
    """A standing fact: there by importance, whatever was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A memory that was near and is not in the result."""

    id: MemoryId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The memories for one request, best first, and what was left out and why."""

    query: str
    items: tuple[Recalled, ...]
    left_out: tuple[LeftOut, ...] = ()
    considered: int = 0
    """How many active memories were weighed."""
    took_ms: float = 0.0
    """Time beside the query's embedding, in milliseconds."""


class ContentKind(StrEnum):
    """What the `content` of a request's message is, as far as splicing goes."""

    STRING = "string"
    PARTS = "parts"
    EMPTY_PARTS = "empty_parts"
    OTHER = "other"
    """null, missing or of a wrong type: nothing is ever spliced there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of a chat request, with where its bytes are."""

    role: str
    text: str
    name: str | None = None
    payload: str | None = None
    """See `Message.payload`."""
    call_ids: tuple[str, ...] = ()
    content_kind: ContentKind
    start: int
    """Offset of its opening brace in `ChatRequest.text`, in characters."""
    end: int
    """Offset behind its closing brace."""
    content_start: int
    """Offset behind the opening quote or bracket of the content; -1 for OTHER."""
    content_end: int
    """Offset of the closing quote or bracket of the content; -1 for OTHER."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat completion request: the bytes as they came, and a parsed copy."""

    body: bytes
    text: str
    """The body, decoded."""
    model: str | None
    stream: bool
    user: str | None
    messages: tuple[ChatMessage, ...]
    messages_start: int
    """Offset behind the opening bracket of `messages` in `text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """Text to put into a request at one place; everything else stays as it is."""

    offset: int
    """In characters of `ChatRequest.text`."""
    text: str
    """JSON source, escaped already."""


class MemoryMode(StrEnum):
    """What a request lets memory do (`x-recollect-memory`)."""

    ON = "on"
    READ = "read"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who asks, and how memory is to serve them."""

    subject: Subject | None
    """Whose memory is read and written; None: anonymous, nothing read and nothing kept."""
    memory: MemoryMode = MemoryMode.ON
    profile: str = "default"
    conversation: str | None = None
    """The client's id of the chat."""
    append: bool = False
    """The id came in `x-recollect-session`: a client that may send its newest message only."""
    temporary: bool = False
    """A temporary chat: read, never recorded."""
