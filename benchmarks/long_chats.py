"""What the proxy adds to the first byte as a chat grows, each request after a formed turn. Starts processes.

Every way asks the same upstream: directly, through a relay that only copies bytes, and through the server with memory
off, read, and on. The client sends the whole chat each time.
"""

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.formats import CHAT, FORMATS
from benchmarks.made_up import Writer
from benchmarks.processes import Running, child, listener, server
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from benchmarks.upstream import CHUNKS
from benchmarks.wire import StreamClient

DIRECT, BARE, OFF, READ, ON = "direct", "bare relay", "memory off", "memory read", "memory on"
# What upstream answers, word by word.
ANSWER = "".join(f"word{number} " for number in range(CHUNKS))
_MODES = {OFF: "off", READ: "read", ON: "on"}
_FORMED_S = 600.0
_LOOK_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    messages: tuple[int, ...]
    """Messages that a chat has when it is measured."""
    other_formats: int
    """Messages of a chat in each of the other formats."""
    rounds: int
    """Requests on each way, at each size; each adds a turn."""


FULL = Sizes(messages=(10, 100, 250, 1000), other_formats=20, rounds=40)
QUICK = Sizes(messages=(4, 20), other_formats=4, rounds=3)


def run(quick: bool) -> list[Row]:
    """Measure chats of each size and format."""
    return measure(QUICK if quick else FULL)


def measure(sizes: Sizes) -> list[Row]:
    """Measure chats of some sizes; the order of the ways changes from round to round."""
    others = [(name, wire, sizes.other_formats) for name, wire in FORMATS.items() if wire is not CHAT]
    wanted = [*(("", CHAT, size) for size in sizes.messages), *others]
    rows: list[Row] = []
    with TemporaryDirectory(prefix="toldonce-bench-") as folder, ExitStack() as stack:
        upstream = stack.enter_context(child("benchmarks.upstream", "0"))
        running = stack.enter_context(server(Path(folder), UPSTREAM_URL=f"http://127.0.0.1:{upstream}/v1"))
        bare = stack.enter_context(listener("benchmarks.bare_relay", str(upstream)))
        ports = {DIRECT: upstream, BARE: bare.port, **dict.fromkeys(_MODES, running.port)}
        for name, wire, size in wanted:
            with ExitStack() as connected:
                clients = {
                    way: connected.enter_context(
                        StreamClient(port, {"x-toldonce-memory": _MODES.get(way, "off")}, wire)
                    )
                    for way, port in ports.items()
                }
                first = _chat(f"{name}-{size}", size, sizes.rounds, clients, running)
            rows += _rows(f"first byte at {size:,} messages{f' of {name}' if name else ''}", first)
    return rows


def _chat(
    name: str, size: int, rounds: int, clients: Mapping[str, StreamClient], running: Running
) -> dict[str, list[float]]:
    """Let one chat grow on each way; return the times to the first byte in milliseconds."""
    writer = Writer(size)
    before = [
        {"role": ("user", "assistant")[place % 2], "content": ANSWER if place % 2 else " ".join(writer.sentences(2))}
        for place in range(size)
    ]
    first: dict[str, list[float]] = {way: [] for way in clients}
    for number in steps(f"chats of {size} messages", range(rounds + 1)):
        said = " ".join(writer.sentences(2))
        ways = [*clients]
        for place in range(len(ways)):
            way = ways[(place + number) % len(ways)]
            timing = clients[way].chat(said, {"x-toldonce-user": f"chat-{name}-{way.split()[-1]}"}, before=before)
            if number:  # the first one brings the whole chat
                first[way].append(timing.first_ms)
            if way == ON:
                wait_until_formed(running)
        before += [{"role": "user", "content": said}, {"role": "assistant", "content": ANSWER}]
    return first


def wait_until_formed(running: Running) -> None:
    """Wait until nothing is left to form."""
    until = time.monotonic() + _FORMED_S
    while running.due() and time.monotonic() < until:
        time.sleep(_LOOK_S)


def _rows(what: str, first: Mapping[str, list[float]]) -> list[Row]:
    rows = []
    direct = percentile(first[DIRECT], 50)
    for way, times in first.items():
        whole = percentile(times, 50)
        added = "" if way == DIRECT else f"{whole - direct:.2f} ms more than directly"
        rows.append(Row(name=f"{what}, {way}, p50", value=whole, unit="ms", note=added, count=len(times)))
    return rows
