"""Answers of an upstream that speaks OpenAI's Responses: which one is chosen by the model's name. Opens nothing.

`limited` and `broken` refuse, `slow` streams for about a second. All others keep their answers by id, with what was
said before, unless `store` is false; and conversations, which `POST /conversations` begins. Without `store` they bind
their answers to the prompt, as encrypted reasoning does: one that changes what an earlier prompt of the same model's
name had is refused. They call the first function that is offered once, and then say what they were asked.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from integration.upstream_shapes import Shape, answer, stream
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES

Item = Mapping[str, Any]

REFUSALS = {"limited": (429, "rate_limit_exceeded", b"7"), "broken": (500, "server_error", b"11")}
_PARTS = {"assistant": {"output_text", "refusal"}}
"""Types of the parts of a role's messages; of all others `_TAKEN`."""
_TAKEN = {"input_text", "input_image", "input_file"}
_EMPTY: Mapping[str, Item] = {"function_call": {"arguments": ""}, "message": {"content": []}, "reasoning": {}}
"""What an item begins with in a stream."""
_KEPT: dict[str, list[Item]] = {}
"""What was said up to an answer, and in a conversation, by their ids."""
_BOUND: dict[str, list[Item]] = {}
_NUMBERS = count(1)


def responses_shape(body: Mapping[str, Any]) -> Shape:
    """Return the answer to a request."""
    model, given = body["model"], items_of(body["input"])
    if model in REFUSALS:
        status, code, after = REFUSALS[model]
        return replace(_error(status, code, "Later."), more_headers=((b"retry-after", after),))
    conversation, previous = _id(body.get("conversation")), body.get("previous_response_id")
    kept = conversation or previous
    if kept is not None and kept not in _KEPT:
        return _error(400, "previous_response_not_found", f"{kept} not found.")
    items = [*(_KEPT[kept] if kept else ()), *given]
    if why := refusal_of(items):
        return _error(400, "invalid_value", why)
    stores = body.get("store", True)
    if kept is None and not stores and (why := _bind(model, given)):
        return _error(400, "invalid_encrypted_content", why)
    response = _response(body, list(_output(body, items)))
    if stores:
        _KEPT[response["id"]] = [*items, *response["output"]]
    if conversation:
        _KEPT[conversation] = [*items, *response["output"]]
    if not body.get("stream"):
        return answer(response)
    return replace(stream(_numbered(_events(response))), pause_s=0.1 if model.startswith("slow") else 0.0)


def conversation_shape(body: Mapping[str, Any]) -> Shape:
    """Begin a conversation."""
    begun = f"conv_{next(_NUMBERS)}"
    _KEPT[begun] = list(body.get("items") or ())
    return answer({"id": begun, "object": "conversation", "created_at": 1, "metadata": {}})


def kept_items(kept: str) -> list[Item]:
    """Return what was said up to an answer, or in a conversation, by its id."""
    return _KEPT[kept]


def items_of(source: str | Sequence[Item]) -> list[Item]:
    """Return the items of an input."""
    return [{"role": "user", "content": source}] if isinstance(source, str) else list(source)


def as_read(items: Sequence[Item]) -> list[Item]:
    """Return items as the cache sees them."""
    read: list[Item] = json.loads(OPENAI_RESPONSES.compared(json.dumps(list(items))))
    return read


def refusal_of(items: Sequence[Item]) -> str:
    """Return why items are refused; empty if they are not."""
    called, answered = [], set()
    for index, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "message" and isinstance(item["content"], list):
            role, kinds = item["role"], {part["type"] for part in item["content"]}
            if not kinds or not kinds <= _PARTS.get(role, _TAKEN):
                return f"input[{index}]: a message of the {role} has no parts of {sorted(kinds)}"
        if kind == "reasoning" and not _is_answer(items[index + 1 : index + 2]):
            return f"input[{index}]: 'reasoning' was provided without its required following item"
        if kind == "function_call":
            called.append(item["call_id"])
        if kind == "function_call_output":
            answered.add(item["call_id"])
            if item["call_id"] not in called:
                return f"No tool call found for function call output with call_id {item['call_id']}."
    missing = [call for call in called if call not in answered]
    return f"No tool output found for function call {missing[0]}." if missing else ""


