"""Formations: the work that turns messages into memories, its leases and its results. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.types.memory import Change, ConversationId, Decision
from recollect.types.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationKey:
    """The work of one (subject written to, conversation, profile, stage, extractor version)."""

    subject: Subject
    """The subject written to; the row is in its partition."""
    home: Subject
    """The subject that owns the conversation."""
    conversation: ConversationId
    profile: str
    stage: str
    """`index` (quotations), `extract` (notes and facts) or `episodes` (summaries of old turns)."""
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationRequest:
    """A formation to make due with a recorded turn."""

    key_subject: Subject
    profile: str
    stage: str
    version: str
    due_at: datetime
    every_turns: int = 1
    """Number of waiting turns that makes it due; 0: due only on request or after silence."""
    after_idle: timedelta | None = None
    """Silence after which it is due however few turns wait."""
    on_edit: bool = False
    """Due at once if the turn does not continue the newest leaf: what was formed may rest on edited messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on one formation until it runs out. The commit checks the token."""

    key: FormationKey
    token: int
    until: datetime
    attempts: int
    """Number of attempts, this one included; counted in a transaction that ends before the work starts."""
    formed_seq: int
    """The last message already formed."""
    last_seq: int
    """The last message of the conversation when the lease was taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusySubjects:
    """What a worker is busy with, by subject key."""

    subjects: frozenset[int] = frozenset()
    """Subjects that get no turn now: the worker forms them, or just failed to."""
    homes: frozenset[int] = frozenset()
    """Owners of conversations that are being formed: their other subjects come after everyone else's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRequest:
    """What is to be leased, and for how long."""

    key: FormationKey
    now: datetime
    lease_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationStatus:
    """State of a formation, for operators."""

    key: FormationKey
    formed_seq: int
    last_seq: int
    due_at: datetime | None
    attempts: int
    parked: bool
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationResult:
    """Result of a formation, committed completely or not at all."""

    formed_seq: int
    changes: tuple[Change, ...] = ()
    decisions: tuple[Decision, ...] = ()
    subject_version: int | None = None
    """Version of the subject that the decisions rest on; None if they rest on nothing read."""
    waiting: bool = False
    """The rest of the messages is too little to form and waits for more."""
    user_characters: int = 0
    """Length of the user's messages read, as recorded; for the log."""
    goes_back: bool = False
    """The cursor may move back, since an edit removed messages before it."""
