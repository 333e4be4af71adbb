"""One user with very many memories is imported, searched, maintained and erased: how long it holds the event loop.

Starts processes, writes temporary databases.
"""

import asyncio
import gc
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine, Sequence
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import SEED, Writer
from benchmarks.processes import environment
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from benchmarks.stall import Probe
from toldonce.engine import AsyncToldOnce
from toldonce.types import Subject

GIANT, OTHER = Subject("user", "giant"), Subject("user", "other")
# The promises (issue 11): nothing holds the loop longer, and stopping takes at most this.
BAR_MS = 20.0
STOP_BAR_MS = 1_000.0
FULL, QUICK = (20_000, 100_000), (2_000,)
# Of the notes so many say what another says: the same, with a word more, or with another word.
_SHARE_OF_DOUBLES = 0.3
_STOPS = 5
_QUERIES = 30
_WORKER_STOP_S = 60


def run(quick: bool) -> list[Row]:
    """Work on subjects of several sizes on one loop, then stop a worker in the middle of one's maintenance."""
    rows: list[Row] = []
    for size in QUICK if quick else FULL:
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            rows += asyncio.run(_at_once(Path(folder), size))
    for size in QUICK if quick else FULL:
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            asyncio.run(_filled(Path(folder), size))
            rows += _stopped(Path(folder), size, 1 if quick else _STOPS)
    return rows


def texts(many: int) -> list[str]:
    """Write sentences of which some are near-duplicates of others, in an order drawn once."""
    writer, draw = Writer(SEED), random.Random(SEED)
    found = writer.sentences(round(many * (1 - _SHARE_OF_DOUBLES)))
    more = writer.words(many)
    for number in range(many - len(found)):
        words = draw.choice(found).rstrip(".").split()
        if number % 3 == 1:
            words.append(draw.choice(more))
        elif number % 3 == 2:
            words[draw.randrange(len(words))] = draw.choice(more)
        found.append(" ".join(words) + ("!" if number % 3 == 0 else "."))
    draw.shuffle(found)
    return found


async def _filled(folder: Path, size: int) -> None:
    async with parts_in(settings_for(folder)) as parts:
        await Filler(parts=parts).notes(GIANT, texts(size))


async def _at_once(folder: Path, size: int) -> list[Row]:
    """Import, search, maintain and erase a subject, and watch the loop meanwhile."""
    await _filled(folder, size)
    async with await AsyncToldOnce.open(settings_for(folder)) as engine:
        lines = BytesIO(await _exported(engine))
        await engine.erasure.subject(GIANT)
    (folder / "there").mkdir()
    async with await AsyncToldOnce.open(settings_for(folder / "there")) as engine:
        await engine.add("Warm the models and the statements.", user=OTHER)
        await engine.search("warm the models", user=OTHER)
        gc.collect()
        gc.freeze()  # as the server does
        rows = await _watched(f"{size:,} memories of one user imported", engine.transfer.import_from(lines))
        rows += await _watched(f"{size:,} memories of one user searched", _searched(engine))
        rows += await _watched(f"{size:,} memories of one user maintained", engine.admin.maintain(user=GIANT))
        waits: list[float] = []
        adding = asyncio.create_task(_adding(engine, waits))
        rows += await _watched(f"{size:,} memories of one user erased", engine.erasure.subject(GIANT))
        adding.cancel()
    longest = Row(
        name=f"{size:,} memories of one user erased, another user's add, longest",
        value=max(waits),
        unit="ms",
        count=len(waits),
    )
    return [*rows, longest]


async def _watched(name: str, work: Coroutine[Any, Any, object]) -> list[Row]:
    probe, done = Probe(), asyncio.Event()
    probing = asyncio.create_task(probe.watch(until=done.is_set))
    began = time.perf_counter()
    await work
    took = time.perf_counter() - began
    done.set()
    await probing
    return [
        Row(name=f"{name}, whole", value=took, unit="s"),
        *_spread(f"{name}, the loop's own work in one go", probe.work, BAR_MS, "CPU time of its thread"),
        *_spread(f"{name}, the loop held", probe.held, None, "at most: a thread may have computed without it"),
        *_spread(f"{name}, overshoot of a sleep", probe.over, None, "other programs of the machine included"),
    ]


async def _exported(engine: AsyncToldOnce) -> bytes:
    """Export the subject without what its memories rest on: messages that no log has."""
    file = BytesIO()
    await engine.transfer.export_to(file, user=GIANT)
    lines = []
    for line in file.getvalue().splitlines():
        record = json.loads(line)
        if "memory" in record:
            record["memory"]["evidence"] = []
        if "decision" not in record:
            lines.append(json.dumps(record, ensure_ascii=False))
    return "\n".join([*lines, ""]).encode()


async def _searched(engine: AsyncToldOnce) -> None:
    for query in Writer(SEED + 1).sentences(_QUERIES):
        await engine.search(query, user=GIANT)


async def _adding(engine: AsyncToldOnce, waits: list[float]) -> None:
    """Add notes of another user, one after another."""
    for number in count():
        began = time.perf_counter()
        await engine.add(f"The user likes thing number {number}.", user=OTHER)
        waits.append((time.perf_counter() - began) * 1000)


def _stopped(folder: Path, size: int, times: int) -> list[Row]:
    """Stop `toldonce worker` while it maintains the subject; each run goes on where the one before it stopped."""
    waits = []
    for number in steps(f"upkeep: stopping at {size:,}", range(times)):
        command = [sys.executable, "-m", "toldonce", "worker"]
        process = subprocess.Popen(command, env=environment(folder, {}), stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()  # it says that it forms
        time.sleep(1.0 + number)
        began = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        process.wait(_WORKER_STOP_S)
        waits.append((time.perf_counter() - began) * 1000)
    return [
        Row(
            name=f"{size:,} memories of one user, SIGTERM to the end of `toldonce worker`, longest",
            value=max(waits),
            unit="ms",
            count=len(waits),
            bar=STOP_BAR_MS,
        )
    ]


def _spread(name: str, samples: Sequence[float], bar: float | None, note: str) -> list[Row]:
    total = len(samples)
    return [
        Row(name=f"{name}, longest", value=max(samples), unit="ms", note=note, count=total, bar=bar),
        Row(name=f"{name}, p99", value=percentile(list(samples), 99), unit="ms", count=total),
    ]
