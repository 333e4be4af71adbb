"""Longest block of the event loop while memories form. Starts processes; uses temporary databases."""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import settings_for
from benchmarks.made_up import Writer
from benchmarks.processes import child, server
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from benchmarks.wire import StreamClient
from toldonce.engine import AsyncToldOnce

# The promise (issue 2): no stall above this while a replay forms.
BAR_MS = 100.0
PING_EVERY_S = 0.005
PROBE_S = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    quiet_s: float
    """Seconds of pinging with nothing going on: the machine's own noise."""
    forming_s: float
    """Seconds of pinging while the server forms."""
    conversations: int
    """Conversations that the process under the probe records and forms."""
    turns: int


FULL = Sizes(quiet_s=10, forming_s=45, conversations=20, turns=300)
QUICK = Sizes(quiet_s=1, forming_s=5, conversations=2, turns=150)


def run(quick: bool) -> list[Row]:
    """Measure from outside by pings, then from inside by a task that wants to wake every millisecond."""
    sizes = QUICK if quick else FULL
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        rows = from_outside(Path(folder), sizes)
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        rows += asyncio.run(from_inside(Path(folder), sizes))
    return rows


def from_outside(folder: Path, sizes: Sizes) -> list[Row]:
    """Ping a server every 5 ms, first idle, then while it forms what another process records."""
    with server(folder) as running, StreamClient(running.port, {}) as client:
        quiet = _pings(client, sizes.quiet_s, "stall: quiet")
        with child("benchmarks.feeder", str(folder)):
            before = running.formed()
            busy = _pings(client, sizes.forming_s, "stall: while forming")
            ran = running.formed() - before
    return [
        *_rows("ping of an idle server", quiet, "the machine's own noise"),
        *_rows("ping while the server forms", busy, f"{ran} formations meanwhile; reads the database", BAR_MS),
    ]


async def from_inside(folder: Path, sizes: Sizes) -> list[Row]:
    """Run the worker and a probe on one loop while whole conversations are recorded on it."""
    conversations = [Writer(number).conversation(sizes.turns) for number in range(sizes.conversations)]
    quiet, busy = Probe(), Probe()
    async with await AsyncToldOnce.open(settings_for(folder)) as engine:
        await engine.search("warm the models and the statements")
        await quiet.watch(until=_after(min(sizes.quiet_s, 2.0)))
        working = asyncio.create_task(engine.admin.run_worker())
        formed = asyncio.Event()
        probing = asyncio.create_task(busy.watch(until=formed.is_set))
        for number, messages in enumerate(steps("stall: recording and forming", conversations)):
            await engine.record(messages, user=f"bench-{number % 4}", conversation=f"chat-{number}")
        await engine.form()
        formed.set()
        await probing
        engine.admin.stop_worker()
        await working
        ran = engine.admin.worker_counters.formed
    return [
        *_rows("overshoot of an idle loop", quiet.over, f"asked to wake after {PROBE_S * 1000:g} ms"),
        *_rows("overshoot while the loop records and forms", busy.over, f"{ran} commits", BAR_MS),
        *_rows("the loop's own work in one go", busy.work, "CPU time of its thread between two wakings"),
    ]


@dataclass(slots=True)
class Probe:
    """A task that wants to wake every millisecond, and what came between; in milliseconds."""

    over: list[float] = field(default_factory=list)
    """How much later than asked it woke: all that was in the way, other programs included."""
    work: list[float] = field(default_factory=list)
    """CPU time that the loop's thread took meanwhile: what is to be blamed on the loop alone."""
    held: list[float] = field(default_factory=list)
    """Time in which the loop, or one other thread of the process, computed while the task wanted to wake."""

    async def watch(self, *, until: Callable[[], bool]) -> None:
        """Watch until told to stop."""
        while not until():
            start, worked, clocks = time.perf_counter(), time.thread_time(), _clocks()
            await asyncio.sleep(PROBE_S)
            over, work = (time.perf_counter() - start - PROBE_S) * 1000, (time.thread_time() - worked) * 1000
            others = max((clock.spent_ms() for clock in clocks), default=0.0) if over > PROBE_S * 1000 else 0.0
            self.over.append(over)
            self.work.append(work)
            self.held.append(max(work, min(over, others)))


class _ThreadClock:
    """What CPU time another thread has taken since this was made."""

    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread
        self._clock = time.pthread_getcpuclockid(thread.ident or 0)
        self._begin = time.clock_gettime(self._clock)

    def spent_ms(self) -> float:
        """Return the time; 0 if the thread has ended."""
        return (time.clock_gettime(self._clock) - self._begin) * 1000 if self._thread.is_alive() else 0.0


def _clocks() -> list[_ThreadClock]:
    own = threading.current_thread()
    return [_ThreadClock(thread) for thread in threading.enumerate() if thread is not own and thread.is_alive()]


def _after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def _pings(client: StreamClient, seconds: float, label: str) -> list[float]:
    waits = []
    for _ in steps(label, range(int(seconds))):
        until = time.monotonic() + 1
        while time.monotonic() < until:
            waits.append(client.ping_ms())
            time.sleep(max(0.0, PING_EVERY_S - waits[-1] / 1000))
    return waits


def _rows(name: str, samples: list[float], note: str, bar: float | None = None) -> list[Row]:
    count = len(samples)
    return [
        Row(name=f"{name}, longest", value=max(samples), unit="ms", note=note, count=count, bar=bar),
        Row(name=f"{name}, p99", value=percentile(samples, 99), unit="ms", count=count),
        Row(name=f"{name}, p50", value=percentile(samples, 50), unit="ms", count=count),
    ]
