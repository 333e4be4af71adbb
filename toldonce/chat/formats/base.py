"""What every wire format of chats offers: requests read into one shape, and memory put into them. Pure.

Everything outside this package speaks to `WireFormat` alone. A format sends the bytes of client and upstream on as they
came: it reads a parsed copy that knows the offsets of its parts, and returns what to insert.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from toldonce.chat.reply import MAX_CHARACTERS, Reply, TokenUsage
from toldonce.chat.tools import ToolRound
from toldonce.types import InjectionMode, Message

# Roles of messages that the application writes, often with the current time: they are neither logged nor used to form
# memories.
SYSTEM_ROLES = frozenset({"system", "developer"})


class ContentKind(StrEnum):
    """Type of a message's `content`, for inserting text."""

    STRING = "string"
    PARTS = "parts"
    EMPTY_PARTS = "empty_parts"
    OTHER = "other"
    """null, missing or of a wrong type: nothing is inserted there."""


class ComparedText(NamedTuple):
    """What the log compares a message by: see `log_messages`."""

    text: str
    message: Message
    """What is logged of it, said when it was first seen in this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of a chat request, with its position in the text."""

    role: str
    """`user`, `assistant`, `tool`, one of `SYSTEM_ROLES`, or what the client wrote."""
    text: str
    name: str | None = None
    payload: str | None = None
    """See `Message.payload`."""
    call_ids: tuple[str, ...] = ()
    content_kind: ContentKind
    start: int
    """Offset of its opening brace in `ChatRequest.text`, in characters."""
    end: int
    """Offset after its closing brace."""
    content_start: int
    """Offset after the opening quote or bracket of the content; -1 for OTHER."""
    content_end: int
    """Offset of the closing quote or bracket of the content; -1 for OTHER."""
    compared: dict[str, ComparedText] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What it is compared by, kept under the question before it: a message that is sent again is not hashed again."""

    @property
    def is_system(self) -> bool:
        """Whether the application wrote it."""
        return self.role in SYSTEM_ROLES


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat request: the bytes as received, and a parsed copy. A format may add what it alone needs."""

    wire: "WireFormat" = field(repr=False)
    """The format it is written in."""
    body: bytes
    text: str
    """The body, decoded."""
    model: str | None
    stream: bool
    user: str | None
    messages: tuple[ChatMessage, ...]
    """At least one."""
    conversation: str | None = None
    """The client's id of the conversation, if the body has one."""
    after: str | None = None
    """Upstream's id of the answer that the messages come after, if the body names it."""
    is_kept_upstream: bool = False
    """Whether upstream keeps what was said before, and what was inserted there: the request has only what is new."""
    continues: bool = False
    """Whether the answer continues the last message, which the client wrote for the assistant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """Text to insert into a request; everything else stays the same."""

    offset: int
    """In characters of `ChatRequest.text`."""
    text: str
    """JSON source, already escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPiece:
    """Bytes for the client."""

    data: bytes
    held: bool
    """Whether they must wait until the turn is recorded: everything from the event on that ends the stream."""


class AnswerStream(Protocol):
    """Relays a streamed answer with `memories` in it, and reads it on the way."""

    def feed(self, chunk: bytes) -> list[StreamPiece]:
        """Take the next bytes from upstream; return those that can be sent."""
        ...

    def close(self) -> list[StreamPiece]:
        """Return the remaining bytes when upstream has ended, even in the middle of an event."""
        ...

    def reply(self) -> Reply:
        """Return what has arrived so far."""
        ...


class ToolCallStream(Protocol):
    """Relays a streamed answer until it calls one of our tools, and keeps the rest back.

    A call of any other tool releases everything: a mixed round is relayed whole.
    """

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes from upstream; return those to relay."""
        ...

    def close(self) -> bytes:
        """Return the remaining bytes at the end of the stream; nothing if all calls are ours."""
        ...

    def our_calls(self) -> Reply | None:
        """Return the answer if the stream ended in calls of our tools only."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAnswer:
    """An answer of the built-in model."""

    id: str
    created: int
    """Unix time in seconds."""
    model: str
    text: str
    count: Callable[[str], int]
    """Counts the tokens of a text, for the usage."""


