"""How long `toldonce hook` takes at a user's prompt, from the start of its process to its end. Starts processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.processes import server
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile

# Issue 17's promise for a hook from a cold start of its process.
BAR_MS = 150.0
_SCRIPT = Path(sys.executable).with_name("toldonce")
_SAID = ("I'm allergic to peanuts.", "We use pnpm in this project.", "We decided to use PostgreSQL 16 for the backend.")
_STOP_S = 30


def run(quick: bool) -> list[Row]:
    """Measure hooks with a resident process, then with a server."""
    count, starts = (10, 2) if quick else (100, 10)
    with TemporaryDirectory(prefix="toldonce-bench-") as name:
        rows = _resident(Path(name), count, starts)
    with TemporaryDirectory(prefix="toldonce-bench-") as name, server(Path(name)) as running:
        options = ("--url", f"http://127.0.0.1:{running.port}")
        took = _prompts(Path(name), count, "hook: with a server", options)
    bare = [_python() for _ in steps("hook: Python alone", range(count))]
    # A busy machine starts any process late: the hook is to be compared with this.
    return [*rows, *_rows("with a server", took, bar=BAR_MS), *_rows("a Python process that does nothing", bare)]


def _resident(home: Path, count: int, starts: int) -> list[Row]:
    """Measure the first prompt of all, which starts the resident process, and later ones."""
    first: list[float] = []
    for _ in steps("hook: starting the resident process", range(starts)):
        first.append(_prompt(home, "What do we use?", ()))
        _end(home)
    warm = _prompts(home, count, "hook: with a resident process", ())
    _end(home)
    return [
        *_rows("resident process, first prompt", first),
        *_rows("resident process, later prompts", warm, bar=BAR_MS),
    ]


def _prompts(home: Path, count: int, title: str, options: Sequence[str]) -> list[float]:
    for text in _SAID:
        _prompt(home, text, options)
    return [_prompt(home, f"Which database do we use, question {n}?", options) for n in steps(title, range(count))]


def _prompt(home: Path, text: str, options: Sequence[str]) -> float:
    """Run the hook on a prompt of a session of its own, and return the milliseconds it took."""
    event = {"hook_event_name": "UserPromptSubmit", "session_id": str(time.time_ns()), "prompt": text, "cwd": "/shop"}
    began = time.perf_counter()
    command = [str(_SCRIPT), "hook", "--timeout", "30", *options]
    subprocess.run(command, input=json.dumps(event).encode(), capture_output=True, env=_environment(home), check=True)
    return (time.perf_counter() - began) * 1000


def _python() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return (time.perf_counter() - began) * 1000


def _environment(home: Path) -> dict[str, str]:
    own = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "XDG_STATE_HOME": str(home / "state")}
    return {"PATH": os.environ["PATH"], "TOLDONCE_DATABASE_URL": f"sqlite:///{home / 'bench.sqlite3'}"} | own


def _end(home: Path) -> None:
    """End the resident process, and wait until its socket is gone."""
    for lock in (home / "toldonce").glob("*.lock"):
        os.kill(int(lock.read_text("utf-8")), 15)
    until = time.monotonic() + _STOP_S
    while any((home / "toldonce").glob("*.sock")) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.2)


def _rows(what: str, took: Sequence[float], *, bar: float | None = None) -> list[Row]:
    return [
        Row(name=f"{what}: p50", value=percentile(took, 50), unit="ms", bar=bar, count=len(took)),
        Row(name=f"{what}: p95", value=percentile(took, 95), unit="ms", bar=bar, count=len(took)),
    ]
