"""Hooks in agents' configurations: added once, taken out without a trace, others' left alone."""

import json
from pathlib import Path

import pytest

from recollect.hook.clients import CLIENTS, EVENTS
from recollect.hook.config_file import (
    BadConfigError,
    apply_edit,
    backup_of,
    installed_commands,
    plan_install,
    plan_uninstall,
)

ENTRIES = CLIENTS["claude-code"].entries([])
FOREIGN = '{"model": "opus",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}], "X": []}}'


def install(path: Path) -> None:
    apply_edit(plan_install(path, ENTRIES), installs=True)


def uninstall(path: Path) -> None:
    apply_edit(plan_uninstall(path), installs=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "settings.json"


def test_a_new_file_comes_and_goes(path: Path) -> None:
    install(path)
    assert set(json.loads(path.read_bytes())["hooks"]) == set(EVENTS)
    assert path.stat().st_mode & 0o777 == 0o600

    uninstall(path)
    assert not path.exists()


@pytest.mark.parametrize(
    "before", ["{}", "{ }\n", "", FOREIGN, FOREIGN.replace("\n", "\r\n") + "\r\n", '{"é": "\\u00e9", "a": 1e5}']
)
def test_a_file_is_the_same_byte_for_byte_afterwards(path: Path, before: str) -> None:
    path.parent.mkdir()
    path.write_bytes(before.encode())
    path.chmod(0o640)

    install(path)
    assert len(installed_commands(path)) == 1
    uninstall(path)

    assert path.read_bytes() == before.encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_installing_again_changes_nothing(path: Path) -> None:
    install(path)

    assert not plan_install(path, ENTRIES).is_needed


def test_another_command_takes_the_place_of_the_old_one(path: Path) -> None:
    install(path)
    apply_edit(plan_install(path, CLIENTS["claude-code"].entries(["--user", "ana b"])), installs=True)

    [command] = installed_commands(path)
    assert command.endswith("hook --client claude-code --user 'ana b'")
    assert all(len(groups) == 1 for groups in json.loads(path.read_bytes())["hooks"].values())


def test_what_others_add_meanwhile_stays(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(FOREIGN)
    install(path)
    config = json.loads(path.read_bytes())
    config["hooks"]["Stop"][1]["hooks"].append({"type": "command", "command": "mine"})
    config["theme"] = "dark"
    path.write_text(json.dumps(config))

    uninstall(path)

    left = json.loads(path.read_bytes())
    assert left["theme"] == "dark"
    assert [hook["command"] for group in left["hooks"]["Stop"] for hook in group["hooks"]] == ["beep", "mine"]
    assert not backup_of(path).exists()


def test_uninstalling_what_is_not_there_changes_nothing(path: Path) -> None:
    assert not plan_uninstall(path).is_needed
    path.parent.mkdir()
    path.write_text(FOREIGN)
    assert not plan_uninstall(path).is_needed


@pytest.mark.parametrize(
    "broken",
    [
        b"{",
        b"// comment\n{}",
        b"[]",
        b"\xff\xfe{}",
        b'{"a": 1, "a": 2}',
        b'{"hooks": []}',
        b'{"hooks": {"Stop": {}}}',
        b'{"hooks": {"Stop": [{"hooks": "x"}]}}',
        b'{"hooks": {"Stop": [7]}}',
    ],
)
def test_a_broken_file_is_refused_and_left(path: Path, broken: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(broken)

    with pytest.raises(BadConfigError, match="left as it is"):
        plan_install(path, ENTRIES)
    with pytest.raises(BadConfigError, match="left as it is"):
        plan_uninstall(path)
    assert path.read_bytes() == broken


def test_a_file_that_changes_meanwhile_is_left(path: Path) -> None:
    edit = plan_install(path, ENTRIES)
    path.parent.mkdir()
    path.write_text("{}")

    with pytest.raises(BadConfigError, match="meanwhile"):
        apply_edit(edit, installs=True)
    assert path.read_text() == "{}"


def test_a_link_to_the_file_stays_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    (tmp_path / "settings.json").symlink_to(real)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))

    install(CLIENTS["claude-code"].path(None))

    assert (tmp_path / "settings.json").is_symlink()
    assert "hooks" in json.loads(real.read_bytes())
