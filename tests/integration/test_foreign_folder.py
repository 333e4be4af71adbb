"""A project that nobody trusts: none of its files is executed, and memory works there."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from integration.database_reader import Database
from integration.hook_process import SCRIPT, HookProcess, event
from integration.raw_client import eventually
from toldonce.hook.places import log_path, target_name
from toldonce.hook.spool import add_turn
from toldonce.settings import Settings
from toldonce.store.database_key import DatabaseKey

SAID = "We use pnpm in this project, never npm. I'm allergic to peanuts."
ASKED = "Which package manager do we use?"
KEY = "a" * 64
# An empty entry of PYTHONPATH is the working folder: `PYTHONPATH=$PYTHONPATH:/more` makes one.
PYTHONPATH = f".{os.pathsep}{os.pathsep}/nowhere"


class Trap:
    """A folder of modules that say that they were executed, and fail."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "shop"
        self._told = folder / "executed.txt"
        (self.folder / ".git").mkdir(parents=True)
        names = {*sys.stdlib_module_names, *packages_distributions(), "toldonce", "sitecustomize", "usercustomize"}
        for name in names:
            if name.isidentifier():
                source = f"open({str(self._told)!r}, 'a').write({name!r} + '\\n')\nraise SystemExit('executed')\n"
                (self.folder / f"{name}.py").write_text(source)
        assert (self.folder / "types.py").exists()
        assert (self.folder / "numpy.py").exists()

    @property
    def executed(self) -> list[str]:
        """The modules that were."""
        return self._told.read_text().split() if self._told.exists() else []


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[HookProcess]:
    process = HookProcess(tmp_path / "home")
    yield process
    process.close()


def test_the_trap_closes_on_a_python_that_takes_the_folder(trap: Trap) -> None:
    subprocess.run([sys.executable, "-m", "json"], cwd=trap.folder, capture_output=True, check=False)

    assert len(trap.executed) == 1


def test_an_installed_hook_remembers_in_a_project_with_any_modules(trap: Trap, hook: HookProcess) -> None:
    install = [SCRIPT, "hook", "install", "claude-code", "--yes", "--timeout", "8"]
    subprocess.run(install, cwd=trap.folder, env=hook.env, check=True, capture_output=True)
    config = json.loads((hook.home / ".claude" / "settings.json").read_text())
    command = config["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
    env = hook.env | {"PYTHONPATH": PYTHONPATH}

    def prompt(text: str, session: str) -> bytes:
        raw = event("UserPromptSubmit", session=session, turn=session, prompt=text, cwd=str(trap.folder))
        ran = subprocess.run(command, shell=True, cwd=trap.folder, env=env, input=raw, capture_output=True, check=True)
        return ran.stdout

    prompt(SAID, "s1")
    assert eventually(lambda: Database(hook.database).settled("local"), within_s=150)

    # On a busy machine the process may take longer to start than an agent waits.
    assert eventually(lambda: b"We use pnpm" in prompt(ASKED, f"s{time.monotonic_ns()}"), within_s=60)
    assert trap.executed == []


def test_the_process_that_delivers_what_waits_runs_nothing_of_the_folder(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://127.0.0.1:9"  # nothing listens there
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(trap.folder)
    turn = add_turn(
        {"event": "prompt", "conversation": "s", "turn": "1", "text": "x"},
        target_name(url=url, database=None, user=None),
    )
    assert turn is not None
    turn.keep()

    told = f"from toldonce.hook.delivery import start_process; start_process('toldonce.hook.backlog', [{url!r}])"
    subprocess.run([sys.executable, "-P", "-c", told], check=True)

    assert eventually(lambda: Path(log_path()).exists() and "Error" in Path(log_path()).read_text(), within_s=60)
    assert trap.executed == []


@pytest.mark.parametrize("setting", ["database_key_command", "master_key_command"])
def test_the_command_that_prints_a_key_runs_nothing_of_the_folder(
    trap: Trap, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.chdir(trap.folder)
    command = shlex.join([sys.executable, "-c", f"import json; print('{KEY}')"])
    settings = Settings.load(**{setting: command})

    key = DatabaseKey.of(settings) or DatabaseKey.master_of(settings)

    assert key is not None
    assert key.bits(b"") == bytes.fromhex(KEY)
    assert trap.executed == []


def test_the_command_line_and_its_mcp_server_run_nothing_of_the_folder(trap: Trap, hook: HookProcess) -> None:
    for arguments in (["add", SAID], ["mcp", "--project"], ["hook", "status"]):
        ran = subprocess.run(
            [SCRIPT, *arguments], cwd=trap.folder, env=hook.env, input=b"", capture_output=True, timeout=120
        )
        assert ran.returncode == 0, ran.stderr
    assert trap.executed == []


def test_relative_paths_of_settings_mean_what_they_meant_in_the_agents_folder(trap: Trap, hook: HookProcess) -> None:
    """The process works in another folder, and finds the database and its key all the same."""
    (trap.folder / "key.txt").write_text(KEY)
    relative = {"TOLDONCE_DATABASE_URL": "sqlite:///memory.db", "TOLDONCE_DATABASE_KEY_FILE": "key.txt"}
    raw = event("UserPromptSubmit", prompt=SAID, cwd=str(trap.folder))

    ran = subprocess.run(hook.command(), cwd=trap.folder, env=hook.env | relative, input=raw, capture_output=True)

    assert ran.returncode == 0
    assert eventually(lambda: (trap.folder / "memory.db").exists() or hook.log, within_s=60), hook.log
    assert not (trap.folder / "memory.db").read_bytes().startswith(b"SQLite format 3"), hook.log
    assert trap.executed == []
