"""`toldonce db encrypt-subjects`, `decrypt-subjects`, `subject-keys` and `rekey-subjects` through the front door."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine

pytestmark = pytest.mark.usefixtures("quick_passphrases")
ONE, TWO = "1" * 64, "correct horse battery"


def texts(cli: CommandLine) -> list[str]:
    return [item["text"] for item in cli("list", "--json").json["memories"]]


def doctors(cli: CommandLine) -> tuple[str, str]:
    [found] = [line for line in cli("doctor", "--json").json["findings"] if line["what"] == "subjects"]
    return found["state"], found["text"]


def test_subjects_are_encrypted_rekeyed_erased_and_decrypted(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("add", "Ana keeps bees.").code == 0
    assert cli("db", "subject-keys", "--json").json == {"encryption": None}
    refused = cli("db", "encrypt-subjects")
    assert (refused.code, "there is no master key" in refused.err) == (2, True)
    monkeypatch.setenv("TOLDONCE_MASTER_KEY", ONE)
    assert cli("add", "Ana keeps goats.").code == 0
    assert doctors(cli)[0] == "warn"
    done = cli("db", "encrypt-subjects", "--rewrite", "--json")
    assert (done.json["subjects"], done.json["rows"] > 0) == (1, True)
    assert doctors(cli)[0] == "ok"
    assert sorted(texts(cli)) == ["Ana keeps bees.", "Ana keeps goats."]
    (tmp_path / "new").write_text(f"{TWO}\n", "utf-8")
    monkeypatch.setenv("TOLDONCE_OTHER_MASTER_KEY", ONE)
    monkeypatch.delenv("TOLDONCE_MASTER_KEY")
    monkeypatch.setenv("TOLDONCE_MASTER_KEY_FILE", str(tmp_path / "new"))
    assert cli("db", "rekey-subjects", "--json").json["changed"] == 1
    monkeypatch.delenv("TOLDONCE_OTHER_MASTER_KEY")
    shown = cli("db", "subject-keys")
    assert (shown.code, "1 key" in shown.out, "1 subject encrypted" in shown.out) == (0, True, True)
    assert sorted(texts(cli)) == ["Ana keeps bees.", "Ana keeps goats."]
    assert cli("db", "decrypt-subjects", "--json").json["subjects"] == 1
    monkeypatch.delenv("TOLDONCE_MASTER_KEY_FILE")
    assert sorted(texts(cli)) == ["Ana keeps bees.", "Ana keeps goats."]
    acts = [(act["action"], act["count"]) for act in cli("keys", "audit", "--json").json["entries"]]
    assert acts == [("subjects.decrypt", 1), ("subjects.rekey", 1), ("subjects.encrypt", 1)]


def test_without_the_master_key_it_is_told_what_to_set(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLDONCE_MASTER_KEY", TWO)
    assert cli("add", "Ana keeps bees.").code == 0
    monkeypatch.delenv("TOLDONCE_MASTER_KEY")
    refused = cli("list")
    assert (refused.code, "set TOLDONCE_MASTER_KEY" in refused.err, TWO in refused.err) == (3, True, False)
