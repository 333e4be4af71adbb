"""Formations: the work that turns messages into memories, its leases and its results. Pure."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from toldonce.clock import from_micros, to_micros
from toldonce.errors import BadRequestError
from toldonce.types.memory import Change, ConversationId, Decision
from toldonce.types.subject import Subject

# Keys of subjects are signed 64-bit numbers.
_KEY_RANGE = 1 << 63
BACKLOG_AGE = timedelta(days=1)
"""What has been due for longer is a backlog, as of an import: of each subject, it waits for what was said lately."""


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
    of_user: bool = False
    """Turns of all the subject's conversations with this profile count, except those with an app."""
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
class Unindexed:
    """A conversation whose newest messages are no quotations yet."""

    key: FormationKey
    """Of the stage `index`."""
    formed_seq: int
    """The last message that is one, or that was passed over."""
    asked_seq: int
    """The newest message that is to become one."""


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
class FormationPlace:
    """The place of a formation in the list of all, longest due first."""

    due_at: datetime | None
    subject_key: int
    conversation: ConversationId
    profile: str
    stage: str
    version: str

    @property
    def text(self) -> str:
        """The place as a short text, which `parse` reads.

        >>> place = FormationPlace(due_at=None, subject_key=7, conversation=ConversationId("c"), profile="default",
        ...                        stage="index", version="1")
        >>> FormationPlace.parse(place.text) == place
        True
        """
        due = None if self.due_at is None else to_micros(self.due_at)
        parts = [due, self.subject_key, self.conversation, self.profile, self.stage, self.version]
        return urlsafe_b64encode(json.dumps(parts, separators=(",", ":")).encode()).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> "FormationPlace":
        """Read a place.

        Raises:
            BadRequestError: The text is none.
        """
        try:
            parts = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
            due, subject, *names = parts
            conversation, profile, stage, version = names
            is_key = isinstance(subject, int) and -_KEY_RANGE <= subject < _KEY_RANGE
            if not (is_key and isinstance(due, int | None) and all(map(_is_name, names))):
                raise ValueError
            due_at = None if due is None else from_micros(due)
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise BadRequestError("the cursor is none of this list", param="cursor") from None
        return cls(
            due_at=due_at,
            subject_key=subject,
            conversation=ConversationId(conversation),
            profile=profile,
            stage=stage,
            version=version,
        )


def _is_name(given: object) -> bool:
    return isinstance(given, str) and given.isprintable()


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

    @property
    def place(self) -> FormationPlace:
        """Its place in the list: the next page begins after it."""
        key = self.key
        return FormationPlace(
            due_at=self.due_at,
            subject_key=key.subject.key,
            conversation=key.conversation,
            profile=key.profile,
            stage=key.stage,
            version=key.version,
        )


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
    cursors: Mapping[ConversationId, int] = field(default_factory=dict)
    """Cursors of the same stage in other conversations of the subject that move with it."""
    goes_on: bool = False
    """It is due again at once, even if nothing of its own conversation is left."""
