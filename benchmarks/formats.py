"""How the measured upstream streams an answer in each wire format, each piece of words stamped with its time. Pure."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Data = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One wire format."""

    path: str
    messages: str
    """Field of the request that holds the messages."""
    content_type: str
    begin: bytes
    """What comes before the words."""
    word: Callable[[str, int], bytes]
    """Writes a piece of words that leaves at an instant of the monotonic clock, in nanoseconds."""
    end: Callable[[int], bytes]
    """Writes what comes after the words; the first part of it has the instant."""
    done: bytes
    """What the last part of an answer has and no other one."""
    opening: tuple[Data, ...] = ()
    """Messages that each chat begins with."""

    def said(self, text: str) -> bytes:
        """Write a piece of words that leaves now."""
        return self.word(text, time.monotonic_ns())

    def finished(self) -> bytes:
        """Write what comes after the words now."""
        return self.end(time.monotonic_ns())


def _data(data: Data) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def _event(kind: str, **data: object) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **data})


def _chunk(delta: Data, at: int, finish: str | None = None) -> bytes:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    shown = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1, "model": "bench"}
    return _data({**shown, "at": at, "choices": choices})


def _line(at: int, **data: object) -> bytes:
    return json.dumps({"model": "bench", "created_at": "2026-01-01T00:00:00Z", "at": at, **data}).encode() + b"\n"


_RESPONSE = {"id": "resp_bench", "object": "response", "created_at": 1, "model": "bench", "output": []}
_ITEM = {"id": "msg_bench", "type": "message", "role": "assistant", "content": []}
_PLACE = {"item_id": "msg_bench", "output_index": 0, "content_index": 0}
_MESSAGE = {"id": "msg_bench", "type": "message", "role": "assistant", "model": "bench", "content": []}

CHAT = Format(
    path="/v1/chat/completions",
    messages="messages",
    content_type="text/event-stream",
    begin=b"",
    word=lambda text, at: _chunk({"content": text}, at),
    end=lambda at: _chunk({}, at, "stop") + b"data: [DONE]\n\n",
    done=b"data: [DONE]",
    opening=({"role": "system", "content": "You are helpful."},),
)
FORMATS: Mapping[str, Format] = {
    "Chat Completions": CHAT,
    "Messages": Format(
        path="/v1/messages",
        messages="messages",
        content_type="text/event-stream",
        begin=_event("message_start", message={**_MESSAGE, "usage": {"input_tokens": 1, "output_tokens": 1}})
        + _event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        word=lambda text, at: _event("content_block_delta", index=0, at=at, delta={"type": "text_delta", "text": text}),
        end=lambda at: (
            _event("content_block_stop", index=0, at=at)
            + _event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 9})
            + _event("message_stop")
        ),
        done=b'"message_stop"',
    ),
    "Responses": Format(
        path="/v1/responses",
        messages="input",
        content_type="text/event-stream",
        begin=_event("response.created", response={**_RESPONSE, "status": "in_progress"})
        + _event("response.output_item.added", output_index=0, item={**_ITEM, "status": "in_progress"}),
        word=lambda text, at: _event("response.output_text.delta", **_PLACE, at=at, delta=text),
        end=lambda at: (
            _event("response.output_item.done", output_index=0, at=at, item={**_ITEM, "status": "completed"})
            + _event("response.completed", response={**_RESPONSE, "status": "completed"})
        ),
        done=b'"response.completed"',
    ),
    "Ollama": Format(
        path="/api/chat",
        messages="messages",
        content_type="application/x-ndjson",
        begin=b"",
        word=lambda text, at: _line(at, message={"role": "assistant", "content": text}, done=False),
        end=lambda at: _line(at, message={"role": "assistant", "content": ""}, done=True, done_reason="stop"),
        done=b'"done": true',
    ),
}