def _is_answer(items: Sequence[Item]) -> bool:
    return any(item.get("role") == "assistant" or item.get("type") == "function_call" for item in items)


def _bind(model: str, items: Sequence[Item]) -> str:
    """Bind the next answers to a prompt; return why that cannot be."""
    before, read = _BOUND.setdefault(model, []), as_read(items)
    if read[: len(before)] != before:
        return "The encrypted content could not be verified: it is bound to another prompt."
    _BOUND[model] = read
    return ""


def _id(conversation: object) -> str | None:
    """Return the id of a conversation, which is given as such or in an object."""
    found = conversation["id"] if isinstance(conversation, dict) else conversation
    return found if isinstance(found, str) else None


def _error(status: int, code: str, message: str) -> Shape:
    error = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return replace(answer(error), status=status)


def _output(body: Mapping[str, Any], items: Sequence[Item]) -> Iterator[dict[str, Any]]:
    functions = [tool["name"] for tool in body.get("tools") or () if tool["type"] == "function"]
    if functions and items[-1].get("type") != "function_call_output":
        summary = [{"type": "summary_text", "text": "Let me look."}]
        yield {"id": f"rs_{next(_NUMBERS)}", "type": "reasoning", "summary": summary, "encrypted_content": "c2VhbGVk"}
        number = next(_NUMBERS)
        call = {"name": functions[0], "arguments": '{"a": 1}', "call_id": f"call_{number}", "status": "completed"}
        yield {"id": f"fc_{number}", "type": "function_call"} | call
        return
    asked = [item["content"] for item in items if item.get("role") == "user"][-1]
    said = [asked] if isinstance(asked, str) else [part["text"] for part in asked if part["type"] == "input_text"]
    part = {"type": "output_text", "text": f"You said: {' '.join(said)}", "annotations": []}
    message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
    yield {"id": f"msg_{next(_NUMBERS)}"} | message


def _response(body: Mapping[str, Any], output: Sequence[Item]) -> dict[str, Any]:
    usage = {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 2}, "output_tokens": 4, "total_tokens": 9}
    conversation = _id(body.get("conversation"))
    return {
        **{"id": f"resp_{next(_NUMBERS)}", "object": "response", "created_at": 1, "status": "completed"},
        **{"model": body["model"], "output": list(output), "error": None, "incomplete_details": None},
        **{"previous_response_id": body.get("previous_response_id"), "store": body.get("store", True)},
        **{"tools": body.get("tools") or [], "tool_choice": "auto", "parallel_tool_calls": True, "metadata": {}},
        "usage": usage | {"output_tokens_details": {"reasoning_tokens": 0}},
        "conversation": {"id": conversation} if conversation else None,
    }


def _events(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(response["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        yield {"type": "response.output_item.added", "output_index": index, "item": {**item, **_EMPTY[item["type"]]}}
        if item["type"] == "function_call":
            for piece in ('{"a": ', "1}"):
                yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield {"type": "response.function_call_arguments.done", **at, **done}
        elif item["type"] == "message":
            yield from _spoken(item["content"][0], {**at, "content_index": 0})
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


def _spoken(part: Item, at: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
    words = part["text"].split(" ")
    for number, word in enumerate(words):
        delta = word if number == len(words) - 1 else f"{word} "
        yield {"type": "response.output_text.delta", **at, "delta": delta, "logprobs": []}
    yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **at, "part": part}


def _numbered(events: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for number, event in enumerate(events):
        yield f"event: {event['type']}\ndata: {json.dumps(event | {'sequence_number': number})}\n\n".encode()
