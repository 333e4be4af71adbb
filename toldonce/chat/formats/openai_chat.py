"""The format of OpenAI's Chat Completions, which is also that of the library's own messages. Pure."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, Insertion, OwnAnswer, ToolFormat
from toldonce.chat.formats.event_relay import EventStreams
from toldonce.chat.formats.openai_chat_message import payload_identity
from toldonce.chat.formats.openai_chat_reply import reply_from_json
from toldonce.chat.formats.openai_chat_request import OpenAIChatRequest, read_request
from toldonce.chat.formats.openai_chat_stream import MemoriesSplicer, ToolCallBuffer, add_usage, splice_whole
from toldonce.chat.formats.request_reader import MAX_MESSAGES
from toldonce.chat.splice import BLOCK_GAP, escaped, joined, system_message, text_block
from toldonce.chat.tools import TOOLS, ToolRound
from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern
from toldonce.types import InjectionMode

_PIECE = LazyPattern(r"\s*+\S++|\s++\Z")
_INTERNAL_SERVER_ERROR = 500


# ---- places of memory


def place(request: ChatRequest, *, standing: str, recalled: str, mode: InjectionMode) -> list[Insertion]:
    """Return where to insert the blocks.

    Args:
        request: The request as it came.
        standing: The profile block; may be empty.
        recalled: What was recalled for this turn; may be empty.
        mode: `split` appends the standing block to the client's first system message, and the recalled one to the
            newest user message: see `place_at_messages`. The others keep both together: `system_append` and
            `user_prefix` in one of these places (`user_prefix` before the user's text), `context_message` in a separate
            system message before the last user message, `system_message` in one after the client's leading system
            messages; upstreams that require alternating roles refuse such messages.

    Returns:
        Insertions in the order of their offsets, no two at the same one. Without a user message whose content takes
        text, its share goes to the system message; without a system message that takes text, a new one comes first.
    """
    both = joined(standing, recalled)
    user = _last_user(request.messages)
    if mode == "system_message":
        return _after_system(request, both)
    if mode == "context_message" and user is not None:
        own = [Insertion(offset=user.start, text=system_message(both) + ",")]
        return own if both else []
    if mode == "split" and user is not None:
        return place_at_messages(request, standing=standing, appended={request.messages.index(user): recalled})
    if user is None or user.content_kind is ContentKind.OTHER or mode != "user_prefix":
        return _to_system(request, both)
    return _to_user_head(user, both)


def place_at_messages(
    request: ChatRequest, *, standing: str, appended: Mapping[int, str], in_user_message: bool = False
) -> list[Insertion]:
    """Return where to insert a profile block, and texts at several messages.

    Args:
        request: The request as it came.
        standing: Goes to the end of the first leading system message that takes text, or to a new one before all.
            A system message that the client adds later does not move it.
        appended: Each text goes to the end of its message's content, or to a system message after it if its content
            takes no text.
        in_user_message: Changes nothing: no other place is taken where a message has room.
    """
    del in_user_message
    leading = takewhile(lambda message: message.is_system, request.messages)
    insertions = _to_system(request, standing, tuple(leading))
    for index, text in appended.items():
        if text:
            insertions.append(at_end(request.messages[index], text))
    return sorted(insertions, key=lambda insertion: insertion.offset)


def _after_system(request: ChatRequest, block: str) -> list[Insertion]:
    if not block:
        return []
    first = next((message for message in request.messages if not message.is_system), None)
    if first is not None:
        return [Insertion(offset=first.start, text=system_message(block) + ",")]
    return [Insertion(offset=request.messages[-1].end, text="," + system_message(block))]


def _to_system(request: ChatRequest, block: str, messages: Sequence[ChatMessage] | None = None) -> list[Insertion]:
    if not block:
        return []
    among = request.messages if messages is None else messages
    system = next((message for message in among if message.is_system and _takes_text(message)), None)
    if system is None:
        return [Insertion(offset=request.messages[0].start, text=system_message(block) + ",")]
    return [at_end(system, block)]


def _to_user_head(user: ChatMessage, block: str) -> list[Insertion]:
    if not block:
        return []
    if user.content_kind is ContentKind.STRING:
        source = escaped(block + BLOCK_GAP)
    elif user.content_kind is ContentKind.PARTS:
        source = text_block(block + BLOCK_GAP) + ","
    else:
        source = text_block(block)
    return [Insertion(offset=user.content_start, text=source)]


def at_end(message: ChatMessage, block: str) -> Insertion:
    """Return the insertion of a block at the end of a message, or after it if its content takes no text."""
    if message.content_kind is ContentKind.OTHER:
        return Insertion(offset=message.end, text="," + system_message(block))
    if message.content_kind is ContentKind.STRING:
        source = escaped(BLOCK_GAP + block if message.content_end > message.content_start else block)
    elif message.content_kind is ContentKind.PARTS:
        source = "," + text_block(BLOCK_GAP + block)
    else:
        source = text_block(block)
    return Insertion(offset=message.content_end, text=source)


def _last_user(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    return next((message for message in reversed(messages) if message.role == "user"), None)


def _takes_text(message: ChatMessage) -> bool:
    return message.content_kind is not ContentKind.OTHER


# ---- tools


def offer_tools(request: ChatRequest, names: Collection[str]) -> Insertion | None:
    """Add tools to the client's own; None if it wants several answers, or chooses itself what is to be called."""
    request = _own(request)
    if not names or request.wants_multiple_choices or request.has_tool_choice:
        return None
    offered = json.dumps(_definitions(names), separators=(",", ":"))
    if request.tools_start >= 0:
        return Insertion(offset=request.tools_start, text=offered[1:-1] + ("" if request.tools_empty else ","))
    return Insertion(offset=request.body_start, text=f'"tools":{offered},')


def _own(request: ChatRequest) -> OpenAIChatRequest:
    if not isinstance(request, OpenAIChatRequest):
        raise AssertionError("a request of another format")
    return request


def _definitions(names: Collection[str]) -> list[dict[str, Any]]:
    """Return the tools' definitions in a fixed order: the same bytes in each request."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {"type": "object", "properties": properties, "required": required},
            },
        }
        for name, (description, properties, required) in TOOLS.items()
        if name in names
    ]


def append_rounds(request: ChatRequest, rounds: Sequence[ToolRound]) -> Insertion:
    """Append the calls and results of all rounds to the messages of a request."""
    messages: list[str] = []
    for tool_round in rounds:
        messages.append(tool_round.reply.payload or "")
        for call, result in zip(tool_round.reply.calls, tool_round.results, strict=True):
            messages.append(json.dumps({"role": "tool", "tool_call_id": call.id, "content": result}))
    return Insertion(offset=request.messages[-1].end, text="".join(f",{message}" for message in messages))


# ---- answers of our own


def write_answer(request: ChatRequest, answer: OwnAnswer) -> Sequence[bytes]:
    """Write an answer whole, or as events: the role, the words one by one, the end, `[DONE]`."""
    if request.stream:
        return tuple(_events(request, answer))
    message = {"role": "assistant", "content": answer.text, "refusal": None}
    whole = {
        **_head(answer, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": _usage(request, answer),
    }
    return (json.dumps(whole).encode(),)


def _events(request: ChatRequest, answer: OwnAnswer) -> Iterator[bytes]:
    head = _head(answer, "chat.completion.chunk")
    include_usage = _own(request).include_usage
    no_usage: dict[str, Any] = {"usage": None} if include_usage else {}

    def event(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _event({**head, "choices": [choice], **no_usage})

    yield event({"role": "assistant", "content": ""})
    for piece in _PIECE.findall(answer.text):
        yield event({"content": piece})
    yield event({}, "stop")
    if include_usage:
        yield _event({**head, "choices": [], "usage": _usage(request, answer)})
    yield b"data: [DONE]\n\n"


def _head(answer: OwnAnswer, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{answer.id}", "object": kind, "created": answer.created, "model": answer.model}


def _usage(request: ChatRequest, answer: OwnAnswer) -> dict[str, int]:
    asked, answered = sum(answer.count(message.text) for message in request.messages), answer.count(answer.text)
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, separators=(",", ":")).encode() + b"\n\n"


def error_body(status: int, message: str, *, param: str | None = None) -> bytes:
    """Write an error; its type follows from the status.

    >>> error_body(404, "no")
    b'{"error": {"message": "no", "type": "invalid_request_error", "param": null, "code": null}}'
    """
    kind = "invalid_request_error" if status < _INTERNAL_SERVER_ERROR else "server_error"
    return json.dumps({"error": {"message": message, "type": kind, "param": param, "code": None}}).encode()


class OpenAIChat(EventStreams):
    """Chat Completions, as `WireFormat` describes it."""

    route = "/v1/chat/completions"
    takes_api_key = False
    has_system_place = True

    @property
    def tools(self) -> ToolFormat:
        """The format itself."""
        return self

    def compared(self, source: str) -> str:
        """Return the source as it is: providers read what clients write in one way only."""
        return source

    def read(self, body: bytes, *, max_messages: int = MAX_MESSAGES) -> OpenAIChatRequest:
        """Read the body of a request with `max_messages` at most."""
        return read_request(body, self, max_messages=max_messages)

    identity = staticmethod(payload_identity)
    place = staticmethod(place)
    place_at_messages = staticmethod(place_at_messages)
    offer_tools = staticmethod(offer_tools)
    append_rounds = staticmethod(append_rounds)
    read_answer = staticmethod(reply_from_json)
    splice = staticmethod(splice_whole)
    splice_stream = MemoriesSplicer
    hold_calls = ToolCallBuffer
    add_usage = staticmethod(add_usage)
    write_answer = staticmethod(write_answer)
    error = staticmethod(error_body)


OPENAI_CHAT = OpenAIChat()


def body_of(messages: Sequence[Mapping[str, Any]]) -> bytes:
    """Write messages as the body of a request.

    Raises:
        BadRequestError: They are not JSON objects.
    """
    try:
        return json.dumps({"messages": list(messages)}).encode()
    except (TypeError, ValueError) as error:
        raise BadRequestError(f"messages must be JSON objects: {error}", param="messages") from None


def request_of(messages: Sequence[Mapping[str, Any]]) -> ChatRequest:
    """Build a request from messages, however many they are.

    Raises:
        BadRequestError: They are not JSON objects with a role.
    """
    return OPENAI_CHAT.read(body_of(messages), max_messages=max(1, len(messages)))
