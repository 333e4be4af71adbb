"""A whole conversation to record at once, as an import brings it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from toldonce.types.conversation import NO_OPENING, ConversationSetup, Message
from toldonce.types.formation import FormationRequest
from toldonce.types.subject import Subject


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
