"""Answers of an upstream that speaks Anthropic's Messages: which one is chosen by the model's name. Opens nothing.

`limited` and `overloaded` refuse, `slow` streams for about a second. All other models bind their answers to the
prompt, as signatures of thinking do: one that changes what an earlier prompt of the same model's name had is refused,
as is a system message where none may be. They call the first tool that is offered once, and then say what they were
asked.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from anthropic_rules import Message, as_read, refusal_of
from integration.upstream_shapes import Shape, answer, stream

REFUSALS = {"limited": (429, "rate_limit_error", b"7"), "overloaded": (529, "overloaded_error", b"11")}
_BOUND: dict[str, list[Message]] = {}
_NUMBERS = count(1)


def messages_shape(body: Mapping[str, Any]) -> Shape:
    """Return the answer to a request."""
    model, messages = body["model"], body["messages"]
    if model in REFUSALS:
        status, kind, after = REFUSALS[model]
        return replace(_error(status, kind, "Later."), more_headers=((b"retry-after", after),))
    before, read = _BOUND.setdefault(model, []), as_read(messages)
    if why := refusal_of(model, messages):
        return _error(400, "invalid_request_error", why)
    if read[: len(before)] != before:
        return _error(400, "invalid_request_error", "The block is bound to a different conversation")
    _BOUND[model] = read
    content = list(_content(body))
    end = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
    message = {"id": f"msg_{next(_NUMBERS)}", "type": "message", "role": "assistant", "model": model}
    usage = {"input_tokens": 5, "output_tokens": 4}
    if not body.get("stream"):
        return answer(message | {"content": content, "stop_reason": end, "stop_sequence": None, "usage": usage})
    begun = message | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    return replace(stream(_events(begun, content, end)), pause_s=0.1 if model.startswith("slow") else 0.0)


def counted(body: Mapping[str, Any]) -> Shape:
    """Return a count of a request's tokens: of its characters."""
    return answer({"input_tokens": len(json.dumps(as_read(body["messages"])))})


def _error(status: int, kind: str, message: str) -> Shape:
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return replace(answer(error), status=status)


def _content(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    asked = [message for message in body["messages"] if message["role"] == "user"][-1]["content"]
    blocks = [{"type": "text", "text": asked}] if isinstance(asked, str) else asked
    if body.get("tools") and not any(block["type"] == "tool_result" for block in blocks):
        yield {"type": "thinking", "thinking": "Let me look.", "signature": "c2lnbmF0dXJl"}
        yield {"type": "tool_use", "id": f"toolu_{next(_NUMBERS)}", "name": body["tools"][0]["name"], "input": {"a": 1}}
        return
    said = [block["text"] for block in blocks if block["type"] == "text" and "toldonce-memory" not in block["text"]]
    yield {"type": "text", "text": f"You said: {' '.join(said)}"}


def _events(message: Mapping[str, Any], content: list[dict[str, Any]], end: str) -> Iterator[bytes]:
    yield _event("message_start", message=message)
    yield _event("ping")
    for index, block in enumerate(content):
        empty: dict[str, Any] = {"input": {}} if block["type"] == "tool_use" else {block["type"]: ""}
        yield _event("content_block_start", index=index, content_block=block | empty)
        for delta in _deltas(block):
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    yield _event("message_delta", delta={"stop_reason": end, "stop_sequence": None}, usage={"output_tokens": 4})
    yield _event("message_stop")


def _deltas(block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        for word in block["text"].split(" "):
            yield {"type": "text_delta", "text": f"{word} "}
    elif block["type"] == "tool_use":
        for part in ("", '{"a": ', "1}"):
            yield {"type": "input_json_delta", "partial_json": part}
    else:
        yield {"type": "thinking_delta", "thinking": block["thinking"]}
        yield {"type": "signature_delta", "signature": block["signature"]}


def _event(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()
