"""What the proxy adds to a streamed answer, against the same upstream asked directly. Starts processes."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import Writer
from benchmarks.processes import Running, child, cpu_s, listener, server
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from benchmarks.upstream import CHUNKS
from benchmarks.wire import StreamClient, Timing
from toldonce.types import Subject

# The pace of a fast model: 200 chunks a second.
PACE_MS = 5.0
MEMORIES = 100
# The promise (issue 2) for what the proxy adds to the first byte, at p50.
BAR_FIRST_MS = 10.0
DIRECT, OFF, ON = "direct", "memory off", "memory on"
BARE = "bare relay"
# Answers whose difference is the cost of chunks alone.
SHORT_CHUNKS, LONG_CHUNKS = 20, 420
# The promise (issue 14) for a chunk's CPU time, beside 66 µs of the bare relay on the machine of the issue.
BAR_CHUNK_US = {OFF: 70.0, ON: 90.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    rounds: int
    """Chats on each way, in each phase."""
    users: int
    """Users with memories, who take turns, so that each stays near 100 memories."""
    answers: int
    """Long and short answers of each relay whose CPU time is read."""


FULL = Sizes(rounds=300, users=60, answers=30)
QUICK = Sizes(rounds=20, users=5, answers=6)


@dataclass(slots=True)
class Arm:
    """The times of one way."""

    first: list[float] = field(default_factory=list)
    chunks: list[float] = field(default_factory=list)
    done: list[float] = field(default_factory=list)

    def take(self, timing: Timing) -> None:
        """Add an answer's times."""
        self.first.append(timing.first_ms)
        self.chunks += timing.chunks_ms
        self.done.append(timing.done_ms)


