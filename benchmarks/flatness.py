"""`python -m benchmarks.flatness`: small users among few and many memories of others. Writes databases of its own."""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from benchmarks.crowd import Crowd, new_database
from benchmarks.crowd import user as other_user
from benchmarks.filler import Filler, decision_on, parts_in
from benchmarks.made_up import SEED, Writer
from benchmarks.many_users import serving
from benchmarks.progress import steps
from benchmarks.recall import QUERY_WORDS
from benchmarks.report import measure
from benchmarks.rows import Row, percentile
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import Components, open_components
from toldonce.settings import Settings
from toldonce.store.postgres.connection import connect
from toldonce.store.store import Store
from toldonce.types import MemoryId, Recall, Subject

A = TypeVar("A")
B = TypeVar("B")

# The promises: a small user among the memories of others, an add among one's own (issue 14), and another user's add
# after prompts that show memories (issue 27).
BAR_OTHERS, BAR_OWN, BAR_BESIDE = 1.2, 1.5, 1.5
FIRST, CACHED, ADD, FORM = "first recall", "cached recall", "add", "turn recorded and formed"
BESIDE, COUNTED = "another user's add after a prompt", "uses counted"
DATABASES = ("sqlite", "postgres")
# Small users get their memories in so many portions between those of others: their rows are not adjacent.
_PORTIONS = 10
# Users written at the same time, so that they share commits.
_AT_ONCE = 8
# Memories that a prompt shows.
_SHOWN = 8
_PAGE = 5_000
_SMALL, _LARGE = Subject("user", "own-small"), Subject("user", "own-large")

NewDatabase = Callable[[str], str]
"""Makes a database of a name; returns its URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    others: tuple[int, ...]
    """Memories of others in each database, ascending."""
    own: tuple[int, int]
    """Memories of the two users whose adds are compared."""
    per_user: int
    texts: int
    """Distinct texts that the memories of others are drawn from."""
    users: int
    """Small users that are measured in each database."""
    rounds: int
    adds: int
    """Adds to each of the two users."""
    prompted: tuple[int, ...]
    """Memories of users whose prompts show some, ascending."""
    prompts: int
    """Prompts of each of them."""


FULL = Sizes(
    others=(1_000, 100_000, 1_000_000),
    own=(100, 100_000),
    per_user=100,
    texts=5_000,
    users=40,
    rounds=6,
    adds=300,
    prompted=(100, 10_000, 50_000),
    prompts=100,
)
QUICK = Sizes(
    others=(200, 1_000),
    own=(20, 200),
    per_user=20,
    texts=200,
    users=5,
    rounds=2,
    adds=10,
    prompted=(20, 200),
    prompts=5,
)


@dataclass(slots=True)
class Place:
    """One database, or one user, with what its calls took."""

    name: str
    url: str
    wall: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds, by what was done."""
    cpu: dict[str, list[float]] = field(default_factory=dict)
    """The same of the process's CPU time; PostgreSQL's server is another process."""

    def note(self, way: str, wall_ms: float, cpu_ms: float) -> None:
        """Keep what a call took."""
        self.wall.setdefault(way, []).append(wall_ms)
        self.cpu.setdefault(way, []).append(cpu_ms)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flatness", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few memories, to see that it runs")
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=("sqlite",), metavar="NAME")
    parser.add_argument(
        "--others", nargs="+", type=int, metavar="N", help="memories of others; default: 1000 100000 1000000"
    )
    parser.add_argument("--only", choices=tuple(PARTS), metavar="NAME", help=f"one of {', '.join(PARTS)}; default: all")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="where databases are made and removed; /dev/shm leaves out the disk"
    )
    parser.add_argument(
        "--url", help="a PostgreSQL server with pgvector; databases toldonce_bench_… are created again there"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)
    part = PARTS[asked.only] if asked.only else run

    def sizes(quick: bool) -> Sizes:
        chosen = QUICK if quick else FULL
        return replace(chosen, others=tuple(sorted(asked.others)) if asked.others else chosen.others)

    def on_sqlite(quick: bool) -> list[Row]:
        with TemporaryDirectory(prefix="toldonce-bench-", dir=asked.folder) as folder:
            return asyncio.run(part(lambda name: f"sqlite:///{folder}/{name}.sqlite3", sizes(quick)))

    def on_postgres(quick: bool) -> list[Row]:
        with serving(asked.url, asked.folder) as server:
            return asyncio.run(part(lambda name: new_database(server, f"flat_{name}"), sizes(quick)))

    ways = {"sqlite": on_sqlite, "postgres": on_postgres}
    measure({f"flatness, {name}": ways[name] for name in asked.databases}, quick=asked.quick, file=asked.json)
    return 0


