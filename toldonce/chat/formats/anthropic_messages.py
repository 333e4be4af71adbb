"""The format of Anthropic's Messages API. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toldonce.chat.formats.anthropic_messages_reply import reply_from_json, splice_stream, splice_whole
from toldonce.chat.formats.anthropic_messages_request import compared, payload_identity, read_request
from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, Insertion, OwnAnswer
from toldonce.chat.formats.event_relay import EventStreams
from toldonce.chat.formats.request_reader import MAX_MESSAGES
from toldonce.chat.splice import escaped, joined, system_message, text_block, texts_with_standing
from toldonce.types import InjectionMode

SYSTEM_MESSAGE_MODELS = (
    "claude-fable-5",
    "claude-haiku-5",
    "claude-mythos-5",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
)
"""Beginnings of the names of models that take system messages within a chat; Claude Code sends them to these."""

_TEXT_OPENING = '[{"type":"text","text":'
_INTERNAL_SERVER_ERROR = 500
_ERROR_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


# ---- places of memory


def place(request: ChatRequest, *, standing: str, recalled: str, mode: InjectionMode) -> list[Insertion]:
    """Return where to insert the blocks: both at the newest user message, whatever the mode.

    `user_prefix` keeps them in that message. Nothing goes to the `system` prompt, to which caches and the attribution
    of Claude Code are bound.
    """
    users = [index for index, message in enumerate(request.messages) if message.role == "user"]
    appended = {index: joined(standing, recalled) for index in users[-1:]}
    return place_at_messages(request, standing="", appended=appended, in_user_message=mode == "user_prefix")


def place_at_messages(
    request: ChatRequest, *, standing: str, appended: Mapping[int, str], in_user_message: bool = False
) -> list[Insertion]:
    """Return where to insert a profile block, and texts at several messages.

    A model that takes system messages within a chat gets a text as one right after its message. The API refuses two of
    them in a row, and one before a message of the user: then the text is a further block of the client's own system
    message, or of the message itself. Other models get it as the last block of the message, after all
    results of tools. A content that is a string becomes a list of two blocks, which is what clients write themselves
    while a message bears a mark of the cache.

    Args:
        request: The request as it came.
        standing: Goes to the first message of the user.
        appended: Texts by index of their message.
        in_user_message: Whether no system message may be used.
    """
    takes_system = not in_user_message and (request.model or "").startswith(SYSTEM_MESSAGE_MODELS)
    insertions: list[Insertion] = []
    for index, text in texts_with_standing(request, standing, appended):
        insertions += _at_message(request.messages, index, text, takes_system=takes_system)
    return insertions


def _at_message(messages: Sequence[ChatMessage], index: int, text: str, *, takes_system: bool) -> list[Insertion]:
    message = messages[index]
    after = messages[index + 1] if index + 1 < len(messages) else None
    if takes_system and (after is None or after.role == "assistant"):
        return [Insertion(offset=message.end, text="," + system_message(text))]
    if takes_system and after is not None and after.role == "system" and _has_text(after):
        return _as_block(after, text)
    return _as_block(message, text)


def _has_text(message: ChatMessage) -> bool:
    return message.content_kind in (ContentKind.STRING, ContentKind.PARTS)


def _as_block(message: ChatMessage, text: str) -> list[Insertion]:
    """Append a block to a content; nothing to one that is neither a string nor a list."""
    block = text_block(text)
    if message.content_kind is ContentKind.PARTS:
        return [Insertion(offset=message.content_end, text="," + block)]
    if message.content_kind is ContentKind.EMPTY_PARTS:
        return [Insertion(offset=message.content_end, text=block)]
    if message.content_kind is ContentKind.OTHER:
        return []
    if message.content_start == message.content_end:  # blocks of no text are refused
        return [Insertion(offset=message.content_end, text=escaped(text))]
    return [
        Insertion(offset=message.content_start - 1, text=_TEXT_OPENING),
        Insertion(offset=message.content_end + 1, text="}," + block + "]"),
    ]


# ---- answers of our own


def write_answer(request: ChatRequest, answer: OwnAnswer) -> Sequence[bytes]:
    """Write an answer whole, or as the events of a stream with all words in one of them."""
    asked, answered = sum(answer.count(message.text) for message in request.messages), answer.count(answer.text)
    message: dict[str, Any] = {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": asked, "output_tokens": answered},
    }
    return tuple(_events(message, answer.text)) if request.stream else (json.dumps(message).encode(),)


def _events(message: Mapping[str, Any], text: str) -> Iterator[bytes]:
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    begun = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 0}}
    events: tuple[dict[str, Any], ...] = (
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": message["usage"]["output_tokens"]}},
        {"type": "message_stop"},
    )
    for event in events:
        yield f"event: {event['type']}\ndata: {json.dumps(event, separators=(',', ':'))}\n\n".encode()


def error_body(status: int, message: str, *, param: str | None = None) -> bytes:
    """Write an error; its type follows from the status.

    >>> error_body(404, "no")
    b'{"type": "error", "error": {"type": "not_found_error", "message": "no"}}'
    """
    del param  # the message names it
    other = "invalid_request_error" if status < _INTERNAL_SERVER_ERROR else "api_error"
    error = {"type": _ERROR_TYPES.get(status, other), "message": message}
    return json.dumps({"type": "error", "error": error}).encode()


class AnthropicMessages(EventStreams):
    """The Messages API, as `WireFormat` describes it."""

    route = "/v1/messages"
    takes_api_key = True
    tools = None
    has_system_place = False

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


ANTHROPIC_MESSAGES = AnthropicMessages()