class ToolFormat(Protocol):
    """Offers our tools in a format, and runs rounds of their calls."""

    def offer_tools(self, request: ChatRequest, names: Collection[str]) -> Insertion | None:
        """Add some of our tools (chat/tools.py) to the client's own.

        Returns None if that is impossible: the client wants several answers, or chooses itself what is to be called.
        """
        ...

    def append_rounds(self, request: ChatRequest, rounds: Sequence[ToolRound]) -> Insertion:
        """Append the calls of our tools in all rounds, and their results, to the messages of a request."""
        ...

    def hold_calls(self, names: Collection[str], earlier: TokenUsage | None) -> ToolCallStream:
        """Return what holds back the calls of our tools in one stream.

        Args:
            names: Our tools.
            earlier: Usage of the rounds before, which the relayed usage includes; None in the first one.
        """
        ...

    def add_usage(self, body: bytes, earlier: TokenUsage) -> bytes:
        """Add the usage of earlier rounds to that of a whole answer; without any, the body stays as it is."""
        ...


class WireFormat(Protocol):
    """One API for chats. Its methods keep no state, and raise nothing that is not listed."""

    @property
    def route(self) -> str:
        """Path of its requests, such as `/v1/messages`."""
        ...

    @property
    def takes_api_key(self) -> bool:
        """Whether its API takes the key in `x-api-key`, and not in `Authorization`."""
        ...

    @property
    def tools(self) -> ToolFormat | None:
        """What offers our tools; None if the format leaves the client's tools alone."""
        ...

    @property
    def has_system_place(self) -> bool:
        """Whether the profile block has a place before all messages; otherwise it begins the first turn's text."""
        ...

    @property
    def stream_type(self) -> bytes:
        """Content type of its streams."""
        ...

    # ---- requests

    def read(self, body: bytes) -> ChatRequest:
        """Read the body of a request.

        Raises:
            BadRequestError: It is no request of this format; `param` names the part at fault.
        """
        ...

    def identity(self, payload: str | None) -> tuple[str, ...]:
        """Return what distinguishes a message beyond its text, however a client serialises it.

        Args:
            payload: The message as JSON; None if its text is all there is.
        """
        ...

    def place(self, request: ChatRequest, *, standing: str, recalled: str, mode: InjectionMode) -> list[Insertion]:
        """Return where to insert the blocks of memory, in the order of their offsets.

        Args:
            request: The request as it came.
            standing: The profile block, the same from turn to turn; may be empty.
            recalled: What was recalled for this turn; may be empty.
            mode: Which places are wanted; a format without such a place takes its nearest one.
        """
        ...

    def place_at_messages(
        self, request: ChatRequest, *, standing: str, appended: Mapping[int, str], in_user_message: bool = False
    ) -> list[Insertion]:
        """Return where to insert a profile block, and texts at several messages, in the order of their offsets.

        A text at a message depends on that message alone. So the messages up to it stay the same bytes when others
        follow.

        Args:
            request: The request as it came.
            standing: Goes to the system prompt; may be empty.
            appended: Texts by index of their message; each goes to its end, or right after it.
            in_user_message: Whether texts must go into their message, as upstream refused other places.
        """
        ...

    def compared(self, source: str) -> str:
        """Return what a provider compares with its cache of some messages of a prompt.

        Args:
            source: Their JSON source, with the commas between and in front of them.
        """
        ...

    # ---- answers

    def read_answer(self, body: bytes, max_characters: int = MAX_CHARACTERS) -> Reply | None:
        """Read a whole answer, of whose texts `max_characters` are kept each; None if the body is none."""
        ...

    def splice(self, body: bytes, memories_json: bytes) -> bytes:
        """Insert `memories`, a JSON array, into a whole answer; any other body stays as it is."""
        ...

    def splice_stream(self, memories_json: bytes | None, max_characters: int) -> AnswerStream:
        """Return what relays one stream, with `memories` if there are any.

        Args:
            memories_json: A JSON array; None leaves all bytes as they are.
            max_characters: How much is kept of each text of the answer.
        """
        ...

    def is_stream(self, kind: bytes, *, wanted: bool) -> bool:
        """Return whether an answer is a stream.

        Args:
            kind: Its content type, in lower case.
            wanted: Whether the request asks for one.
        """
        ...

    def with_note(self, end: bytes, note: str) -> bytes:
        """Put a note for people into the bytes that end a stream, where clients pass over it, if that can be done."""
        ...

    def write_answer(self, request: ChatRequest, answer: OwnAnswer) -> Sequence[bytes]:
        """Write an answer to a request: the parts of its body, or the events of its stream if one is wanted."""
        ...

    def error(self, status: int, message: str, *, param: str | None = None) -> bytes:
        """Write the body of an error; `param` names the part of the request at fault."""
        ...
