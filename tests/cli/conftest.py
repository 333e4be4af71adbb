"""What tests of the command line share: one command line at a time, over a database of their own."""

import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from toldonce.cli.main import run
from toldonce.evaluation import report, retrieval_run
from toldonce.evaluation.retrieval_run import load_small_talk


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a command line ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


class CommandLine(Protocol):
    """Runs a command line; `stdin` is what is piped into it."""

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> Result: ...


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An SQLite file that is not there yet, named by the environment as people name it."""
    for name in [name for name in os.environ if name.startswith("TOLDONCE_")]:
        monkeypatch.delenv(name)
    file = tmp_path / "memory.sqlite3"
    monkeypatch.setenv("TOLDONCE_DATABASE_URL", f"sqlite:///{file}")
    return file


@pytest.fixture
def quick_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a key be made of a passphrase in few rounds: each takes 0.2 s of CPU time otherwise."""
    monkeypatch.setattr("toldonce.store.database_key.KDF_ROUNDS", 10)


@pytest.fixture
def cli(database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Runs command lines through the front door, as the console script does."""
    assert not database.exists()

    def call(*arguments: str | Path, stdin: bytes = b"") -> Result:
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code=code, out=captured.out, err=captured.err)

    return call


@pytest.fixture
def little_small_talk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let evaluations ask for four of the forty messages of small talk, which is most of what small ones cost."""
    few = load_small_talk()[::10]
    monkeypatch.setattr(retrieval_run, "load_small_talk", lambda: few)
    monkeypatch.setattr(report, "load_small_talk", lambda: few)
