"""What is read of each product's export, and how products are told apart."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from product_exports import (
    MARCH,
    chatgpt_chat,
    chatgpt_dialogue,
    chatgpt_node,
    claude_chat,
    claude_message,
    write_json,
    write_lines,
    write_zip,
)
from toldonce.datasets.recordings import BadRecord
from toldonce.errors import BadRequestError
from toldonce.importers.export_files import open_export
from toldonce.importers.records import LeftOut, SourceConversation, SourceMemory, SourceRecord
from toldonce.importers.sources import SOURCES, detect_source, read_source


def records(path: Path) -> tuple[str, list[SourceRecord]]:
    """The product, and what is read."""
    with open_export(path) as files:
        source = detect_source(files)
        return source.name, list(read_source(source, files))


def words(record: SourceRecord) -> list[tuple[str, str]]:
    """Who said what in a conversation."""
    assert isinstance(record, SourceConversation)
    return [(message.role, message.text) for message in record.messages if message.text]


def memories(found: list[SourceRecord]) -> Iterator[tuple[str, str | None]]:
    """Text and day of each memory."""
    for record in found:
        if isinstance(record, SourceMemory):
            yield record.text, record.since.date().isoformat() if record.since else None


def test_chatgpt_of_2026_has_many_files_and_knows_its_user(tmp_path: Path) -> None:
    context = {
        "content_type": "user_editable_context",
        "user_profile": "The user gave this about themselves:\n```Preferred name: Ana\nI am a nurse.```",
        "user_instructions": "```Answer in short sentences.```",
    }
    saved = {"content_type": "model_editable_context", "model_set_context": "1. [2024-05-13]. Has a cat, Tofu.\n"}
    outdated = {**saved, "model_set_context": "1. [2024-01-02]. Has a dog.\n2. [2024-05-13]. Has a cat, Tofu.\n"}
    spoken = {"content_type": "audio_transcription", "text": "I row on Sundays."}
    nodes = [
        chatgpt_node("root", None),
        chatgpt_node("context", "root", "user", content=context),
        chatgpt_node("saved", "context", "assistant", content=saved),
        chatgpt_node(
            "u1", "saved", "user", "", MARCH, content={"content_type": "multimodal_text", "parts": [spoken, {}]}
        ),
        chatgpt_node("t1", "u1", "assistant", "", content={"content_type": "thoughts", "thoughts": ["Hm."]}),
        chatgpt_node("bio", "t1", "assistant", "User rows.", recipient="bio"),
        chatgpt_node("a1", "bio", "assistant", "Nice.", MARCH + 5),
    ]
    former = chatgpt_chat("c0", [nodes[0], chatgpt_node("m", "root", "assistant", content=outdated)], update_time=MARCH)
    former["mapping"]["u"] = chatgpt_node("u", "m", "user", "Hi")
    path = write_zip(
        tmp_path / "chatgpt.zip",
        {
            "conversations-000.json": [{"title": "damaged", "id": "c9"}, chatgpt_chat("c1", nodes), former],
            "conversations-001.json": [
                chatgpt_chat("c2", nodes, is_do_not_remember=True),
                chatgpt_chat("c3", nodes, is_temporary_chat=True),
                chatgpt_chat("c4", nodes[:1]),
            ],
            "file-abc.dat": b"\x00\x01",
            "user.json": {"id": "user-1", "email": "ana@example.org"},
        },
    )
    name, found = records(path)
    assert name == "chatgpt"
    bad, first, second, *left, _, _, _, _ = found
    assert isinstance(bad, BadRecord)
    assert (bad.where, bad.reason) == ("conversations-000.json: record 1", "no conversation: it has no `mapping`")
    assert words(first) == [("user", "I row on Sundays."), ("assistant", "Nice.")]
    assert words(second) == [("user", "Hi")]
    assert [each.reason for each in left if isinstance(each, LeftOut)] == [
        "not to be remembered",
        "temporary",
        "no words",
    ]
    assert list(memories(found)) == [
        ("Preferred name: Ana", "2025-03-01"),
        ("I am a nurse.", "2025-03-01"),
        ("Answer in short sentences.", "2025-03-01"),
        ("Has a cat, Tofu.", "2024-05-13"),
    ]


def test_claude_has_blocks_of_which_some_are_not_said(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "Which city?"},
        {"type": "tool_use", "name": "search", "input": {"query": "weather"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "68F"}]},
        {"type": "text", "text": "It is warm."},
    ]
    messages = [
        claude_message("m1", "human", "I live in Graz.", "2025-03-01T10:00:00Z"),
        claude_message("m2", "assistant", "", "2025-03-01T10:00:05Z", content=blocks, parent_message_uuid="m1"),
        {"uuid": "m3", "sender": "human", "text": "Thanks", "created_at": "2025-03-01T10:01:00Z"},
    ]
    memory = {
        "conversations_memory": "**Work context**\n\nAna is a nurse in Graz.\n\n- **Rowing**: she rows at:\n- dawn",
        "project_memories": {"p1": "The garden project began in May."},
        "account_uuid": "acct",
    }
    files = {"conversations.json": [claude_chat("k1", messages), claude_chat("k2", [])], "memories.json": [memory]}
    name, found = records(write_zip(tmp_path / "claude.zip", {**files, "users.json": []}))
    assert name == "claude"
    assert words(found[0]) == [("user", "I live in Graz."), ("assistant", "It is warm."), ("user", "Thanks")]
    assert isinstance(found[0], SourceConversation)
    assert [message.parent for message in found[0].messages] == [None, "m1", "m2"]
    assert found[1] == LeftOut(reason="no words", where="conversations.json: record 2")
    assert [text for text, _ in memories(found)] == [
        "Ana is a nurse in Graz.",
        "dawn",
        "The garden project began in May.",
    ]


def test_lines_of_openai_messages_are_read_as_by_replay(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "I row."}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    chat = {"id": "7", "date": "2025-03-01", "messages": [{"role": "user", "content": parts}]}
    path = write_lines(tmp_path / "chats.jsonl", [chat, {"messages": "none"}, [{"role": "user", "content": "Hi"}]])
    name, (first, bad, last) = records(path)
    assert (name, words(first), words(last)) == ("jsonl", [("user", "I row.")], [("user", "Hi")])
    assert isinstance(bad, BadRecord)
    assert bad.where == "chats.jsonl: line 2"


@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_what_comes_before_the_damage_is_read(tmp_path: Path, damage: str) -> None:
    chats = [chatgpt_dialogue(f"c{number}", [("Hi", "Hello")]) for number in range(3)]
    data = write_json(tmp_path / "conversations.json", chats).read_text()
    end = data.rindex("c2-1")
    (tmp_path / "conversations.json").write_text(data[:end] if damage == "cut" else f'{data[:end]}\x00"%{data[end:]}')
    _, found = records(tmp_path / "conversations.json")
    assert [type(record) for record in found] == [SourceConversation, SourceConversation, BadRecord]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"name": "left-pad"}, "What works: chatgpt: "),
        ([], "is no export that is known"),
        ("[{", "ends within record 1"),
    ],
)
def test_an_unknown_file_is_answered_with_what_works(tmp_path: Path, value: Any, why: str) -> None:
    path = tmp_path / "unknown.json"
    if isinstance(value, str):
        path.write_text(value)
    else:
        write_json(path, value)
    with open_export(path) as files, pytest.raises(BadRequestError) as refused:
        detect_source(files)
    assert why in str(refused.value)
    assert all(f"{name}: " in str(refused.value) for name in SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_values_of_wrong_types_break_no_reader(tmp_path: Path, name: str) -> None:
    wrong: list[Any] = [None, 7, "x", [], {}, [[]], {"mapping": [], "current_node": 3}]
    wrong += [{"mapping": {"a": value, "b": {"message": value, "parent": value}}} for value in wrong[:5]]
    wrong += [{"chat_messages": value, "uuid": value} for value in (*wrong[:6], [{"content": [7], "sender": {}}])]
    wrong += [{"conversations_memory": value, "project_memories": value} for value in wrong[:6]]
    wrong += [{"messages": value} for value in (*wrong[:6], [{"role": "user", "content": [[7]]}])]
    path = write_lines(tmp_path / "wrong.jsonl", wrong)
    with open_export(path) as files:
        for record in read_source(SOURCES[name], files):
            assert not isinstance(record, SourceConversation) or any(message.text for message in record.messages)
