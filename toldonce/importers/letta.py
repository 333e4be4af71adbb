"""Letta's agent files (`.af`): what an agent knows of its user, and its chat. Pure.

A file has agents with messages, and blocks of memory; older ones are one agent with `core_memory`. Blocks on the agent
itself, such as its persona, are not on the user, and left out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toldonce.datasets.recordings import BadRecord
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_records import json_records
from toldonce.importers.records import (
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

_ON_USER = ("human", "user")
_NOT_ON_USER = "blocks on the agent itself"
# What a block's template has where nothing is known yet.
_UNKNOWN = (": ?", "[unknown]", "[none yet]")
_TEMPLATE = "This is what I know so far about the user"


def is_letta(value: object) -> bool:
    """Return whether a record is an agent file."""
    record = mapping_of(value)
    return ("agents" in record and "blocks" in record) or ("core_memory" in record and "messages" in record)


def read_letta(files: ExportFiles) -> SourceRecords:
    """Read blocks on the user as memories, and the chats."""
    for value, where in json_records(files, ("*.af", "*.json")):
        if isinstance(value, BadRecord):
            yield value
        elif not is_letta(value):
            yield BadRecord(where=where, reason="no agent file: it has neither `agents` nor `core_memory`")
        else:
            yield from _blocks([*sequence_of(value.get("blocks")), *sequence_of(value.get("core_memory"))], where)
            for agent in [*sequence_of(value.get("agents")), *([value] if "core_memory" in value else [])]:
                messages = tuple(_messages(sequence_of(mapping_of(agent).get("messages"))))
                if any(message.text for message in messages):
                    yield _conversation(mapping_of(agent), messages, where)


def _blocks(blocks: Sequence[object], where: str) -> Iterator[SourceMemory | LeftOut]:
    for block in map(mapping_of, blocks):
        label = text_of(block.get("label"))
        if not any(word in label.lower() for word in _ON_USER):
            yield LeftOut(reason=_NOT_ON_USER, where=f"{where}: {label}")
            continue
        since = date_or_none(block.get("updated_at")) or date_or_none(block.get("created_at"))
        for said in statements(text_of(block.get("value"))):
            if not said.startswith(_TEMPLATE) and not any(mark in f"{said} " for mark in _UNKNOWN):
                yield SourceMemory(id=source_id(None, label, said), text=said, since=since, where=f"{where}: {label}")


def _conversation(agent: Mapping[str, Any], messages: tuple[SourceMessage, ...], where: str) -> SourceConversation:
    first = messages[0]
    begun = first.said_at.isoformat() if first.said_at else ""
    return SourceConversation(
        id=source_id(None, text_of(agent.get("name")), begun, first.text), messages=messages, where=where
    )


def _messages(found: Sequence[object]) -> Iterator[SourceMessage]:
    before: str | None = None
    for place, each in enumerate(found):
        message = mapping_of(each)
        role = text_of(message.get("role"))
        name = f"{place}"
        yield SourceMessage(
            id=name,
            parent=before,
            role=role,
            text=_asked(message) if role == "user" else _answered(message) if role == "assistant" else "",
            said_at=date_or_none(message.get("created_at")),
        )
        before = name


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content", message.get("text"))
    parts = map(mapping_of, sequence_of(content))
    return text_of(content) or "\n".join(text_of(part.get("text")) for part in parts if part.get("type") == "text")


def _asked(message: Mapping[str, Any]) -> str:
    """Return what a user said; older agents get it as JSON, as they do events, which are no words of a person."""
    text = _content(message)
    packed = _unpacked(text)
    if "type" not in packed:
        return text
    return text_of(packed.get("message")) if packed.get("type") == "user_message" else ""


def _answered(message: Mapping[str, Any]) -> str:
    """Return what an agent said; older agents speak by calling `send_message`, and their own text is a thought."""
    said = []
    for call in map(mapping_of, sequence_of(message.get("tool_calls"))):
        function = mapping_of(call.get("function"))
        if function.get("name") == "send_message":
            said.append(text_of(_unpacked(text_of(function.get("arguments"))).get("message")))
    return "\n".join(said) if said else _content(message)


def _unpacked(text: str) -> Mapping[str, Any]:
    try:
        return mapping_of(json.loads(text)) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
