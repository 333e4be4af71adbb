"""`toldonce db copy` through the front door."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine
from pretended_migration import pretend_migration
from toldonce.store.sqlite.migrate import newest_schema


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


def test_a_database_is_created_and_migrated_once_and_says_so(
    cli: CommandLine, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest, where = newest_schema(), f"sqlite:///{database}"
    assert cli("db", "migrate").out == f"{where}: created with schema {newest}\n"
    cli("add", "Ana keeps bees.", "--user", "ana")
    pretend_migration(monkeypatch)
    done, copy = cli("db", "migrate"), f"{database}.schema-{newest}"
    assert (done.code, done.out) == (0, f"{where}: migrated {newest} → {newest + 1}\n")
    assert copy in done.err
    assert cli("db", "migrate").out == f"{where}: up to date (schema {newest + 1})\n"
    assert cli("db", "migrate", "--json").json == {
        "database": where,
        "before": newest + 1,
        "after": newest + 1,
        "copy": None,
    }
    monkeypatch.undo()
    refused = cli("db", "migrate", "--database", where)
    assert (refused.code, refused.err.count("\n")) == (3, 1)


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
