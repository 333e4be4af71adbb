"""A real worker process beside the servers. Starts and ends processes."""

import os
import signal
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from forked_processes import ForkedProcess
from patience import PATIENCE_S


class WorkerProcess:
    """`toldonce worker` on a database, until the test ends or it is told to stop."""

    def __init__(self, url: str, folder: Path, running: ExitStack, settings: Mapping[str, str] | None = None) -> None:
        """Start it in a folder of its own; `settings` are without their prefix."""
        folder.mkdir()
        self._log = folder / "worker.log"
        given = {"DATABASE_URL": url, **(settings or {})}
        with self._log.open("wb") as log:
            self._process = ForkedProcess(
                *("-m", "toldonce", "worker"),
                env={"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "PYTHONUNBUFFERED": "1"}
                | {f"TOLDONCE_{name}": value for name, value in given.items()},
                cwd=folder,
                log=log,
            )
        running.callback(self._process.kill)

    @property
    def output(self) -> str:
        """All it has printed."""
        return self._log.read_text("utf-8", "replace")

    @property
    def ready(self) -> bool:
        """Whether it looks for work."""
        return "Forming memories" in self.output

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()

    def stop(self) -> int:
        """Ask it to end; return how it did."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(PATIENCE_S)
