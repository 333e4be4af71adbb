"""Read a request of Anthropic's Messages API: whose words its messages hold, their calls, results and blocks. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from toldonce.chat.agent_prompts import own_words
from toldonce.chat.formats.base import ChatMessage, ChatRequest, WireFormat
from toldonce.chat.formats.json_values import canonical, parse, string
from toldonce.chat.formats.request_reader import MessageReader, RequestReader
from toldonce.text import clean

TOOL, APPLICATION = "tool", "developer"
"""Roles of a client's user messages that hold no word of the user: results of tools, or the client's own notices."""
_MESSAGE_FIELDS = frozenset({"role", "content", "clear_at"})
# Blocks that are no part of what a message says beyond its text: some clients resend a model's thinking, others do not.
_TEXT_ONLY = frozenset({"text", "thinking", "redacted_thinking"})
# Names of users that Claude Code made before it sent JSON: user_…_account_…_session_….
_SESSION = "_session_"

Block = Mapping[str, object]


def read_request(body: bytes, wire: WireFormat, *, max_messages: int) -> ChatRequest:
    """Read the body of a request.

    Raises:
        BadRequestError: See `RequestReader`.
    """
    reader = _RequestReader(body, max_messages)
    reader.walk()
    user, conversation = _user_and_session(clean(reader.string("user_id") or ""))
    request = reader.request(wire, user=user, conversation=conversation)
    return replace(request, continues=reader.begins_answer)


def blocks_of(content: object) -> Iterator[Block]:
    """Yield the blocks of a content; a string is one block of text."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def spoken_text(content: object) -> str:
    """Return the text of a content: its blocks of text, joined by line feeds.

    >>> spoken_text([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])
    'a\\nb'
    """
    return "\n".join(_texts(blocks_of(content)))


def payload_identity(payload: str | None) -> tuple[str, ...]:
    """Return what distinguishes a message beyond its text, however its JSON is written."""
    message = parse(payload) if payload else None
    identity: list[str] = []
    for block in blocks_of(message.get("content") if isinstance(message, dict) else None):
        kind = block.get("type")
        if kind == "tool_use":
            identity += ("call", *(canonical(block.get(name)) for name in ("id", "name", "input")))
        elif kind == "tool_result":
            identity += ("answers", canonical(block.get("tool_use_id")), canonical(_bare(block).get("content")))
        elif kind not in _TEXT_ONLY:
            identity += ("part", canonical(_bare(block)))
    return tuple(identity)


def compared(source: str) -> str:
    """Return what a provider compares of some messages.

    Marks of the cache do not count. A string is the same as a block of text: Claude Code writes a message as a list
    while it bears a mark, and as a string afterwards.
    """
    messages = json.loads("[" + source.lstrip(", \t\r\n") + "]")
    return json.dumps([_bare(message) for message in messages], separators=(",", ":"))


def is_text_only(content: object) -> bool:
    """Return whether a content holds text alone, thinking aside."""
    return all(block.get("type") in _TEXT_ONLY for block in blocks_of(content))


class _RequestReader(RequestReader):
    """Walks the source of one request."""

    SCALARS: ClassVar[frozenset[str]] = frozenset({"model", "stream"})

    def member(self, key: str, at: int) -> int:
        if key == "metadata" and self.source.peek(at) == "{":
            return self.source.walk_object(at, self._metadata)
        return super().member(key, at)

    def _metadata(self, key: str, at: int) -> int:
        return self.scalar(self.fields, key, at) if key == "user_id" else self.source.skip_value(at)

    def message(self, at: int, param: str) -> ChatMessage:
        reader = MessageReader(self.source, _MESSAGE_FIELDS, at)
        content = reader.fields.get("content")
        role, text = _said(reader.role(param), content)
        return reader.message(
            role=role,
            text=text,
            has_more=not is_text_only(content),
            call_ids=(string(block.get("id")) for block in blocks_of(content) if block.get("type") == "tool_use"),
            takes_text=reader.fields.get("clear_at") is None,  # the model forgets such a message after one turn
        )


def _said(role: str, content: object) -> tuple[str, str]:
    """Return who speaks in a message, and the text: results of tools come in messages of the user, as do notices."""
    if role != "user":
        return role, spoken_text(content)
    blocks = list(blocks_of(content))
    texts = list(_texts(blocks))
    words = [own for text in texts if (own := own_words(text))]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    if words or not (results or texts) or (not results and not is_text_only(content)):
        return role, "\n".join(words)
    if results:
        return TOOL, "\n".join(spoken_text(block.get("content")) for block in results)
    return APPLICATION, "\n".join(texts)


def _texts(blocks: "Iterator[Block] | list[Block]") -> Iterator[str]:
    for block in blocks:
        text = block.get("text") if block.get("type") == "text" else None
        if isinstance(text, str) and text:
            yield text


def _bare(value: Block) -> dict[str, object]:
    """Return a message or block without marks of the cache, and with a list as its content."""
    bare = {name: member for name, member in value.items() if name != "cache_control"}
    if isinstance(content := bare.get("content"), str | list):
        bare["content"] = [_bare(block) for block in blocks_of(content)]
    return bare


def _user_and_session(user_id: str) -> tuple[str, str]:
    """Return the user of `metadata.user_id`, and the session that Claude Code names there instead."""
    if user_id.startswith("{"):
        named = parse(user_id)
        return "", string(named.get("session_id")) if isinstance(named, dict) else ""
    name, mark, session = user_id.rpartition(_SESSION)
    return ("", session) if mark and name.startswith("user_") else (user_id, "")
