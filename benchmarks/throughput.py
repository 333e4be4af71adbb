"""How many messages are recorded, and how many formed by the rules, in a second. Uses databases of its own."""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.filler import settings_for
from benchmarks.made_up import Writer
from benchmarks.observer import MESSAGE_LINE, empty, noted
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from toldonce.engine import AsyncToldOnce
from toldonce.extraction.llm import SCHEMA_NAME
from toldonce.providers.protocols import ModelAnswer, ModelUsage

# One waits for each fsync; many share one (group commit).
CLIENTS = (1, 8, 64)
# The promise (issue 14): what a formed turn costs beside asking a model, in milliseconds of CPU.
BAR_TURN_CPU_MS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    turns: int
    """Turns recorded for each number of clients."""
    long: int
    """Turns of one long conversation that is formed."""
    short: int
    """Conversations of one turn each that are formed."""
    chat: int
    """Turns that are each formed before the next one is recorded."""


FULL = Sizes(turns=3200, long=600, short=500, chat=300)
QUICK = Sizes(turns=640, long=60, short=60, chat=30)


def run(quick: bool) -> list[Row]:
    """Measure recording, then forming."""
    sizes = QUICK if quick else FULL
    rows = []
    for clients in steps("throughput: recording", CLIENTS):
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            rows += asyncio.run(recording(Path(folder), clients, sizes.turns))
    shapes = ((1, sizes.long), (sizes.short, 1))
    for conversations, turns in steps("throughput: forming", shapes):
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            rows += asyncio.run(forming(Path(folder), conversations, turns))
    for model in steps("throughput: forming turn by turn", (None, Noter())):
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            rows += asyncio.run(turn_by_turn(Path(folder), sizes.chat, model))
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

    async with await AsyncToldOnce.open(settings_for(folder)) as engine:
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
    async with await AsyncToldOnce.open(settings_for(folder)) as engine:
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


class Noter:
    """A model that answers at once, with a note for each message of the user; what it takes itself is told."""

    name = "noter"

    def __init__(self) -> None:
        """Count from zero."""
        self.calls = 0
        self.cpu_s = 0.0

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Note the first sentence of each message that the extractor shows; leave other questions undecided."""
        self.calls += 1
        worked = time.process_time()
        data = {"memories": list(_notes(user))} if schema_name == SCHEMA_NAME else empty(schema)
        self.cpu_s += time.process_time() - worked
        return ModelAnswer(data=data, usage=ModelUsage(prompt_tokens=1, completion_tokens=1), calls=1)

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def _notes(question: str) -> Iterator[dict[str, Any]]:
    for line in question.partition("\nMessages:\n")[2].splitlines():
        message = MESSAGE_LINE.fullmatch(line)
        if message and json.loads(message[3]) == "user":
            words = json.loads(message[4])
            yield noted(words.partition(".")[0] + ".", int(message[1]), words)


async def turn_by_turn(folder: Path, turns: int, model: Noter | None) -> list[Row]:
    """Form each turn of a chat before the next is recorded, by the rules or with a model; count CPU time beside it."""
    own, wall = [], []
    messages = Writer().conversation(turns + 1)
    async with await AsyncToldOnce.open(settings_for(folder), model=model) as engine:
        for turn in range(turns + 1):
            asked_s = model.cpu_s if model else 0.0
            start, worked = time.perf_counter(), time.process_time()
            await engine.record(messages[2 * turn : 2 * turn + 2], user="bench", conversation="chat")
            await engine.form()
            asked_s = (model.cpu_s if model else 0.0) - asked_s
            if turn:  # The first one loads modules and plans statements.
                own.append(1000 * (time.process_time() - worked - asked_s))
                wall.append(1000 * (time.perf_counter() - start))
        kept = (await engine.admin.stats()).memories
    name = f"formed turn, {'with a model that answers at once' if model else 'by rules'}"
    calls = f"{model.calls / (turns + 1):.2f} calls a turn; " if model else ""
    note = f"recorded and formed; {calls}{kept:,} memories kept"
    return [
        Row(
            name=f"{name}, own CPU, mean",
            value=sum(own) / turns,
            unit="ms",
            note=note,
            count=turns,
            bar=BAR_TURN_CPU_MS,
        ),
        Row(name=f"{name}, wall p50", value=percentile(wall, 50), unit="ms", count=turns),
    ]
