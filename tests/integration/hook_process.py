"""`toldonce hook` as agents run it, in a home folder of its own. Starts and ends processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from patience import PATIENCE_S

SCRIPT = str(Path(sys.executable).with_name("toldonce"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run of the hook."""

    code: int
    output: bytes
    errors: bytes
    seconds: float

    @property
    def added(self) -> str:
        """What it adds to the agent's context."""
        return str(json.loads(self.output)["hookSpecificOutput"]["additionalContext"]) if self.output else ""


@dataclass(slots=True)
class HookProcess:
    """Runs hooks in one home folder."""

    home: Path
    runtime: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="hook-")))
    """Folder of the socket, whose path must be short."""
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Pass nothing of the test's own settings on."""
        self.home.mkdir(parents=True, exist_ok=True)
        passed = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        self.env = passed | {
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_STATE_HOME": str(self.home / "state"),
            "TOLDONCE_DATABASE_URL": f"sqlite:///{self.database}",
        }

    @property
    def database(self) -> Path:
        """The database."""
        return self.home / "toldonce.sqlite3"

    @property
    def log(self) -> str:
        """The log of failures."""
        file = self.home / "state" / "toldonce" / "hook.log"
        return file.read_text("utf-8") if file.exists() else ""

    def command(self, *options: str) -> list[str]:
        """Return the command line."""
        return [SCRIPT, "hook", "--timeout", "20", *options]

    def run(self, raw: bytes, *options: str, **env: str) -> Ran:
        """Run the hook on some bytes."""
        began = time.monotonic()
        done = subprocess.run(
            self.command(*options), input=raw, capture_output=True, env=self.env | env, cwd=self.home, timeout=60
        )
        return Ran(code=done.returncode, output=done.stdout, errors=done.stderr, seconds=time.monotonic() - began)

    def prompt(self, text: str, *, session: str = "s1", turn: str = "1", folder: str = "/work/shop") -> Ran:
        """Run the hook on a prompt."""
        return self.run(event("UserPromptSubmit", session=session, turn=turn, prompt=text, cwd=folder))

    def stop(self, text: str, *, session: str = "s1", turn: str = "1", folder: str = "/work/shop") -> Ran:
        """Run the hook on the end of a turn."""
        return self.run(event("Stop", session=session, turn=turn, last_assistant_message=text, cwd=folder))

    def close(self) -> None:
        """End the resident process and remove its folder."""
        self.end_resident()
        shutil.rmtree(self.runtime)

    def end_resident(self, number: int = signal.SIGTERM) -> int:
        """End the resident processes, wait for that, and return how many there were."""
        pids = [int(lock.read_text().strip() or 0) for lock in self.runtime.glob("toldonce/*.lock")]
        living = [pid for pid in pids if pid and _is_alive(pid)]
        for pid in living:
            os.kill(pid, number)
        until = time.monotonic() + PATIENCE_S
        while any(map(_is_alive, living)) and time.monotonic() < until:
            time.sleep(0.02)
        return len(living)


def event(name: str, *, session: str = "s1", turn: str = "1", **fields: object) -> bytes:
    """Write an event as Claude Code does."""
    common = {"session_id": session, "prompt_id": turn, "hook_event_name": name, "transcript_path": "/none"}
    return json.dumps(common | fields).encode()


def _is_alive(pid: int) -> bool:
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
