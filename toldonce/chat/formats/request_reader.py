"""Read a request whose chat is a list of messages into a copy that knows the offsets of its parts. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from json import JSONDecodeError
from typing import ClassVar

from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, WireFormat
from toldonce.chat.formats.known_messages import ANCHOR, known_messages
from toldonce.chat.identity import MAX_CONVERSATION_BYTES
from toldonce.chat.json_scanner import MAX_DEPTH, JsonScanner, TooDeepError
from toldonce.errors import BadRequestError
from toldonce.text import clean

# The longest chats have some hundred messages; 100,000 messages of a few bytes took 2 s to read.
MAX_MESSAGES = 10_000
_BOM = "\ufeff"


class RequestReader(ABC):
    """Walks the source of one request; a format adds the fields that it reads.

    Unknown fields and roles are left to upstream. White space, order of keys, escapes, a byte order mark and repeated
    unknown keys all stay in the text, which encodes to the body again. Fields that memory does not read are checked and
    skipped: no objects are built from them.
    """

    SCALARS: ClassVar[frozenset[str]]
    """Fields whose value is read where it is no list or object."""
    LIST: ClassVar[str] = "messages"
    """The field that holds the messages."""

    def __init__(self, body: bytes, max_messages: int) -> None:
        """Decode a body.

        Raises:
            BadRequestError: It is empty, or not UTF-8.
        """
        if not body.strip():
            raise BadRequestError(f'the body is empty; send {{"model": …, "{self.LIST}": […]}}', param="body")
        try:
            self.source = JsonScanner(body.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise BadRequestError(f"the body is not UTF-8 at byte {error.start}", param="body") from None
        self.body = body
        self.fields: dict[str, object] = {}
        self.messages: list[ChatMessage] = []
        self.body_start = 0
        self._max_messages = max_messages
        self._has_messages = False

    def walk(self) -> None:
        """Read the whole source.

        Raises:
            BadRequestError: It is not a JSON object, nested too deep, has a number that is too long, or its messages
                are missing, repeated, empty, too many, or no list of objects with a role. `param` names the part at
                fault.
        """
        try:
            self._walk()
        except JSONDecodeError as error:
            raise BadRequestError(f"the body is not JSON: {error.msg} at character {error.pos}", param="body") from None
        except TooDeepError:
            raise BadRequestError(f"the body nests values deeper than {MAX_DEPTH}", param="body") from None
        except ValueError:
            raise BadRequestError("the body holds a number with more digits than can be read", param="body") from None
        if not self._has_messages:
            raise BadRequestError(f"`{self.LIST}` is missing; send a list of messages", param=self.LIST)
        if not self.messages:
            raise BadRequestError(f"`{self.LIST}` is empty; send at least one message", param=self.LIST)
        known_messages.keep(type(self), self.source.text, self.messages)

    def request(self, wire: WireFormat, *, user: str | None = None, conversation: str = "") -> ChatRequest:
        """Return the request that was read.

        Args:
            wire: The format it is written in.
            user: The user that the body names; an empty name is none.
            conversation: The conversation that the body names; none if the name is empty or too long.
        """
        model = self.string("model")
        return ChatRequest(
            wire=wire,
            body=self.body,
            text=self.source.text,
            model=None if model is None else clean(model),
            stream=self.fields.get("stream") is True,
            user=user or None,
            messages=tuple(self.messages),
            conversation=conversation if 0 < len(conversation.encode()) <= MAX_CONVERSATION_BYTES else None,
        )

    @property
    def begins_answer(self) -> bool:
        """Whether the last message is the beginning of the answer, which the client wrote for the assistant."""
        last = self.messages[-1]
        return last.role == "assistant" and bool(last.text) and last.payload is None

    def string(self, name: str) -> str | None:
        """Return a field that was read; None if it is no string."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else None

    def member(self, key: str, at: int) -> int:
        """Read a member of the body whose value starts at `at`; return its end."""
        if key in self.SCALARS:
            return self.scalar(self.fields, key, at)
        return self.read_messages(at) if key == self.LIST else self.source.skip_value(at)

    def scalar(self, into: dict[str, object], key: str, at: int) -> int:
        """Read a string, number or constant; a list or an object says nothing here and is passed over."""
        if self.source.peek(at) in ("[", "{"):
            into[key] = None
            return self.source.skip_value(at)
        into[key], end = self.source.read_value(at)
        return end

    @abstractmethod
    def message(self, at: int, param: str) -> ChatMessage:
        """Read the message that opens at `at`; `param` names it.

        Raises:
            BadRequestError: It has no role.
        """

    def _walk(self) -> None:
        source = self.source
        start = source.skip_space(len(_BOM) if source.text.startswith(_BOM) else 0)
        if source.peek(start) != "{":
            source.skip_value(start)
            raise BadRequestError("the body is not a JSON object", param="body")
        self.body_start = start + 1
        end = source.skip_space(source.walk_object(start, self.member))
        if end != len(source.text):
            raise JSONDecodeError("Extra data", source.text, end)

    def read_messages(self, at: int) -> int:
        """Read the messages, whose list opens at `at`; return its end.

        Raises:
            BadRequestError: See `walk`.
        """
        if self._has_messages:
            raise BadRequestError(f"`{self.LIST}` is given twice; send it once", param=self.LIST)
        self._has_messages = True
        if self.source.peek(at) == "[":
            return self.source.walk_array(at, self._message)
        return self.other_messages(at)

    def other_messages(self, at: int) -> int:
        """Read messages that are no list; return their end.

        Raises:
            BadRequestError: The format has no other shape.
        """
        self.source.skip_value(at)
        raise BadRequestError(f"`{self.LIST}` is not a list", param=self.LIST)

    def _message(self, at: int) -> int:
        param = f"{self.LIST}[{len(self.messages)}]"
        if len(self.messages) == self._max_messages:
            raise BadRequestError(f"`{self.LIST}` has more than {self._max_messages:,} messages", param=self.LIST)
        if self.source.peek(at) != "{":
            self.source.skip_value(at)
            raise BadRequestError(f"`{param}` is not an object", param=param)
        self.messages.append(self.message(at, param))
        if len(self.messages) == ANCHOR:
            known = known_messages.after(type(self), self.source.text, self.messages)
            self.messages += known[: self._max_messages - ANCHOR]
        return self.messages[-1].end


