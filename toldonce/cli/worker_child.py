"""The worker as the child of a server, which starts `python -m toldonce.cli.worker_child`. Reads and writes pipes.

Each line of standard input wakes the worker, and may name the subject of which something became due; or it is
`STOP_LINE`. Each line of standard output has what was counted since the line before. The process ends when its input
ends, as its server has.
"""

import asyncio
import gc
import json
import logging
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toldonce.engine import AsyncToldOnce
    from toldonce.providers.circuit_breaker import BreakerStatus
    from toldonce.settings import Settings

logger = logging.getLogger("toldonce.cli.worker_child")

# Chats come first wherever both want the processor.
NICENESS = 10
# Where memory is short, Linux ends this process before the server, which starts it again (-1000 to 1000).
_OUT_OF_MEMORY_SCORE = "500"
_REPORT_S = 0.25
_READ_BYTES = 64 * 1024
# How long the worker may take to end after its server has.
_END_S = 10.0


def main() -> None:
    """Form memories until standard input ends, or SIGTERM."""
    _yield_to_others()
    server = _Server()
    from toldonce.cli.logging_config import set_up_logs
    from toldonce.errors import ToldOnceError
    from toldonce.settings import Settings

    try:
        settings = Settings.load()
        set_up_logs(settings.log_level, as_json="--log-json" in sys.argv or None)
        with suppress(KeyboardInterrupt):  # a second SIGTERM
            asyncio.run(_work(settings, server))
    except ToldOnceError as error:
        logger.error("worker process cannot work", extra={"error": error.logged})
        sys.exit(1)


def _yield_to_others() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the server says when
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    score = Path("/proc/self/oom_score_adj")
    with suppress(OSError):  # another system, or a container that may not
        score.write_text(_OUT_OF_MEMORY_SCORE)


async def _work(settings: "Settings", server: "_Server") -> None:
    from toldonce.cli.signals import on_signal
    from toldonce.engine import AsyncToldOnce

    async with await AsyncToldOnce.open(settings) as engine:
        server.obey(engine, asyncio.get_running_loop())
        gc.freeze()  # loaded modules stay: garbage collections need not scan them
        report = _Report(engine)
        reporting = asyncio.create_task(report.regularly())
        with on_signal(partial(engine.admin.stop_worker, promptly=True), (signal.SIGTERM,)):
            await engine.admin.run_worker()
        reporting.cancel()
        report.write()


class _Server:
    """What the server says on standard input, read by a thread: it may end while this process still starts."""

    def __init__(self) -> None:
        """Read on, until this process ends."""
        self._lock = threading.Lock()
        self._engine: AsyncToldOnce | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        threading.Thread(target=self._listen, name="server", daemon=True).start()

    def obey(self, engine: "AsyncToldOnce", loop: asyncio.AbstractEventLoop) -> None:
        """Wake the engine's worker and stop it from now on; what was said before needs no waking."""
        with self._lock:
            self._engine, self._loop = engine, loop

    def _listen(self) -> None:
        rest = b""
        # Not by `sys.stdin`: an interpreter that ends while a thread waits in it aborts.
        while read := os.read(sys.stdin.fileno(), _READ_BYTES):
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                self._heed(line)
        with self._lock:
            if self._engine is None or self._loop is None:
                os._exit(0)  # it has nothing in work
            self._loop.call_soon_threadsafe(partial(self._engine.admin.stop_worker, promptly=True))
        time.sleep(_END_S)  # this thread ends with the process
        os._exit(1)

    def _heed(self, line: bytes) -> None:
        from toldonce.child_process import STOP_LINE
        from toldonce.types import Subject

        with self._lock:
            if self._engine is None or self._loop is None:
                if line == STOP_LINE:
                    os._exit(0)
            elif line == STOP_LINE:
                self._loop.call_soon_threadsafe(self._engine.admin.stop_worker)
            else:
                subject = Subject.parse(json.loads(line)) if line else None
                self._loop.call_soon_threadsafe(self._engine.turns.worker.wake, subject)


class _Report:
    """What was counted since it was last reported."""

    def __init__(self, engine: "AsyncToldOnce") -> None:
        self._engine = engine
        self._before: tuple[dict[str, float], ...] = ({}, {})
        self._breaker: BreakerStatus | None = None

    async def regularly(self) -> None:
        """Report changes until cancelled."""
        while True:
            self.write()
            await asyncio.sleep(_REPORT_S)

    def write(self) -> None:
        """Report what has changed."""
        from toldonce.metrics import counts_by_name

        counters, breaker = (self._engine.admin.worker_counters, self._engine.metrics), self._engine.admin.breaker
        now = tuple(counts_by_name(each) for each in counters)
        if (now, breaker) == (self._before, self._breaker):
            return
        worker, metrics = (
            {name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name, 0)}
            for before, after in zip(self._before, now, strict=True)
        )
        self._before, self._breaker = now, breaker
        report = {"worker": worker, "metrics": metrics, "breaker": asdict(breaker)}
        with suppress(BrokenPipeError):  # the server has ended
            os.write(sys.stdout.fileno(), json.dumps(report).encode() + b"\n")


if __name__ == "__main__":
    main()
