"""The work that turns messages into memories: what makes it due, who may do it, what it commits. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.types.memory import Change, ConversationId, Decision
from recollect.types.subject import Subject


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
