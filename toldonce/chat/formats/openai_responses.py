"""The format of OpenAI's Responses API. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, Insertion, OwnAnswer
from toldonce.chat.formats.event_relay import EventStreams
from toldonce.chat.formats.openai_chat import error_body
from toldonce.chat.formats.openai_responses_reply import reply_from_json, splice_stream, splice_whole
from toldonce.chat.formats.openai_responses_request import compared, payload_identity, read_request
from toldonce.chat.formats.request_reader import MAX_MESSAGES
from toldonce.chat.splice import BLOCK_GAP, escaped, joined
from toldonce.types import InjectionMode

_USER_OPENING = '[{"role":"user","content":'


# ---- places of memory


def place(request: ChatRequest, *, standing: str, recalled: str, mode: InjectionMode) -> list[Insertion]:
    """Return where to insert the blocks.

    Args:
        request: The request as it came.
        standing: The profile block; may be empty.
        recalled: What was recalled for this turn; may be empty.
        mode: `split` puts the profile block after the developer items that begin the chat, and the recalled one
            after the newest message of the user. `user_prefix` puts both into that message, `context_message` right
            after it, the others after the developer items.
    """
    users = [index for index, message in enumerate(request.messages) if message.role == "user"]
    both = joined(standing, recalled)
    if mode == "split" and users:
        return place_at_messages(request, standing=standing, appended={users[-1]: recalled})
    if mode in ("user_prefix", "context_message") and users:
        in_message = mode == "user_prefix"
        return place_at_messages(request, standing="", appended={users[-1]: both}, in_user_message=in_message)
    return place_at_messages(request, standing=both, appended={})


def place_at_messages(
    request: ChatRequest, *, standing: str, appended: Mapping[int, str], in_user_message: bool = False
) -> list[Insertion]:
    """Return where to insert a profile block, and texts at several messages.

    Each is a developer item. An input that is a string becomes a list, which begins with the same message.

    Args:
        request: The request as it came.
        standing: Goes before the first item that is none of the application's.
        appended: Texts by index of their message; each goes right after it.
        in_user_message: Whether each goes to the end of its message's content instead, if that takes text; the profile
            block then goes to the first of these messages.
    """
    texts = {index: text for index, text in sorted(appended.items()) if text}
    if in_user_message and standing and texts:
        first = min(texts)
        texts[first], standing = joined(standing, texts[first]), ""
    before = after = ""
    insertions: list[Insertion] = []
    if standing:
        leading = list(takewhile(lambda message: message.is_system, request.messages))
        if len(leading) < len(request.messages):
            before = _developer(standing) + ","
            insertions.append(Insertion(offset=request.messages[len(leading)].start, text=before))
        else:
            insertions.append(Insertion(offset=leading[-1].end, text="," + _developer(standing)))
    for index, text in texts.items():
        message = request.messages[index]
        if in_user_message and message.content_kind is not ContentKind.OTHER:
            insertions.append(_in_content(message, text))
        else:
            after = "," + _developer(text)
            insertions.append(Insertion(offset=message.end, text=after))
    if request.text[request.messages[0].start] == '"' and (before or after):
        return _around_string(request.messages[0], before.removesuffix(","), after)
    return insertions


def _around_string(message: ChatMessage, before: str, after: str) -> list[Insertion]:
    """Make a list of an input that is a string."""
    opening = f"[{before},{_USER_OPENING[1:]}" if before else _USER_OPENING
    return [Insertion(offset=message.start, text=opening), Insertion(offset=message.end, text="}" + after + "]")]


def _in_content(message: ChatMessage, text: str) -> Insertion:
    gap = BLOCK_GAP if message.content_end > message.content_start else ""
    if message.content_kind is ContentKind.STRING:
        return Insertion(offset=message.content_end, text=escaped(gap + text))
    comma = "," if message.content_kind is ContentKind.PARTS else ""
    return Insertion(offset=message.content_end, text=f'{comma}{{"type":"input_text","text":"{escaped(text)}"}}')


def _developer(text: str) -> str:
    """Return the JSON source of a message of the application."""
    return f'{{"type":"message","role":"developer","content":[{{"type":"input_text","text":"{escaped(text)}"}}]}}'


# ---- answers of our own


def write_answer(request: ChatRequest, answer: OwnAnswer) -> Sequence[bytes]:
    """Write an answer whole, or as the events of a stream with all words in one of them."""
    asked, answered = sum(answer.count(message.text) for message in request.messages), answer.count(answer.text)
    part = {"type": "output_text", "text": answer.text, "annotations": []}
    item = {"id": f"msg_{answer.id}", "type": "message", "status": "completed", "role": "assistant", "content": [part]}
    response: dict[str, Any] = {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": answer.created,
        "status": "completed",
        "model": answer.model,
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "store": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": {
            "input_tokens": asked,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": answered,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": asked + answered,
        },
    }
    return tuple(_events(response)) if request.stream else (json.dumps(response).encode(),)


def _events(response: Mapping[str, Any]) -> Iterator[bytes]:
    item = response["output"][0]
    part = item["content"][0]
    of_item = {"output_index": 0, "item_id": item["id"]}
    of_part = {**of_item, "content_index": 0}
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    started, empty = {**item, "status": "in_progress", "content": []}, {**part, "text": ""}
    text = part["text"]
    events: tuple[dict[str, Any], ...] = (
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": started},
        {"type": "response.content_part.added", **of_part, "part": empty},
        {"type": "response.output_text.delta", **of_part, "delta": text, "logprobs": []},
        {"type": "response.output_text.done", **of_part, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **of_part, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    )
    for number, event in enumerate(events):
        data = json.dumps({**event, "sequence_number": number}, separators=(",", ":"))
        yield f"event: {event['type']}\ndata: {data}\n\n".encode()


class OpenAIResponses(EventStreams):
    """The Responses API, as `WireFormat` describes it."""

    route = "/v1/responses"
    takes_api_key = False
    tools = None
    has_system_place = True

    def read(self, body: bytes) -> ChatRequest:
        """Read the body of a request."""
        return read_request(body, self, max_messages=MAX_MESSAGES)

    identity = staticmethod(payload_identity)
    place = staticmethod(place)
    place_at_messages = staticmethod(place_at_messages)
    compared = staticmethod(compared)
    read_answer = staticmethod(reply_from_json)
    splice = staticmethod(splice_whole)
    splice_stream = staticmethod(splice_stream)
    write_answer = staticmethod(write_answer)
    error = staticmethod(error_body)


OPENAI_RESPONSES = OpenAIResponses()