def run(quick: bool) -> list[Row]:
    """Measure with nothing else going on, then while the server forms what another process records."""
    sizes = QUICK if quick else FULL
    with TemporaryDirectory(prefix="toldonce-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        asyncio.run(_fill(folder, sizes.users))
        upstream = stack.enter_context(child("benchmarks.upstream", str(PACE_MS)))
        running = stack.enter_context(server(folder, UPSTREAM_URL=f"http://127.0.0.1:{upstream}/v1"))
        rows = _rows(measure(upstream, running, sizes, label="proxy: quiet"), "")
        with child("benchmarks.feeder", str(folder)):
            before = running.formed()
            arms = measure(upstream, running, sizes, label="proxy: while forming")
            ran = running.formed() - before
        rows += _rows(arms, " while forming")
        rows.append(Row(name="formations the server did meanwhile", value=ran, unit="formations"))
        rows += cpu_rows(folder, upstream, sizes)
    return rows


@dataclass(slots=True)
class Cost:
    """CPU time of a relaying process."""

    first_ms: list[float] = field(default_factory=list)
    """From a request to the first chunk of its answer."""
    chunk_us: list[float] = field(default_factory=list)


def cpu_rows(folder: Path, upstream: int, sizes: Sizes) -> list[Row]:
    """Measure CPU times beside a relay that reads nothing, without formations in between."""
    writer = Writer()
    with ExitStack() as stack:
        url = f"http://127.0.0.1:{upstream}/v1"
        running = stack.enter_context(server(folder, UPSTREAM_URL=url, WORKER="false"))
        bare = stack.enter_context(listener("benchmarks.bare_relay", str(upstream)))
        relays = {
            BARE: (bare.pid, stack.enter_context(StreamClient(bare.port, {}))),
            OFF: (running.pid, stack.enter_context(StreamClient(running.port, {"x-toldonce-memory": "off"}))),
            ON: (running.pid, stack.enter_context(StreamClient(running.port, {"x-toldonce-memory": "on"}))),
        }
        costs = {way: Cost() for way in relays}
        for number in steps("proxy: CPU time", range(sizes.answers + 1)):
            user = {"x-toldonce-user": f"bench-{number % sizes.users}"}
            said = " ".join(writer.sentences(2))
            for way in _turned(tuple(relays), number):
                first_s, chunk_s = _cost(*relays[way], said, user)
                if number:  # the first round warms up
                    costs[way].first_ms.append(first_s * 1e3)
                    costs[way].chunk_us.append(chunk_s * 1e6)
    return [row for way, cost in costs.items() for row in _cpu_rows(way, cost)]


def _cost(pid: int, client: StreamClient, said: str, user: Mapping[str, str]) -> tuple[float, float]:
    """Return a process's CPU seconds until the first chunk, and for one more chunk."""
    taken, firsts = [], []
    for chunks in (SHORT_CHUNKS, LONG_CHUNKS):
        before = cpu_s(pid)
        firsts.append(client.step_through(said, user, chunks=chunks, at_first=lambda: cpu_s(pid)) - before)
        taken.append(cpu_s(pid) - before)
    return firsts[0], (taken[1] - taken[0]) / (LONG_CHUNKS - SHORT_CHUNKS)


def _cpu_rows(way: str, cost: Cost) -> list[Row]:
    note = f"an answer of {LONG_CHUNKS} chunks minus one of {SHORT_CHUNKS}; each chunk arrives by itself"
    count = len(cost.chunk_us)
    return [
        Row(name=f"CPU until the first byte, {way}, p50", value=percentile(cost.first_ms, 50), unit="ms", count=count),
        Row(
            name=f"CPU of a chunk, {way}, p50",
            value=percentile(cost.chunk_us, 50),
            unit="µs",
            note=note if way == BARE else "",
            count=count,
            bar=BAR_CHUNK_US.get(way),
        ),
    ]


def measure(upstream: int, running: Running, sizes: Sizes, *, label: str) -> dict[str, Arm]:
    """Chat the three ways in turn; the order within a round changes from round to round."""
    writer = Writer()
    arms = {DIRECT: Arm(), OFF: Arm(), ON: Arm()}
    with ExitStack() as stack:
        clients = {
            DIRECT: stack.enter_context(StreamClient(upstream, {})),
            OFF: stack.enter_context(StreamClient(running.port, {"x-toldonce-memory": "off"})),
            ON: stack.enter_context(StreamClient(running.port, {"x-toldonce-memory": "on"})),
        }
        for number in range(3):  # connections upstream, statements and models are made at first use
            for client in clients.values():
                client.chat(f"warm up {number}", {"x-toldonce-user": "nobody"})
        for number in steps(label, range(sizes.rounds)):
            headers = {"x-toldonce-user": f"bench-{number % sizes.users}"}
            said = " ".join(writer.sentences(2))
            for way in _turned(tuple(arms), number):
                arms[way].take(clients[way].chat(said, headers))
    return arms


async def _fill(folder: Path, users: int) -> None:
    writer = Writer()
    async with parts_in(settings_for(folder)) as parts:
        for user in range(users):
            await Filler(parts=parts).notes(Subject("user", f"bench-{user}"), writer.sentences(MEMORIES))


def _turned(ways: Sequence[str], by: int) -> Iterator[str]:
    for place in range(len(ways)):
        yield ways[(place + by) % len(ways)]


def _rows(arms: Mapping[str, Arm], when: str) -> list[Row]:
    rows = []
    direct = arms[DIRECT]
    for name, base in (("first byte", direct.first), ("each chunk", direct.chunks), ("[DONE]", direct.done)):
        for share in (50, 99):
            note = f"upstream of {CHUNKS} chunks, one each {PACE_MS:g} ms" if name == "first byte" else ""
            value = percentile(base, share)
            rows.append(Row(name=f"{name}, direct{when}, p{share}", value=value, unit="ms", note=note, count=len(base)))
    for way in (OFF, ON):
        arm = arms[way]
        rows += _added("first byte", way + when, arm.first, direct.first)
        rows += _added("each chunk", way + when, arm.chunks, direct.chunks)
        rows += _added("[DONE]", way + when, arm.done, direct.done)
    return rows


def _added(what: str, way: str, through: Sequence[float], direct: Sequence[float]) -> list[Row]:
    rows = []
    for share in (50, 99):
        whole = percentile(through, share)
        rows.append(
            Row(
                name=f"{what}, added with {way}, p{share}",
                value=whole - percentile(direct, share),
                unit="ms",
                note=f"{whole:.2f} through the proxy",
                count=len(through),
                bar=BAR_FIRST_MS if what == "first byte" and share == 50 else None,
            )
        )
    return rows
