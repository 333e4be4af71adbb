"""The worker in a process of its own, which does not disturb the answers of chats. Starts and ends a process.

The child (`toldonce.cli.worker_child`) is told on its standard input what becomes due. It tells on its standard output
what it counted, and logs where this process does. It ends when its input ends, however this process ends. After an
erasure another child takes its place: memory that a process has freed still says what stood there.
"""

import asyncio
import json
import logging
import os
import time
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Any

from toldonce.child_process import STOP_LINE, module_command
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadSettingError, StoreUnavailableError
from toldonce.metrics import add_counts
from toldonce.providers.circuit_breaker import BreakerState, BreakerStatus
from toldonce.settings import DATABASE_SETTING, PREFIX, SQLITE, Settings
from toldonce.types import Subject

logger = logging.getLogger(__name__)

# How often the database is asked whether another process recorded something, until the child runs, which asks itself;
# and whether one erased something.
LOOK_S = 1.0
# The child starts after this at the latest: maintenance may be due.
START_S = 60.0
# How long a child that was told to end may take: its commit in progress.
STOP_S = 5.0
# After an erasure the child has so long to finish its work in progress; what it then gives back is formed by the next.
RENEW_S = 30.0
# A child is replaced at most so often, however often something is erased: starting one takes a second of a processor.
RENEW_EVERY_S = 30.0
# Wait before the next start, doubled with each end until a child has run for `STEADY_S`.
FIRST_WAIT_S = 1.0
MAX_WAIT_S = 60.0
STEADY_S = 60.0
# Bytes that wait for a child that does not read: what it is not told, it finds by looking.
_MAX_UNREAD_BYTES = 64 * 1024
# Settings of the server alone.
_OWN = frozenset({f"{PREFIX}METRICS_PORT"})


def may_have_child(settings: Settings) -> bool:
    """Return whether the settings ask for a worker process, and another process can open the database."""
    return settings.worker == "process" and settings.database_url != f"{SQLITE}:memory:"


