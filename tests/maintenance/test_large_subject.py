"""A subject with thousands of memories is tended in short spells, stops at once, and goes on where it stopped."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from factories import ANA, memory
from machine_speed import costs
from own_profile import OWN, unexplained, with_profile
from soak import SOAK
from stores import DURABLE, new_store, url_of
from toldonce.clock import EPOCH
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import StoreUnavailableError
from toldonce.formation.runtime import Runtime
from toldonce.maintenance import near_pairs, pace
from toldonce.maintenance.commit import BATCH_SIZE
from toldonce.maintenance.near_pairs import NearPairs
from toldonce.maintenance.sweep import Care, SweepSchedule
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.text import terms
from toldonce.types import Action, AddMemory, MemoryId

# Notes to be timed: several blocks of pairs; each of them has ten near neighbours and more.
MANY = 1_000
# Notes otherwise, with blocks of pairs that are as much smaller.
SOME, BLOCK = 240, 60
# On an idle machine the loop is held for 10 ms.
MAX_HELD_MS = 30.0
_THINGS = ("tea", "rye bread", "plums", "figs", "barley", "mint", "leeks", "honey", "rice", "oats")
_PLACES = ("Oslo", "Rome", "Lima", "Quito", "Accra", "Hanoi", "Dublin", "Kyoto", "Lisbon", "Tallinn")


def sentences(count: int) -> list[str]:
    """Write sentences of one kind, every tenth of them the one before it with another mark at the end."""
    found: list[str] = []
    for number in range(count):
        thing, place = _THINGS[number % 7], _PLACES[number // 7 % 10]
        said = f"The user bought {thing} number {number} at the market of {place}."
        found.append(found[-1].replace(".", "!") if number % 10 == 9 else said)
    return found


def id_at(clock: FakeClock, number: int) -> MemoryId:
    """Make an id of the clock's time; those of `new_id` never go back to an earlier test's time."""
    millis = int(clock.now().timestamp() * 1000)
    return MemoryId(str(UUID(int=millis << 80 | 7 << 76 | 2 << 62 | number)))


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Number of Ana's notes."""
    if SOAK or request.node.get_closest_marker("timing"):
        return MANY
    monkeypatch.setattr(near_pairs, "_MAX_BLOCK_ROWS", BLOCK)
    return SOME


@pytest.fixture
async def crowded(
    kind: str, many: int, clock: FakeClock, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Components]:
    """An engine's parts with the built-in embedder, over a store in which Ana has many notes."""
    folder = tmp_path_factory.mktemp("store")
    store, embedder = await new_store(kind, folder, clock), StaticEmbedder()
    settings = Settings(database_url=url_of(kind, folder))
    parts = Components(
        settings=settings, clock=clock, store=store, embedder=embedder, model=None, counter=token_counter()
    )
    texts = sentences(many)
    for start in range(0, many, 500):
        some = texts[start : start + 500]
        vectors = await embedder.embed(some)
        adds = []
        for place, (text, vector) in enumerate(zip(some, vectors, strict=True), start=start):
            clock.advance(seconds=1)
            note = replace(memory(text, clock=clock), id=id_at(clock, place), profile=OWN, importance=len(text) / 100)
            adds.append(AddMemory(memory=note, space=embedder.space, vectors=(vector,), terms=terms(text)))
        await store.memories.apply(ANA, adds, [])
    yield parts
    await store.close()


def tools_of(parts: Components) -> Runtime:
    return Runtime(store=parts.store, embedder=parts.embedder, model=None, clock=parts.clock, zone=ZoneInfo("UTC"))


def after(asks: int) -> Callable[[], bool]:
    """Say "stop" after being asked so many times."""
    asked = count(1)
    return lambda: next(asked) > asks


async def some_decision(engine: AsyncToldOnce) -> None:
    """Wait until tending has closed something."""
    while not await engine.history.decisions(user=ANA, limit=1):  # noqa: ASYNC110  (what is waited for is in the database)
        await asyncio.sleep(0.001)


@pytest.mark.timing
@pytest.mark.parametrize(
    ("toml", "action"),
    [
        ("", Action.MERGE),
        ("[capacity]\nmax_memories = 100\npolicy = 'lowest_value'", Action.EVICT),
        ("[capacity]\nmax_memories = 100\npolicy = 'fifo'", Action.EVICT),
        ("[age]\nexpire_days = 1", Action.EXPIRE),
    ],
)
async def test_tending_many_memories_leaves_the_loop_to_others(
    crowded: Components, clock: FakeClock, tmp_path: Path, toml: str, action: Action
) -> None:
    clock.advance(days=2)
    engine = with_profile(crowded, tmp_path, toml)
    await engine.search("warm up", user=ANA)
    held_ms, _ = await costs(engine.admin.maintain(user=ANA))
    assert held_ms < MAX_HELD_MS
    decisions = await engine.history.decisions(user=ANA, limit=5_000)
    assert len([line for line in decisions if line.action is action]) >= MANY // 10 - 1
    assert await unexplained(engine, ANA) == []


