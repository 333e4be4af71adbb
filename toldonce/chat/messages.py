"""Turn a request and its reply into log messages that compare equal however a client serialises them. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from toldonce.chat.content import speaker_name, without_memory, without_reasoning
from toldonce.chat.formats.base import SYSTEM_ROLES, ChatMessage, ChatRequest, ComparedText, WireFormat
from toldonce.chat.reply import MAX_CHARACTERS, Reply, cut_text
from toldonce.text import hash64, squeeze
from toldonce.text.byte_runs import without_bytes
from toldonce.types import Message

# A query is read from this much of each end of a message. Recall uses less, but blocks are removed first.
_MAX_QUERY_END_CHARACTERS = 20_000
# The recent conversation: this many messages before the newest, and this much of each, give the topic.
_MAX_RECENT_MESSAGES = 6
_MAX_RECENT_CHARACTERS = 600
# Open WebUI's templates for titles, tags, follow-ups and search queries begin with this text and enclose the chat.
_TASK_HEADING = "### Task:"
_TASK_CHAT = "<chat_history>"
# A message that was seen before is found in half a microsecond, as long as this many new characters take.
_SEEN_SIZE = 16


def log_messages(
    request: ChatRequest, *, said_at: datetime, max_characters: int = MAX_CHARACTERS
) -> tuple[Message, ...]:
    """Return a request's messages for the log, in order, without system and developer messages.

    Nor is the beginning of an answer among them, which the client wrote for the assistant: it is logged with the rest.

    A message longer than `max_characters` is cut, and one whose JSON is longer loses it.

    Two messages have the same hash if the same speaker says the same: white space, reasoning blocks, and the JSON of
    parts and of tool arguments may differ.
    """
    return dated(seen_messages(request, said_at=said_at, max_characters=max_characters), said_at)


def seen_messages(
    request: ChatRequest, *, said_at: datetime, max_characters: int = MAX_CHARACTERS
) -> tuple[Message, ...]:
    """Do as `log_messages`; but what was seen before, maybe in another chat, was said then: see `dated`."""
    messages: list[Message] = []
    asked = ""
    for message in request.messages[: len(request.messages) - request.continues]:
        if message.role in SYSTEM_ROLES:
            continue
        if len(message.text) > max_characters or (message.payload and len(message.payload) > max_characters):
            message = _within(message, max_characters)
        seen = message.compared.get(asked) or _compared(message, request.wire, asked, said_at)
        messages.append(seen.message)
        if message.role == "user":
            asked = seen.text
    return tuple(messages)


def unseen_size(request: ChatRequest) -> int:
    """Return how much there is to read for the log, in characters; a message that was seen counts as a few."""
    return sum(_SEEN_SIZE if message.compared else message.end - message.start for message in request.messages)


def dated(log: Sequence[Message], said_at: datetime) -> tuple[Message, ...]:
    """Return messages as said at an instant, in its time zone."""
    return tuple(message if message.said_at is said_at else replace(message, said_at=said_at) for message in log)


def _within(message: ChatMessage, limit: int) -> ChatMessage:
    payload = message.payload if message.payload and len(message.payload) <= limit else None
    # What a user says loses bytes before it is cut: an image may be longer than all that is said.
    text = without_bytes(message.text) if message.role == "user" and len(message.text) > limit else message.text
    text = cut_text(text, limit)
    return replace(message, text=text, payload=payload)


def reply_message(reply: Reply, wire: WireFormat, log: Sequence[Message], said_at: datetime) -> Message:
    """Return a reply in a format for the log; `log` is what `log_messages` returned for its request."""
    asked = next((comparable_text(message.text) for message in reversed(log) if message.role == "user"), "")
    text, identity = comparable_text(reply.text), wire.identity(reply.payload)
    return Message(
        role="assistant",
        text=reply.text,
        said_at=said_at,
        payload=reply.payload,
        call_ids=reply.call_ids,
        complete=reply.complete,
        hash=_hash("assistant", text, identity),
        anchor=_anchor("assistant", asked, text, () if reply.call_ids else identity),
    )


def plain_message(role: str, text: str, *, asked: str, said_at: datetime) -> Message:
    """Return a message of words alone for the log, equal to the one that a client sends for them.

    Args:
        role: `user` or `assistant`.
        text: What was said.
        asked: Of an answer, the text of the user message before it, as `comparable_text` returns it.
        said_at: When it was said.
    """
    text = cut_text(text, MAX_CHARACTERS)
    compared = comparable_text(text)
    return Message(
        role=role, text=text, said_at=said_at, hash=_hash(role, compared, ()), anchor=_anchor(role, asked, compared)
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


def is_background_task(request: ChatRequest) -> bool:
    """Return whether Open WebUI sent a request for its own use, so that it neither reads nor forms memories."""
    last = next((message for message in reversed(request.messages) if message.role == "user"), None)
    return (
        not request.stream
        and last is not None
        and last.text.lstrip().startswith(_TASK_HEADING)
        and _TASK_CHAT in last.text
    )


def _compared(message: ChatMessage, wire: WireFormat, asked: str, said_at: datetime) -> ComparedText:
    text, identity = comparable_text(message.text), wire.identity(message.payload)
    logged = Message(
        role=message.role,
        text=message.text,
        name=message.name,
        said_at=said_at,
        payload=message.payload,
        call_ids=message.call_ids,
        hash=_hash(message.role, text, identity, speaker_name(message.name)),
        anchor=_anchor(message.role, asked, text, () if message.call_ids else identity),
    )
    compared = message.compared[asked] = ComparedText(text, logged)
    return compared


def _hash(role: str, text: str, identity: Sequence[str], name: str | None = None) -> int:
    # A reply is compared as the client resends it, with or without the name that it gives to the assistant.
    said_by = ("name", name) if name and role == "user" else ()
    return hash64(role, text, *identity, *said_by)


def _anchor(role: str, asked: str, text: str, calls: Sequence[str] = ()) -> int | None:
    """Return what tells an answer: its question and its words; without words its calls, if those have no ids."""
    if role != "assistant" or not (text or calls):
        return None
    return hash64("anchor", asked, text) if text else hash64("anchor", asked, "", *calls)
