"""Open WebUI's export of chats, and its database `webui.db`. Reads the database.

A chat has its messages in `chat.history`, with parents; since 2026 the database has them in `chat_message`, too.
Answers carry what the model thought and tools said as `<details>`; newer ones have `output`, whose messages are the
words.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toldonce.datasets.recordings import BadRecord
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_records import json_records
from toldonce.importers.records import (
    NO_WORDS,
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
from toldonce.importers.sqlite_rows import read_rows, tables

TABLES = frozenset({"chat", "memory", "user"})
_DETAILS, _END = "<details", "</details>"


def is_open_webui(value: object) -> bool:
    """Return whether a record is a chat of Open WebUI."""
    return "messages" in mapping_of(_inner(value).get("history"))


def _inner(value: object) -> Mapping[str, Any]:
    """Return the chat of a record; an export of one chat is the chat itself."""
    record = mapping_of(value)
    return mapping_of(record.get("chat")) or record


def read_open_webui(files: ExportFiles) -> SourceRecords:
    """Read the chats, and of a database the memories."""
    if files.is_sqlite:
        yield from _database(files)
        return
    for value, where in json_records(files, ("*.json",)):
        if isinstance(value, BadRecord):
            yield value
        elif is_open_webui(value):
            yield _chat(value, where, text_of(value.get("user_id")))
        else:
            yield BadRecord(where=where, reason="no chat: it has no `chat.history`")


def _database(files: ExportFiles) -> SourceRecords:
    path = files.path
    names = {id_: text_of(email) or id_ for id_, email in read_rows(path, 'SELECT id, email FROM "user"')}
    has_rows = "chat_message" in tables(path)
    for id_, user, text, created_at in read_rows(path, "SELECT id, user_id, chat, created_at FROM chat ORDER BY id"):
        where = f"chat {id_}"
        chat = _parsed(text)
        if chat is None:
            yield BadRecord(where=where, reason="no chat: `chat` is not JSON")
            continue
        value = {"id": id_, "chat": chat, "created_at": created_at}
        if has_rows:
            rows = _message_rows(files, text_of(id_))
            history = mapping_of(chat.get("history"))
            value["chat"] = {"history": {**history, "messages": {**mapping_of(history.get("messages")), **rows}}}
        yield _chat(value, where, names.get(user, text_of(user)))
    for id_, user, text, created_at in read_rows(path, "SELECT id, user_id, content, created_at FROM memory"):
        yield SourceMemory(
            id=source_id(id_),
            text=text_of(text),
            since=date_or_none(created_at),
            owner=names.get(user, text_of(user)),
            where=f"memory {id_}",
        )


def _message_rows(files: ExportFiles, chat: str) -> dict[str, dict[str, Any]]:
    """Return the messages of a chat as the JSON of older versions has them."""
    sql = "SELECT id, role, parent_id, content, output, created_at FROM chat_message WHERE chat_id = ?"
    rows: dict[str, dict[str, Any]] = {}
    for id_, role, parent, content, output, created_at in read_rows(files.path, sql, (chat,)):
        name = text_of(id_).removeprefix(f"{chat}-")
        rows[name] = {"role": role, "parentId": parent, "timestamp": created_at}
        rows[name] |= {"content": _decoded(content), "output": _decoded(output)}
    return rows


def _parsed(text: object) -> Mapping[str, Any] | None:
    found = _decoded(text)
    return found if isinstance(found, dict) else None


def _decoded(text: object) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return text


def _chat(value: Mapping[str, Any], where: str, owner: str) -> SourceConversation | LeftOut:
    history = mapping_of(_inner(value).get("history"))
    messages = tuple(_messages(mapping_of(history.get("messages"))))
    if not any(message.text for message in messages):
        return LeftOut(reason=NO_WORDS, where=where)
    return SourceConversation(
        id=source_id(value.get("id"), messages[0].id, messages[0].text),
        messages=messages,
        current=text_of(history.get("currentId")) or None,
        created_at=date_or_none(value.get("created_at")),
        owner=owner,
        where=where,
    )


def _messages(found: Mapping[str, Any]) -> Iterator[SourceMessage]:
    for name, each in found.items():
        message = mapping_of(each)
        yield SourceMessage(
            id=name,
            parent=text_of(message.get("parentId")) or None,
            role=text_of(message.get("role")),
            text=_words(message),
            said_at=date_or_none(message.get("timestamp")),
        )


def _words(message: Mapping[str, Any]) -> str:
    if message.get("role") == "assistant":
        said = [
            text_of(mapping_of(part).get("text"))
            for item in map(mapping_of, sequence_of(message.get("output")))
            if item.get("type") == "message"
            for part in sequence_of(item.get("content"))
        ]
        if any(said):
            return "\n".join(said)
    content = message.get("content")
    blocks = map(mapping_of, sequence_of(content))
    text = text_of(content) or "\n".join(text_of(block.get("text")) for block in blocks)
    return without_details(text) if message.get("role") == "assistant" else text


def without_details(text: str) -> str:
    """Remove what an answer has folded in: the model's thoughts, and tools.

    >>> without_details('<details type="reasoning">Hm.</details>255')
    '255'
    """
    kept, at = [], 0
    while (begin := text.find(_DETAILS, at)) >= 0:
        kept.append(text[at:begin])
        end = text.find(_END, begin)
        if end < 0:
            return "".join(kept).strip()
        at = end + len(_END)
    return "".join([*kept, text[at:]]).strip()
