"""What is read of Open WebUI, LibreChat, Gemini, mem0, Letta and LangGraph."""

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from product_exports import MARCH, write_json, write_zip
from toldonce.datasets.recordings import BadRecord
from toldonce.errors import BadRequestError
from toldonce.importers.export_files import open_export
from toldonce.importers.gemini import html_text
from toldonce.importers.records import LeftOut, SourceConversation, SourceMemory, SourceRecord
from toldonce.importers.sources import detect_source, read_source, source_named

_WEBUI = """
CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT);
CREATE TABLE chat (id TEXT PRIMARY KEY, user_id TEXT, title TEXT, chat JSON, created_at INTEGER, updated_at INTEGER);
CREATE TABLE memory (id TEXT PRIMARY KEY, user_id TEXT, content TEXT, updated_at INTEGER, created_at INTEGER);
"""
_MESSAGES = """
CREATE TABLE chat_message (id TEXT PRIMARY KEY, chat_id TEXT, user_id TEXT, role TEXT, parent_id TEXT, content JSON,
                           output JSON, created_at INTEGER, updated_at INTEGER);
"""
_HISTORY = """
CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
                      created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);
"""
_STORE = """
CREATE TABLE store (prefix TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, created_at TIMESTAMP,
                    updated_at TIMESTAMP, expires_at TIMESTAMP, ttl_minutes REAL, PRIMARY KEY (prefix, key));
"""


def records(path: Path, owner: str | None = None) -> tuple[str, list[SourceRecord]]:
    """The product, and what is read."""
    with open_export(path) as files:
        source = detect_source(files)
        return source.name, list(read_source(source, files, owner))


def words(record: SourceRecord) -> list[tuple[str, str | None, str]]:
    """Id, parent and text of each message that has words."""
    assert isinstance(record, SourceConversation)
    return [(message.id, message.parent, message.text) for message in record.messages if message.text]


def memories(found: list[SourceRecord]) -> list[tuple[str, str]]:
    """Text and day of each memory."""
    read = [record for record in found if isinstance(record, SourceMemory)]
    return [(record.text, record.since.date().isoformat() if record.since else "") for record in read]


def database(path: Path, script: str, rows: dict[str, list[tuple[Any, ...]]]) -> Path:
    """A SQLite database with these rows."""
    with apsw.Connection(str(path)) as db:
        for _ in db.execute(script):
            pass
        for table, values in rows.items():
            for row in values:
                places = ", ".join("?" * len(row))
                db.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608  # names of this test
    db.close()
    return path


def webui_chat(id_: str, user: str = "u1") -> dict[str, Any]:
    """A chat with a branch; the answer has thoughts folded in."""
    thoughts = '<details type="reasoning" done="true"><summary>Thought</summary>&gt; Hm.</details>255'
    output = [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "256"}]}]
    messages = {
        "q": {"parentId": None, "role": "user", "content": "What is 15 * 17?", "timestamp": MARCH},
        "a": {"parentId": "q", "role": "assistant", "content": thoughts, "timestamp": MARCH + 9},
        "b": {"parentId": "q", "role": "assistant", "content": thoughts, "output": output, "timestamp": MARCH + 20},
    }
    history = {"currentId": "a", "messages": messages}
    return {"id": id_, "user_id": user, "chat": {"history": history}, "created_at": MARCH, "meta": {}}


def test_open_webui_keeps_branches_and_drops_thoughts(tmp_path: Path) -> None:
    name, [chat, alone, bad] = records(
        write_json(tmp_path / "chats.json", [webui_chat("c1"), webui_chat("c1")["chat"], {"id": "x"}])
    )
    assert name == "openwebui"
    assert words(alone) == words(chat)
    assert words(chat) == [("q", None, "What is 15 * 17?"), ("a", "q", "255"), ("b", "q", "256")]
    assert isinstance(chat, SourceConversation)
    assert (chat.current, chat.owner) == ("a", "u1")
    assert isinstance(bad, BadRecord)


