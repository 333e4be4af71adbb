"""Read and relay answers of OpenAI's Responses API, whole or streamed. Pure, and never raises on content."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from toldonce.chat.formats.event_relay import EventRelay, typed
from toldonce.chat.formats.json_values import count, error_text, paired, read_object, string, with_memories
from toldonce.chat.formats.openai_chat_message import other_parts, text_of
from toldonce.chat.formats.openai_responses_request import is_spoken, is_text_only, is_unspoken
from toldonce.chat.reply import MAX_CHARACTERS, LimitedText, Reply, TokenUsage, ToolCall
from toldonce.text import clean

# An answer has some dozens of items; an upstream that numbers millions of them fills no memory here.
_MAX_ITEMS = 1000
_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})
"""Events with the whole response, which end its stream."""
_LANDMARKS = typed(begins=("response.created", "response"), ends=_LAST)
# A response in the background is answered before it is done.
_DONE = frozenset({"completed", "incomplete", "queued", "in_progress"})
_CALL_PIECES = frozenset({"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"})
_TEXT_PIECE = "response.output_text.delta"


@dataclass(slots=True)
class _Output:
    """An item whose pieces are arriving."""

    fields: Mapping[str, object]
    text: LimitedText
    """Of a message: its texts."""
    input: LimitedText
    """Of a call: its arguments, or the words that it gives to a custom tool."""
    newest: object = None
    """Which part of a message the text came from."""

    def add(self, part: object, delta: str) -> None:
        """Take a piece of a part's text."""
        if part != self.newest and self.text.length:
            self.text.add("\n")
        self.newest = part
        self.text.add(delta)

    def read(self) -> dict[str, object]:
        """Return the item as a client sends it back."""
        item = dict(self.fields)
        if is_spoken(item):
            text = paired(self.text.text())
            texts = [{"type": "output_text", "text": text}] if text else []
            item["content"] = [*texts, *other_parts(item.get("content"))]
        elif source := paired(self.input.text()):
            item[_input_name(item)] = source
        return item

    @property
    def is_cut(self) -> bool:
        return self.text.is_cut or self.input.is_cut


@dataclass(slots=True)
class ResponseAssembler:
    """Assembles a `Reply` from a whole response, or from the events of a stream."""

    max_characters: int = MAX_CHARACTERS
    """How much is kept of each item."""
    _items: dict[int, _Output] = field(default_factory=dict)
    _id: str = ""
    _usage: TokenUsage | None = None
    _is_finished: bool = False
    _error: str | None = None

    def take(self, event: Mapping[str, object]) -> None:
        """Take an event; unknown ones are ignored."""
        kind, place, response = string(event.get("type")), event.get("output_index"), event.get("response")
        if isinstance(response, dict):
            self._id = string(response.get("id")) or self._id
        if kind in ("response.output_item.added", "response.output_item.done"):
            self._set(place, event.get("item"))
        elif kind == "error":
            self._fail(event.get("error") if isinstance(event.get("error"), dict) else event)
        elif kind in _LAST and isinstance(response, dict):
            self.take_response(response)
        elif isinstance(place, int) and (item := self._items.get(place)) is not None:
            if kind == _TEXT_PIECE:
                item.add(event.get("content_index"), string(event.get("delta")))
            elif kind in _CALL_PIECES:
                item.input.add(string(event.get("delta")))

    def take_response(self, response: Mapping[str, object]) -> None:
        """Take a whole response; one without items leaves those that have arrived."""
        output, usage = response.get("output"), response.get("usage")
        self._id = string(response.get("id")) or self._id
        if isinstance(output, list) and output:
            self._items.clear()
            for place, item in enumerate(output):
                self._set(place, item)
        if isinstance(usage, dict):
            details = usage.get("input_tokens_details")
            self._usage = TokenUsage(
                prompt_tokens=count(usage.get("input_tokens")),
                completion_tokens=count(usage.get("output_tokens")),
                cached_tokens=count(details.get("cached_tokens")) if isinstance(details, dict) else 0,
            )
        if response.get("error") or response.get("status") == "failed":
            self._fail(response.get("error"))
        self._is_finished = string(response.get("status", "completed")) in _DONE

    def reply(self, *, cut: bool = False) -> Reply:
        """Return what has arrived so far; `cut` if some of it was too large to be read."""
        outputs = [self._items[place] for place in sorted(self._items)]
        items = [item for item in (output.read() for output in outputs) if not is_unspoken(item)]
        calls = [item for item in items if not is_spoken(item) and isinstance(item.get("call_id"), str)]
        return Reply(
            id=clean(self._id),
            item_id=clean(string(items[0].get("id"))) if items else "",
            text=clean("\n".join(text for item in items if is_spoken(item) and (text := text_of(item["content"])))),
            payload=None if all(map(is_text_only, items)) else json.dumps(items),
            calls=tuple(
                ToolCall(string(call["call_id"]), string(call.get("name")), string(call.get(_input_name(call))))
                for call in calls
            ),
            complete=self._is_finished and self._error is None,
            error=self._error,
            usage=self._usage,
            cut=cut or any(output.is_cut for output in outputs),
        )

    def _set(self, place: object, item: object) -> None:
        if not isinstance(item, dict) or not isinstance(place, int):
            return
        if place not in self._items and len(self._items) >= _MAX_ITEMS:
            return
        output = _Output(item, LimitedText(self.max_characters), LimitedText(self.max_characters))
        if is_spoken(item):
            output.text.add(text_of(item.get("content")))
        output.input.add(string(item.get(_input_name(item))))
        self._items[place] = output

    def _fail(self, error: object) -> None:
        self._error = error_text(error.get("message") if isinstance(error, dict) else None)


def _input_name(call: Mapping[str, object]) -> str:
    """Return which field of a call holds what its tool is given."""
    return "input" if call.get("type") == "custom_tool_call" else "arguments"


def reply_from_json(body: bytes, max_characters: int = MAX_CHARACTERS) -> Reply | None:
    """Read a whole answer, of whose texts `max_characters` are kept each; None if the body is not a JSON object."""
    answer = read_object(body)
    if answer is None:
        return None
    assembler = ResponseAssembler(max_characters)
    assembler.take_response(answer)
    return assembler.reply()


def splice_whole(body: bytes, memories_json: bytes) -> bytes:
    """Insert `memories` after the opening brace of a whole answer; any other body stays as it is."""
    return with_memories(body, memories_json, lambda answer: answer.get("object") == "response")


def splice_stream(memories_json: bytes | None, max_characters: int = MAX_CHARACTERS) -> EventRelay:
    """Return what relays one stream, with `memories` in the response of its first event."""
    return EventRelay(ResponseAssembler(max_characters), memories_json, _LANDMARKS)
