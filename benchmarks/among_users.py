"""Recall among few and many users of one PostgreSQL: how long it takes, and that it is exact. Writes databases."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from itertools import cycle

import numpy as np

from benchmarks.crowd import Copier, Crowd, Templates, id_of, new_database, user
from benchmarks.known import Known
from benchmarks.made_up import SEED, Writer
from benchmarks.recall import QUERY_WORDS
from benchmarks.rows import Row, percentile, spread
from toldonce.clock import Clock, SystemClock
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import Components, open_components
from toldonce.providers.static_embedder import SPACE, StaticEmbedder
from toldonce.settings import Settings
from toldonce.testing import FakeClock

CLIENTS = 8
# The promise (issue 5): recall among 20,000 users takes less than this times what it takes among 1,000.
BAR_GROWTH = 1.5
# Questions, embedded before anything is measured.
_QUERIES = 500
_CHECKED_QUERIES = 10
# Series of each database, in turn: what else the machine does meets both.
_SERIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    few: int
    many: int
    per_user: int
    texts: int
    recalls: int
    """In each series."""
    checked: int
    """Users whose recall is compared with what it is without all the others."""


FULL = Sizes(few=1_000, many=20_000, per_user=100, texts=5_000, recalls=400, checked=40)
QUICK = Sizes(few=20, many=60, per_user=20, texts=200, recalls=40, checked=5)


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which is asked."""

    name: str
    cache: int | None = None
    """Bytes for cached subjects; None: the default."""
    users: int | None = None
    """So many users ask; None: all of them."""
    clients: int = CLIENTS
    promised: bool = True
    """Whether the bar holds."""


WAYS = (
    Way("random users, cold", cache=0),
    Way("200 users who chat", users=200),
    # Few users fit in the cache, many do not: what grows there is how often it misses.
    Way("random users, default cache", promised=False),
    Way("one client, cold", cache=0, clients=1, promised=False),
    Way("one client, 200 users who chat", users=200, clients=1, promised=False),
)


@dataclass(frozen=True, slots=True)
class Place:
    """One database."""

    name: str
    url: str
    users: int


@dataclass(slots=True)
class Times:
    """What the recalls of one database took."""

    took_ms: list[float] = field(default_factory=list)
    """Each beside its query's embedding."""
    seconds: float = 0.0
    """All of them together."""
    found: int = 0
    cpu_s: float = 0.0
    """Of this process alone."""


async def run(server_url: str, sizes: Sizes) -> list[Row]:
    """Fill both databases, measure them in turn, and compare a few users with what they are alone."""
    crowd = await Crowd.made_up(sizes.per_user, sizes.texts)
    places, rows = await _filled(server_url, sizes, crowd)
    writer = Writer(SEED + 1)
    queries = [" ".join(writer.words(QUERY_WORDS)) for _ in range(_QUERIES)]
    for way in WAYS:
        async with AsyncExitStack() as stack:
            opened = [await parts_at(place.url, queries, SystemClock(), cache=way.cache) for place in places]
            engines = [await stack.enter_async_context(AsyncToldOnce(parts)) for parts in opened]
            times = [Times() for _ in places]
            for number in range(_SERIES + 1):
                for place, engine, counted in zip(places, engines, times, strict=True):
                    users = min(way.users or place.users, place.users)
                    picked = np.random.default_rng((SEED, number)).integers(users, size=sizes.recalls).tolist()
                    asked = list(zip(picked, cycle(queries), strict=False))
                    # The first series opens connections and plans statements; it is not counted.
                    await _series(engine, asked, way.clients, counted if number else Times())
        rows += _figures(places, times, way)
    rows.append(await _checked(places[-1], sizes.checked, crowd, queries))
    return rows


