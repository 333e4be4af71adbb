"""The format of Ollama's own chats. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, ClassVar

from toldonce.chat.formats import openai_chat
from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, Insertion, OwnAnswer
from toldonce.chat.formats.json_values import canonical, parse
from toldonce.chat.formats.ollama_chat_reply import reply_from_json, splice_stream, splice_whole
from toldonce.chat.formats.openai_chat_message import text_of
from toldonce.chat.formats.request_reader import MAX_MESSAGES, MessageReader, RequestReader
from toldonce.chat.splice import texts_with_standing
from toldonce.types import InjectionMode

OTHER_ROUTES = (
    "POST /api/generate",
    "POST /api/embed",
    "POST /api/embeddings",
    "POST /api/show",
    "GET /api/tags",
    "GET /api/ps",
    "GET /api/version",
)
"""What clients ask Ollama beside chats, except for changes to its models."""
# Fields of a message that say more than its text. Some clients send back what a model thought, others do not.
_MORE = ("tool_calls", "tool_name", "tool_call_id", "images")


# ---- requests


class _RequestReader(RequestReader):
    """Walks the source of one request."""

    SCALARS: ClassVar[frozenset[str]] = frozenset({"model", "stream"})

    def message(self, at: int, param: str) -> ChatMessage:
        reader = MessageReader(self.source, frozenset({"role", "content", *_MORE}), at)
        return reader.message(
            role=reader.role(param).lower(),  # Ollama takes them in any case
            text=text_of(reader.fields.get("content")),
            has_more=any(reader.fields.get(name) for name in _MORE),
        )


def payload_identity(payload: str | None) -> tuple[str, ...]:
    """Return what distinguishes a message beyond its text: its calls, whose result it is, its images.

    Ids of calls do not count, as Ollama's Python library does not send them back. Home Assistant mends arguments, too.
    """
    message = parse(payload) if payload else None
    if not isinstance(message, dict):
        return ()
    identity: list[str] = []
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            arguments = _compared_arguments(function.get("arguments"))
            identity += ("call", canonical(function.get("name")), canonical(arguments))
    for name in _MORE[1:]:
        if message.get(name):
            identity += (name, canonical(message[name]))
    return tuple(identity)


def _compared_arguments(arguments: object) -> object:
    """Return arguments without empty ones, and with lists and objects for strings that hold their JSON."""
    arguments = _mended(arguments) or {}
    if not isinstance(arguments, dict):
        return arguments
    return {name: _mended(value) for name, value in arguments.items() if value is not None and value != ""}


def _mended(value: object) -> object:
    parsed = parse(value) if isinstance(value, str) and value.startswith(("[", "{")) else None
    return value if parsed is None else parsed


# ---- places of memory


def place(request: ChatRequest, *, standing: str, recalled: str, mode: InjectionMode) -> list[Insertion]:
    """Return where to insert the blocks: as in Chat Completions if the client sends a system message first.

    Without one both begin the newest user message: Ollama leaves a model's own system prompt out if a chat begins with
    another one.
    """
    if request.messages[0].role == "system":
        return openai_chat.place(request, standing=standing, recalled=recalled, mode=mode)
    users = [message for message in request.messages if message.role == "user"]
    if not users or users[-1].content_kind is ContentKind.OTHER:
        return []
    return openai_chat.place(request, standing=standing, recalled=recalled, mode="user_prefix")


def place_at_messages(
    request: ChatRequest, *, standing: str, appended: Mapping[int, str], in_user_message: bool = False
) -> list[Insertion]:
    """Return where to insert a profile block, and texts at several messages: at the end of their contents.

    Templates of models move system messages within a chat to its begin, which would change the whole prompt.

    Args:
        request: The request as it came.
        standing: Goes to the first message of the user.
        appended: Texts by index of their message.
        in_user_message: Changes nothing: no other place is taken.
    """
    del in_user_message
    messages = request.messages
    return [
        openai_chat.at_end(messages[index], text)
        for index, text in texts_with_standing(request, standing, appended)
        if messages[index].content_kind is not ContentKind.OTHER
    ]


# ---- answers of our own


def write_answer(request: ChatRequest, answer: OwnAnswer) -> Sequence[bytes]:
    """Write an answer whole, or as the lines of a stream: one with all words, and the end."""
    lines = list(_lines(request, answer))
    if request.stream:
        return tuple(json.dumps(line).encode() + b"\n" for line in lines)
    return (json.dumps({**lines[-1], "message": lines[0]["message"]}).encode(),)


def _lines(request: ChatRequest, answer: OwnAnswer) -> Iterator[dict[str, Any]]:
    at = datetime.fromtimestamp(answer.created, UTC).isoformat().replace("+00:00", "Z")
    head = {"model": answer.model, "created_at": at}
    yield {**head, "message": {"role": "assistant", "content": answer.text}, "done": False}
    yield {
        **head,
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": sum(answer.count(message.text) for message in request.messages),
        "eval_count": answer.count(answer.text),
    }


def error_body(status: int, message: str, *, param: str | None = None) -> bytes:
    """Write an error.

    >>> error_body(404, "no")
    b'{"error": "no"}'
    """
    del status, param  # the message names the part
    return json.dumps({"error": message}).encode()


class OllamaChat:
    """Ollama's chats, as `WireFormat` describes them."""

    route = "/api/chat"
    takes_api_key = False
    tools = None
    has_system_place = False
    stream_type = b"application/x-ndjson"

    def read(self, body: bytes) -> ChatRequest:
        """Read the body of a request, which is answered by a stream unless it says otherwise."""
        reader = _RequestReader(body, MAX_MESSAGES)
        reader.walk()
        streams = reader.fields.get("stream") is not False
        return replace(reader.request(self), stream=streams, continues=reader.begins_answer)

    def compared(self, source: str) -> str:
        """Return the source as it is: a prompt is made of the same words."""
        return source

    def is_stream(self, kind: bytes, *, wanted: bool) -> bool:
        """Return whether an answer is read line by line: a whole one is a stream of one line."""
        return wanted or kind.startswith(self.stream_type)

    def with_note(self, end: bytes, note: str) -> bytes:
        """Put a field into the last line, as clients take no other lines."""
        brace = end.find(b"{") + 1
        return end[:brace] + f'"toldonce":{json.dumps(note)},'.encode() + end[brace:] if brace else end

    identity = staticmethod(payload_identity)
    place = staticmethod(place)
    place_at_messages = staticmethod(place_at_messages)
    read_answer = staticmethod(reply_from_json)
    splice = staticmethod(splice_whole)
    splice_stream = staticmethod(splice_stream)
    write_answer = staticmethod(write_answer)
    error = staticmethod(error_body)


OLLAMA_CHAT = OllamaChat()
