"""LibreChat's export of a conversation as JSON; many of them in a folder or a zip. Pure.

Messages are in a list with their parents, or each has its answers in `children`.
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
    SourceMessage,
    SourceRecords,
    date_or_none,
    mapping_of,
    sequence_of,
    source_id,
    text_of,
)


def is_librechat(value: object) -> bool:
    """Return whether a record is a conversation of LibreChat."""
    return isinstance(value, dict) and "conversationId" in value and ("messages" in value or "messagesTree" in value)


def read_librechat(files: ExportFiles) -> SourceRecords:
    """Read the conversations."""
    for value, where in json_records(files, ("*.json",)):
        if isinstance(value, BadRecord):
            yield value
        elif is_librechat(value):
            yield _conversation(value, where)
        else:
            yield BadRecord(where=where, reason="no conversation: it has no `conversationId` and `messages`")


def _conversation(value: Mapping[str, Any], where: str) -> SourceConversation | LeftOut:
    if value.get("isTemporary") is True or value.get("expiredAt"):
        return LeftOut(reason=TEMPORARY, where=where)
    messages = tuple(_messages(value.get("messages") or value.get("messagesTree")))
    if not any(message.text for message in messages):
        return LeftOut(reason=NO_WORDS, where=where)
    return SourceConversation(
        id=source_id(value.get("conversationId"), messages[0].id, messages[0].text),
        messages=messages,
        created_at=date_or_none(value.get("createdAt")),
        where=where,
    )


def _messages(found: object) -> Iterator[SourceMessage]:
    waiting = list(reversed(sequence_of(found)))
    number = 0
    while waiting:
        message = mapping_of(waiting.pop())
        number += 1
        yield SourceMessage(
            id=text_of(message.get("messageId")) or f"#{number}",
            parent=text_of(message.get("parentMessageId")) or None,
            role="user" if message.get("isCreatedByUser") is True else "assistant",
            text="" if message.get("error") is True else _words(message),
            said_at=date_or_none(message.get("createdAt")),
        )
        waiting.extend(reversed(sequence_of(message.get("children"))))


def _words(message: Mapping[str, Any]) -> str:
    text = text_of(message.get("text"))
    if text.strip():
        return text
    said = []
    for part in map(mapping_of, sequence_of(message.get("content"))):
        words = part.get("text")
        if part.get("type") == "text":
            said.append(text_of(words) or text_of(mapping_of(words).get("value")))
    return "\n".join(text for text in said if text.strip())
