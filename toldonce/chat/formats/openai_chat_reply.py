"""Read answers of Chat Completions: assembled from a stream, or whole. Pure, and never raises on content."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from toldonce.chat.formats.json_values import (
    MAX_SAID_CHARACTERS,
    count,
    error_text,
    paired,
    read_object,
    source_of,
    string,
)
from toldonce.chat.formats.openai_chat_message import text_of
from toldonce.chat.reply import MAX_CHARACTERS, LimitedText, Reply, TokenUsage, ToolCall
from toldonce.chat.sse import SseReader
from toldonce.text import clean

DONE = b"[DONE]"
# Bytes of a stream that are read together: some forty events, which take less than a millisecond.
_READ_BYTES = 8 * 1024
# An answer has a few tool calls; an upstream that numbers millions of them fills no memory here.
_MAX_COUNTED = 1000


@dataclass(slots=True)
class _Call:
    """A tool call whose pieces are arriving."""

    id: str = ""
    type: str = "function"
    name: str = ""
    arguments: LimitedText = field(default_factory=LimitedText)

    def add(self, function: dict[object, object]) -> None:
        name, arguments = string(function.get("name")), function.get("arguments", function.get("input"))
        if name != self.name and len(self.name) <= MAX_SAID_CHARACTERS:  # some repeat the name in every piece
            self.name += name
        self.arguments.add(_source(arguments))

    def function(self) -> dict[str, str]:
        field_name = "input" if self.type == "custom" else "arguments"
        return {"name": self.name, field_name: paired(self.arguments.text())}

    def read(self) -> ToolCall:
        return ToolCall(self.id, self.name, self.function().get("arguments", ""))


class ReplyAssembler:
    """Assembles a `Reply` from the bytes of a stream, or from the data of one event after the other."""

    def __init__(self, max_characters: int = MAX_CHARACTERS) -> None:
        """Begin; of the text and of each tool call `max_characters` are kept."""
        self._max_characters = max_characters
        self._is_done = False
        self._reader = SseReader()
        self._unread: list[bytes] = []
        self._unread_bytes = 0
        self._text = LimitedText(max_characters)
        self._calls: dict[int, list[_Call]] = {}
        self._function: _Call | None = None
        self._is_finished = False
        self._error: str | None = None
        self._usage: TokenUsage | None = None

    def feed_stream(self, chunk: bytes) -> None:
        """Take the next bytes of a stream; they are read when there are many of them, or when the reply is needed."""
        self._unread.append(chunk)
        self._unread_bytes += len(chunk)
        if self._unread_bytes >= _READ_BYTES:
            self._read()

    def close_stream(self) -> None:
        """Take the event that the end of the stream cut off, if any."""
        self._read()
        half = self._reader.close()
        if half is not None:
            self.feed(half.data)

    def feed(self, data: bytes) -> None:
        """Take the data of one event; unreadable data is ignored."""
        if self._is_done:
            return
        if is_done(data):
            self._is_done = True
            return
        event = read_object(data)
        if event is not None:
            self._take(event)

    def reply(self) -> Reply:
        """Return what has arrived so far."""
        self._read()
        text = clean(paired(self._text.text()))
        calls = [call for index in sorted(self._calls) for call in self._calls[index]]
        tool_calls = [{"id": call.id, "type": call.type, call.type: call.function()} for call in calls]
        message: dict[str, object] = {"role": "assistant", "content": text or None}
        if tool_calls:
            message["tool_calls"] = tool_calls
        if self._function:
            message["function_call"] = self._function.function()
        return Reply(
            text=text,
            payload=json.dumps(message) if tool_calls or self._function else None,
            calls=tuple(call.read() for call in calls),
            complete=self._is_finished and self._error is None,
            error=self._error,
            usage=self._usage,
            cut=self._reader.has_dropped or self._text.is_cut or any(call.arguments.is_cut for call in calls),
        )

    def _read(self) -> None:
        """Read what has arrived of the stream."""
        if not self._unread:
            return
        events = self._reader.feed_data(b"".join(self._unread))
        self._unread.clear()
        self._unread_bytes = 0
        ends = bool(events) and is_done(events[-1])
        objects = None if self._is_done else _read_together(events[:-1] if ends else events)
        if objects is None:
            for data in events:
                self.feed(data)
            return
        for event in objects:
            self._take(event)
        self._is_done = ends

    def _take(self, event: dict[str, object]) -> None:
        if event.get("error") or event.get("object") == "error":
            self._error = _error(event)
        if isinstance(usage := event.get("usage"), dict):
            self._usage = _usage(usage)
        choices = event.get("choices")
        for place, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict) and _index(choice, place) == 0:
                self._take_choice(choice)

    def _take_choice(self, choice: dict[object, object]) -> None:
        message = choice.get("delta") or choice.get("message")
        if isinstance(message, dict):
            self._take_message(message)
        elif isinstance(text := choice.get("text"), str):
            self._text.add(text)
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self._is_finished = True
            if reason == "error" and self._error is None:
                self._error = _error(choice)

    def _take_message(self, message: dict[object, object]) -> None:
        self._text.add(text_of(message.get("content")))
        calls = message.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict):
                self._take_call(call, _index(call, place))
        function = message.get("function_call")
        if isinstance(function, dict):
            self._function = self._function or self._new_call()
            self._function.add(function)

    def _new_call(self, kind: str = "function") -> _Call:
        return _Call(type=kind, arguments=LimitedText(self._max_characters))

    def _take_call(self, piece: dict[object, object], index: int) -> None:
        kind = "custom" if piece.get("type") == "custom" or "custom" in piece else "function"
        function = piece.get(kind)
        function = function if isinstance(function, dict) else {}
        call_id = string(piece.get("id"))
        if index not in self._calls and len(self._calls) >= _MAX_COUNTED:
            return
        calls = self._calls.setdefault(index, [])
        # Some upstreams give every call of an answer the index 0, and others change the id from piece to piece. So
        # only a second id with a second name begins a second call.
        if not calls or (
            len(calls) < _MAX_COUNTED
            and call_id
            and calls[-1].id not in ("", call_id)
            and calls[-1].name
            and function.get("name")
        ):
            calls.append(self._new_call(kind))
        calls[-1].id = calls[-1].id or call_id
        calls[-1].add(function)


def is_done(data: bytes) -> bool:
    """Return whether an event's data marks the end of a stream."""
    return data.lstrip().startswith(DONE)


