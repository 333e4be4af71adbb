"""The secret of sessions: of the settings, or in a file of its user's alone; never in the database."""

import logging
import os
from pathlib import Path

import pytest

from toldonce.errors import BadSettingError
from toldonce.server.auth.authenticator import session_secret
from toldonce.settings import Settings

GIVEN = "g" * 32


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "toldonce" / "session-secret"


def test_the_settings_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    (tmp_path / "given").write_text(f"{GIVEN}\n")
    assert session_secret(Settings.load(session_secret=GIVEN)) == GIVEN.encode()
    monkeypatch.setenv("TOLDONCE_SESSION_SECRET_FILE", str(tmp_path / "given"))
    assert session_secret(Settings.load()) == GIVEN.encode()
    assert not file.exists()


@pytest.mark.parametrize("short", ["s" * 31, "", " " * 40])
def test_one_that_can_be_guessed_is_refused(short: str, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setenv("TOLDONCE_SESSION_SECRET", short)
    if short:
        with pytest.raises(BadSettingError, match="TOLDONCE_SESSION_SECRET"):
            Settings.load()
    else:
        assert session_secret(Settings.load()) == file.read_bytes()


def test_it_is_made_once_for_its_user_alone(file: Path) -> None:
    secret = session_secret(Settings.load())

    assert len(secret) >= 32
    assert session_secret(Settings.load()) == secret == file.read_bytes()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert list(file.parent.iterdir()) == [file]


def test_another_machine_makes_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = session_secret(Settings.load())
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))

    assert session_secret(Settings.load()) != secret


@pytest.mark.parametrize("fault", ["readable", "writable", "short", "folder"])
def test_a_file_that_others_may_know_is_not_used(file: Path, caplog: pytest.LogCaptureFixture, fault: str) -> None:
    file.parent.mkdir()
    if fault == "folder":
        file.mkdir()
    else:
        file.write_text("short" if fault == "short" else GIVEN)
        file.chmod({"readable": 0o640, "writable": 0o602}.get(fault, 0o600))

    with caplog.at_level(logging.WARNING):
        first, second = session_secret(Settings.load()), session_secret(Settings.load())

    assert len({first, second, GIVEN.encode()}) == 3
    assert "TOLDONCE_SESSION_SECRET" in caplog.text


def test_where_nothing_can_be_written_each_process_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/none")

    assert session_secret(Settings.load()) != session_secret(Settings.load())


def test_of_two_that_make_it_at_once_both_take_the_same(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one is ready after this one has seen that there is none."""
    other: list[bytes] = []
    link = os.link

    def later(source: str, target: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        other.append(session_secret(Settings.load()))
        link(source, target)

    monkeypatch.setattr(os, "link", later)

    assert [session_secret(Settings.load())] == other
    assert list(file.parent.iterdir()) == [file]
