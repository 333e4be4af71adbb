"""The spool: private files, one turn each, that are locked while they are delivered, and bounded."""

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from toldonce.hook import spool
from toldonce.hook.places import log_path, target_name
from toldonce.hook.spool import add_turn, is_encrypted, take_turn, trim_spool, waiting_turns
from toldonce.settings import Settings
from toldonce.settings.encryption import EncryptionSettings
from toldonce.store.database_key import DatabaseKey

SAID = {"event": "prompt", "conversation": "s1", "turn": "1", "text": "I live in Oslo."}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "toldonce" / "spool"


def spooled(text: str = "I live in Oslo.", target: str = "t", conversation: str = "s1") -> spool.SpooledTurn:
    turn = add_turn(SAID | {"text": text, "conversation": conversation}, target)
    assert turn is not None
    return turn


def test_a_turn_is_in_a_file_that_its_user_alone_may_read(folder: Path) -> None:
    spooled()

    [file] = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "Oslo" not in file.name


def test_a_turn_that_is_being_delivered_is_left_alone() -> None:
    own = spooled()
    [path] = waiting_turns("t")
    with pytest.raises(TimeoutError):
        take_turn(path)

    own.keep()

    taken = take_turn(path)
    assert taken is not None
    assert {name: taken.request[name] for name in SAID} == SAID
    assert taken.request["at"].endswith("Z")


def test_a_delivered_turn_is_gone_for_who_waited(folder: Path) -> None:
    own = spooled()
    [path] = waiting_turns("t")
    own.remove()

    assert take_turn(path) is None
    assert list(folder.iterdir()) == []


def test_turns_wait_in_their_order_and_for_their_memory_alone() -> None:
    for text in ("one", "two"):
        spooled(text).keep()
    spooled("other", target="u").keep()

    taken = [take_turn(path) for path in waiting_turns("t")]
    assert [turn.request["text"] for turn in taken if turn is not None] == ["one", "two"]


def test_a_refused_turn_waits_no_more(folder: Path) -> None:
    spooled().refuse()

    assert waiting_turns("t") == []
    assert [file.suffix for file in folder.iterdir()] == [".refused"]


def test_a_broken_file_is_put_aside(folder: Path) -> None:
    spooled().keep()
    [path] = waiting_turns("t")
    Path(path).write_bytes(b'{"event": ')

    assert take_turn(path) is None
    assert [file.suffix for file in folder.iterdir()] == [".refused"]


def test_what_is_too_old_is_dropped_and_told(folder: Path) -> None:
    spooled("old").keep()
    spooled("new").keep()
    old, _ = waiting_turns("t")
    past = time.time() - spool.MAX_AGE_S - 60
    os.utime(old, (past, past))

    trim_spool()

    [path] = waiting_turns("t")
    assert "new" in Path(path).read_text("utf-8")
    assert "were dropped: 1" in Path(log_path()).read_text("utf-8")


@pytest.mark.parametrize(("limit", "value"), [("MAX_FILES", 3), ("MAX_TOTAL_BYTES", 350)])
def test_the_oldest_of_too_many_are_dropped(monkeypatch: pytest.MonkeyPatch, limit: str, value: int) -> None:
    monkeypatch.setattr(spool, limit, value)
    for number in range(9):
        spooled(f"boat {number}").keep()

    trim_spool()

    kept = [Path(path).read_text("utf-8") for path in waiting_turns("t")]
    assert 2 <= len(kept) <= 3
    assert "boat 8" in kept[-1]


def test_without_a_folder_there_is_no_spool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/none")

    assert add_turn(SAID, "t") is None
    assert waiting_turns("t") == []
    trim_spool()


def test_another_memory_has_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://127.0.0.1:8765"
    names = [
        target_name(url=None, database=None, user=None),
        target_name(url=None, database="sqlite:////tmp/x.db", user=None),
        target_name(url=url, database=None, user=None),
        target_name(url=url, database=None, user="ana"),
    ]
    monkeypatch.setenv("TOLDONCE_KEY", "rk_other")
    names.append(target_name(url=url, database=None, user="ana"))
    assert len(set(names)) == len(names)
    monkeypatch.setenv("TOLDONCE_LOG_LEVEL", "debug")
    assert target_name(url=url, database=None, user="ana") == names[-1]


@pytest.mark.parametrize("name", ["TOLDONCE_URL", "TOLDONCE_UPSTREAM_KEY", "TOLDONCE_DATABASE_URL"])
def test_other_settings_do_not_stop_the_spool(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "x" * 64)

    assert not is_encrypted()


@pytest.mark.parametrize("shape", [str.upper, str.lower])
@pytest.mark.parametrize("end", ["KEY", "KEY_FILE", "KEY_COMMAND", "KEY_COMMAND_FILE"])
@pytest.mark.parametrize("key", ["DATABASE", "MASTER"])
def test_however_a_key_is_given_nothing_is_spooled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, end: str, shape: Callable[[str], str]
) -> None:
    """The names are those that the settings take: the key is found by them, too."""
    secret = "a" * 64
    contents = {
        "KEY": secret,
        "KEY_COMMAND": f"echo {secret}",
        "KEY_FILE": secret,
        "KEY_COMMAND_FILE": f"echo {secret}",
    }
    file = tmp_path / "key"
    file.write_text(contents[end])
    monkeypatch.setenv(shape(f"TOLDONCE_{key}_{end}"), str(file) if end.endswith("_FILE") else contents[end])

    settings = Settings.load()

    assert (DatabaseKey.of(settings) if key == "DATABASE" else DatabaseKey.master_of(settings)) is not None
    assert is_encrypted()


def test_every_setting_of_a_key_is_known_to_the_spool(monkeypatch: pytest.MonkeyPatch) -> None:
    # The keyring's place and the second master key have no effect without the master key.
    keys = EncryptionSettings.model_fields.keys() - {"subject_keys", "other_master_key"}
    assert len(keys) == 5
    for name in keys:
        with monkeypatch.context() as patch:
            patch.setenv(f"TOLDONCE_{name.upper()}", "x")
            assert is_encrypted(), name
