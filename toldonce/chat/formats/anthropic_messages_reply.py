"""Read and relay answers of Anthropic's Messages API, whole or streamed. Pure, and never raises on content."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from toldonce.chat.formats.anthropic_messages_request import is_text_only, spoken_text
from toldonce.chat.formats.event_relay import EventRelay, typed
from toldonce.chat.formats.json_values import (
    count,
    error_text,
    paired,
    parse,
    read_object,
    string,
    with_memories,
)
from toldonce.chat.reply import MAX_CHARACTERS, LimitedText, Reply, TokenUsage, ToolCall
from toldonce.text import clean

# An answer has a few blocks; an upstream that numbers millions of them fills no memory here.
_MAX_BLOCKS = 1000
_THINKING = frozenset({"thinking", "redacted_thinking"})
_LANDMARKS = typed(begins=("message_start", "message"), ends=frozenset({"message_stop"}))


@dataclass(slots=True)
class _Block:
    """A block whose pieces are arriving."""

    fields: Mapping[object, object]
    text: LimitedText
    """Of a block of text."""
    input: LimitedText
    """Of a call: the JSON of its input."""

    def read(self) -> dict[str, object]:
        """Return the block as a client sends it back."""
        block = {str(name): value for name, value in self.fields.items()}
        if block.get("type") == "text":
            return {"type": "text", "text": paired(self.text.text())}
        if source := paired(self.input.text()):
            parsed = parse(source)
            block["input"] = source if parsed is None else parsed
        return block

    @property
    def is_cut(self) -> bool:
        return self.text.is_cut or self.input.is_cut


@dataclass(slots=True)
class MessageAssembler:
    """Assembles a `Reply` from a whole message, or from the events of a stream."""

    max_characters: int = MAX_CHARACTERS
    """How much is kept of each block."""
    _blocks: dict[int, _Block] = field(default_factory=dict)
    _usage: dict[str, int] = field(default_factory=dict)
    _is_finished: bool = False
    _error: str | None = None

    def take(self, event: Mapping[str, object]) -> None:
        """Take an event; unknown ones are ignored."""
        kind = event.get("type")
        if kind == "message_start" and isinstance(message := event.get("message"), dict):
            self.take_message(message)
        elif kind == "content_block_start":
            self._start(event.get("index"), event.get("content_block"))
        elif kind == "content_block_delta" and isinstance(delta := event.get("delta"), dict):
            self._add(event.get("index"), delta)
        elif kind == "message_delta":
            self._take_end(event.get("delta"), event.get("usage"))
        elif kind == "error":
            error = event.get("error")
            self._error = error_text(error.get("message") if isinstance(error, dict) else None)

    def take_message(self, message: Mapping[str, object]) -> None:
        """Take a message, whole or as a stream begins it."""
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            self._start(index, block)
        self._take_end(message, message.get("usage"))

    def reply(self, *, cut: bool = False) -> Reply:
        """Return what has arrived so far; `cut` if some of it was too large to be read."""
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        content = [block.read() for block in blocks if block.fields.get("type") not in _THINKING]
        calls = (block for block in blocks if block.fields.get("type") == "tool_use")
        counted = self._usage
        cached = counted.get("cache_read_input_tokens", 0)
        asked = counted.get("input_tokens", 0) + cached + counted.get("cache_creation_input_tokens", 0)
        return Reply(
            text=clean(spoken_text(content)),
            payload=None if is_text_only(content) else json.dumps({"role": "assistant", "content": content}),
            calls=tuple(
                ToolCall(string(call.fields.get("id")), string(call.fields.get("name")), call.input.text())
                for call in calls
            ),
            complete=self._is_finished and self._error is None,
            error=self._error,
            usage=TokenUsage(
                prompt_tokens=asked, completion_tokens=counted.get("output_tokens", 0), cached_tokens=cached
            )
            if counted
            else None,
            cut=cut or any(block.is_cut for block in blocks),
        )

    def _start(self, index: object, block: object) -> None:
        if not isinstance(block, dict) or not isinstance(index, int) or len(self._blocks) >= _MAX_BLOCKS:
            return
        begun = _Block(block, LimitedText(self.max_characters), LimitedText(self.max_characters))
        begun.text.add(string(block.get("text")))
        self._blocks[index] = begun

    def _add(self, index: object, delta: Mapping[object, object]) -> None:
        block = self._blocks.get(index) if isinstance(index, int) else None
        if block is not None:
            block.text.add(string(delta.get("text")))
            block.input.add(string(delta.get("partial_json")))

    def _take_end(self, end: object, usage: object) -> None:
        """Take why the answer ends, and counts, of which later ones replace earlier ones."""
        if isinstance(end, dict) and isinstance(end.get("stop_reason"), str):
            self._is_finished = True
        if isinstance(usage, dict):
            self._usage.update({str(name): count(value) for name, value in usage.items() if value is not None})


def reply_from_json(body: bytes, max_characters: int = MAX_CHARACTERS) -> Reply | None:
    """Read a whole answer, of whose texts `max_characters` are kept each; None if the body is not a JSON object."""
    answer = read_object(body)
    if answer is None:
        return None
    assembler = MessageAssembler(max_characters)
    if answer.get("type") == "error":
        assembler.take(answer)
    else:
        assembler.take_message(answer)
    return assembler.reply()


def splice_whole(body: bytes, memories_json: bytes) -> bytes:
    """Insert `memories` after the opening brace of a whole answer; any other body stays as it is."""
    return with_memories(body, memories_json, lambda answer: answer.get("type") == "message")


def splice_stream(memories_json: bytes | None, max_characters: int = MAX_CHARACTERS) -> EventRelay:
    """Return what relays one stream, with `memories` in the message that begins it.

    The official Python client keeps unknown fields of that message, and Claude Code accepts them.
    """
    return EventRelay(MessageAssembler(max_characters), memories_json, _LANDMARKS)
