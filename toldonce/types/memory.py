"""Memories with their evidence, candidates, decisions and changes. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, NewType, Self

import numpy as np
import numpy.typing as npt

from toldonce.clock import Clock
from toldonce.ids import new_id
from toldonce.types.detail import NO_DETAIL, MemoryDetail
from toldonce.types.subject import Subject

KEPT_IMPORTANCE = 0.6
"""Importance from which a quotation is kept: it says something lasting about its speaker. Others have 0.5."""


class MemoryKind(StrEnum):
    """The four kinds of memory; all are in one table."""

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


MemoryId = NewType("MemoryId", str)
ConversationId = NewType("ConversationId", str)

Vector = npt.NDArray[np.float32]
"""One embedding: `dim` float32 numbers of unit length (all zero for a text without content)."""
Vectors = npt.NDArray[np.float32]
"""Several embeddings: shape (n, dim)."""

# Text shown by `repr`, in characters: a result list stays readable in a terminal and a debugger.
_MAX_REPR_CHARACTERS = 60
_CONSTRAINT = "constraint"
# Constraints that are about time: missing one harms no health.
_SCHEDULE_KEYS = frozenset({"availability", "on_call", "commitment"})
# Keys that are about health whatever the category that a model or a person gave them.
_HEALTH_KEYS = frozenset("allergy avoid condition diet disability food_rule illness injury intolerance".split())
_HEALTH_KEYS |= {*"blood_type household_health medication medicine pregnancy supplement symptom vaccination".split()}


class MemoryState(StrEnum):
    """Whether a memory takes part in recall."""

    ACTIVE = "active"
    HELD = "held"
    """Waits for review; never recalled."""
    CLOSED = "closed"
    """Ended: replaced, forgotten or abandoned; history only."""


class Action(StrEnum):
    """What resolution, people or maintenance did with a memory or candidate."""

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
    """It ended by its date, or was neither mentioned nor used for too long."""
    EVICT = "evict"
    """It made room for others."""
    FOLD = "fold"
    """It made room by being merged with another into one memory."""
    APPROVE = "approve"
    REJECT = "reject"


class MessageRef(NamedTuple):
    """A message, by its conversation and its number there."""

    conversation: ConversationId
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The message a memory was formed from, and the words in it."""

    conversation: ConversationId
    seq: int
    hash: int
    """`Message.hash` of the source, to recognize a request that already contains it."""
    role: str
    speaker: str
    """The speaker's name; the role if no name is known."""
    quote: str
    """Words found in the source message; empty for a whole turn."""
    said_at: datetime

    @property
    def ref(self) -> MessageRef:
        """The message."""
        return MessageRef(self.conversation, self.seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing known about a subject. Immutable: a newer memory replaces it."""

    id: MemoryId
    subject: Subject
    kind: MemoryKind
    text: str
    """What it says: its speaker's words ('Ana said: "I'm allergic to peanuts."'), or a sentence that a model or a
    person wrote; for a turn, the message's words (from the log)."""
    type: str = ""
    """The extractor's class: `preference`, `fact`, `insight`, `instruction`, …; empty without one."""
    category: str = ""
    """Facts only: `identity`, `preference`, `constraint` or `instruction`."""
    key: str = ""
    """Facts only: the slot, such as `location` or `allergy:peanuts`."""
    value: str = ""
    """Facts only: the value of the slot."""
    importance: float = 0.5
    confidence: float = 1.0
    speaker: str = ""  # who said it
    valid_from: datetime
    """When it became true in the world, not when it was stored; in the zone in which it was said, or in UTC."""
    valid_to: datetime | None = None
    """When it stopped being true; None while it holds."""
    known_from: datetime
    """When it was stored."""
    closed_at: datetime | None = None
    """When it was closed in the store; None while it is active or held."""
    state: MemoryState = MemoryState.ACTIVE
    profile: str = "default"
    version: str = ""
    """The extractor that last made it; empty for memories added by hand."""
    evidence: tuple[Evidence, ...] = ()
    uses: int = 0
    last_used_at: datetime | None = None
    detail: MemoryDetail = NO_DETAIL
    number: int = 0
    """Apps only: its integer id at the app's endpoints, assigned by the store; else 0."""

    @property
    def is_kept(self) -> bool:
        """Whether it is listed among what is known: any note, fact or episode, and a quotation that is kept."""
        return self.kind is not MemoryKind.TURN or self.importance >= KEPT_IMPORTANCE

    @property
    def is_safety_critical(self) -> bool:
        """Whether it is a fact on health, diet or another hard constraint, of the user or their household."""
        is_hard = self.kind is MemoryKind.FACT and self.category == _CONSTRAINT
        return self.is_about_health or (is_hard and _slot(self.key) not in _SCHEDULE_KEYS)

    @property
    def is_about_health(self) -> bool:
        """Whether its slot says that it is a fact on health or diet; its text may be about them all the same."""
        return self.kind is MemoryKind.FACT and _slot(self.key) in _HEALTH_KEYS

    def __repr__(self) -> str:
        """Return one line: kind, owner, shortened text, slot, state and id."""
        slot = f" {self.key}={shortened(self.value)}" if self.key else ""
        return f"<Memory {self.kind} of {self.subject.text}: {shortened(self.text)}{slot} ({self.state}) id={self.id}>"


def _slot(key: str) -> str:
    return key.partition(":")[0].partition("@")[0].strip().casefold()


def is_same_but_for_uses(memory: Memory, other: Memory) -> bool:
    """Compare two states of a memory without what recall counts.

    A quotation's words are not compared: its log has them, and they are shown without secrets.
    """
    plain, other = (
        replace(each, uses=0, last_used_at=None, text="" if each.kind is MemoryKind.TURN else each.text)
        for each in (memory, other)
    )
    return plain == other


def shortened(text: str) -> str:
    """Return a text quoted on one line, cut for `repr`."""
    return repr(text if len(text) <= _MAX_REPR_CHARACTERS else text[: _MAX_REPR_CHARACTERS - 1] + "…")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What an extractor says of a candidate beside the memories that it was shown."""

    seen: frozenset[MemoryId] = frozenset()
    """Memories that it was shown whole; empty unless it says of the candidate what it repeats and what it updates."""
    repeats: MemoryId | None = None
    """The memory that says the same already."""
    has_unshown_target: bool = False
    """It names a memory that it was not shown; that is not used."""


NO_COMPARISON = Comparison()


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
    """The source message."""
    quote: str
    """Words of that message; a candidate whose quote is not in it is dropped."""
    sums_up: tuple[int, ...] = ()  # paragraphs, which quote nothing: all messages summarized
    valid_from: datetime
    valid_to: datetime | None = None
    ends: bool = False
    """It says that something stopped ('no longer', 'used to'): it closes memories and adds none."""
    forgets: str = ""
    """What the speaker wants forgotten, in words: it closes memories about that and adds none."""
    forgets_seqs: tuple[int, ...] = ()
    """With `forgets`: messages of the conversation to forget whatever their words."""
    forgets_all: bool = False  # with `forgets`: forget everything known about the speaker
    replaces: MemoryId | None = None
    """The existing memory that the extractor says this one updates (it was shown with a short id)."""
    item: int = 0
    """Number of the item of a model's answer that this is; 0: of none."""
    replaces_item: int = 0
    """Number of an earlier item of the same answer that this one updates; 0: of none."""
    comparison: Comparison = NO_COMPARISON
    has_unknown_type: bool = False
    """Whether a model gave it none of the profile's types: it has the last of them."""
    by_model: bool = False
    """A model proposes it: its own word says what it repeats, corrects and ends; no rule reads its text for that."""
    detail: MemoryDetail = NO_DETAIL


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One entry of the append-only log of decisions."""

    id: str
    subject: Subject
    at: datetime
    action: Action
    memory_id: MemoryId | None
    """The memory created or changed; None for an ignored candidate."""
    target_id: MemoryId | None
    """The existing memory it was compared with; of an `undo`, the id of the decision undone."""
    reason: str
    text: str
    """The candidate's text; erased with its memory."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMemory:
    """Store a new memory with its vectors and terms."""

    memory: Memory
    space: str = ""
    """Name of the vectors' space (model and dimension); empty with no vectors."""
    vectors: tuple[Vector, ...] = ()
    """One per chunk; facts have none."""
    terms: Mapping[str, int] = field(default_factory=dict)
    """Terms of the text (text/terms.py) with their counts."""
    asks: bool = False
    """Quotations: the text ends in a question."""
    inherits: tuple[MemoryId, ...] = ()
    """Memories whose evidence it takes over, without repeated sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseMemory:
    """Close a memory: it is no longer recalled, its history stays."""

    id: MemoryId
    valid_to: datetime
    closed_at: datetime
    forgotten: bool = False
    """The user asked to forget it: what was inserted into prompts with it is not inserted again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthenMemory:
    """Add evidence to a memory that was stated again, and raise its importance."""

    id: MemoryId
    importance: float
    """The new importance; the store keeps the larger of this and the old one."""
    evidence: tuple[Evidence, ...] = ()
    inherits: tuple[MemoryId, ...] = ()
    """Memories whose evidence it takes over, without repeated sources."""
    version: str = ""
    """The extractor that made it again, if it differs from the one that made it; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenMemory:
    """Make a closed or held memory active again. An active one stays as it is."""

    id: MemoryId
    space: str = ""
    """As in `AddMemory`: vectors and terms were dropped when it was closed, and are computed again."""
    vectors: tuple[Vector, ...] = ()
    terms: Mapping[str, int] = field(default_factory=dict)
    asks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakenMemory:
    """Remove some of a memory's source messages; it rests on the others."""

    id: MemoryId
    importance: float
    """The importance without them."""
    valid_from: datetime
    """When it became true without them."""
    without: frozenset[MessageRef]
    """The messages to remove; their quotes are deleted, the decisions about them stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkWords:
    """Statements that a resent history must not bring back, or may again. Only hashes are stored."""

    forgotten: frozenset[int] = frozenset()
    """Hashes of what to forget; stored as tombstones under their key."""
    returned: frozenset[int] = frozenset()
    """Hashes of what is true again."""
    at: datetime
    """Statements after this time count as new, unless they are older history of their turn."""


Change = AddMemory | CloseMemory | StrengthenMemory | ReopenMemory | WeakenMemory | MarkWords
