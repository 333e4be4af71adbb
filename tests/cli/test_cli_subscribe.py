import json
from pathlib import Path

import pytest

from toldonce.cli.main import run


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    url = f"sqlite:///{tmp_path / 'memory.sqlite3'}"
    monkeypatch.setenv("TOLDONCE_DATABASE_URL", url)
    return url


def test_a_user_reads_what_a_team_knows_until_they_unsubscribe(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert database
    assert run(["add", "The team meets on Tuesday.", "--subject", "shared:team-x"]) == 0
    assert run(["subscribe", "shared:team-x", "--user", "ana"]) == 0
    capsys.readouterr()
    assert run(["subscribe", "--user", "ana", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"subscriptions": ["shared:team-x"]}
    assert run(["search", "when does the team meet?", "--user", "ana"]) == 0
    assert "Tuesday" in capsys.readouterr().out
    assert run(["subscribe", "--remove", "shared:team-x", "--user", "ana"]) == 0
    assert "has no subscriptions" in capsys.readouterr().err


def test_what_is_not_shared_is_refused(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert database
    assert run(["subscribe", "shared:"]) == 1
    assert run(["subscribe", "--remove"]) == 2
    assert "toldonce subscribe --remove" in " ".join(capsys.readouterr().err.split())
