"""How long a recall takes through the library: hybrid, explained, exact. Uses a database of its own."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import Writer
from benchmarks.progress import steps
from benchmarks.rows import Row, spread
from toldonce.engine import AsyncToldOnce
from toldonce.types import Subject

# A question of a chat, in words.
QUERY_WORDS = 8
# The promise (issue 2): one user's recall among 100,000 memories, beside the embedding of the query.
BAR_MS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    totals: tuple[int, ...]
    """Memories in the file, ascending, shared by users of `per_user` each."""
    per_user: int
    alone: tuple[int, ...]
    """Memories of a user who has this many alone, each in a file beside the shared one."""
    queries: int
    """Recalls for each figure."""


FULL = Sizes(totals=(1_000, 10_000, 100_000), per_user=100, alone=(1_000, 10_000, 100_000), queries=1000)
QUICK = Sizes(totals=(1_000, 10_000), per_user=100, alone=(1_000,), queries=150)


@dataclass(slots=True)
class Times:
    """What a series of recalls took, in milliseconds."""

    whole: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    """Beside the query's embedding."""
    cpu: float = 0.0
    """CPU time of all threads, summed: hardly changed by what else the machine does."""
    found: int = 0

    def rows(self, name: str, note: str, bar: float | None = None) -> list[Row]:
        """Make the figures."""
        note = f"{note}; {self.found / len(self.whole):.0f} results"
        cpu = self.cpu / len(self.whole)
        return [
            *spread(f"{name}, beside embedding", self.beside, "ms", note=note, bar=bar),
            *spread(f"{name}, whole call", self.whole, "ms", note=f"with the query's embedding; {cpu:.2f} ms of CPU"),
        ]


def run(quick: bool) -> list[Row]:
    """Measure among many users, then one user with many memories."""
    sizes = QUICK if quick else FULL
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        rows = asyncio.run(among_many(Path(folder), sizes))
    for count in sizes.alone:
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            rows += asyncio.run(alone(Path(folder), count, sizes))
    return rows


async def among_many(folder: Path, sizes: Sizes) -> list[Row]:
    """Grow one file user by user and measure at each size."""
    writer, rows, users = Writer(), [], 0
    for total in sizes.totals:
        wanted = total // sizes.per_user
        async with parts_in(settings_for(folder)) as parts:
            filler = Filler(parts=parts)
            for user in steps(f"recall: filling up to {total:,}", range(users, wanted)):
                await filler.notes(_user(user), writer.sentences(sizes.per_user))
        users = wanted
        where = f"{sizes.per_user:,} of {total:,}"
        bar = BAR_MS if total == max(FULL.totals) else None
        picked = [_user(user) for user in writer.shuffled(sizes.queries, users)]
        rows += await _three_ways(folder, where, picked, writer, bar)
    return rows


async def alone(folder: Path, count: int, sizes: Sizes) -> list[Row]:
    """Measure one user who has all memories of the file."""
    writer, user = Writer(), _user(0)
    async with parts_in(settings_for(folder)) as parts:
        for _ in steps(f"recall: filling one user with {count:,}", range(1)):
            await Filler(parts=parts).notes(user, writer.sentences(count))
    # A cold read of a giant takes a thousand times a warm one; some are enough.
    fewer = max(5, min(sizes.queries, 500_000 // count))
    rows = (await _recalls(folder, [user] * fewer, writer, cold=True)).rows(f"{count:,} of one user, cold", "cache off")
    rows += (await _recalls(folder, [user] * sizes.queries, writer)).rows(f"{count:,} of one user, hot", "cached")
    rows += (await _after_writes(folder, user, fewer, writer)).rows(
        f"{count:,} of one user, after a write", "a note added before each recall"
    )
    return rows


async def _three_ways(
    folder: Path, where: str, picked: Sequence[Subject], writer: Writer, bar: float | None
) -> list[Row]:
    cold = await _recalls(folder, picked, writer, cold=True)
    mixed = await _recalls(folder, picked, writer)
    hot = await _recalls(folder, [picked[0]] * len(picked), writer)
    written = await _after_writes(folder, picked[0], len(picked), writer)
    return [
        *cold.rows(f"{where}, random users, cold", "cache off: each recall reads the file", bar),
        *mixed.rows(f"{where}, random users", "default cache, empty at the start", bar),
        *hot.rows(f"{where}, one hot user", "cached", bar),
        *written.rows(f"{where}, after a write", "a note added before each recall", bar),
    ]


async def _recalls(folder: Path, users: Sequence[Subject], writer: Writer, *, cold: bool = False) -> Times:
    times = Times()
    settings = settings_for(folder, cache_bytes=0) if cold else settings_for(folder)
    async with await AsyncToldOnce.open(settings) as engine:
        await engine.search("warm the models and the statements", user=Subject("user", "nobody"))
        for user in steps("recall: searching", users):
            await _one(engine, user, writer, times)
    return times


async def _after_writes(folder: Path, user: Subject, count: int, writer: Writer) -> Times:
    times = Times()
    async with parts_in(settings_for(folder)) as parts:
        engine, filler = AsyncToldOnce(parts), Filler(parts=parts)
        await engine.search("warm the models and the statements", user=user)
        for _ in steps("recall: writing and searching", range(count)):
            await filler.notes(user, writer.sentences(1))
            await _one(engine, user, writer, times)
    return times


async def _one(engine: AsyncToldOnce, user: Subject, writer: Writer, times: Times) -> None:
    query = " ".join(writer.words(QUERY_WORDS))
    start, worked = time.perf_counter(), time.process_time()
    recall = await engine.search(query, user=user)
    times.whole.append((time.perf_counter() - start) * 1000)
    times.cpu += (time.process_time() - worked) * 1000
    times.beside.append(recall.took_ms)
    times.found += len(recall.items)


def _user(number: int) -> Subject:
    return Subject("user", f"bench-{number}")
