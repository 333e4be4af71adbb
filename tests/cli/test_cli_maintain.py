"""`toldonce maintain`: what is closed and why, for one user or everybody, and the dry run that closes nothing."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine

APP = ("--subject", "app:ana/calendar")


@pytest.fixture
def full(cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line over a profile with room for two, in which five were kept while it had room for more."""
    monkeypatch.setenv("TOLDONCE_PROFILES", str(tmp_path))
    monkeypatch.setenv("TOLDONCE_PROFILE", "small")
    profile = tmp_path / "small.toml"
    profile.write_text('description = "Small."\n', "utf-8")
    for number in range(1, 6):
        assert cli("add", f"My box {number} is blue.", "--user", "ana").code == 0
    assert cli("add", "I like tea.", "--user", "ben").code == 0
    profile.write_text('description = "Small."\n[capacity]\nmax_memories = 2\npolicy = "fifo"\n', "utf-8")
    return cli


def listed(cli: CommandLine, user: str) -> list[str]:
    return [memory["text"] for memory in cli("list", "--user", user, "--json").json["memories"]]


def test_a_dry_run_shows_what_would_be_closed_and_closes_nothing(full: CommandLine) -> None:
    result = full("maintain", "--dry-run")
    assert result.code == 0
    *lines, last = result.out.splitlines()
    assert [line.split("\t")[2:] for line in lines] == [
        ["evict", "the oldest of 5; there is room for 2", f"My box {number} is blue."] for number in (1, 2, 3)
    ]
    assert last == "2 subjects checked, 3 memories would be closed"
    assert len(listed(full, "ana")) == 5


def test_one_user_or_everybody_is_tended(full: CommandLine) -> None:
    result = full("maintain", "--user", "ben")
    assert (result.code, result.out) == (0, "")
    assert result.err == "1 subject checked, 0 memories closed\n"
    assert len(listed(full, "ana")) == 5
    assert full("maintain").out.splitlines()[-1] == "2 subjects checked, 3 memories closed"
    assert listed(full, "ana") == ["My box 5 is blue.", "My box 4 is blue."]


def test_json_says_of_each_what_was_closed_and_why(full: CommandLine) -> None:
    data = full("maintain", "--json").json
    assert (data["subjects"], data["dry_run"], len(data["closed"])) == (2, False, 3)
    first = data["closed"][0]
    assert first["closed_id"] == first["memory_id"]
    assert (first["subject"], first["action"], first["text"]) == ("user:ana", "evict", "My box 1 is blue.")
    shown = full("show", first["closed_id"], "--user", "ana", "--json").json
    assert shown["memory"]["state"] == "closed"
    assert shown["decisions"][-1]["reason"] == first["reason"]


def test_an_app_by_name_and_a_name_that_cannot_be(cli: CommandLine) -> None:
    for number in range(12):
        assert cli("add", f"My box {number} is blue.", *APP).code == 0
    assert len(cli("list", *APP, "--json").json["memories"]) == 10, "room is made when it is needed"
    assert cli("maintain", *APP).err == "1 subject checked, 0 memories closed\n"
    assert cli("maintain", "--subject", "planet:mars").code == 1
    assert cli("maintain", "--user", "a", "--subject", "user:a").code == 2
