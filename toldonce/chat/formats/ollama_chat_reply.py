"""Read and relay answers of Ollama's chats, whole or as lines of JSON. Pure, and never raises on content."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from toldonce.chat.formats.event_relay import Event, EventRelay, Landmarks
from toldonce.chat.formats.json_values import (
    MAX_SAID_CHARACTERS,
    count,
    error_text,
    paired,
    parse,
    read_object,
    source_of,
    string,
    with_memories,
)
from toldonce.chat.json_lines import JsonLineReader
from toldonce.chat.reply import MAX_CHARACTERS, LimitedText, Reply, TokenUsage, ToolCall, cut_text
from toldonce.text import clean

# An answer has a few tool calls; an upstream that sends millions of them fills no memory here.
_MAX_CALLS = 1000


@dataclass(slots=True)
class ChatAssembler:
    """Assembles a `Reply` from the lines of a stream, or from a whole answer, which is one line."""

    max_characters: int = MAX_CHARACTERS
    """How much is kept of the text, and of each call."""
    _text: LimitedText = field(init=False)
    _calls: list[ToolCall] = field(default_factory=list)
    _is_cut: bool = False
    _usage: TokenUsage | None = None
    _is_finished: bool = False
    _error: str | None = None

    def __post_init__(self) -> None:
        self._text = LimitedText(self.max_characters)

    def take(self, event: Event) -> None:
        """Take a line; what the model thought is none of the answer."""
        if said := event.get("error"):
            self._error = error_text(said)
        message = event.get("message")
        if isinstance(message, dict):
            self._text.add(string(message.get("content")))
            calls = message.get("tool_calls")
            for call in calls if isinstance(calls, list) else ():
                self._take_call(call)
        if event.get("done") is True:
            self._is_finished = True
            self._usage = TokenUsage(
                prompt_tokens=count(event.get("prompt_eval_count")), completion_tokens=count(event.get("eval_count"))
            )

    def reply(self, *, cut: bool = False) -> Reply:
        """Return what has arrived so far; `cut` if some of it was too large to be read."""
        text = clean(paired(self._text.text()))
        message = {"role": "assistant", "content": text, "tool_calls": [_written(call) for call in self._calls]}
        return Reply(
            text=text,
            payload=(source_of(message) or None) if self._calls else None,
            calls=tuple(self._calls),
            complete=self._is_finished and self._error is None,
            error=self._error,
            usage=self._usage,
            cut=cut or self._is_cut or self._text.is_cut,
        )

    def _take_call(self, call: object) -> None:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or len(self._calls) >= _MAX_CALLS:
            return
        given = function.get("arguments") or {}
        source = given if isinstance(given, str) else source_of(given)  # some servers send the JSON in a string
        self._is_cut = self._is_cut or len(source) > self.max_characters
        name = string(function.get("name"))[:MAX_SAID_CHARACTERS]
        self._calls.append(ToolCall("", name, cut_text(source, self.max_characters)))


def _written(call: ToolCall) -> dict[str, object]:
    """Return a call as clients send it back, without its id; arguments that are no JSON as they were cut are text."""
    arguments = parse(call.arguments)
    function = {"name": call.name, "arguments": call.arguments if arguments is None else arguments}
    return {"function": function}


def reply_from_json(body: bytes, max_characters: int = MAX_CHARACTERS) -> Reply | None:
    """Read a whole answer, of whose texts `max_characters` are kept each; None if the body is not a JSON object."""
    answer = read_object(body)
    if answer is None:
        return None
    assembler = ChatAssembler(max_characters)
    assembler.take(answer)
    return assembler.reply()


def _has_message(answer: Mapping[str, object]) -> bool:
    return isinstance(answer.get("message"), dict)


def splice_whole(body: bytes, memories_json: bytes) -> bytes:
    """Insert `memories` after the opening brace of a whole answer; any other body stays as it is."""
    return with_memories(body, memories_json, _has_message)


_LANDMARKS = Landmarks(
    begins=_has_message,
    ends=lambda line: line.get("done") is True or bool(line.get("error")),
    inside=lambda data, line: None if "memories" in line else data.index(b"{") + 1,
)


def splice_stream(memories_json: bytes | None, max_characters: int = MAX_CHARACTERS) -> EventRelay:
    """Return what relays one stream, with `memories` in its first line."""
    return EventRelay(ChatAssembler(max_characters), memories_json, _LANDMARKS, JsonLineReader())
