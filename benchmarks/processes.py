"""Real processes to measure: the server, a local upstream, a load. Starts and ends processes."""

import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

# A cold start on a loaded machine reads some 80 MB.
_START_S = 60.0
_STOP_S = 40.0
_LOOK_S = 0.002
# Variables passed on to a program: no settings, no proxy.
_PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR")
_RSS = re.compile(r"^VmRSS:\s+(\d+) kB", re.MULTILINE)
_PEAK_RSS = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


class ProcessFailedError(Exception):
    """A process of the benchmark did not do what it was started for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A process that answers on a port."""

    pid: int
    port: int
    started_s: float
    """From its start to its first good answer."""

    @property
    def rss_mb(self) -> float:
        """Its resident memory now, in units of 10^6 bytes."""
        return rss_mb(self.pid)

    def formed(self) -> int:
        """Ask how many formations the server did since its start."""
        health: Mapping[str, Mapping[str, int]] = json.loads(get(self.port, "/healthz"))
        return health["worker"]["formed"]

    def due(self) -> int:
        """Ask how many formations of the database are due."""
        lines = get(self.port, "/metrics").decode().splitlines()
        return next(int(float(line.split()[1])) for line in lines if line.startswith("formations_due "))

    def children_rss_mb(self) -> list[float]:
        """Read the resident memory of its child processes; empty where the system does not list them."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [rss_mb(int(child)) for child in children.read_text().split()] if children.exists() else []


def rss_mb(pid: int) -> float:
    """Read a process's resident memory, in units of 10^6 bytes."""
    status = Path(f"/proc/{pid}/status")
    if status.exists() and (found := _RSS.search(status.read_text())):
        return int(found[1]) * 1024 / 1e6
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(told.stdout) * 1024 / 1e6


def peak_rss_mb(pid: int) -> float | None:
    """Read the most resident memory that a process had, in units of 10^6 bytes; None where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    if status.exists() and (found := _PEAK_RSS.search(status.read_text())):
        return int(found[1]) * 1024 / 1e6
    return None


def cpu_s(pid: int) -> float:
    """Read the CPU time that a process has taken, in seconds; on Linux to the nanosecond."""
    if Path("/proc/self/stat").exists():
        return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3), which Python does not offer
    shown = subprocess.run(["ps", "-o", "cputime=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return float(sum(float(part) * 60**place for place, part in enumerate(reversed(shown.stdout.strip().split(":")))))


def environment(folder: Path, settings: Mapping[str, object]) -> dict[str, str]:
    """Return the environment of a process: settings without their prefix, the database in the folder."""
    env = {name: value for name in _PASSED_ON if (value := os.environ.get(name)) is not None}
    named = {"DATABASE_URL": f"sqlite:///{folder / 'toldonce.sqlite3'}", "LOG_LEVEL": "warning"} | dict(settings)
    return env | {"HOME": str(folder)} | {f"TOLDONCE_{name}": str(value) for name, value in named.items()}


@contextmanager
def server(folder: Path, *, descriptors: int | None = None, **settings: object) -> Iterator[Running]:
    """Run `toldonce serve` on a folder's database for as long as the block lasts.

    Args:
        folder: Holds the database and the log.
        descriptors: How many files the process may open; None: as many as this one.
        settings: Settings without their prefix.

    Raises:
        ProcessFailedError: it was not healthy in time; what it printed is in the message.
    """
    port = free_port()
    env = environment(folder, {"PORT": port} | settings)
    log = folder / "server.log"
    with log.open("wb") as out:
        start = time.perf_counter()
        process = _serve(env, folder, out, descriptors)
    try:
        while not _healthy(port):
            if process.poll() is not None or time.perf_counter() - start > _START_S:
                raise ProcessFailedError(f"the server did not start:\n{log.read_text('utf-8', 'replace')}")
            time.sleep(_LOOK_S)
        yield Running(pid=process.pid, port=port, started_s=time.perf_counter() - start)
    finally:
        end(process)


def _serve(env: Mapping[str, str], folder: Path, out: IO[bytes], descriptors: int | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "toldonce", "serve"],
        env=env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=None if descriptors is None else partial(_limit_descriptors, descriptors),
    )


def _limit_descriptors(count: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


@contextmanager
def child(module: str, *arguments: str) -> Iterator[int]:
    """Run a module that prints a number when it is ready, and ends when its standard input is closed.

    Raises:
        ProcessFailedError: it ended before it was ready.
    """
    with listener(module, *arguments) as running:
        yield running.port


@contextmanager
def listener(module: str, *arguments: str) -> Iterator[Running]:
    """Run a module as `child` does; the number that it prints is taken for its port.

    Raises:
        ProcessFailedError: it ended before it was ready.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line.strip().isdigit():
            raise ProcessFailedError(f"{module} did not get ready: {line!r}")
        yield Running(pid=process.pid, port=int(line), started_s=time.perf_counter() - start)
    finally:
        end(process)


def end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """Ask a process to end; make it end if it does not."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """Return a free port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def get(port: int, path: str) -> bytes:
    """Fetch a path; raises `OSError` without a successful answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_STOP_S)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise ConnectionError(f"GET {path}: {answer.status}")
        return body
    finally:
        connection.close()


def _healthy(port: int) -> bool:
    try:
        return bool(get(port, "/healthz"))
    except (OSError, http.client.HTTPException):
        return False
