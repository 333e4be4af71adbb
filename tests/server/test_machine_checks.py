"""What `toldonce doctor` says of turns that hooks could not deliver."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from toldonce.hook.spool import add_turn
from toldonce.server.findings import FindingState
from toldonce.server.machine_checks import spool_finding

SAID = {"event": "prompt", "conversation": "s1", "turn": "1", "text": "I live in Oslo."}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_nothing_is_said_where_nothing_waits() -> None:
    assert spool_finding() is None


def test_a_turn_on_its_way_is_no_finding() -> None:
    turn = add_turn(SAID, "t")
    assert turn is not None

    assert spool_finding() is None


def test_waiting_and_refused_turns_are_counted() -> None:
    for ending in ("keep", "keep", "refuse"):
        turn = add_turn(SAID, "t")
        assert turn is not None
        getattr(turn, ending)()

    found = spool_finding(datetime.now(UTC) + timedelta(hours=1))

    assert found is not None
    assert found.state is FindingState.WARN
    assert found.text.startswith("2 turns could not be delivered, the oldest at 20")
    assert "1 turn of hooks that memory refused" in found.text
    assert "Oslo" not in found.text