async def _filled(server_url: str, sizes: Sizes, crowd: Crowd) -> tuple[list[Place], list[Row]]:
    templates = await Templates.written(new_database(server_url, "texts"), crowd)
    places, rows = [], []
    for users in (sizes.few, sizes.many):
        place = Place(name=f"{users:,} users", url=new_database(server_url, f"users{users}"), users=users)
        copier = Copier(place.url, crowd, templates)
        start = time.perf_counter()
        await asyncio.to_thread(copier.put, range(users))
        took_s = time.perf_counter() - start
        copier.tidy()
        memories, sizes_of = users * sizes.per_user, copier.sizes()
        copier.close()
        places.append(place)
        whole = sum(sizes_of.values())
        parts = ", ".join(f"{table} {size / memories:,.0f}" for table, size in sizes_of.items())
        name = f"{place.name}, loading"
        note = f"{memories:,} memories, {memories / took_s:,.0f} a second; texts drawn from {len(crowd.texts):,}"
        rows += [
            Row(name=name, value=took_s, unit="s", note=note),
            Row(name=f"{place.name}, a memory", value=whole / memories, unit="bytes", note=f"{parts}; with indexes"),
            Row(name=f"{place.name}, in all", value=whole / 1e9, unit="GB"),
        ]
    return places, rows


async def _series(engine: AsyncToldOnce, asked: Sequence[tuple[int, str]], clients: int, times: Times) -> None:
    """Let the clients recall at the same time, each as soon as its last one is there."""
    waiting = iter(asked)

    async def client() -> None:
        for number, query in waiting:
            recall = await engine.search(query, user=user(number))
            times.took_ms.append(recall.took_ms)
            times.found += len(recall.items)

    start, worked = time.perf_counter(), time.process_time()
    await asyncio.gather(*(client() for _ in range(clients)))
    times.seconds += time.perf_counter() - start
    times.cpu_s += time.process_time() - worked


def _figures(places: Sequence[Place], times: Sequence[Times], way: Way) -> list[Row]:
    rows = []
    for place, counted in zip(places, times, strict=True):
        each = len(counted.took_ms)
        own = f"{each / counted.seconds:,.0f} a second, {1000 * counted.cpu_s / each:.1f} ms of CPU each beside it"
        note = f"{own}; {counted.found / each:.0f} results"
        rows += spread(f"{place.name}, {way.name}", counted.took_ms, "ms", note=note)
    for share in (50, 99):
        few, many = (percentile(counted.took_ms, share) for counted in times)
        rows.append(
            Row(
                name=f"growth, {way.name}, p{share}",
                value=many / few,
                unit="times",
                note=f"{places[1].name} by {places[0].name}",
                bar=BAR_GROWTH if share == 50 and way.promised else None,
            )
        )
    return rows


async def _checked(place: Place, users: int, crowd: Crowd, queries: Sequence[str]) -> Row:
    """Compare what is recalled among all with what the user's memories alone give, and with plain arithmetic.

    Raises:
        AssertionError: something else was recalled.
    """
    picked = np.random.default_rng(SEED).permutation(place.users)[:users].tolist()
    compared = 0
    parts = await parts_at(place.url, queries, FakeClock(), cache=0)
    async with AsyncToldOnce(parts) as among:
        for number in picked:
            own = await parts_at("sqlite:///:memory:", queries, FakeClock(), cache=0)
            async with AsyncToldOnce(own) as alone:
                await own.store.memories.apply(user(number), crowd.memories(number), [])
                for query in queries[:_CHECKED_QUERIES]:
                    one, other = [
                        [(item.memory.id, item.memory.text, round(item.score, 9)) for item in recall.items]
                        for recall in [await engine.search(query, user=user(number)) for engine in (among, alone)]
                    ]
                    assert one == other, f"{user(number).text} asks {query!r}: {one} among all, {other} alone"
                    compared += 1
            snapshot = await parts.store.snapshots.snapshot(user(number), SPACE)
            mine = crowd.vectors[crowd.picked(number)]
            assert snapshot.ids == [id_of(number, at) for at in range(crowd.per_user)]
            assert np.array_equal(snapshot.vectors, mine.astype(np.float32))
    return Row(
        name="recalls equal to those of the user's memories alone",
        value=compared,
        unit="recalls",
        note=f"all that were compared; {users} users of {place.name}; vectors equal bit for bit",
        count=compared,
    )


async def parts_at(url: str, queries: Sequence[str], clock: Clock, *, cache: int | None) -> Components:
    """Open what an engine is wired from, its queries embedded already."""
    settings = Settings.load(database_url=url, cache_bytes=cache)
    parts = await open_components(settings, clock, embedder=StaticEmbedder())
    return replace(parts, embedder=Known(parts.embedder, queries, await parts.embedder.embed_queries(queries)))
