"""What is known, and what is done to it: subjects, memories, evidence, decisions, changes. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NewType, Self

import numpy as np
import numpy.typing as npt

from recollect.clock import Clock
from recollect.ids import new_id
from recollect.types.detail import NO_DETAIL, MemoryDetail
from recollect.types.shift import Shift
from recollect.types.subject import Subject

MemoryId = NewType("MemoryId", str)
ConversationId = NewType("ConversationId", str)

Vector = npt.NDArray[np.float32]
"""One embedding: `dim` float32 numbers of unit length (all zero for a text without content)."""
Vectors = npt.NDArray[np.float32]
"""Several embeddings: shape (n, dim)."""

# Text shown by `repr`, in characters: a result list stays readable in a terminal and a debugger.
_MAX_REPR_CHARACTERS = 60


class MemoryKind(StrEnum):
    """The four kinds of memory, one table."""

    NOTE = "note"
    FACT = "fact"
    EPISODE = "episode"
    TURN = "turn"

    @property
    def number(self) -> int:
        """Position in `KIND_ORDER`: arrays and tables hold kinds as numbers.

        >>> MemoryKind.FACT.number
        1
        """
        return KIND_ORDER.index(self)


KIND_ORDER = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE, MemoryKind.TURN)
"""Never changed, only extended: databases hold the positions."""


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
    UNDO = "undo"
    LINK = "link"
    UNLINK = "unlink"
    EXPIRE = "expire"
    """It ended by itself, or was neither said nor used for too long."""
    EVICT = "evict"
    """It made room for others."""
    FOLD = "fold"
    """It made room by going, with another, into one memory."""
    APPROVE = "approve"
    REJECT = "reject"


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
    speaker: str = ""  # who said it
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
    """The extractor that made it, or made it again last; empty for memories added by hand."""
    evidence: tuple[Evidence, ...] = ()
    uses: int = 0
    last_used_at: datetime | None = None
    detail: MemoryDetail = NO_DETAIL
    number: int = 0
    """Apps only: the integer by which it is known at the app's endpoints, given by the store; 0 elsewhere."""

    def __repr__(self) -> str:
        """Return one line: kind, owner, shortened text, slot, state and id."""
        slot = f" {self.key}={shortened(self.value)}" if self.key else ""
        return f"<Memory {self.kind} of {self.subject.text}: {shortened(self.text)}{slot} ({self.state}) id={self.id}>"


def shortened(text: str) -> str:
    """Return a text quoted on one line, cut for `repr`."""
    return repr(text if len(text) <= _MAX_REPR_CHARACTERS else text[: _MAX_REPR_CHARACTERS - 1] + "…")


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
    sums_up: tuple[int, ...] = ()  # of a paragraph, which quotes nothing: all the messages it sums up
    valid_from: datetime
    valid_to: datetime | None = None
    ends: bool = False
    """The statement says that something stopped ('no longer', 'used to'): it closes, and adds nothing that holds."""
    forgets: str = ""
    """What the speaker wants forgotten, in words: it closes what speaks of that, and adds nothing."""
    forgets_seqs: tuple[int, ...] = ()
    """With `forgets`: messages of the conversation of which all is meant, whatever its words."""
    forgets_all: bool = False  # with `forgets`: everything that is known of the speaker is meant
    corrects: str = ""  # words that the speaker takes back: what was formed with them is closed
    shifts: tuple[Shift, ...] = ()  # what it says has changed in the speaker's life, whether the new value is known
    replaces: MemoryId | None = None
    """The existing memory which the extractor says this one updates (it was shown it by a short id)."""
    detail: MemoryDetail = NO_DETAIL


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
    """The existing memory it was weighed against; of an `undo`, the id of the decision that it takes back."""
    reason: str
    text: str
    """The candidate's words (erasable with its memory)."""
    profile: str = ""
    conversation: ConversationId | None = None
    seq: int | None = None

    @classmethod
    def of(
        cls, memory: Memory, action: Action, reason: str, *, clock: Clock, target: str | None = None, text: str = ""
    ) -> Self:
        """Log an action on `memory`, now; `text` is what the log shows of it."""
        return cls(
            id=new_id(clock),
            subject=memory.subject,
            at=clock.now(),
            action=action,
            memory_id=memory.id,
            target_id=MemoryId(target) if target else None,
            reason=reason,
            text=text,
            profile=memory.profile,
        )

    def said_in(self, source: Evidence | None) -> Self:
        """Name the message that caused the decision, if one did."""
        return self if source is None else replace(self, conversation=source.conversation, seq=source.seq)


@dataclass(frozen=True, slots=True)
class NewNote:
    """A sentence that somebody wants kept as a note, word for word."""

    text: str
    """Up to 10,000 characters."""
    importance: float = 0.7
    """0 to 1."""
    type: str = ""
    """Its class, such as `preference`; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMemory:
    """Store a new memory with its vectors and terms."""

    memory: Memory
    space: str = ""
    """Name of the vectors' space (model and dimension); empty with no vectors."""
    vectors: tuple[Vector, ...] = ()
    """One a chunk; facts have none."""
    terms: Mapping[str, int] = field(default_factory=dict)
    """Terms of the text (text/terms.py) with their counts."""
    asks: bool = False
    """Its words end in a question: told of quotations."""
    inherits: tuple[MemoryId, ...] = ()
    """Memories whose evidence it takes over, each source once."""


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
    inherits: tuple[MemoryId, ...] = ()
    """Memories whose evidence it takes over, each source once."""
    version: str = ""
    """The extractor that made it again, where it is another than the one that made it; empty: the same, or no one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenMemory:
    """What closed or held a memory was taken back: it takes part in recall. One that is active stays as it is."""

    id: MemoryId
    space: str = ""
    """As in `AddMemory`: what recall computes on was dropped when it was closed, and is made anew."""
    vectors: tuple[Vector, ...] = ()
    terms: Mapping[str, int] = field(default_factory=dict)
    asks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakenMemory:
    """Some of the messages that a memory rests on were taken back; it stays on the others."""

    id: MemoryId
    importance: float
    """The importance without them."""
    valid_from: datetime
    """Since when it is true without them."""
    without: frozenset[tuple[ConversationId, int]]
    """The messages it rests on no more; their quotes go, the decisions that brought them stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkWords:
    """Statements that a resent history does not bring back, or does again; their words are not stored."""

    forgotten: frozenset[int] = frozenset()
    """Hashes of what is to be forgotten; the ledger keeps them under its key."""
    returned: frozenset[int] = frozenset()
    """Hashes of what holds again."""
    at: datetime
    """What was said later is said again, unless it is older history of its turn."""


Change = AddMemory | CloseMemory | StrengthenMemory | ReopenMemory | WeakenMemory | MarkWords
