"""`recollect export` and `recollect import` through the front door."""

import stat
from pathlib import Path

from cli.conftest import CommandLine


def test_a_memory_is_written_to_a_file_and_taken_in_elsewhere(cli: CommandLine, tmp_path: Path) -> None:
    file, there = tmp_path / "ana.jsonl", f"sqlite:///{tmp_path / 'there.sqlite3'}"
    cli("add", "Ana keeps bees.", "--user", "ana")
    cli("add", "Ben keeps geese.", "--user", "ben")
    done = cli("export", file, "--user", "ana")
    assert (done.code, done.err, done.out) == (0, "", f"5 lines written to {file}\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.glob("*.part")) == []
    assert "geese" not in file.read_text()

    taken = cli("import", file, "--database", there)
    assert (taken.code, taken.err) == (0, "")
    assert taken.out.startswith("1 subject, 0 conversations, 0 messages, 1 memory in ")
    found = cli("search", "bees", "--user", "ana", "--database", there, "--json").json["items"]
    assert [item["memory"]["text"] for item in found] == ["Ana keeps bees."]


def test_a_pipe_carries_everybody_and_whoever_is_there_is_left_out_when_told(cli: CommandLine, tmp_path: Path) -> None:
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    for who in ("ana", "ben"):
        cli("add", f"{who} keeps bees.", "--user", who)
    file = tmp_path / "all.jsonl"
    assert cli("export", file, "--all", "--json").json == {"file": str(file), "lines": 8}
    data = file.read_bytes()
    cli("add", "ana was here.", "--user", "ana", "--database", there)
    refused = cli("import", "-", "--database", there, stdin=data)
    assert refused.code == 1
    assert "user:ana is there already" in refused.err
    taken = cli("import", "-", "--only-missing", "--json", "--database", there, stdin=data).json
    assert (taken["subjects"], taken["present"], taken["memories"]) == (1, 1, 1)


def test_what_cannot_be_done_is_told_in_one_line_and_leaves_no_file(cli: CommandLine, tmp_path: Path) -> None:
    cli("add", "Ana keeps bees.", "--user", "ana")
    file = tmp_path / "ana.jsonl"
    nobody = cli("export", file, "--user", "nobody")
    assert (nobody.code, "nothing is kept of user:nobody" in nobody.err) == (1, True)
    assert list(tmp_path.glob("ana.jsonl*")) == []
    cli("export", file, "--user", "ana")
    again = cli("export", file, "--user", "ana")
    assert (again.code, "is there already" in again.err) == (1, True)
    assert cli("export", file, "--all", "--user", "ana").code == 2
    assert cli("export", "-", "--all", "--json").code == 2
    broken = cli("import", "-", stdin=file.read_bytes().replace(b'"active"', b'"asleep"'))
    assert broken.code == 1
    assert broken.err == "recollect: line 3: state is none of active, held, closed\n"
    missing = cli("import", tmp_path / "no.jsonl")
    assert (missing.code, missing.err.count("\n")) == (1, 1)
