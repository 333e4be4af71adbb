"""ChatGPT's export of 2023 to 2026: `conversations.json`, or `conversations-000.json` and so on. Pure.

Each conversation is a `mapping` of nodes. Links to children are partly missing, so the tree is that of the parents.
Some nodes carry what ChatGPT itself remembered: the user's profile and instructions, and its saved memories.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from toldonce.datasets.recordings import BadRecord
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_records import json_records
from toldonce.importers.records import (
    NO_WORDS,
    NOT_TO_REMEMBER,
    TEMPORARY,
    LeftOut,
    SourceConversation,
    SourceMemory,
    SourceMessage,
    SourceRecords,
    date_or_none,
    mapping_of,
    sequence_of,
    source_id,
    text_of,
)
from toldonce.importers.statements import statements
from toldonce.lazy_pattern import LazyPattern

PATTERNS = ("conversations.json", "conversations-*.json")
# Kinds of content whose parts are words of the chat; others are the model's thoughts, code that it ran, and pictures.
_SPOKEN = frozenset({"text", "multimodal_text"})
_CONTEXT = frozenset({"user_editable_context", "model_editable_context"})
# "1. [2024-05-13]. Is allergic to peanuts.": a saved memory, as the model was told of it.
_SAVED = LazyPattern(r"^\s*+\d++\. ?\[(\d{4}-\d{2}-\d{2})\]\. ?(.++)$")
_FENCE = "```"


def is_chatgpt(value: object) -> bool:
    """Return whether a record is a conversation of ChatGPT."""
    return isinstance(value, dict) and "mapping" in value and "current_node" in value


def read_chatgpt(files: ExportFiles) -> SourceRecords:
    """Read the conversations, and at the end what ChatGPT remembered of its user."""
    remembered = _Remembered()
    for value, where in json_records(files, PATTERNS):
        if isinstance(value, BadRecord):
            yield value
            continue
        if not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
            yield BadRecord(where=where, reason="no conversation: it has no `mapping`")
            continue
        kept_out = _kept_out(value)
        if kept_out:
            yield LeftOut(reason=kept_out, where=where)
            continue
        remembered.look(value)
        yield _conversation(value, where)
    yield from remembered.memories()


def _kept_out(value: Mapping[str, Any]) -> str:
    if value.get("is_do_not_remember") is True:
        return NOT_TO_REMEMBER
    return TEMPORARY if value.get("is_temporary_chat") is True else ""


def _conversation(value: Mapping[str, Any], where: str) -> SourceConversation | LeftOut:
    messages = tuple(_messages(value["mapping"]))
    if not any(message.text for message in messages):
        return LeftOut(reason=NO_WORDS, where=where)
    return SourceConversation(
        id=source_id(value.get("conversation_id") or value.get("id"), messages[0].id),
        messages=messages,
        current=text_of(value.get("current_node")) or None,
        created_at=date_or_none(value.get("create_time")),
        where=where,
    )


def _messages(mapping: Mapping[str, Any]) -> Iterator[SourceMessage]:
    for name, found in mapping.items():
        node = mapping_of(found)
        message = mapping_of(node.get("message"))
        content = mapping_of(message.get("content"))
        author = mapping_of(message.get("author"))
        is_spoken = content.get("content_type") in _SPOKEN and message.get("recipient", "all") == "all"
        is_hidden = mapping_of(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
        yield SourceMessage(
            id=name,
            parent=text_of(node.get("parent")) or None,
            role=text_of(author.get("role")),
            text=_words(content) if is_spoken and not is_hidden else "",
            said_at=date_or_none(message.get("create_time")),
        )


def _words(content: Mapping[str, Any]) -> str:
    """Return the text parts; of speech, what was transcribed."""
    parts = (
        part if isinstance(part, str) else text_of(mapping_of(part).get("text"))
        for part in sequence_of(content.get("parts"))
    )
    return "\n".join(part for part in parts if part.strip())


class _Remembered:
    """What the newest conversation that says so was told of the user: older ones have what was deleted since."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[datetime, str]] = {}

    def look(self, value: Mapping[str, Any]) -> None:
        """Note what a conversation was told."""
        at = date_or_none(value.get("update_time")) or date_or_none(value.get("create_time"))
        at = at or datetime.min.replace(tzinfo=UTC)
        for node in value["mapping"].values():
            content = mapping_of(mapping_of(mapping_of(node).get("message")).get("content"))
            if content.get("content_type") in _CONTEXT:
                for name in ("user_profile", "user_instructions", "model_set_context"):
                    text = text_of(content.get(name))
                    if text.strip() and (name not in self._newest or self._newest[name][0] <= at):
                        self._newest[name] = (at, text)

    def memories(self) -> Iterator[SourceMemory]:
        """Yield the memories."""
        for name, (at, text) in self._newest.items():
            since = None if at.year == 1 else at
            if name == "model_set_context":
                yield from _saved(text)
                continue
            kind = "instruction" if name == "user_instructions" else ""
            for said in statements(_within_fence(text)):
                yield SourceMemory(id=source_id(None, name, said), text=said, since=since, type=kind, where=name)


def _saved(text: str) -> Iterator[SourceMemory]:
    for line in text.splitlines():
        found = _SAVED.search(line)
        if found:
            date, said = found.groups()
            yield SourceMemory(
                id=source_id(None, "saved", said), text=said.strip(), since=date_or_none(date), where="saved memories"
            )


def _within_fence(text: str) -> str:
    """Return what the user wrote, without the product's words around it."""
    _, fence, rest = text.partition(_FENCE)
    return rest.partition(_FENCE)[0] if fence else text
