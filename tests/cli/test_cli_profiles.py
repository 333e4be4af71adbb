import json
from pathlib import Path

import pytest

from toldonce.cli.main import run
from toldonce.profiles.registry import ProfileRegistry
from toldonce.settings import Settings


def test_profiles_are_listed_with_what_they_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profiles"]) == 0
    lines = dict(line.split("\t", 1) for line in capsys.readouterr().out.splitlines())
    assert list(lines) == ProfileRegistry().names()
    assert lines["default"].startswith("*\t")


@pytest.mark.parametrize("name", ProfileRegistry().names())
def test_what_show_prints_is_a_file_that_makes_the_same_profile(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["profiles", "show", name]) == 0
    (tmp_path / "copy.toml").write_text(capsys.readouterr().out, "utf-8")
    limited = ProfileRegistry(tokens_per_day=Settings().tokens_per_day)
    assert ProfileRegistry(tmp_path).get("copy").model_copy(update={"name": name}) == limited.get(name)


def test_rules_on_destinations_are_shown_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = """
        [[destinations]]
        memories = { topics = ["health"], kinds = ["fact"] }
        except = { categories = ["preference"] }
        only = [{ upstreams = ["localhost"] }, { clients = ["mcp"], models = ["llama*"] }]
    """
    (tmp_path / "mine.toml").write_text(f'description = "Mine."\n{rule}', "utf-8")
    monkeypatch.setenv("TOLDONCE_PROFILES", str(tmp_path))
    assert run(["profiles", "show", "mine"]) == 0
    (tmp_path / "copy.toml").write_text(capsys.readouterr().out, "utf-8")
    profiles = ProfileRegistry(tmp_path)
    assert profiles.get("copy").destinations == profiles.get("mine").destinations
    assert profiles.get("mine").destinations
    assert run(["profiles", "show", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["destinations"][0]["except"] == {"categories": ["preference"]}


def test_profiles_of_ones_own_are_listed_and_shown_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text('extends = "user"\ndescription = "Mine."\n', "utf-8")
    monkeypatch.setenv("TOLDONCE_PROFILES", str(tmp_path))
    assert run(["profiles", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["profiles"]
    assert {"name": "mine", "description": "Mine."} in listed
    assert run(["profiles", "show", "mine", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["subject"]["cold_start"] == 5


@pytest.mark.parametrize("arguments", [["show"], ["list"], ["hide", "user"]])
def test_a_profile_command_typed_wrongly_says_how_it_is_written(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["profiles", *arguments]) == 2
    assert "toldonce profiles show NAME" in " ".join(capsys.readouterr().err.split())


def test_a_profile_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profiles", "show", "nope"]) == 1
    assert "there are: app, character" in capsys.readouterr().err