async def run(new: NewDatabase, sizes: Sizes) -> list[Row]:
    """Measure small users among others, then adds to a small and to a large user, then beside the prompts of others."""
    return [*await among_others(new, sizes), *await among_own(new, sizes), *await beside_prompts(new, sizes)]


async def among_others(new: NewDatabase, sizes: Sizes) -> list[Row]:
    """Fill a database for each number of others' memories, and ask all of them in turn."""
    crowd = await Crowd.made_up(sizes.per_user, sizes.texts)
    places = []
    for count in sizes.others:
        places.append(Place(name=f"{count:,} of others", url=new(f"others_{count}")))
        await _fill(places[-1], crowd, count // sizes.per_user, sizes)
    # The first round loads modules, opens connections and plans statements: it is not counted.
    for number in steps("flatness: small users", range(sizes.rounds + 1)):
        counted = places if number else [Place(name=place.name, url=place.url) for place in places]
        writer = Writer(SEED + 10 + number)
        async with AsyncExitStack() as stack:
            engines = [await stack.enter_async_context(await _opened(place.url)) for place in places]
            pairs = list(zip(counted, engines, strict=True))
            for user in range(sizes.users):
                await _measure_small_user(_rotated(pairs, user + number), _small_user(user), writer)
    return [row for way in (FIRST, CACHED, ADD, FORM) for row in _growth(way, places, BAR_OTHERS)]


async def among_own(new: NewDatabase, sizes: Sizes) -> list[Row]:
    """Add to a user with few memories and to one with many, in one database, in turn."""
    url, writer = new("own"), Writer(SEED + 3)
    users = (_SMALL, _LARGE)
    async with parts_in(Settings.load(database_url=url)) as parts:
        for user, count in steps("flatness: filling two users", list(zip(users, sizes.own, strict=True))):
            await Filler(parts=parts).notes(user, writer.sentences(count))
    places = [Place(name=f"{count:,} of one's own", url=url) for count in sizes.own]
    async with await _opened(url) as engine:
        for user in users:  # Both are in the cache, as in a chat, and what a first add loads is loaded.
            await engine.search("warm the models and the statements", user=user)
            await engine.add(writer.sentences(1)[0], user=user)
        for turn in steps("flatness: adding to two users", range(sizes.adds)):
            for place, user in _rotated(list(zip(places, users, strict=True)), turn):
                await _timed(place, ADD, engine.add(writer.sentences(1)[0], user=user))
    return _growth(ADD, places, BAR_OWN)


async def beside_prompts(new: NewDatabase, sizes: Sizes) -> list[Row]:
    """Let prompts of users with few and many memories show some, in turn; after each, add to another user."""
    url, writer, draw = new("beside"), Writer(SEED + 4), random.Random(SEED)
    places = [Place(name=f"{count:,} memories", url=url) for count in sizes.prompted]
    users = [Subject("user", f"prompted-{count}") for count in sizes.prompted]
    async with parts_in(Settings.load(database_url=url)) as parts:
        for user, count in steps("flatness: filling users", list(zip(users, sizes.prompted, strict=True))):
            await Filler(parts=parts).notes(user, writer.sentences(count))
    if not url.startswith("sqlite"):
        await asyncio.to_thread(_tidy, url)
    parts = await open_components(Settings.load(database_url=url), SystemClock())
    async with AsyncToldOnce(parts) as engine:
        await engine.add(writer.sentences(1)[0], user=_SMALL)
        prompted = [(user, await _all_ids(parts.store, user)) for user in users]
        for turn in steps("flatness: adding beside prompts", range(sizes.prompts)):
            for place, (user, known) in _rotated(list(zip(places, prompted, strict=True)), turn):
                await parts.store.memories.record_uses(user, draw.sample(known, _SHOWN), parts.clock.now())
                await _timed(place, BESIDE, engine.add(writer.sentences(1)[0], user=_SMALL))
                await parts.store.memories.flush_uses()
                await parts.store.memories.record_uses(user, draw.sample(known, _SHOWN), parts.clock.now())
                await _timed(place, COUNTED, parts.store.memories.flush_uses())
    return [row for way in (BESIDE, COUNTED) for row in _growth(way, places, BAR_BESIDE)]


async def _all_ids(store: Store, user: Subject) -> list[MemoryId]:
    ids: list[MemoryId] = []
    while page := await store.memories.list(user, limit=_PAGE, after=ids[-1] if ids else None):
        ids += [memory.id for memory in page]
    return ids


PARTS = {"others": among_others, "own": among_own, "prompts": beside_prompts}


async def _fill(place: Place, crowd: Crowd, others: int, sizes: Sizes) -> None:
    """Write the others' memories through the store, and portions of the small users' ones between them."""
    small = {_small_user(number): Writer(SEED + number).sentences(sizes.per_user) for number in range(sizes.users)}
    bounds = [others * portion // _PORTIONS for portion in range(_PORTIONS + 1)]
    cuts = [sizes.per_user * portion // _PORTIONS for portion in range(_PORTIONS + 1)]
    async with parts_in(Settings.load(database_url=place.url)) as parts:
        portions = list(zip(pairwise(bounds), pairwise(cuts), strict=True))
        for (begin, end), (first, last) in steps(f"flatness: filling {place.name}", portions):
            for user, texts in small.items():
                await Filler(parts=parts).notes(user, texts[first:last])
            for start in range(begin, end, _AT_ONCE):
                numbers = range(start, min(start + _AT_ONCE, end))
                await asyncio.gather(*(_put(parts, crowd, number) for number in numbers))
    if not place.url.startswith("sqlite"):
        await asyncio.to_thread(_tidy, place.url)


async def _put(parts: Components, crowd: Crowd, number: int) -> None:
    made = crowd.memories(number)
    decisions = [decision_on(change.memory, change.memory.id) for change in made]
    await parts.store.memories.apply(other_user(number), made, decisions)


def _tidy(url: str) -> None:
    """Do what the server would do by itself in its own time."""
    with connect(url) as db:
        db.execute("VACUUM (ANALYZE)")
        db.execute("CHECKPOINT")


async def _measure_small_user(pairs: Sequence[tuple[Place, AsyncToldOnce]], user: Subject, writer: Writer) -> None:
    """Ask, add and form the same for one user in each database, one database after the other."""
    for way in (FIRST, CACHED):
        query = " ".join(writer.words(QUERY_WORDS))
        for place, engine in pairs:
            await _recall(place, way, engine.search(query, user=user))
    text, turn = writer.sentences(1)[0], writer.conversation(1)
    for place, engine in pairs:
        await _timed(place, ADD, engine.add(text, user=user))
    for place, engine in pairs:
        await _timed(place, FORM, _formed(engine, user, turn))


async def _formed(engine: AsyncToldOnce, user: Subject, turn: Sequence[Mapping[str, str]]) -> None:
    await engine.record(turn, user=user, conversation="chat")
    await engine.form()


async def _recall(place: Place, way: str, call: Awaitable[Recall]) -> None:
    """Note what a recall took beside the embedding of its query."""
    worked = time.process_time()
    took_ms = (await call).took_ms
    place.note(way, took_ms, 1000 * (time.process_time() - worked))


async def _timed(place: Place, way: str, call: Awaitable[object]) -> None:
    begin, worked = time.perf_counter(), time.process_time()
    await call
    place.note(way, 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - worked))


def _growth(way: str, places: Sequence[Place], bar: float) -> list[Row]:
    """Make the figures of each place, and what each took of the first one's time."""
    rows, least = [], places[0]
    for place in places:
        cpu, times = percentile(place.cpu[way], 50), place.wall[way]
        note = f"{cpu:.2f} ms of CPU; p95 {percentile(times, 95):.2f} ms"
        name = f"{way}, {place.name}, p50"
        rows.append(Row(name=name, value=percentile(times, 50), unit="ms", note=note, count=len(times)))
    for place in places[1:]:
        cpu = percentile(place.cpu[way], 50) / percentile(least.cpu[way], 50)
        rows.append(
            Row(
                name=f"growth, {way}, {place.name}",
                value=percentile(place.wall[way], 50) / percentile(least.wall[way], 50),
                unit="times",
                note=f"by {least.name}; CPU × {cpu:.2f}",
                count=len(place.wall[way]),
                bar=bar,
            )
        )
    return rows


async def _opened(url: str) -> AsyncToldOnce:
    return await AsyncToldOnce.open(Settings.load(database_url=url))


def _rotated(pairs: Sequence[tuple[A, B]], turn: int) -> list[tuple[A, B]]:
    """Begin with another one each time: what else the machine does hits all alike."""
    first = turn % len(pairs)
    return [*pairs[first:], *pairs[:first]]


def _small_user(number: int) -> Subject:
    return Subject("user", f"small-{number}")


if __name__ == "__main__":
    sys.exit(main())
