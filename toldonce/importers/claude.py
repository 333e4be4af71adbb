"""Claude's export: `conversations.json` and `memories.json`. Pure.

A message has `content` blocks; `text` repeats them, or is empty. What the model thought and tools answered is
not said. Messages of 2026 name their parents; older exports are in order.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from toldonce.datasets.recordings import BadRecord
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_records import json_records
from toldonce.importers.records import (
    NO_WORDS,
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

PATTERNS = ("conversations.json", "conversations-*.json", "memories.json", "memories-*.json", "memories/*.json")
_ROLES = {"human": "user", "assistant": "assistant"}


def is_claude(value: object) -> bool:
    """Return whether a record is a conversation of Claude, or what it remembers."""
    return isinstance(value, dict) and ("chat_messages" in value or "conversations_memory" in value)


def read_claude(files: ExportFiles) -> SourceRecords:
    """Read the conversations and memories."""
    for value, where in json_records(files, PATTERNS):
        if isinstance(value, BadRecord):
            yield value
        elif not is_claude(value):
            yield BadRecord(where=where, reason="neither a conversation with `chat_messages` nor memories")
        elif "chat_messages" in value:
            yield _conversation(value, where)
        else:
            yield from _memories(value, where)


def _conversation(value: Mapping[str, Any], where: str) -> SourceConversation | LeftOut:
    if value.get("is_temporary") is True:
        return LeftOut(reason=TEMPORARY, where=where)
    messages = tuple(_messages(value.get("chat_messages")))
    if not any(message.text for message in messages):
        return LeftOut(reason=NO_WORDS, where=where)
    return SourceConversation(
        id=source_id(value.get("uuid"), messages[0].id, messages[0].text),
        messages=messages,
        current=text_of(value.get("current_leaf_message_uuid")) or None,
        created_at=date_or_none(value.get("created_at")),
        where=where,
    )


def _messages(found: object) -> Iterator[SourceMessage]:
    before: str | None = None
    for place, each in enumerate(sequence_of(found)):
        message = mapping_of(each)
        name = text_of(message.get("uuid")) or f"#{place}"
        parent = text_of(message.get("parent_message_uuid"))
        yield SourceMessage(
            id=name,
            parent=parent or before,
            role=_ROLES.get(text_of(message.get("sender")), ""),
            text=_words(message),
            said_at=date_or_none(message.get("created_at")),
        )
        before = name


def _words(message: Mapping[str, Any]) -> str:
    blocks = map(mapping_of, sequence_of(message.get("content")))
    said = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    return "\n".join(text for text in said if text.strip()) or text_of(message.get("text"))


def _memories(value: Mapping[str, Any], where: str) -> Iterator[SourceMemory]:
    texts = [text_of(value.get("conversations_memory"))]
    texts += map(text_of, mapping_of(value.get("project_memories")).values())
    for text in texts:
        for said in statements(text):
            yield SourceMemory(id=source_id(None, said), text=said, where=where)