def reply_from_json(body: bytes, max_characters: int = MAX_CHARACTERS) -> Reply | None:
    """Read a whole answer, of whose text `max_characters` are kept; None if the body is not a JSON object."""
    answer = read_object(body)
    if answer is None:
        return None
    assembler = ReplyAssembler(max_characters)
    assembler._take(answer)
    return assembler.reply()


def _read_together(events: Sequence[bytes]) -> list[dict[str, object]] | None:
    """Decode JSON objects in one go; None if one of them has to be looked at by itself."""
    if not all(data.startswith(b"{") and data.endswith(b"}") for data in events):
        return None
    try:
        values = json.loads((b"[" + b",".join(events) + b"]").decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    # Halves that make one object only together are as few as they are wrong.
    return values if len(values) == len(events) and all(isinstance(value, dict) for value in values) else None


def _index(value: dict[object, object], place: int) -> int:
    index = value.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else place


def _source(arguments: object) -> str:
    """Return arguments as JSON source; some upstreams send the object itself."""
    return source_of(arguments) if isinstance(arguments, dict) else string(arguments)


def _error(event: dict[str, object] | dict[object, object]) -> str:
    error = event.get("error") or event
    return error_text(error.get("message") if isinstance(error, dict) else error)


def _usage(usage: dict[object, object]) -> TokenUsage:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return TokenUsage(
        prompt_tokens=count(usage.get("prompt_tokens")),
        completion_tokens=count(usage.get("completion_tokens")),
        cached_tokens=count(cached),
    )
