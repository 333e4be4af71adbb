"""Exports of other products as their users get them, made up: the shapes are documented in the readers."""

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

MARCH = 1_740_823_200  # 2025-03-01 10:00 UTC


def chatgpt_node(
    id_: str, parent: str | None, role: str = "", text: str = "", at: float | None = None, **more: Any
) -> dict[str, Any]:
    """A node of ChatGPT's `mapping`; without a role it has no message. Links to children are missing."""
    message = {
        "id": id_,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {},
        "recipient": "all",
        **more,
    }
    return {"id": id_, "message": message if role else None, "parent": parent, "children": []}


def chatgpt_chat(
    id_: str, nodes: Sequence[Mapping[str, Any]], current: str | None = None, **more: Any
) -> dict[str, Any]:
    """A conversation of ChatGPT; the last node is the current one."""
    return {
        "title": id_,
        "create_time": MARCH,
        "update_time": MARCH + 600,
        "mapping": {node["id"]: node for node in nodes},
        "current_node": current or nodes[-1]["id"],
        "conversation_id": id_,
        "default_model_slug": "gpt-5",
        "is_do_not_remember": False,
        "memory_scope": "global_enabled",
        "id": id_,
        **more,
    }


def chatgpt_dialogue(id_: str, said: Sequence[tuple[str, str]], at: float = MARCH) -> dict[str, Any]:
    """A conversation of ChatGPT without branches, a minute between its messages."""
    nodes = [chatgpt_node("root", None)]
    for question, answer in said:
        for role, text in (("user", question), ("assistant", answer)):
            before = nodes[-1]["id"]
            nodes.append(chatgpt_node(f"{id_}-{len(nodes)}", before, role, text, at + 60 * len(nodes)))
    return chatgpt_chat(id_, nodes, create_time=at)


def claude_message(id_: str, sender: str, text: str, at: str, **more: Any) -> dict[str, Any]:
    """A message of Claude's export; `text` repeats the block."""
    block = {"type": "text", "text": text}
    return {"uuid": id_, "sender": sender, "text": text, "content": [block], "created_at": at, "files": [], **more}


def claude_chat(id_: str, messages: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """A conversation of Claude's export."""
    made = "2025-03-01T10:00:00.000000Z"
    head = {
        "uuid": id_,
        "name": id_,
        "summary": "",
        "created_at": made,
        "updated_at": made,
        "account": {"uuid": "acct"},
    }
    return {**head, "chat_messages": list(messages), **more}


def write_zip(path: Path, files: Mapping[str, Any]) -> Path:
    """Write values as JSON, and bytes as they are, into a zip."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def write_json(path: Path, value: Any) -> Path:
    """Write a value as JSON."""
    path.write_text(json.dumps(value), "utf-8")
    return path


def write_lines(path: Path, values: Iterable[Any]) -> Path:
    """Write values as JSON lines."""
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), "utf-8")
    return path
