"""`toldonce db encrypt`, `db decrypt` and `db rekey` through the front door, and what `doctor` says."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine

pytestmark = pytest.mark.usefixtures("quick_passphrases")
ONE, TWO = "1" * 64, "correct horse battery"


@pytest.fixture
def filled(cli: CommandLine) -> CommandLine:
    """A command line over a plain file with one memory."""
    assert cli("add", "Ana keeps bees.").code == 0
    return cli


def texts(cli: CommandLine) -> list[str]:
    return [item["text"] for item in cli("list", "--json").json["memories"]]


def test_a_file_is_encrypted_rekeyed_and_decrypted(
    filled: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY", ONE)
    done = filled("db", "encrypt")
    assert (done.code, done.out.split(" is ")[1][:9]) == (0, "encrypted")
    assert "stays in free blocks of the disk" in done.err
    assert texts(filled) == ["Ana keeps bees."]
    assert filled("db", "encrypt", "--json").json["changed"] is False
    (tmp_path / "new").write_text(f"{TWO}\n", "utf-8")
    done = filled("db", "rekey", "--new-key-file", tmp_path / "new")
    assert (done.code, "with the new key" in done.out) == (0, True)
    refused = filled("list")
    assert (refused.code, "with another key" in refused.err) == (3, True)
    monkeypatch.delenv("TOLDONCE_DATABASE_KEY")
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY_FILE", str(tmp_path / "new"))
    assert texts(filled) == ["Ana keeps bees."]
    done = filled("db", "decrypt", "--json")
    assert (done.json["changed"], "unset" in done.err) == (True, True)
    assert filled("list").code == 3, "a plain file is refused while a key is set"
    monkeypatch.delenv("TOLDONCE_DATABASE_KEY_FILE")
    assert texts(filled) == ["Ana keeps bees."]


def test_each_change_of_the_key_is_in_the_log_of_administrative_acts(
    filled: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").write_text(TWO, "utf-8")
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY", ONE)
    for _ in range(2):  # the second time there is nothing to do
        assert filled("db", "encrypt").code == 0
    filled("db", "rekey", "--new-key-file", tmp_path / "new")
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY", TWO)
    filled("db", "decrypt")
    monkeypatch.delenv("TOLDONCE_DATABASE_KEY")
    acts = [(act["actor"], act["action"]) for act in filled("keys", "audit", "--json").json["entries"]]
    assert acts == [("cli", f"databases.{what}") for what in ("decrypt", "rekey", "encrypt")]


def test_no_key_is_in_any_output(filled: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY", TWO)
    (tmp_path / "new").write_text(ONE, "utf-8")
    (tmp_path / "short").write_text("sesame", "utf-8")
    told = [
        filled("db", "encrypt", "--json"),
        filled("db", "rekey", "--new-key-file", tmp_path / "short"),
        filled("db", "rekey", "--new-key-file", tmp_path / "new"),
        filled("list"),
        filled("doctor"),
        filled("doctor", "--json"),
    ]
    assert [result.code for result in told] == [0, 3, 0, 3, 1, 1]
    assert not [text for result in told for text in (TWO, ONE, "sesame") if text in result.out + result.err]


def test_without_a_key_or_a_terminal_the_way_out_is_named(filled: CommandLine) -> None:
    for command in ("encrypt", "decrypt", "rekey"):
        refused = filled("db", command)
        assert (refused.code, "TOLDONCE_DATABASE_KEY_FILE" in refused.err) == (2, True)
    assert texts(filled) == ["Ana keeps bees."]


def test_a_copy_reads_and_writes_with_the_key(
    filled: CommandLine, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY", ONE)
    filled("db", "encrypt")
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    assert filled("db", "copy", f"sqlite:///{database}", there).code == 0
    assert b"SQLite format" not in (tmp_path / "there.sqlite3").read_bytes()[:16]
    exported = filled("export", tmp_path / "ana.jsonl", "--user", "local", "--database", there)
    assert (exported.code, "Ana keeps bees." in (tmp_path / "ana.jsonl").read_text("utf-8")) == (0, True)
    imported = filled("import", tmp_path / "ana.jsonl", "--database", f"sqlite:///{tmp_path / 'third.sqlite3'}")
    assert imported.code == 0
    assert b"SQLite format" not in (tmp_path / "third.sqlite3").read_bytes()[:16]


def test_doctor_says_what_encrypts_the_database(
    filled: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said() -> tuple[str, str]:
        findings = {line["what"]: line for line in filled("doctor", "--json").json["findings"]}
        return findings["encryption"]["state"], findings["encryption"]["text"]

    assert said() == ("ok", "none: who can read the file can read its memories (`toldonce db encrypt`)")
    (tmp_path / "key").write_text(ONE, "utf-8")
    (tmp_path / "key").chmod(0o644)
    monkeypatch.setenv("TOLDONCE_DATABASE_KEY_FILE", str(tmp_path / "key"))
    filled("db", "encrypt")
    assert said() == ("warn", f"the key's file {tmp_path / 'key'} is readable by others")
    (tmp_path / "key").chmod(0o600)
    assert said() == ("ok", "of the whole file, with the key of TOLDONCE_DATABASE_KEY_FILE")
