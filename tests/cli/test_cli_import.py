"""`toldonce import` of what other products exported, through the front door."""

import json
from pathlib import Path

from cli.conftest import CommandLine
from product_exports import chatgpt_chat, chatgpt_dialogue, chatgpt_node, write_json, write_zip
from toldonce.importers.sources import SOURCES


def export_of_chatgpt(folder: Path) -> Path:
    """A zip with two chats, one that is not to be remembered, and one that is damaged."""
    chats = [
        chatgpt_dialogue("c1", [("I am allergic to peanuts.", "Noted."), ("I row on Sundays.", "Nice.")]),
        chatgpt_dialogue("c2", [("My api key is sk-proj-Qm3vT9xLr2WzK8bYd5NcHj7Pf4Gs6Ea1Ru0Ti.", "Keep it secret.")]),
        chatgpt_chat("c3", [chatgpt_node("n", None, "user", "I gamble.")], is_do_not_remember=True),
        {"title": "damaged"},
    ]
    return write_zip(folder / "chatgpt.zip", {"conversations-000.json": chats, "user.json": {}})


def test_a_zip_of_chatgpt_is_found_again_by_search(cli: CommandLine, tmp_path: Path) -> None:
    path = export_of_chatgpt(tmp_path)
    taken = cli("import", path, "--user", "ana")
    assert taken.code == 1
    assert taken.err == "conversations-000.json: record 4: no conversation: it has no `mapping`\n"
    first, left, formed, bad = taken.out.splitlines()
    counts = "imported from chatgpt: 2 conversations, 6 messages of 2025-03-01 to 2025-03-01, 0 memories ("
    assert first.startswith(counts)
    assert (left, bad) == ("1 record left out: not to be remembered", "1 record could not be read (see above)")
    assert formed.startswith("new memories: ")
    [best, *_] = cli("search", "peanuts", "--user", "ana", "--json").json["items"]
    assert (best["memory"]["text"], best["memory"]["valid_from"][:10]) == ("I am allergic to peanuts.", "2025-03-01")
    cli("export", tmp_path / "ana.jsonl", "--user", "ana")
    stored = (tmp_path / "ana.jsonl").read_text()
    assert "sk-proj" not in stored
    assert "gamble" not in stored


def test_a_dry_run_shows_what_would_be_formed_and_stores_nothing(
    cli: CommandLine, tmp_path: Path, database: Path
) -> None:
    shown = cli("import", export_of_chatgpt(tmp_path), "--dry-run")
    assert shown.out.startswith("would import from chatgpt: 2 conversations, 6 messages")
    assert '\n  The user said: "I am allergic to peanuts."\n' in shown.out
    assert not database.exists()
    as_json = cli("import", tmp_path / "chatgpt.zip", "--dry-run", "--json").json
    assert (as_json["dry_run"], as_json["conversations"], as_json["bad_count"]) == (True, 2, 1)
    assert as_json["left_out"] == {"not to be remembered": 1}


def test_an_import_without_forming_is_formed_by_the_next(cli: CommandLine, tmp_path: Path) -> None:
    path = write_json(tmp_path / "chats.json", [chatgpt_dialogue("c1", [("I am allergic to peanuts.", "Noted.")])])
    recorded = cli("import", path, "--record-only", "--json").json
    assert (recorded["conversations"], recorded["formations"], recorded["formed"]) == (1, 0, {})
    again = cli("import", path, "--json").json
    assert (again["conversations"], again["known"], again["formations"]) == (0, 1, 2)
    assert again["formed"]["fact"] == 1
    last = cli("import", path, "--json").json
    assert (last["known"], last["formations"], last["formed"]) == (1, 0, {})


def test_a_file_that_is_not_known_is_answered_with_what_works(cli: CommandLine, tmp_path: Path) -> None:
    refused = cli("import", write_json(tmp_path / "package.json", {"name": "left-pad"}))
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert all(f"{name}: " in refused.err for name in SOURCES)
    unknown = cli("import", tmp_path / "package.json", "--from", "myspace")
    assert (unknown.code, "choose one of chatgpt, claude" in unknown.err) == (1, True)


def test_options_of_one_kind_of_export_are_refused_for_the_other(cli: CommandLine, tmp_path: Path) -> None:
    own = tmp_path / "ana.jsonl"
    own.write_text(json.dumps({"toldonce": "export", "version": 1}) + "\n")
    assert cli("import", own, "--dry-run").code == 2
    assert cli("import", "-", "--from", "chatgpt").code == 2
    other = write_json(tmp_path / "chats.json", [chatgpt_dialogue("c1", [("Hi", "Hello")])])
    assert cli("import", other, "--trusted").code == 2
    chosen = cli("import", other, "--source-user", "ana")
    assert (chosen.code, "leave out --source-user" in chosen.err) == (1, True)
