"""Read a chat completion request into a parsed copy that knows the offsets of its parts in the bytes. Pure."""

from dataclasses import dataclass
from typing import ClassVar

from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, WireFormat
from toldonce.chat.formats.openai_chat_message import call_ids_of, is_text_only, text_of
from toldonce.chat.formats.request_reader import MessageReader, RequestReader
from toldonce.chat.json_scanner import JsonScanner
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import clean

# Fields of a message that memory reads; the others are skipped.
_MESSAGE_FIELDS = frozenset(
    {"role", "name", "content", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"}
)
# Up to the text of a message as most clients write it: role and content, and nothing else.
_WS = r"[ \t\n\r]*+"
_PLAIN_HEAD = LazyPattern(rf'\{{{_WS}"role"{_WS}:{_WS}"([a-z]{{1,20}}+)"{_WS},{_WS}"content"{_WS}:{_WS}(?=")')
_PLAIN_TAIL = LazyPattern(rf"(?<![ \t\n\r]){_WS}\}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIChatRequest(ChatRequest):
    """A chat completion request."""

    include_usage: bool = False
    """Whether a stream should end with its token usage (`stream_options`)."""
    body_start: int = 0
    """Offset after the opening brace of the body."""
    tools_start: int = -1
    """Offset after the opening bracket of `tools`; -1 without such a list."""
    tools_empty: bool = False
    """Whether that list is empty."""
    has_tool_choice: bool = False
    """Whether the client says which tool to call, or none; or sends functions in the old format."""
    wants_multiple_choices: bool = False
    """Whether more than one answer is requested."""


def read_request(body: bytes, wire: WireFormat, *, max_messages: int) -> OpenAIChatRequest:
    """Read the body of a chat completion request.

    Raises:
        BadRequestError: See `RequestReader`.
    """
    reader = _RequestReader(body, max_messages)
    reader.walk()
    return reader.completion_request(wire)


class _RequestReader(RequestReader):
    """Walks the source of one request."""

    SCALARS: ClassVar[frozenset[str]] = frozenset({"model", "user", "stream", "n"})

    def __init__(self, body: bytes, max_messages: int) -> None:
        super().__init__(body, max_messages)
        self._options: dict[str, object] = {}
        self._tools_start = -1
        self._tools_empty = False
        self._functions = False

    def completion_request(self, wire: WireFormat) -> OpenAIChatRequest:
        model = self.string("model")
        return OpenAIChatRequest(
            wire=wire,
            body=self.body,
            text=self.source.text,
            model=None if model is None else clean(model),
            stream=self.fields.get("stream") is True,
            include_usage=self._options.get("include_usage") is True,
            user=self.string("user"),
            messages=tuple(self.messages),
            body_start=self.body_start,
            tools_start=self._tools_start,
            tools_empty=self._tools_empty,
            has_tool_choice=self.fields.get("tool_choice", "auto") not in ("auto", None) or self._functions,
            wants_multiple_choices=self.fields.get("n", 1) not in (1, None),
        )

    def member(self, key: str, at: int) -> int:
        if key in ("tools", "tool_choice", "functions"):
            return self._tool_field(key, at)
        if key != "stream_options":
            return super().member(key, at)
        self._options = {}
        return self.source.walk_object(at, self._option) if self.source.peek(at) == "{" else self.source.skip_value(at)

    def _tool_field(self, key: str, at: int) -> int:
        """Note where tools could be added, and whether the client leaves the choice of a tool to the model."""
        opening = self.source.peek(at)
        if key == "tool_choice":
            end = self.scalar(self.fields, key, at)
            self.fields[key] = "named" if opening in ("[", "{") else self.fields[key]
            return end
        if key == "functions" or opening != "[":
            self._functions = True  # an old way, or none that a list could be added to
            return self.source.skip_value(at)
        self._tools_start = at + 1
        self._tools_empty = self.source.peek(self.source.skip_space(at + 1)) == "]"
        return self.source.skip_value(at)

    def _option(self, key: str, at: int) -> int:
        return self.scalar(self._options, key, at)

    def message(self, at: int, param: str) -> ChatMessage:
        return _read_plain(self.source, at) or _read_message(self.source, at, param)


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


def _read_message(source: JsonScanner, at: int, param: str) -> ChatMessage:
    reader = MessageReader(source, _MESSAGE_FIELDS, at)
    fields, name = reader.fields, reader.fields.get("name")
    return reader.message(
        role=reader.role(param),
        text=text_of(fields.get("content")),
        name=name if isinstance(name, str) else None,
        has_more=not is_text_only(fields),
        call_ids=call_ids_of(fields.get("tool_calls")),
    )