@pytest.mark.parametrize("has_messages", [False, True], ids=["former", "newer"])
def test_the_database_of_open_webui_has_several_users(tmp_path: Path, has_messages: bool) -> None:
    chats = [
        (id_, user, id_, json.dumps(webui_chat(id_)["chat"]), MARCH, MARCH)
        for id_, user in (("c1", "u1"), ("c2", "u2"))
    ]
    rows: dict[str, list[tuple[Any, ...]]] = {
        "user": [("u1", "ana@example.org"), ("u2", "ben@example.org")],
        "chat": [*chats, ("c3", "u1", "c3", "{damaged", MARCH, MARCH)],
        "memory": [("m1", "u1", "Ana rows.", MARCH, MARCH), ("m2", "u2", "Ben skis.", MARCH, MARCH)],
    }
    if has_messages:
        said = json.dumps("And 15 * 18?")
        rows["chat_message"] = [("c1-d", "c1", "u1", "user", "a", said, None, MARCH + 60, MARCH + 60)]
    path = database(tmp_path / "webui.db", _WEBUI + (_MESSAGES if has_messages else ""), rows)
    with pytest.raises(BadRequestError, match=r"several users \(ana@example.org, ben@example.org\)"):
        records(path)
    with pytest.raises(BadRequestError, match="has no user 'eve'"):
        records(path, "eve")
    name, found = records(path, "ana@example.org")
    assert name == "openwebui"
    assert words(found[0])[3:] == ([("d", "a", "And 15 * 18?")] if has_messages else [])
    assert memories(found) == [("Ana rows.", "2025-03-01")]
    assert [record.reason for record in found if isinstance(record, LeftOut)] == ["of another user"] * 2
    assert [record.where for record in found if isinstance(record, BadRecord)] == ["chat c3"]


@pytest.mark.parametrize("is_tree", [False, True], ids=["list", "tree"])
def test_librechat_has_a_list_or_a_tree(tmp_path: Path, is_tree: bool) -> None:
    asked = {"messageId": "q", "parentMessageId": "0000", "isCreatedByUser": True, "text": "I row.", "sender": "User"}
    parts = [{"type": "think", "think": "Hm."}, {"type": "text", "text": {"value": "Nice."}}]
    answers: list[dict[str, Any]] = [
        {"messageId": "a", "parentMessageId": "q", "isCreatedByUser": False, "text": "", "content": parts},
        {"messageId": "b", "parentMessageId": "q", "isCreatedByUser": False, "text": "Quota exceeded", "error": True},
    ]
    messages = [{**asked, "children": answers}] if is_tree else [asked, *answers]
    chat = {"conversationId": "c1", "title": "x", "messages": messages}
    files = {"1.json": chat, "2.json": {**chat, "isTemporary": True}}
    name, [found, left] = records(write_zip(tmp_path / "chats.zip", files))
    assert (name, words(found)) == ("librechat", [("q", "0000", "I row."), ("a", "q", "Nice.")])
    assert isinstance(left, LeftOut)
    assert left.reason == "temporary"


@pytest.mark.parametrize("word", ["Prompted", "Eingegeben:"])
def test_gemini_has_prompts_in_the_users_language(tmp_path: Path, word: str) -> None:
    entry = {"header": "Gemini Apps", "products": ["Gemini Apps"], "time": "2025-03-01T10:00:00.000Z"}
    answer = [{"html": "<p>Polarized <b>lenses</b> &amp; more.</p><ul><li>One</li></ul>"}]
    activity = [
        {**entry, "title": f"{word} How do sunglasses work?", "safeHtmlItem": answer},
        {**entry, "title": f"{word} I row on Sundays."},
        {**entry, "title": f"{word} And in winter?"},
        {**entry, "title": "Selected a draft"},
        {"header": "Search", "title": "Searched for figs", "time": entry["time"]},
    ]
    path = write_zip(tmp_path / "takeout.zip", {"Takeout/My Activity/Gemini Apps/MyActivity.json": activity})
    name, found = records(path)
    assert name == "gemini"
    assert words(found[0]) == [
        ("prompt", None, "How do sunglasses work?"),
        ("answer", "prompt", "Polarized lenses & more.\nOne"),
    ]
    assert [text for _, _, text in words(found[1])] == ["I row on Sundays."]
    assert [record.reason for record in found if isinstance(record, LeftOut)] == [
        "activities without a prompt",
        "activities of other products",
    ]


def test_gemini_as_html_is_answered_with_what_to_choose(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "takeout.zip", {"My Activity/Gemini Apps/MyActivity.html": b"<html></html>"})
    with pytest.raises(BadRequestError, match="choose JSON in Google Takeout"):
        records(path)


def test_html_that_never_ends_is_read_in_linear_time() -> None:
    assert html_text("<" * 1_000_000) == ""
    assert html_text("a<p>" * 3) == "a\na\na"


