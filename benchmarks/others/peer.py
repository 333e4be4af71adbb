"""The measuring side of the talk: a system in a process of its own, asked line by line. Starts and ends processes."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from benchmarks.others.systems import REPOSITORY, System
from benchmarks.processes import ProcessFailedError, end

# The caller's settings and keys are not passed on, and telemetry stays off.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR")
_SILENT = {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False", "DO_NOT_TRACK": "1"}
_LOG = "adapter.log"


class Peer(Protocol):
    """A system that can be asked."""

    @property
    def pid(self) -> int:
        """Its process."""
        ...

    def ask(self, do: str, **fields: object) -> Mapping[str, Any]:
        """Ask for one thing; the answer has `took_s`."""
        ...


class Running:
    """A system's adapter in its process."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        """Talk with a process that has just been started."""
        self._process, self._log = process, log

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def ask(self, do: str, **fields: object) -> Mapping[str, Any]:
        """Send a line, read a line.

        Raises:
            ProcessFailedError: it ended instead of answering; what it printed is in the message.
        """
        if self._process.stdin is None or self._process.stdout is None:
            raise ProcessFailedError("the adapter was started without pipes")
        try:
            self._process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            line = ""
        else:
            line = self._process.stdout.readline()
        if not line:
            raise ProcessFailedError(f"asked to {do}, it ended:\n{self._log.read_text('utf-8', 'replace')[-4000:]}")
        answer: Mapping[str, Any] = json.loads(line)
        return answer


@contextmanager
def running(system: System, python: str, folder: Path, *, under: Sequence[str] = ()) -> Iterator[Running]:
    """Run a system for the duration of the block; its output and its home folder are next to its data.

    Args:
        system: Which.
        python: The interpreter of its environment.
        folder: Of its own, outside its database's.
        under: A command that starts it, such as a tracer.
    """
    env = {name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None}
    log = folder / _LOG
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*under, python, "-m", f"benchmarks.others.adapters.{system.adapter}"],
            env=env | _SILENT | {"HOME": str(folder)},
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=out,
            text=True,
            start_new_session=True,
        )
    try:
        yield Running(process, log)
    finally:
        end(process)
