"""A real server process with a data folder of its own. Starts and ends processes."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from forked_processes import ForkedProcess
from integration.raw_client import request
from patience import PATIENCE_S

_LISTENS = re.compile(r"listens on http://[^/]*:(\d+)/v1")
# What a program needs of the caller's environment; no TOLDONCE_ setting and no proxy comes in from outside.
_PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "COVERAGE_PROCESS_START")
# A server that is asked for more than its machine can do leaves memory out, or answers without a record.
PATIENT = {"RECALL_TIMEOUT_S": "60", "COMMIT_TIMEOUT_S": "60"}


class ServerProcess:
    """`toldonce serve` on a free port; the same folder can be served again after any end."""

    def __init__(self, folder: Path, *, upstream: str | None = None, settings: Mapping[str, str] | None = None) -> None:
        """Take the data folder, who answers (None: the built-in model), and settings without their prefix."""
        self.folder = folder
        self.database = folder / "toldonce.sqlite3"
        self.log = folder / "server.log"
        self.port = 0
        # In one process, as a failpoint ends it wherever it is; `test_worker_process.py` has the other way.
        self.settings = {"DATABASE_URL": f"sqlite:///{self.database}", "PORT": "0", "WORKER": "thread"} | PATIENT
        if upstream is not None:
            self.settings["UPSTREAM_URL"] = upstream
        self.settings |= dict(settings or {})
        self._process: ForkedProcess | None = None

    def start(self, **more: str) -> None:
        """Start and wait until it is healthy; `more` are settings for this run alone."""
        if self._process is not None and self._process.poll() is None:
            raise AssertionError("the server runs already")
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = ForkedProcess(
                *("-m", "toldonce", "serve"),
                env=self._environment(more),
                cwd=self.folder,
                log=log,
                new_session=True,
            )
            begin = log.tell()
        self._await_health(begin, may_die="FAILPOINT" in more)

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        env = {name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None}
        env |= {"HOME": str(self.folder), "PYTHONUNBUFFERED": "1"}
        return env | {f"TOLDONCE_{name}": value for name, value in (self.settings | dict(more)).items()}

    def _await_health(self, begin: int, *, may_die: bool) -> None:
        """Wait until the server answers; one with a failpoint may reach it before, in work that was left to it."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            if self.ended and may_die:
                return
            if self.ended:
                raise AssertionError(f"the server did not start:\n{self.output()}")
            found = _LISTENS.search(self.log.read_bytes()[begin:].decode("utf-8", "replace"))
            if found and self._answers(int(found[1])):
                return
            time.sleep(0.02)
        raise AssertionError(f"the server was not healthy within {PATIENCE_S:g} s:\n{self.output()}")

    def _answers(self, port: int) -> bool:
        self.port = port
        try:
            return request(port, "/healthz", method="GET").status == 200
        except (ConnectionError, TimeoutError):
            return False

    @property
    def pid(self) -> int:
        """The process id."""
        if self._process is None:
            raise AssertionError("the server was never started")
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it is not running."""
        return self._process is None or self._process.poll() is not None

    @property
    def base_url(self) -> str:
        """What a client's `base_url` is to be."""
        return f"http://127.0.0.1:{self.port}/v1"

    def output(self) -> str:
        """All it has printed, over all its runs."""
        return self.log.read_text("utf-8", "replace")

    def health(self) -> dict[str, dict[str, int]]:
        """Return its counters."""
        health: dict[str, dict[str, int]] = json.loads(request(self.port, "/healthz", method="GET").body)
        return health

    def kill(self) -> None:
        """End it with SIGKILL, at once."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """Ask it to end; make it end if it does not."""
        if self._process is None or self.ended:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not stop within {PATIENCE_S:g} s:\n{self.output()}") from None

    def wait_ended(self, *, within_s: float = PATIENCE_S) -> bool:
        """Wait for it to end by itself."""
        if self._process is None:
            return True
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def restart(self, **more: str) -> None:
        """Stop and start on the same data."""
        self.stop()
        self.start(**more)


class StartServer(Protocol):
    """Starts a server that ends with the test."""

    def __call__(
        self, *, name: str = "data", offline: bool = False, settings: Mapping[str, str] | None = None
    ) -> ServerProcess:
        """Start one on the folder `name` of the test; `offline`: the built-in model answers."""
        ...
