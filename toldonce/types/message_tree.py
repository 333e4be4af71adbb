"""Messages of a conversation as a tree, with what they left in memory. Pure."""

from dataclasses import dataclass

from toldonce.types.conversation import LoggedMessage
from toldonce.types.memory import MemoryId, MemoryState
from toldonce.types.memory_kind import MemoryKind
from toldonce.types.subject import Subject


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