def test_mem0_comes_as_json_or_as_its_history(tmp_path: Path) -> None:
    one = {"id": "m1", "memory": "Ana rows.", "user_id": "ana", "created_at": "2025-02-01T00:00:00-08:00"}
    two = {**one, "id": "m2", "memory": "Ana skis.", "updated_at": "2025-03-01T10:00:00-08:00"}
    name, found = records(write_json(tmp_path / "mem0.json", {"results": [one, two, {"id": "m3"}]}))
    assert (name, memories(found)) == ("mem0", [("Ana rows.", "2025-02-01"), ("Ana skis.", "2025-03-01")])
    rows: list[tuple[Any, ...]] = [
        ("h1", "m1", None, "Ana rows.", "ADD", "2025-02-01T00:00:00+00:00", None, 0, None, None),
        ("h2", "m1", "Ana rows.", "Ana rows daily.", "UPDATE", "2025-02-01", "2025-03-01", 0, None, None),
        ("h3", "m2", None, "Ana skis.", "ADD", "2025-02-01", None, 0, None, None),
        ("h4", "m2", "Ana skis.", None, "DELETE", "2025-02-01", "2025-03-01", 1, None, None),
    ]
    name, found = records(database(tmp_path / "history.db", _HISTORY, {"history": rows}))
    assert (name, memories(found)) == ("mem0", [("Ana rows daily.", "2025-03-01")])


def test_letta_has_blocks_and_a_chat(tmp_path: Path) -> None:
    human = (
        "This is what I know so far about the user, I should expand it.\n\nFirst name: Ana\nAge: ?\nInterests: rowing"
    )
    packed = json.dumps({"type": "user_message", "message": "I row.", "time": "now"})
    event = json.dumps({"type": "heartbeat", "reason": "timer"})
    spoken = {"function": {"name": "send_message", "arguments": json.dumps({"message": "Nice."})}}
    messages = [
        {"role": "system", "content": [{"type": "text", "text": "You remember."}]},
        {"role": "user", "content": [{"type": "text", "text": packed}], "created_at": "2025-03-01T10:00:00+00:00"},
        {"role": "assistant", "content": [{"type": "text", "text": "A rower."}], "tool_calls": [spoken]},
        {"role": "user", "content": event},
        {"role": "user", "content": "I ski, too."},
    ]
    blocks = [{"label": "human", "value": human}, {"label": "persona", "value": "I am Sam."}]
    name, found = records(
        write_json(tmp_path / "sam.af", {"agents": [{"name": "Sam", "messages": messages}], "blocks": blocks})
    )
    assert (name, memories(found)) == ("letta", [("First name: Ana", ""), ("Interests: rowing", "")])
    assert [text for _, _, text in words(found[-1])] == ["I row.", "Nice.", "I ski, too."]
    assert [record.where for record in found if isinstance(record, LeftOut)] == ["sam.af: record 1: persona"]
    _, [fact, chat] = records(
        write_json(
            tmp_path / "former.af", {"core_memory": [{"label": "human", "value": "Ana rows."}], "messages": messages}
        )
    )
    assert (memories([fact]), len(words(chat))) == ([("Ana rows.", "")], 3)


def test_langgraph_has_namespaces_and_any_value(tmp_path: Path) -> None:
    langmem = {"kind": "Memory", "content": {"content": "Ana rows."}}
    profile = {"name": "Ana", "age": 41, "is_member": True, "tags": []}
    rows = [
        ("memories.ana", "k1", json.dumps(langmem), "2025-02-01 00:00:00", "2025-03-01 00:00:00", None, None),
        ("memories.ana", "k2", json.dumps(profile), "2025-02-01 00:00:00", None, None, None),
        ("memories.ana", "k3", json.dumps({"tags": []}), "2025-02-01 00:00:00", None, None, None),
    ]
    path = database(tmp_path / "store.db", _STORE, {"store": [*rows]})
    name, found = records(path)
    assert (name, memories(found)) == (
        "langgraph",
        [("Ana rows.", "2025-03-01"), ("name: Ana", "2025-02-01"), ("age: 41", "2025-02-01")],
    )
    assert [record.where for record in found if isinstance(record, BadRecord)] == ["memories.ana/k3"]
    with open_export(path) as files, pytest.raises(BadRequestError, match="is no database of mem0"):
        source_named("mem0", files)


def test_a_damaged_database_says_so(tmp_path: Path) -> None:
    path = database(
        tmp_path / "store.db", _STORE, {"store": [(f"p{n}", "k", "{}" * 500, "", "", None, None) for n in range(50)]}
    )
    data = bytearray(path.read_bytes())
    data[4_096:] = b"\xff" * (len(data) - 4_096)
    path.write_bytes(data)
    _, found = records_of_damaged(path)
    assert isinstance(found[-1], BadRecord)
    assert "the database cannot be read" in found[-1].reason


def records_of_damaged(path: Path) -> tuple[str, list[SourceRecord]]:
    """What is read of a store whose pages are damaged."""
    with open_export(path) as files:
        source = source_named("langgraph", files)
        return source.name, list(read_source(source, files))
