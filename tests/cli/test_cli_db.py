"""`toldonce db copy` through the front door."""

from pathlib import Path

from cli.conftest import CommandLine


def test_a_database_is_copied_compared_and_opened(cli: CommandLine, database: Path, tmp_path: Path) -> None:
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    cli("add", "Ana keeps bees.", "--user", "ana")
    done = cli("db", "copy", f"sqlite:///{database}", there)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert "memory\t1" in lines
    assert lines[-2].startswith("1 subject, ")
    assert lines[-1].startswith("both databases have the same content, digest ")
    found = cli("list", "--user", "ana", "--database", there, "--json").json["memories"]
    assert [item["text"] for item in found] == ["Ana keeps bees."]
    again = cli("db", "copy", f"sqlite:///{database}", there)
    assert (again.code, again.out.splitlines()[-1]) == (0, lines[-1])
    for place in (f"sqlite:///{database}", there):
        acts = cli("keys", "audit", "--database", place, "--json").json["entries"]
        assert [(act["actor"], act["action"]) for act in acts] == [("cli", "databases.copy")]


def test_the_result_as_json_says_what_both_hold(cli: CommandLine, database: Path, tmp_path: Path) -> None:
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    cli("add", "Ana keeps bees.", "--user", "ana")
    found = cli("db", "copy", f"sqlite:///{database}", there, "--json").json
    assert (found["source"], found["destination"]) == (f"sqlite:///{database}", there)
    assert (found["subjects"], found["rows"]["memory"], found["rows"]["vector"]) == (1, 1, 1)
    assert (found["resumed"], found["copied_anew"], found["moved"]) == (False, 0, False)
    assert len(found["digest"]) == 32


def test_what_cannot_be_copied_is_told_in_one_line(cli: CommandLine, database: Path, tmp_path: Path) -> None:
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    cli("add", "Ana keeps bees.", "--user", "ana")
    cli("add", "Ben keeps bees.", "--user", "ben", "--database", there)
    refused = cli("db", "copy", f"sqlite:///{database}", there)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.count("\n") == 1
    assert "is not empty" in refused.err
    missing = cli("db", "copy", f"sqlite:///{tmp_path / 'no.sqlite3'}", f"sqlite:///{tmp_path / 'new.sqlite3'}")
    assert missing.code == 1
    assert "there is no such file" in missing.err
