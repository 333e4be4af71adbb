"""Read a chat completion request into a parsed copy that knows the offsets of its parts in the bytes. Pure."""

from dataclasses import dataclass, field
from json import JSONDecodeError

from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, WireFormat
from toldonce.chat.formats.openai_chat_message import call_ids_of, is_text_only, text_of
from toldonce.chat.json_scanner import MAX_DEPTH, JsonScanner, TooDeepError
from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import clean

_BOM = "\ufeff"
# Fields of a message that memory reads; the others are skipped.
_MESSAGE_FIELDS = frozenset(
    {"role", "name", "content", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"}
)
# Up to the text of a message as most clients write it: role and content, and nothing else.
_WS = r"[ \t\n\r]*+"
_PLAIN_HEAD = LazyPattern(rf'\{{{_WS}"role"{_WS}:{_WS}"([a-z]{{1,20}}+)"{_WS},{_WS}"content"{_WS}:{_WS}(?=")')
_PLAIN_TAIL = LazyPattern(rf"(?<![ \t\n\r]){_WS}\}}")


def read_request(body: bytes, wire: WireFormat, *, max_messages: int) -> ChatRequest:
    """Read the body of a chat completion request.

    Unknown fields and roles are left to upstream. White space, order of keys, escapes, a byte order mark and repeated
    unknown keys all stay in `text`, which encodes to `body` again. Fields that memory does not read, such as `tools`,
    are checked and skipped: no objects are built from them.

    Raises:
        BadRequestError: The body is empty, not UTF-8, not a JSON object, nested too deep, has a number that is too
            long, or its `messages` is missing, repeated, empty, too long, or not a list of objects with a role.
            `param` names the part at fault.
    """
    if not body.strip():
        raise BadRequestError('the body is empty; send {"model": …, "messages": […]}', param="body")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequestError(f"the body is not UTF-8 at byte {error.start}", param="body") from None
    reader = _RequestReader(JsonScanner(text), wire, max_messages)
    try:
        reader.walk()
    except JSONDecodeError as error:
        raise BadRequestError(f"the body is not JSON: {error.msg} at character {error.pos}", param="body") from None
    except TooDeepError:
        raise BadRequestError(f"the body nests values deeper than {MAX_DEPTH}", param="body") from None
    except ValueError:
        raise BadRequestError("the body holds a number with more digits than can be read", param="body") from None
    return reader.request(body)


@dataclass(slots=True)
class _RequestReader:
    """Walks the source of one request."""

    source: JsonScanner
    wire: WireFormat
    max_messages: int
    fields: dict[str, object] = field(default_factory=dict)
    options: dict[str, object] = field(default_factory=dict)
    messages: list[ChatMessage] = field(default_factory=list)
    messages_start: int = -1
    body_start: int = 0
    tools_start: int = -1
    tools_empty: bool = False
    functions: bool = False

    def walk(self) -> None:
        source = self.source
        start = source.skip_space(len(_BOM) if source.text.startswith(_BOM) else 0)
        if source.peek(start) != "{":
            source.skip_value(start)
            raise BadRequestError("the body is not a JSON object", param="body")
        self.body_start = start + 1
        end = source.skip_space(source.walk_object(start, self._member))
        if end != len(source.text):
            raise JSONDecodeError("Extra data", source.text, end)

    def request(self, body: bytes) -> ChatRequest:
        if self.messages_start < 0:
            raise BadRequestError("`messages` is missing; send a list of messages", param="messages")
        if not self.messages:
            raise BadRequestError("`messages` is empty; send at least one message", param="messages")
        model, user = self.fields.get("model"), self.fields.get("user")
        return ChatRequest(
            wire=self.wire,
            body=body,
            text=self.source.text,
            model=clean(model) if isinstance(model, str) else None,
            stream=self.fields.get("stream") is True,
            include_usage=self.options.get("include_usage") is True,
            user=user if isinstance(user, str) else None,
            messages=tuple(self.messages),
            messages_start=self.messages_start,
            body_start=self.body_start,
            tools_start=self.tools_start,
            tools_empty=self.tools_empty,
            has_tool_choice=self.fields.get("tool_choice", "auto") not in ("auto", None) or self.functions,
            wants_multiple_choices=self.fields.get("n", 1) not in (1, None),
        )

    def _member(self, key: str, at: int) -> int:
        if key in ("model", "user", "stream", "n"):
            return self._scalar(self.fields, key, at)
        if key in ("tools", "tool_choice", "functions"):
            return self._tool_field(key, at)
        if key == "stream_options":
            self.options = {}
            return (
                self.source.walk_object(at, self._option) if self.source.peek(at) == "{" else self.source.skip_value(at)
            )
        if key != "messages":
            return self.source.skip_value(at)
        if self.messages_start >= 0:
            raise BadRequestError("`messages` is given twice; send it once", param="messages")
        if self.source.peek(at) != "[":
            self.source.skip_value(at)
            raise BadRequestError("`messages` is not a list", param="messages")
        self.messages_start = at + 1
        return self.source.walk_array(at, self._message)

    def _tool_field(self, key: str, at: int) -> int:
        """Note where tools could be added, and whether the client leaves the choice of a tool to the model."""
        opening = self.source.peek(at)
        if key == "tool_choice":
            end = self._scalar(self.fields, key, at)
            self.fields[key] = "named" if opening in ("[", "{") else self.fields[key]
            return end
        if key == "functions" or opening != "[":
            self.functions = True  # an old way, or none that a list could be added to
            return self.source.skip_value(at)
        self.tools_start = at + 1
        self.tools_empty = self.source.peek(self.source.skip_space(at + 1)) == "]"
        return self.source.skip_value(at)

    def _option(self, key: str, at: int) -> int:
        return self._scalar(self.options, key, at)

    def _scalar(self, into: dict[str, object], key: str, at: int) -> int:
        """Read a string, number or constant; a list or an object says nothing here and is passed over."""
        if self.source.peek(at) in ("[", "{"):
            into[key] = None
            return self.source.skip_value(at)
        into[key], end = self.source.read_value(at)
        return end

    def _message(self, at: int) -> int:
        param = f"messages[{len(self.messages)}]"
        if len(self.messages) == self.max_messages:
            raise BadRequestError(f"`messages` has more than {self.max_messages:,} messages", param="messages")
        if self.source.peek(at) != "{":
            self.source.skip_value(at)
            raise BadRequestError(f"`{param}` is not an object", param=param)
        message = _read_plain(self.source, at)
        if message is None:
            reader = _MessageReader(self.source)
            end = self.source.walk_object(at, reader.member)
            message = reader.read(param, at, end)
        self.messages.append(message)
        return message.end


def _read_plain(source: JsonScanner, at: int) -> ChatMessage | None:
    """Read a message of a role and a string, in this order; None if it is another one."""
    head = _PLAIN_HEAD.match(source.text, at)
    if head is None:
        return None
    start = head.end()
    content, end = source.read_value(start)
    tail = _PLAIN_TAIL.match(source.text, end)
    if tail is None:
        return None
    return ChatMessage(
        role=head[1],
        text=clean(text_of(content)),
        content_kind=ContentKind.STRING,
        start=at,
        end=tail.end(),
        content_start=start + 1,
        content_end=end - 1,
    )


@dataclass(slots=True)
class _MessageReader:
    """Walks the source of one message."""

    source: JsonScanner
    fields: dict[str, object] = field(default_factory=dict)
    contents: int = 0
    content_start: int = -1
    content_end: int = -1

    def member(self, key: str, at: int) -> int:
        if key not in _MESSAGE_FIELDS:
            return self.source.skip_value(at)
        if key == "content" and self.source.peek(at) == "[":
            self.fields[key], end = self._parts(at)
        else:
            self.fields[key], end = self.source.read_value(at)
        if key == "content":
            self.contents += 1
            self.content_start, self.content_end = at + 1, end - 1
        return end

    def _parts(self, at: int) -> tuple[list[object], int]:
        """Read a list part by part, so that a list of a million parts does not hold the interpreter."""
        parts: list[object] = []

        def part(start: int) -> int:
            value, end = self.source.read_value(start)
            parts.append(value)
            return end

        return parts, self.source.walk_array(at, part)

    def read(self, param: str, start: int, end: int) -> ChatMessage:
        role, name = self.fields.get("role"), self.fields.get("name")
        if not isinstance(role, str):
            raise BadRequestError(f"`{param}.role` is not a string; write for instance user", param=f"{param}.role")
        kind = self._kind()
        has_no_offsets = kind is ContentKind.OTHER
        return ChatMessage(
            role=clean(role),
            text=clean(text_of(self.fields.get("content"))),
            name=clean(name) if isinstance(name, str) else None,
            payload=None if is_text_only(self.fields) else self.source.text[start:end],
            call_ids=tuple(clean(call_id) for call_id in call_ids_of(self.fields.get("tool_calls"))),
            content_kind=kind,
            start=start,
            end=end,
            content_start=-1 if has_no_offsets else self.content_start,
            content_end=-1 if has_no_offsets else self.content_end,
        )

    def _kind(self) -> ContentKind:
        content = self.fields.get("content")
        if self.contents != 1:  # which one of repeated keys upstream reads is unknown
            return ContentKind.OTHER
        if isinstance(content, str):
            return ContentKind.STRING
        if isinstance(content, list):
            return ContentKind.PARTS if content else ContentKind.EMPTY_PARTS
        return ContentKind.OTHER
