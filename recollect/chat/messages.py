"""A request and its reply as the log sees them: who said what, comparable however a client re-serialises. Pure."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from recollect.chat.content import other_parts, without_memory, without_reasoning
from recollect.chat.reply import Reply
from recollect.text import hash64, squeeze
from recollect.types import ChatMessage, ChatRequest, Message

# Their words are the application's: never logged, never formed from, and they change with the clock.
SYSTEM_ROLES = frozenset({"system", "developer"})
# How far into each end of a message a question is looked for: recall reads less of it, but blocks go first.
_ASKED_AT = 20_000
# The recent conversation: so many messages before the newest, and so much of each, say what is being talked about.
_RECENT = 6
_RECENT_EACH = 600


def log_messages(request: ChatRequest, *, said_at: datetime) -> tuple[Message, ...]:
    """Return a request's messages for the log, in order, without system and developer messages.

    Two messages hash alike when they say the same: white space, reasoning blocks, the JSON of parts and of
    tool arguments may be written differently.
    """
    messages: list[Message] = []
    asked = ""
    for message in request.messages:
        if message.role in SYSTEM_ROLES:
            continue
        said = comparable_text(message.text)
        messages.append(_message(message, asked, said, said_at))
        if message.role == "user":
            asked = said
    return tuple(messages)


def reply_message(reply: Reply, log: Sequence[Message], said_at: datetime) -> Message:
    """Return a reply for the log; `log` is what `log_messages` made of its request."""
    asked = next((comparable_text(message.text) for message in reversed(log) if message.role == "user"), "")
    said = comparable_text(reply.text)
    return Message(
        role="assistant",
        text=reply.text,
        said_at=said_at,
        payload=reply.payload,
        call_ids=reply.call_ids,
        complete=reply.complete,
        hash=_hash("assistant", said, reply.payload),
        anchor=_anchor("assistant", asked, said),
    )


def comparable_text(text: str) -> str:
    """Return a message's text as messages are compared: no reasoning blocks, white space squeezed, case kept.

    >>> comparable_text("<think>Hm.</think>\\n\\nNo  peanuts.")
    'No peanuts.'
    """
    return squeeze(without_reasoning(text))


def query_of(request: ChatRequest) -> str:
    """Return what is asked now: the newest user message in its own words; empty where there is none.

    Of a message of more than 40,000 characters both ends are read.
    """
    newest = next((message.text for message in reversed(request.messages) if message.role == "user"), "")
    if len(newest) > 2 * _ASKED_AT:
        newest = f"{newest[:_ASKED_AT]}\n{newest[-_ASKED_AT:]}"
    return without_memory(without_reasoning(newest)).strip()


def text_before_query(request: ChatRequest) -> str:
    """Return the recent conversation before what is asked now: some messages of user and assistant, oldest first."""
    spoken = [message for message in request.messages if message.role in ("user", "assistant")]
    newest = next((place for place in reversed(range(len(spoken))) if spoken[place].role == "user"), 0)
    recent = spoken[max(0, newest - _RECENT) : newest]
    said = (without_memory(without_reasoning(message.text[:_ASKED_AT])).strip()[:_RECENT_EACH] for message in recent)
    return "\n".join(text for text in said if text)


def _message(message: ChatMessage, asked: str, said: str, said_at: datetime) -> Message:
    return Message(
        role=message.role,
        text=message.text,
        name=message.name,
        said_at=said_at,
        payload=message.payload,
        call_ids=message.call_ids,
        hash=_hash(message.role, said, message.payload),
        anchor=_anchor(message.role, asked, said),
    )


def _hash(role: str, said: str, payload: str | None) -> int:
    return hash64(role, said, *_identity(payload))


def _anchor(role: str, asked: str, said: str) -> int | None:
    return hash64("anchor", asked, said) if role == "assistant" and said else None


def _identity(payload: str | None) -> tuple[str, ...]:
    """Return what distinguishes a message beyond its text, whatever way its JSON was written."""
    message = _read(payload) if payload else None
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
    """Return id, name and arguments of a tool call; clients parse arguments and write them anew."""
    if not isinstance(call, Mapping):
        return "", "", _canonical(call)
    what = call.get("function") or call.get("custom")
    what = what if isinstance(what, Mapping) else {}
    arguments = what.get("arguments", what.get("input", ""))
    if isinstance(arguments, str):
        read = _read(arguments)
        arguments = squeeze(arguments) if read is None else read
    return _canonical(call.get("id")), _canonical(what.get("name")), _canonical(arguments)


def _read(source: str) -> object:
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
