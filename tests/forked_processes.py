"""Python processes for tests, forked from one that has imported ToldOnce already. Starts processes.

Importing takes 1.5 s of CPU time in each new interpreter, a fork 20 ms. What comes of it is a process like any other:
its id, environment, folder, files, signals and exit code are its own. That a fresh interpreter runs the commands is
what tests/integration/test_cli_processes.py is about.
"""

import atexit
import fcntl
import json
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

from fork_server import MEMBER
from patience import PATIENCE_S

_PROGRAM = Path(__file__).with_name("fork_server.py")
_COMMAND = Path(__file__).with_name("forked_command.py")
_SCRIPT = Path(sys.executable).with_name("toldonce")


@cache
def _server() -> Path:
    """Return the socket of the fork server of this test run, which ends with the last process that has asked for it.

    The workers of a run share one: its start takes six seconds of CPU time.
    """
    if run := os.environ.get("PYTEST_XDIST_TESTRUNUID"):
        folder = Path(tempfile.gettempdir()) / f"fork-{run}"  # not pytest's: the path of a socket must be short
        folder.mkdir(mode=0o700, exist_ok=True)
    else:
        folder = Path(tempfile.mkdtemp(prefix="fork-"))
    place = folder / "socket"
    with (folder / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            atexit.register(_start(place).wait)
    member = _connected(place)
    member.send(MEMBER)
    atexit.register(member.close)  # before the wait that was registered before it
    return place


def _start(place: Path) -> "subprocess.Popen[bytes]":
    """Start the fork server; it waits for what comes to its socket, which is there before it."""
    with socket.socket(socket.AF_UNIX) as programs:
        programs.bind(str(place))
        programs.listen(100)
        return subprocess.Popen(
            [sys.executable, "-u", str(_PROGRAM), str(programs.fileno())],
            pass_fds=[programs.fileno()],
            start_new_session=True,
        )


def _connected(place: Path) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.connect(str(place))
    return server


@cache
def forked_script() -> Path:
    """Return a program that does what the script `toldonce` does, in a fork: for agents, which start it themselves."""
    return _program("toldonce", str(_SCRIPT))


@cache
def forked_python() -> Path:
    """Return a program that does what `python` does with a script or `-m`, in a fork."""
    return _program("python")


def _program(name: str, *arguments: str) -> Path:
    script = _server().parent / str(os.getpid()) / name
    script.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-IS", str(_COMMAND), str(_server()), *arguments]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', "utf-8")
    script.chmod(0o700)
    return script


def _request(message: Mapping[str, object], files: Sequence[int]) -> None:
    with _connected(_server()) as server:
        socket.send_fds(server, [json.dumps(message).encode() + b"\n"], files)


def _temporary_file(text: str = "") -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115  # whoever takes it closes it
    file.write(text.encode())
    file.seek(0)
    return file


class ForkedProcess:
    """A process that runs `python ARGUMENTS`: a script with its arguments, or `-m` with a module and its own."""

    stdin = stdout = None
    """It has no pipes, as a `Popen` whose files were given."""

    def __init__(
        self,
        *arguments: str,
        env: Mapping[str, str],
        cwd: Path | None = None,
        log: IO[bytes] | None = None,
        new_session: bool = False,
        stdin: str = "",
    ) -> None:
        """Start it; it reads `stdin`; `log` takes what it prints, else `communicate` returns that."""
        self.arguments = arguments
        self.returncode: int | None = None
        self._printed = ("", "")
        self._files = (log, log) if log else (_temporary_file(), _temporary_file())
        self._keeps_output = log is None
        self._report, its_report = os.pipe()
        self._reported = b""
        with _temporary_file(stdin) as given, open(its_report, "wb"):
            _request(
                {"arguments": arguments, "env": dict(env), "cwd": str(cwd or Path.cwd()), "new_session": new_session},
                [given.fileno(), *(file.fileno() for file in self._files), its_report],
            )
        if not self._has_reported(lines=1, within_s=PATIENCE_S):
            raise AssertionError(f"{arguments} did not start within {PATIENCE_S:g} s")
        self.pid = int(self._reported.split()[0])

    def poll(self) -> int | None:
        """Return the exit code, which is negative after a signal; None while it runs."""
        if self.returncode is None and self._has_reported(lines=2, within_s=0):
            self.returncode = int(self._reported.split()[1])
            os.close(self._report)
            self._take_printed()
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for its end; return the exit code.

        Raises:
            subprocess.TimeoutExpired: It is still running.
        """
        if self.returncode is None:
            self._has_reported(lines=2, within_s=timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self.arguments, timeout)
        return code

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait for its end; return what it printed as output and as errors.

        Raises:
            subprocess.TimeoutExpired: It is still running.
        """
        self.wait(timeout)
        return self._printed

    def wait_for_output(self, text: str, *, within_s: float) -> bool:
        """Wait until it has printed `text` or ended; return whether it has printed it."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            ended = self.poll() is not None
            printed = self._printed[0] if ended else os.pread(self._files[0].fileno(), 1 << 20, 0).decode()
            if ended or text in printed:
                return text in printed
            time.sleep(0.002)
        return False

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> int:
        """End it with SIGKILL, at once, and close what it printed to; return its exit code."""
        self.send_signal(signal.SIGKILL)
        return self.wait(PATIENCE_S)

    def _has_reported(self, *, lines: int, within_s: float) -> bool:
        until = time.monotonic() + within_s
        while self._reported.count(b"\n") < lines:
            if not select.select([self._report], [], [], max(0.0, until - time.monotonic()))[0]:
                return False
            part = os.read(self._report, 100)
            if not part:
                raise AssertionError(f"{self.arguments}: the fork server ended")
            self._reported += part
        return True

    def _take_printed(self) -> None:
        if self._keeps_output:
            out, err = (_read_and_close(file) for file in self._files)
            self._printed = (out, err)


def _read_and_close(file: IO[bytes]) -> str:
    with file:
        file.seek(0)
        return file.read().decode()


def run_python(
    *arguments: str, env: Mapping[str, str], timeout: float, cwd: Path | None = None, stdin: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run `python ARGUMENTS` to its end, as `subprocess.run` does.

    Raises:
        subprocess.TimeoutExpired: It did not end, and was killed.
    """
    process = ForkedProcess(*arguments, env=env, cwd=cwd, stdin=stdin)
    try:
        out, err = process.communicate(timeout)
    finally:
        process.kill()
    return subprocess.CompletedProcess(arguments, process.wait(timeout), out, err)
