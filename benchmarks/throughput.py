"""How many messages are recorded, and how many formed by the rules, in a second. Uses databases of its own."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import settings_for
from benchmarks.made_up import Writer
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from recollect.engine import AsyncRecollect

# One waits for each fsync; many share one (group commit).
CLIENTS = (1, 8, 64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    turns: int
    """Turns recorded for each number of clients."""
    long: int
    """Turns of one long conversation that is formed."""
    short: int
    """Conversations of one turn each that are formed."""


FULL = Sizes(turns=3200, long=600, short=500)
QUICK = Sizes(turns=640, long=60, short=60)


def run(quick: bool) -> list[Row]:
    """Measure recording, then forming."""
    sizes = QUICK if quick else FULL
    rows = []
    for clients in steps("throughput: recording", CLIENTS):
        with TemporaryDirectory(prefix="recollect-bench-") as folder:
            rows += asyncio.run(recording(Path(folder), clients, sizes.turns))
    shapes = ((1, sizes.long), (sizes.short, 1))
    for conversations, turns in steps("throughput: forming", shapes):
        with TemporaryDirectory(prefix="recollect-bench-") as folder:
            rows += asyncio.run(forming(Path(folder), conversations, turns))
    return rows


async def recording(folder: Path, clients: int, turns: int) -> list[Row]:
    """Record turns from several clients at once, each with a conversation of its own; nothing is formed meanwhile."""
    each = turns // clients
    chats = [Writer(number).conversation(each) for number in range(clients)]
    waits: list[float] = []

    async def client(number: int, messages: list[dict[str, str]]) -> None:
        for at in range(0, len(messages), 2):
            start = time.perf_counter()
            await engine.record(messages[at : at + 2], user=f"bench-{number}", conversation="chat")
            waits.append((time.perf_counter() - start) * 1000)

    async with await AsyncRecollect.open(settings_for(folder)) as engine:
        start = time.perf_counter()
        await asyncio.gather(*(client(number, messages) for number, messages in enumerate(chats)))
        took = time.perf_counter() - start
    name = f"recorded, {clients} client{'s' if clients > 1 else ''}"
    return [
        Row(
            name=name, value=2 * each * clients / took, unit="messages/s", note="two a call, each fsynced", count=turns
        ),
        Row(name=f"{name}, wait p50", value=percentile(waits, 50), unit="ms", count=len(waits)),
        Row(name=f"{name}, wait p99", value=percentile(waits, 99), unit="ms", count=len(waits)),
    ]


async def forming(folder: Path, conversations: int, turns: int) -> list[Row]:
    """Form what was recorded before: turns made recallable, notes and facts extracted by the rules and resolved."""
    async with await AsyncRecollect.open(settings_for(folder)) as engine:
        for number in range(conversations):
            messages = Writer(number).conversation(turns)
            await engine.record(messages, user=f"bench-{number}", conversation="chat")
        before = (await engine.admin.stats()).memories
        start = time.perf_counter()
        formations = await engine.form()
        took = time.perf_counter() - start
        kept = (await engine.admin.stats()).memories - before
    shape = f"{conversations:,} conversation{'s' if conversations > 1 else ''} of {2 * turns:,} messages"
    note = f"by rules, both stages; {kept:,} memories kept"
    messages_formed = 2 * turns * conversations
    return [
        Row(name=f"formed, {shape}", value=messages_formed / took, unit="messages/s", note=note, count=messages_formed),
        Row(name=f"formations, {shape}", value=formations / took, unit="formations/s", count=formations),
    ]
