import json
from pathlib import Path

import pytest

from toldonce.cli.main import run
from toldonce.types import Subject


def test_c3_a_character_is_renamed_and_the_act_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOLDONCE_DATABASE_URL", f"sqlite:///{tmp_path / 'memory.sqlite3'}")
    assert run(["add", "The old lighthouse burned.", "--subject", "character:ana/kira"]) == 0
    assert run(["add", "The old mill burned.", "--subject", "character:ana/nova/süd"]) == 0
    assert run(["rename-character", "Kira", "Nova/Süd", "--user", "ana"]) == 1
    assert "--join" in capsys.readouterr().err
    assert run(["rename-character", "Kira", "Nova/Süd", "--join", "--user", "ana", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"subject": "character:ana/kira", "joined": 1}
    assert run(["rename-character", "Nova/Süd", "Kira", "--user", "ana"]) == 0
    assert capsys.readouterr().out == "Kira: character:ana/kira, 0 memories joined\n"
    assert run(["keys", "audit", "--json"]) == 0
    [last, first] = json.loads(capsys.readouterr().out)["entries"]
    assert first["action"] == last["action"] == "characters.rename"
    assert first["target"] == str(Subject("user", "ana").key)