async def test_stopped_tending_resumes_and_ends_as_if_it_had_not_stopped(
    crowded: Components, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "SPELL_S", 0)  # so that it asks at each note, however fast the machine is
    would = await AsyncToldOnce(crowded).admin.maintain(user=ANA, dry_run=True)
    care = Care(tools_of(crowded), ANA)
    stops, reached = 0, [EPOCH]
    while not await care.run(after(many // 3)):
        stops += 1
        reached.append(min(care.reached or EPOCH, crowded.clock.now()))
    assert stops >= 3
    assert reached == sorted(reached)
    assert reached[-1] > EPOCH
    assert [line.target_id for line in care.decisions] == [line.target_id for line in would.decisions]
    assert len(care.decisions) >= many // 10 - 1


@pytest.mark.timing
async def test_a_stop_is_heeded_at_once_and_costs_one_commit_at_most(crowded: Components) -> None:
    care = Care(tools_of(crowded), ANA)
    stopped_at: list[float] = []

    def stop() -> bool:
        if len(care.decisions) >= 10 and not stopped_at:
            stopped_at.append(time.thread_time())
        return bool(stopped_at)

    assert not await care.run(stop)
    assert time.thread_time() - stopped_at[0] < 1.0
    assert 10 <= len(care.decisions) <= 10 + BATCH_SIZE
    assert not await care.run(lambda: True), "told to stop it does nothing"


async def test_another_process_goes_on_from_where_the_first_one_stopped(
    crowded: Components, many: int, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "SPELL_S", 0)
    first, began = tools_of(crowded), clock.now()
    clock.advance(days=2)
    schedule = SweepSchedule(first, 86_400)
    for asks in (20, many * 7 // 10, many * 7 // 10):
        assert await schedule.portion(after(asks)), "more is left"
    await schedule.close()
    assert await crowded.store.maintenance.due(before=EPOCH, now=clock.now()) == [ANA], "it is its turn at once"
    lease = await crowded.store.maintenance.lease(ANA, before=clock.now(), now=clock.now(), lease_s=1)
    assert lease is not None
    assert lease.last is not None
    assert began - timedelta(seconds=many) < lease.last < began, "some were compared, not all"
    await crowded.store.maintenance.finish(lease, lease.last, whole=False)

    second = SweepSchedule(tools_of(crowded), 86_400)
    assert not await second.portion(lambda: False)
    assert not await crowded.store.maintenance.due(before=clock.now() - timedelta(days=1), now=clock.now())
    assert (await AsyncToldOnce(crowded).admin.maintain(user=ANA)).decisions == (), (
        "nothing was left out between the two"
    )


async def test_tending_taken_over_by_another_process_is_given_up(crowded: Components, clock: FakeClock) -> None:
    schedule = SweepSchedule(tools_of(crowded), 86_400)
    clock.advance(days=2)
    assert await schedule.portion(after(10))
    clock.advance(seconds=301)
    assert await crowded.store.maintenance.lease(ANA, before=clock.now(), now=clock.now(), lease_s=60) is not None
    before = await crowded.store.memories.version(ANA)
    assert not await schedule.portion(lambda: False)
    assert await crowded.store.memories.version(ANA) == before


async def test_closing_ends_tending_by_hand(crowded: Components) -> None:
    engine = AsyncToldOnce(crowded)
    tending = asyncio.create_task(engine.admin.maintain(user=ANA))
    await some_decision(engine)
    await engine.close()
    with pytest.raises(StoreUnavailableError, match=r"tended no further|is closed"):
        await tending


@pytest.mark.timing
async def test_the_worker_stops_in_the_middle_of_one_subject(crowded: Components, clock: FakeClock) -> None:
    clock.advance(days=2)
    engine = AsyncToldOnce(crowded)
    working = asyncio.create_task(engine.admin.run_worker())
    await some_decision(engine)
    engine.admin.stop_worker()
    before = time.process_time()
    await working
    assert time.process_time() - before < 1.0
    assert await crowded.store.maintenance.due(before=clock.now() - timedelta(days=1), now=clock.now()) == [ANA], (
        "it is not done"
    )


async def test_the_pairs_of_blocks_are_those_of_all(
    crowded: Components, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the notes are cut into blocks, each is paired with the same older ones."""
    snapshot = await crowded.store.snapshots.snapshot(ANA, crowded.embedder.space)

    def pairs() -> set[tuple[int, int]]:
        near, found = NearPairs(snapshot, since=None, limit=5), set[tuple[int, int]]()
        while not near.done:
            found |= {(pair.older, pair.newer) for pair in near.next_block()}
        return found

    whole = pairs()
    monkeypatch.setattr(near_pairs, "_MAX_BLOCK_ROWS", 7)
    assert pairs() == whole
    cosines = snapshot.vectors.between(0, many - 1) @ snapshot.vectors.between(many - 1, many)[0]
    nearest = set(np.argsort(-cosines, kind="stable")[:5].tolist())
    assert {older for older, newer in whole if newer == many - 1} == nearest


async def test_pages_and_spells_ask_whether_to_stop(
    crowded: Components, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long one thread computes, it is asked at each note and pair; others have their turns in between."""
    monkeypatch.setattr(pace, "SPELL_S", 0)
    asked, turns = 0, 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return False

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    beside = asyncio.create_task(others())
    assert await Care(tools_of(crowded), ANA).run(stop)
    beside.cancel()
    assert asked > 2 * many, "at each note that is compared, and each pattern"
    assert turns > many