class WorkerProcess:
    """Runs the worker of an engine as a child process; starts it when there is work, and again when it ends."""

    def __init__(self, engine: AsyncToldOnce, *, log_json: bool = False) -> None:
        """Create it; nothing is started yet.

        Args:
            engine: Gets the counts of the child, and tells what becomes due.
            log_json: Whether the child logs JSON lines even on a terminal.
        """
        self._engine = engine
        self._arguments = ["--log-json"] if log_json else []
        self._is_wanted = asyncio.Event()
        self._is_stopping = asyncio.Event()
        self._is_outdated = asyncio.Event()
        self._renewed_at = -RENEW_EVERY_S
        self._input: asyncio.StreamWriter | None = None
        self.breaker: BreakerStatus | None = None
        """See `WorkerElsewhere.breaker`."""

    def wake(self, subject: Subject | None) -> None:
        """Tell the child that something has become due; start it if it does not run."""
        self._is_wanted.set()
        if self._input is not None and self._input.transport.get_write_buffer_size() < _MAX_UNREAD_BYTES:
            self._input.write(f"{'' if subject is None else json.dumps(subject.text)}\n".encode())

    def renew(self) -> None:
        """Replace the child after its work in progress, as it may hold what was erased."""
        self._is_outdated.set()

    async def run(self) -> None:
        """Run the child whenever there is work, until `stop`. A child that ends by itself is started again."""
        self._engine.turns.worker.elsewhere = self
        await self._wait_for_work()
        wait_s = FIRST_WAIT_S
        while not self._is_stopping.is_set():
            began = time.monotonic()
            try:
                ended = f"exit code {await self._run_child()}"
            except OSError as error:  # no memory, or too many processes or files
                ended = f"not started: {error.strerror}"
            if self._is_stopping.is_set():
                return
            if self._renewed_at >= began:
                await self._wait_for_work()
                continue
            self._engine.admin.worker_counters.restarts += 1
            if time.monotonic() - began >= STEADY_S:
                wait_s = FIRST_WAIT_S
            logger.error("worker process ended", extra={"error": ended, "wait_s": wait_s})
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_stopping.wait(), wait_s)
            wait_s = min(2 * wait_s, MAX_WAIT_S)

    def stop(self) -> None:
        """End the child after the commit in progress, and then `run`."""
        self._is_stopping.set()
        self._is_wanted.set()

    async def _wait_for_work(self) -> None:
        """Wait until something is due, or it is time for maintenance."""
        until = time.monotonic() + START_S
        while not self._is_wanted.is_set() and time.monotonic() < until:
            with suppress(StoreUnavailableError):
                if await self._engine.turns.worker.has_work():
                    return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_wanted.wait(), LOOK_S)

    async def _run_child(self) -> int:
        """Run the child until it ends, by itself or as it was told to; return its exit code."""
        command = module_command("toldonce.cli.worker_child", *self._arguments)
        child = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=self._environment())
        logger.info("worker process started", extra={"pid": child.pid})
        reading = asyncio.create_task(self._read(child))
        stopping = asyncio.create_task(self._is_stopping.wait())
        renewing = asyncio.create_task(self._renew(child))
        try:
            self._input = child.stdin
            await asyncio.wait({reading, stopping, renewing}, return_when=asyncio.FIRST_COMPLETED)
            self._end_input(child)
            async with asyncio.timeout(STOP_S):
                await reading
                return await child.wait()
        except TimeoutError:
            child.kill()
            return await child.wait()
        finally:
            self._end_input(child)
            for task in (stopping, reading, renewing):
                task.cancel()
            if child.returncode is None:
                child.kill()

    async def _renew(self, child: Process) -> None:
        """Wait until the child is outdated, then until it has finished its work in progress, or long enough."""
        self._is_outdated.clear()  # a child that starts now reads what is left
        await self._is_outdated.wait()
        await asyncio.sleep(self._renewed_at + RENEW_EVERY_S - time.monotonic())
        self._renewed_at = time.monotonic()
        self._is_wanted.clear()
        self._input = None
        if child.stdin is not None:
            child.stdin.write(STOP_LINE + b"\n")
        await asyncio.sleep(RENEW_S)

    def _end_input(self, child: Process) -> None:
        self._input = None
        if child.stdin is not None:
            child.stdin.close()

    async def _read(self, child: Process) -> None:
        """Add what the child counts to the counts of this process."""
        while child.stdout is not None and (line := await child.stdout.readline()):
            try:
                report: dict[str, Any] = json.loads(line)
            except ValueError:
                logger.warning("worker process wrote what is no report", extra={"bytes": len(line)})
                continue
            add_counts(self._engine.admin.worker_counters, report["worker"])
            add_counts(self._engine.metrics, report["metrics"])
            breaker = report["breaker"]
            self.breaker = BreakerStatus(**{**breaker, "state": BreakerState(breaker["state"])})

    def _environment(self) -> dict[str, str]:
        """Return this process's environment, with what its command line set."""
        settings = self._engine.settings
        given = {
            f"{PREFIX}LOG_LEVEL": logging.getLevelName(logging.getLogger("toldonce").getEffectiveLevel()).lower(),
            f"{PREFIX}UPSTREAM_URL": settings.upstream_url or "",
        }
        own = _OWN
        if not _names_database(settings.database_url):
            given[DATABASE_SETTING] = settings.database_url
            own |= {f"{DATABASE_SETTING}_FILE"}
        kept = {name: value for name, value in os.environ.items() if name.upper() not in own.union(given)}
        return kept | {name: value for name, value in given.items() if value}


def _names_database(url: str) -> bool:
    """Return whether the environment names a database: a password in a file stays there."""
    try:
        return Settings.load().database_url == url
    except BadSettingError:
        return False
