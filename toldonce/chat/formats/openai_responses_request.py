"""Read a request of OpenAI's Responses API: its items as messages, and what upstream keeps of the chat. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import ClassVar

from toldonce.chat.agent_prompts import own_words
from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind, WireFormat
from toldonce.chat.formats.json_values import canonical, parse, string
from toldonce.chat.formats.openai_chat_message import other_parts, text_of
from toldonce.chat.formats.request_reader import MessageReader, RequestReader
from toldonce.text import clean

TOOL, APPLICATION = "tool", "developer"
"""Roles of items that hold no word of the user: results of tools, and the client's own notices in the user's name."""
_ITEM_FIELDS = frozenset({"type", "id", "role", "content", "call_id", "output"})
_REFERENCE = "item_reference"
"""Type of an item that names one of an earlier answer: some clients send nothing else of it."""
# Items that only the model reads: clients may send them back or not.
_UNSPOKEN = frozenset({"reasoning", _REFERENCE, "compaction", "compaction_trigger"})
_RESULT = "_output"
"""End of the types of items that hold a tool's result."""

Item = Mapping[str, object]


def read_request(body: bytes, wire: WireFormat, *, max_messages: int) -> ChatRequest:
    """Read the body of a request.

    Raises:
        BadRequestError: See `RequestReader`.
    """
    reader = _RequestReader(body, max_messages)
    reader.walk()
    conversation = clean(reader.string("conversation") or "")
    after = clean(reader.string("previous_response_id") or "") or None
    request = reader.request(
        wire, user=reader.string("user") or reader.string("safety_identifier"), conversation=conversation
    )
    messages = tuple(_joined(request.text, request.messages))
    return replace(request, messages=messages, after=after, is_kept_upstream=bool(after or conversation))


def items_of(source: object) -> list[Item]:
    """Return the items of an input: an item, a list of them, or a string, which is a message of the user.

    >>> items_of("Hello")
    [{'role': 'user', 'content': 'Hello'}]
    """
    if isinstance(source, str):
        return [{"role": "user", "content": source}]
    found = source if isinstance(source, list) else [source]
    return [item for item in found if isinstance(item, dict)]


def is_spoken(item: Item) -> bool:
    """Return whether an item is a message, and no call, result or reasoning."""
    return item.get("type", "message") == "message"


def is_unspoken(item: Item) -> bool:
    """Return whether an item is for the model alone."""
    return string(item.get("type")) in _UNSPOKEN


def is_text_only(item: Item) -> bool:
    """Return whether an item's text is all that a conversation has of it."""
    if is_spoken(item):
        return not other_parts(item.get("content"))
    return is_unspoken(item)


def payload_identity(payload: str | None) -> tuple[str, ...]:
    """Return what distinguishes a message beyond its text, however its JSON is written: calls, results, other parts.

    What a provider's own tools did, such as a search of the web, is not counted: some clients leave it out.
    """
    identity: list[str] = []
    for item in items_of(parse(payload) if payload else None):
        if is_spoken(item):
            identity += (text for part in other_parts(item.get("content")) for text in ("part", canonical(part)))
        elif isinstance(call_id := item.get("call_id"), str):
            is_result = string(item.get("type")).endswith(_RESULT)
            names = ("output",) if is_result else ("name", "arguments", "input", "action")
            identity += ("answers" if is_result else "call", call_id, *(_value(item.get(name)) for name in names))
    return tuple(identity)


def _value(value: object) -> str:
    """Write a value so that equal ones are equal texts, although clients rewrite the JSON in strings."""
    parsed = parse(value) if isinstance(value, str) else None
    return canonical(value if parsed is None else parsed)


def compared(source: str) -> str:
    """Return what a provider compares of some items.

    A string is the same as a message of the user with one part. Ids, states, marks of the cache and the order of an
    item's fields do not count.
    """
    start = source.lstrip(", \t\r\n")
    read: object = json.loads(start if start[:1] in '["' else f"[{start}]")
    return json.dumps([_bare(item) for item in items_of(read)], separators=(",", ":"))


