"""Turn a request and its reply into log messages that compare equal however a client serialises them. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from toldonce.chat.content import other_parts, speaker_name, without_memory, without_reasoning
from toldonce.chat.reply import MAX_CHARACTERS, Reply, cut_text
from toldonce.text import hash64, squeeze
from toldonce.text.byte_runs import without_bytes
from toldonce.types import ChatMessage, ChatRequest, Message

# Roles of messages that the application writes, often with the current time: they are neither logged nor used to form
# memories.
SYSTEM_ROLES = frozenset({"system", "developer"})
# A query is read from this much of each end of a message. Recall uses less, but blocks are removed first.
_MAX_QUERY_END_CHARACTERS = 20_000
# The recent conversation: this many messages before the newest, and this much of each, give the topic.
_MAX_RECENT_MESSAGES = 6
_MAX_RECENT_CHARACTERS = 600


def log_messages(
    request: ChatRequest, *, said_at: datetime, max_characters: int = MAX_CHARACTERS
) -> tuple[Message, ...]:
    """Return a request's messages for the log, in order, without system and developer messages.

    A message longer than `max_characters` is cut, and one whose JSON is longer loses it.

    Two messages have the same hash if the same speaker says the same: white space, reasoning blocks, and the JSON of
    parts and of tool arguments may differ.
    """
    messages: list[Message] = []
    asked = ""
    for message in request.messages:
        if message.role in SYSTEM_ROLES:
            continue
        message = _within(message, max_characters)
        text = comparable_text(message.text)
        messages.append(_message(message, asked, text, said_at))
        if message.role == "user":
            asked = text
    return tuple(messages)


def _within(message: ChatMessage, limit: int) -> ChatMessage:
    payload = message.payload if message.payload and len(message.payload) <= limit else None
    if len(message.text) <= limit and payload == message.payload:
        return message
    # What a user says loses bytes before it is cut: an image may be longer than all that is said.
    text = without_bytes(message.text) if message.role == "user" and len(message.text) > limit else message.text
    text = cut_text(text, limit)
    return replace(message, text=text, payload=payload)


def reply_message(reply: Reply, log: Sequence[Message], said_at: datetime) -> Message:
    """Return a reply for the log; `log` is what `log_messages` returned for its request."""
    asked = next((comparable_text(message.text) for message in reversed(log) if message.role == "user"), "")
    text = comparable_text(reply.text)
    return Message(
        role="assistant",
        text=reply.text,
        said_at=said_at,
        payload=reply.payload,
        call_ids=reply.call_ids,
        complete=reply.complete,
        hash=_hash("assistant", text, reply.payload),
        anchor=_anchor("assistant", asked, text),
    )


def comparable_text(text: str) -> str:
    """Return a message's text for comparison: without reasoning blocks, white space squeezed, case kept.

    >>> comparable_text("<think>Hm.</think>\\n\\nNo  peanuts.")
    'No peanuts.'
    """
    return squeeze(without_reasoning(text))


def query_of(request: ChatRequest) -> str:
    """Return the newest user message without reasoning and memory blocks; empty if there is none.

    Of a message longer than 40,000 characters, only both ends are read.
    """
    newest = next((message.text for message in reversed(request.messages) if message.role == "user"), "")
    newest = without_bytes(newest)
    if len(newest) > 2 * _MAX_QUERY_END_CHARACTERS:
        newest = f"{newest[:_MAX_QUERY_END_CHARACTERS]}\n{newest[-_MAX_QUERY_END_CHARACTERS:]}"
    return without_memory(without_reasoning(newest)).strip()


def text_before_query(request: ChatRequest) -> str:
    """Return the last few messages of user and assistant before the query, oldest first."""
    spoken = [message for message in request.messages if message.role in ("user", "assistant")]
    newest = next((place for place in reversed(range(len(spoken))) if spoken[place].role == "user"), 0)
    recent = spoken[max(0, newest - _MAX_RECENT_MESSAGES) : newest]
    texts = (
        without_memory(without_reasoning(without_bytes(message.text)[:_MAX_QUERY_END_CHARACTERS])).strip()[
            :_MAX_RECENT_CHARACTERS
        ]
        for message in recent
    )
    return "\n".join(text for text in texts if text)


def _message(message: ChatMessage, asked: str, text: str, said_at: datetime) -> Message:
    return Message(
        role=message.role,
        text=message.text,
        name=message.name,
        said_at=said_at,
        payload=message.payload,
        call_ids=message.call_ids,
        hash=_hash(message.role, text, message.payload, speaker_name(message.name)),
        anchor=_anchor(message.role, asked, text),
    )


def _hash(role: str, text: str, payload: str | None, name: str | None = None) -> int:
    # A reply is compared as the client resends it, with or without the name that it gives to the assistant.
    said_by = ("name", name) if name and role == "user" else ()
    return hash64(role, text, *_identity(payload), *said_by)


def _anchor(role: str, asked: str, text: str) -> int | None:
    return hash64("anchor", asked, text) if role == "assistant" and text else None


def _identity(payload: str | None) -> tuple[str, ...]:
    """Return what distinguishes a message beyond its text, however its JSON is written."""
    message = _parse(payload) if payload else None
    if not isinstance(message, dict):
        return ()
    identity: list[str] = []
    tool_calls = message.get("tool_calls") or []
    for call in tool_calls if isinstance(tool_calls, list) else [tool_calls]:
        identity += ("call", *_call(call))
    if message.get("function_call"):
        identity += ("function", *_call({"function": message["function_call"]}))
    if message.get("tool_call_id"):
        identity += ("answers", _canonical(message["tool_call_id"]))
    for part in other_parts(message.get("content")):
        identity += ("part", _canonical(part))
    return tuple(identity)


def _call(call: object) -> tuple[str, str, str]:
    """Return id, name and arguments of a tool call, comparable although clients re-serialise arguments."""
    if not isinstance(call, Mapping):
        return "", "", _canonical(call)
    function = call.get("function") or call.get("custom")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments", function.get("input", ""))
    if isinstance(arguments, str):
        parsed = _parse(arguments)
        arguments = squeeze(arguments) if parsed is None else parsed
    return _canonical(call.get("id")), _canonical(function.get("name")), _canonical(arguments)


def _parse(source: str) -> object:
    try:
        value: object = json.loads(source)
    except (ValueError, RecursionError):
        return None
    return value


def _canonical(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except RecursionError:  # arguments may nest deeper than a request is allowed to
        return "too deep"
