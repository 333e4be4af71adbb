"""What memory adds to the first byte while memories are formed, in one process and in two. Starts processes.

A chat goes on beside another user's backlog. The server forms in its own process, or in a child of it.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import settings_for
from benchmarks.long_chats import ANSWER, wait_until_formed
from benchmarks.made_up import Writer
from benchmarks.processes import Running, child, server
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from benchmarks.wire import StreamClient
from toldonce.engine import AsyncToldOnce

# The promise (issue 33): while memories are formed, the first byte takes at most so many times what it takes idle.
BAR_RATIO = 1.3
PLACES = {"thread": "one process", "process": "a worker process"}
DIRECT, ON = "direct", "memory on"
IDLE, AT_ONCE, BACKLOG = "idle", "asked at once", "backlog"
PHASES = {
    IDLE: "each request after a formed turn",
    AT_ONCE: "each request at the end of the answer before",
    BACKLOG: "another user's messages are formed",
}
# Messages of one conversation of the backlog.
_CONVERSATION = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    messages: int
    """Messages of the chat at its first request; each request adds two."""
    rounds: int
    """Requests on each way, in each phase."""
    backlog: int
    """Messages of another user that wait to be formed."""


FULL = Sizes(messages=20, rounds=40, backlog=2000)
QUICK = Sizes(messages=4, rounds=3, backlog=100)


def run(quick: bool) -> list[Row]:
    """Measure each place of the worker."""
    return measure(QUICK if quick else FULL)


def measure(sizes: Sizes) -> list[Row]:
    """Measure all phases in each place, one after the other, so that they do not disturb one another."""
    return [row for place in PLACES for row in _in_place(place, sizes)]


def _in_place(place: str, sizes: Sizes) -> list[Row]:
    with TemporaryDirectory(prefix="toldonce-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        upstream = stack.enter_context(child("benchmarks.upstream", "0"))
        running = stack.enter_context(server(folder, UPSTREAM_URL=f"http://127.0.0.1:{upstream}/v1", WORKER=place))
        headers = {"x-toldonce-memory": "on"}
        clients = {
            DIRECT: stack.enter_context(StreamClient(upstream, headers)),
            ON: stack.enter_context(StreamClient(running.port, headers)),
        }
        added: dict[str, float] = {}
        rows = []
        for phase, wait in ((IDLE, wait_until_formed), (AT_ONCE, _go_on), (BACKLOG, _go_on)):
            if phase is BACKLOG:
                wait_until_formed(running)
                asyncio.run(_record(folder, sizes.backlog))
            first = _chat(f"{place}: {phase}", sizes, clients, lambda wait=wait: wait(running))  # type: ignore[misc]
            added[phase] = percentile(first[ON], 50) - percentile(first[DIRECT], 50)
            left = f"; {running.due():,} formations left" if phase is BACKLOG else ""
            name = f"first byte added in {PLACES[place]}, {phase}, p50"
            note = f"{PHASES[phase]}{left}; p90 {percentile(first[ON], 90):.1f} ms whole"
            rows.append(Row(name=name, value=added[phase], unit="ms", note=note, count=sizes.rounds))
        rows += [
            Row(
                name=f"{phase} by idle, {PLACES[place]}",
                value=added[phase] / added[IDLE],
                unit="times",
                bar=BAR_RATIO,
                count=sizes.rounds,
            )
            for phase in (AT_ONCE, BACKLOG)
        ]
        memory = [running.rss_mb, *running.children_rss_mb()]
        note = " + ".join(f"{process:.0f}" for process in memory)
        return [*rows, Row(name=f"RSS, {PLACES[place]}", value=sum(memory), unit="MB", note=note)]


async def _record(folder: Path, messages: int) -> None:
    """Record conversations of another user, and form nothing of them."""
    async with await AsyncToldOnce.open(settings_for(folder)) as engine:
        for number in steps("backlog: recording", range(messages // _CONVERSATION)):
            said = Writer(number).conversation(_CONVERSATION // 2)
            await engine.record(said, user="backlog", conversation=f"chat-{number}")


def _chat(
    name: str, sizes: Sizes, clients: Mapping[str, StreamClient], wait: Callable[[], None]
) -> dict[str, list[float]]:
    """Let a chat grow on each way; return the times to the first byte in milliseconds."""
    writer = Writer(sizes.messages)
    before = [
        {"role": ("user", "assistant")[place % 2], "content": ANSWER if place % 2 else " ".join(writer.sentences(2))}
        for place in range(sizes.messages)
    ]
    first: dict[str, list[float]] = {way: [] for way in clients}
    for number in steps(name, range(sizes.rounds + 1)):
        said = writer.statement()
        for way in (DIRECT, ON) if number % 2 else (ON, DIRECT):
            timing = clients[way].chat(said, {"x-toldonce-user": f"chat-{name.replace(' ', '-')}"}, before=before)
            if number:  # the first one brings the whole chat
                first[way].append(timing.first_ms)
        wait()
        before += [{"role": "user", "content": said}, {"role": "assistant", "content": ANSWER}]
    return first


def _go_on(running: Running) -> None:
    """Wait for nothing."""
