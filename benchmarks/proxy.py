"""What the proxy adds to a streamed answer, against the same upstream asked directly. Starts processes."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import Writer
from benchmarks.processes import Running, child, server
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from benchmarks.upstream import CHUNKS
from benchmarks.wire import StreamClient, Timing
from recollect.types import Subject

# The pace of a fast model: 200 chunks a second.
PACE_MS = 5.0
MEMORIES = 100
# The promise (issue 2) for what the proxy adds to the first byte, at p50.
BAR_FIRST_MS = 10.0
DIRECT, OFF, ON = "direct", "memory off", "memory on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    rounds: int
    """Chats on each way, in each phase."""
    users: int
    """Users with memories, who take turns, so that each stays near 100 memories."""


FULL = Sizes(rounds=300, users=60)
QUICK = Sizes(rounds=20, users=5)


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
    with TemporaryDirectory(prefix="recollect-bench-") as name, ExitStack() as stack:
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
    return rows


def measure(upstream: int, running: Running, sizes: Sizes, *, label: str) -> dict[str, Arm]:
    """Chat the three ways in turn; the order within a round changes from round to round."""
    writer = Writer()
    arms = {DIRECT: Arm(), OFF: Arm(), ON: Arm()}
    with ExitStack() as stack:
        clients = {
            DIRECT: stack.enter_context(StreamClient(upstream, {})),
            OFF: stack.enter_context(StreamClient(running.port, {"x-recollect-memory": "off"})),
            ON: stack.enter_context(StreamClient(running.port, {"x-recollect-memory": "on"})),
        }
        for number in range(3):  # connections upstream, statements and models are made at first use
            for client in clients.values():
                client.chat(f"warm up {number}", {"x-recollect-user": "nobody"})
        for number in steps(label, range(sizes.rounds)):
            headers = {"x-recollect-user": f"bench-{number % sizes.users}"}
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
