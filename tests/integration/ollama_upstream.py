"""Answers of an upstream that speaks Ollama's own API: which one is chosen by the model's name. Opens nothing.

`missing` and `limited` refuse, `failing` breaks off with an error, `cut` without one. `qwen3` keeps its prompt loaded,
as Ollama does: one that changes what an earlier prompt of the same model's name had is refused. All others call the
first tool that is offered once, and then say what they were asked.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from integration.upstream_shapes import JSON, End, Shape, answer, stream

LINES = b"application/x-ndjson"
REFUSALS = {"missing": (404, "model 'missing' not found"), "limited": (429, "too many requests")}
_LOADED: dict[str, list[Any]] = {}


def ollama_shape(path: str, body: Mapping[str, Any]) -> Shape:
    """Return the answer to a request by its path; of chats by their body."""
    if path == "/api/tags":
        return answer({"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 5_200_000_000, "digest": "ab"}]})
    if path != "/api/chat":
        return answer({"model": body.get("model", ""), "embeddings": [[0.5, 0.25]], "version": "0.13.0"})
    model, messages = str(body["model"]), list(body["messages"])
    if model in REFUSALS:
        status, said = REFUSALS[model]
        return replace(answer({"error": said}), status=status, more_headers=((b"retry-after", b"7"),))
    before = _LOADED.setdefault(model, [])
    if model.startswith("qwen3") and messages[: len(before)] != before:
        return replace(answer({"error": "another prompt is loaded"}), status=400)
    _LOADED[model] = messages
    lines = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in _lines(body)]
    if body.get("stream") is False:
        return replace(answer(_whole(body)), kind=JSON + b"; charset=utf-8")
    if model.startswith("failing"):
        lines[2:] = [b'{"error":"out of memory"}\n']
    return replace(stream(lines), kind=LINES, end=End.CUT if model.startswith("cut") else End.WELL)


def _message(body: Mapping[str, Any]) -> dict[str, Any]:
    called = any(message["role"] == "tool" for message in body["messages"])
    if body.get("tools") and not called:
        name = body["tools"][0]["function"]["name"]
        call = {"id": "call_1", "function": {"index": 0, "name": name, "arguments": {"a": 1, "unit": ""}}}
        return {"role": "assistant", "content": "", "thinking": "Let me look.", "tool_calls": [call]}
    asked = [message["content"] for message in body["messages"] if message["role"] == "user"][-1]
    words = asked.partition("\n\n<toldonce-memory")[0]
    return {"role": "assistant", "content": f"You said: {words}"}


def _end(body: Mapping[str, Any]) -> dict[str, Any]:
    counts = {"total_duration": 90_000, "prompt_eval_count": 5, "eval_count": 4}
    return {"model": body["model"], "created_at": "2026-11-30T10:00:00.5Z", "done_reason": "stop", **counts}


def _whole(body: Mapping[str, Any]) -> dict[str, Any]:
    return {**_end(body), "message": _message(body), "done": True}


def _lines(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    head = {"model": body["model"], "created_at": "2026-11-30T10:00:00.1Z"}
    message = _message(body)
    thought, calls = message.pop("thinking", ""), message.pop("tool_calls", [])
    for word in thought.split():
        yield {**head, "message": {**message, "content": "", "thinking": f"{word} "}, "done": False}
    for word in message["content"].split(" "):
        yield {**head, "message": {**message, "content": f"{word} "}, "done": False}
    for call in calls:
        yield {**head, "message": {**message, "tool_calls": [call]}, "done": False}
    yield {**_end(body), "message": {"role": "assistant", "content": ""}, "done": True}