class MessageReader:
    """Walks the source of one message."""

    def __init__(self, source: JsonScanner, wanted: frozenset[str], at: int) -> None:
        """Read the fields `wanted` of the message that opens at `at`; the others are skipped."""
        self._source = source
        self._wanted = wanted
        self._contents = 0
        self._content_start = self._content_end = -1
        self.fields: dict[str, object] = {}
        self.start, self.end = at, source.walk_object(at, self._member)

    def message(
        self,
        *,
        role: str,
        text: str,
        has_more: bool,
        call_ids: Iterable[str] = (),
        name: str | None = None,
        takes_text: bool = True,
    ) -> ChatMessage:
        """Return the message.

        Args:
            role: Who speaks, as the format reads it.
            text: What it says.
            has_more: Whether it says more than its text, so that its JSON is kept.
            call_ids: Ids of the calls that it makes; empty ones are left out.
            name: The speaker's name.
            takes_text: Whether text may be inserted into its content, if that has a place for it.
        """
        kind = self._kind() if takes_text else ContentKind.OTHER
        has_place = kind is not ContentKind.OTHER
        return ChatMessage(
            role=clean(role),
            text=clean(text),
            name=None if name is None else clean(name),
            payload=self._source.text[self.start : self.end] if has_more else None,
            call_ids=tuple(clean(call_id) for call_id in call_ids if call_id),
            content_kind=kind,
            start=self.start,
            end=self.end,
            content_start=self._content_start if has_place else -1,
            content_end=self._content_end if has_place else -1,
        )

    def _member(self, key: str, at: int) -> int:
        """Read a member whose value starts at `at`; return its end."""
        if key not in self._wanted:
            return self._source.skip_value(at)
        if key == "content" and self._source.peek(at) == "[":
            self.fields[key], end = self._parts(at)
        else:
            self.fields[key], end = self._source.read_value(at)
        if key == "content":
            self._contents += 1
            self._content_start, self._content_end = at + 1, end - 1
        return end

    def role(self, param: str) -> str:
        """Return the message's role.

        Raises:
            BadRequestError: It has none; `param` names the message.
        """
        role = self.fields.get("role")
        if not isinstance(role, str):
            raise BadRequestError(f"`{param}.role` is not a string; write for instance user", param=f"{param}.role")
        return role

    def _kind(self) -> ContentKind:
        content = self.fields.get("content")
        if self._contents != 1:  # which one of repeated keys upstream reads is unknown
            return ContentKind.OTHER
        if isinstance(content, str):
            return ContentKind.STRING
        if isinstance(content, list):
            return ContentKind.PARTS if content else ContentKind.EMPTY_PARTS
        return ContentKind.OTHER

    def _parts(self, at: int) -> tuple[list[object], int]:
        """Read a list part by part, so that a list of a million parts does not hold the interpreter."""
        parts: list[object] = []

        def part(start: int) -> int:
            value, end = self._source.read_value(start)
            parts.append(value)
            return end

        return parts, self._source.walk_array(at, part)
