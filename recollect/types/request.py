"""What a client asks: chat requests with their bytes, and who asks. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from recollect.types.subject import Subject

InjectionMode = Literal["split", "system_append", "context_message", "user_prefix", "system_message"]
"""Where recalled memory goes in a prompt (prompt/placement.py)."""


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
    include_usage: bool = False
    """Whether a stream is to end with what it cost (`stream_options`)."""
    body_start: int = 0
    """Offset behind the opening brace of the body."""
    tools_start: int = -1
    """Offset behind the opening bracket of `tools`; -1 where there is no such list."""
    tools_empty: bool = False
    """Whether that list is empty."""
    has_tool_choice: bool = False
    """Whether the client says which tool is to be called, or that none is; or sends functions in the old way."""
    wants_multiple_choices: bool = False
    """Whether more than one answer is asked for."""


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
    """Recall only."""
    RECORD = "record"
    """Record and form only: nothing is recalled."""
    OFF = "off"

    @property
    def records(self) -> bool:
        """Whether the turn is recorded and formed."""
        return self in (MemoryMode.ON, MemoryMode.RECORD)


INTERACTION_MODES = ("chat", "qa", "summary")
"""Styles in which memories are extracted; the first is the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestScope:
    """What a request or recording says of how its memory is to be kept."""

    profile: str | None = None
    """None: the one its conversation was opened with, else `otherwise`."""
    key_profile: str | None = None
    """The profile of the key it came with; None is the settings' profile."""
    app: str | None = None
    """Name of the app it belongs to; None: the one its conversation was opened with."""
    characters: tuple[str, str] | None = None
    """Who the assistant plays, and who the user plays."""
    interaction: str | None = None
    """One of `INTERACTION_MODES`; None: the one its conversation was opened with, else the first."""


NO_SCOPE = RequestScope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who asks, and how memory is to serve them."""

    subject: Subject | None
    """Whose memory is read and written; None: anonymous, nothing read and nothing kept."""
    memory: MemoryMode = MemoryMode.ON
    scope: RequestScope = NO_SCOPE
    conversation: str | None = None
    """The client's id of the chat."""
    append: bool = False
    """The id came in `x-recollect-session`: a client that may send its newest message only."""
    message_id: str | None = None
    """The client's id of the message or of the answer that is asked for."""
    temporary: bool = False
    """A temporary chat: read, never recorded."""