def _bare(item: Item) -> dict[str, object]:
    if item.get("type") == _REFERENCE:  # its id is all that it says
        return dict(item)
    bare = {name: value for name, value in item.items() if name not in ("id", "status", "phase")}
    if is_spoken(item):
        content = item.get("content")
        texts: list[object] = [text_of(content)] if isinstance(content, str) else []
        parts = content if isinstance(content, list) else []
        bare |= {"type": "message", "content": [*texts, *(_bare_part(part) for part in parts)]}
    return dict(sorted(bare.items()))


def _bare_part(part: object) -> object:
    """Return a part of a message without marks of the cache; text alone."""
    if not isinstance(part, dict):
        return part
    if not other_parts([part]):
        return text_of([part])
    return {name: value for name, value in part.items() if name != "prompt_cache_breakpoint"}


class _RequestReader(RequestReader):
    """Walks the source of one request."""

    LIST: ClassVar[str] = "input"
    SCALARS: ClassVar[frozenset[str]] = frozenset(
        {"model", "stream", "user", "safety_identifier", "previous_response_id", "conversation"}
    )

    def member(self, key: str, at: int) -> int:
        if key == "conversation" and self.source.peek(at) == "{":
            return self.source.walk_object(at, self._conversation)
        return super().member(key, at)

    def _conversation(self, key: str, at: int) -> int:
        if key != "id":
            return self.source.skip_value(at)
        return self.scalar(self.fields, "conversation", at)

    def other_messages(self, at: int) -> int:
        if self.source.peek(at) != '"':
            return super().other_messages(at)
        said, end = self.source.read_value(at)
        self.messages.append(
            ChatMessage(
                role="user",
                text=clean(string(said)),
                content_kind=ContentKind.STRING,
                start=at,
                end=end,
                content_start=at + 1,
                content_end=end - 1,
            )
        )
        return end

    def message(self, at: int, param: str) -> ChatMessage:
        reader = MessageReader(self.source, _ITEM_FIELDS, at)
        item = reader.fields
        call_id = item.get("id" if item.get("type") == _REFERENCE else "call_id")
        role, text = _said(reader.role(param), item.get("content")) if is_spoken(item) else _done(item)
        return reader.message(
            role=role,
            text=text,
            has_more=not is_text_only(item),
            call_ids=() if role == TOOL else (string(call_id),),
        )


def _said(role: str, content: object) -> tuple[str, str]:
    """Return who speaks in a message, and the text: clients send notices of their own in the user's name."""
    if role != "user":
        return role, text_of(content)
    parts = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    texts = [text for part in parts if (text := text_of(part if isinstance(part, str) else [part]))]
    words = [own for text in texts if (own := own_words(text))]
    if words or not texts or other_parts(content):
        return role, "\n".join(words)
    return APPLICATION, "\n".join(texts)


def _done(item: Item) -> tuple[str, str]:
    """Return whose an item is that is no message, and its text: results of tools have one."""
    if string(item.get("type")).endswith(_RESULT):
        return TOOL, text_of(item.get("output"))
    return "assistant", ""


def _joined(source: str, items: Sequence[ChatMessage]) -> Iterator[ChatMessage]:
    """Join neighbouring items of the assistant, which are one answer: its reasoning, words and calls."""
    for is_answer, group in groupby(items, key=lambda item: item.role == "assistant"):
        members = list(group)
        if not is_answer or len(members) == 1:
            yield from members
            continue
        payload = None
        if any(member.payload for member in members):
            told = (member for member in members if member.payload or member.text)
            payload = f"[{','.join(source[member.start : member.end] for member in told)}]"
        yield replace(
            members[0],
            text="\n".join(member.text for member in members if member.text),
            payload=payload,
            call_ids=tuple(call_id for member in members for call_id in member.call_ids),
            content_kind=ContentKind.OTHER,
            end=members[-1].end,
            content_start=-1,
            content_end=-1,
        )
