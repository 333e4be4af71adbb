"""Read a chat completion request without losing a byte of it: a parsed copy that knows its offsets. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import Any

from recollect.chat.content import call_ids_of, text_alone, text_of
from recollect.chat.json_scanner import DEEPEST, JsonScanner, TooDeepError
from recollect.errors import BadRequestError
from recollect.text import clean
from recollect.types import ChatMessage, ChatRequest, ContentKind

_BOM = "\ufeff"
# Most messages of one request: the longest chats have some hundreds, and 100,000 of a few bytes took 2 s to read.
MAX_MESSAGES = 10_000
# Fields of a message that say who speaks and what; the others are passed over.
_OF_MESSAGE = frozenset({"role", "name", "content", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"})


def read_request(body: bytes, *, most_messages: int = MAX_MESSAGES) -> ChatRequest:
    """Read the body of a chat completion request.

    Unknown fields and roles are upstream's business. White space, order of keys, escapes, a byte order mark
    and repeated unknown keys all stay in `text`, which encodes to `body` again. Fields that memory does not read
    (`tools`, say) are checked and passed over: nothing is built of them.

    Raises:
        BadRequestError: no body, not UTF-8, no JSON object, nested too deep, numbers too long, or `messages`
            missing, given twice, empty, too many or not a list of objects with a role. `param` names the part at fault.
    """
    if not body.strip():
        raise BadRequestError('the body is empty; send {"model": …, "messages": […]}', param="body")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequestError(f"the body is not UTF-8 at byte {error.start}", param="body") from None
    reading = _Reading(JsonScanner(text), most_messages)
    try:
        reading.walk()
    except JSONDecodeError as error:
        raise BadRequestError(f"the body is not JSON: {error.msg} at character {error.pos}", param="body") from None
    except TooDeepError:
        raise BadRequestError(f"the body nests values deeper than {DEEPEST}", param="body") from None
    except ValueError:
        raise BadRequestError("the body holds a number with more digits than can be read", param="body") from None
    return reading.request(body)


def request_of(messages: Sequence[Mapping[str, Any]]) -> ChatRequest:
    """Write messages of OpenAI's shape as a request, and read it.

    Raises:
        BadRequestError: they are no JSON objects with a role.
    """
    try:
        body = json.dumps({"messages": list(messages)}).encode()
    except (TypeError, ValueError) as error:
        raise BadRequestError(f"messages must be JSON objects: {error}", param="messages") from None
    return read_request(body, most_messages=max(1, len(messages)))


@dataclass(slots=True)
class _Reading:
    """One walk over a request's source."""

    source: JsonScanner
    most_messages: int
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
        start = source.skip(len(_BOM) if source.text.startswith(_BOM) else 0)
        if source.peek(start) != "{":
            source.behind(start)
            raise BadRequestError("the body is not a JSON object", param="body")
        self.body_start = start + 1
        end = source.skip(source.object(start, self._member))
        if end != len(source.text):
            raise JSONDecodeError("Extra data", source.text, end)

    def request(self, body: bytes) -> ChatRequest:
        if self.messages_start < 0:
            raise BadRequestError("`messages` is missing; send a list of messages", param="messages")
        if not self.messages:
            raise BadRequestError("`messages` is empty; send at least one message", param="messages")
        model, user = self.fields.get("model"), self.fields.get("user")
        return ChatRequest(
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
            return self._of_tools(key, at)
        if key == "stream_options":
            self.options = {}
            return self.source.object(at, self._option) if self.source.peek(at) == "{" else self.source.behind(at)
        if key != "messages":
            return self.source.behind(at)
        if self.messages_start >= 0:
            raise BadRequestError("`messages` is given twice; send it once", param="messages")
        if self.source.peek(at) != "[":
            self.source.behind(at)
            raise BadRequestError("`messages` is not a list", param="messages")
        self.messages_start = at + 1
        return self.source.array(at, self._message)

    def _of_tools(self, key: str, at: int) -> int:
        """Note where tools could be added, and whether the client leaves the choice among them to the model."""
        opening = self.source.peek(at)
        if key == "tool_choice":
            end = self._scalar(self.fields, key, at)
            self.fields[key] = "named" if opening in ("[", "{") else self.fields[key]
            return end
        if key == "functions" or opening != "[":
            self.functions = True  # an old way, or none that a list could be added to
            return self.source.behind(at)
        self.tools_start = at + 1
        self.tools_empty = self.source.peek(self.source.skip(at + 1)) == "]"
        return self.source.behind(at)

    def _option(self, key: str, at: int) -> int:
        return self._scalar(self.options, key, at)

    def _scalar(self, into: dict[str, object], key: str, at: int) -> int:
        """Read a string, number or constant; a list or an object says nothing here and is passed over."""
        if self.source.peek(at) in ("[", "{"):
            into[key] = None
            return self.source.behind(at)
        into[key], end = self.source.value(at)
        return end

    def _message(self, at: int) -> int:
        param = f"messages[{len(self.messages)}]"
        if len(self.messages) == self.most_messages:
            raise BadRequestError(f"`messages` has more than {self.most_messages:,} messages", param="messages")
        if self.source.peek(at) != "{":
            self.source.behind(at)
            raise BadRequestError(f"`{param}` is not an object", param=param)
        message = _Message(self.source)
        end = self.source.object(at, message.member)
        self.messages.append(message.read(param, at, end))
        return end


@dataclass(slots=True)
class _Message:
    """One walk over a message's source."""

    source: JsonScanner
    fields: dict[str, object] = field(default_factory=dict)
    contents: int = 0
    content_start: int = -1
    content_end: int = -1

    def member(self, key: str, at: int) -> int:
        if key not in _OF_MESSAGE:
            return self.source.behind(at)
        if key == "content" and self.source.peek(at) == "[":
            self.fields[key], end = self._parts(at)
        else:
            self.fields[key], end = self.source.value(at)
        if key == "content":
            self.contents += 1
            self.content_start, self.content_end = at + 1, end - 1
        return end

    def _parts(self, at: int) -> tuple[list[object], int]:
        """Read a list one by one: a list of a million parts holds up no other thread."""
        parts: list[object] = []

        def part(start: int) -> int:
            value, end = self.source.value(start)
            parts.append(value)
            return end

        return parts, self.source.array(at, part)

    def read(self, param: str, start: int, end: int) -> ChatMessage:
        role, name = self.fields.get("role"), self.fields.get("name")
        if not isinstance(role, str):
            raise BadRequestError(f"`{param}.role` is not a string; write for instance user", param=f"{param}.role")
        kind = self._kind()
        nowhere = kind is ContentKind.OTHER
        return ChatMessage(
            role=clean(role),
            text=clean(text_of(self.fields.get("content"))),
            name=clean(name) if isinstance(name, str) else None,
            payload=None if text_alone(self.fields) else self.source.text[start:end],
            call_ids=tuple(clean(call_id) for call_id in call_ids_of(self.fields.get("tool_calls"))),
            content_kind=kind,
            start=start,
            end=end,
            content_start=-1 if nowhere else self.content_start,
            content_end=-1 if nowhere else self.content_end,
        )

    def _kind(self) -> ContentKind:
        content = self.fields.get("content")
        if self.contents != 1:  # of repeated keys nobody knows which one upstream reads
            return ContentKind.OTHER
        if isinstance(content, str):
            return ContentKind.STRING
        if isinstance(content, list):
            return ContentKind.PARTS if content else ContentKind.EMPTY_PARTS
        return ContentKind.OTHER


# How Open WebUI's templates for titles, tags, follow-ups and search queries open, and where they put the chat.
_OPENING = "### Task:"
_CHAT = "<chat_history>"


def is_background_task(request: ChatRequest) -> bool:
    """Whether a request is one of Open WebUI's own: it neither reads nor forms memories."""
    last = next((message for message in reversed(request.messages) if message.role == "user"), None)
    return not request.stream and last is not None and last.text.lstrip().startswith(_OPENING) and _CHAT in last.text
