"""A large subject is erased in portions: others write in between, and the end is the same as that of a small one."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from factories import ANA, BEN, add, memory
from stores import STORES, new_store
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.erase import repository as erasures
from toldonce.store.sql.erase.erase import EraseServices
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import EraseRequest, ErasureRecord

MANY, EACH = 53, 10
ALL = EraseRequest(subject=ANA, everything=True)
_LEFT = "SELECT count(*) FROM memory WHERE subject = ?1"


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Store:
    return await new_store(request.param, tmp_path, clock)


async def fill(store: Store, clock: FakeClock) -> None:
    """Give Ana some fifty notes, in the order of their ids."""
    await store.memories.apply(ANA, [add(memory(f"Box {number}.", clock=clock)) for number in range(MANY)], [])


async def erase_watched(
    store: Store, monkeypatch: pytest.MonkeyPatch, seen: Callable[[SqlConnection], None]
) -> ErasureRecord:
    """Erase Ana, and call `seen` in the transaction of each portion after it."""
    monkeypatch.setattr(erasures, "MAX_MEMORIES", EACH)
    erase_portion = erasures.erase_portion

    def erase_and_look(
        db: SqlConnection, order: EraseRequest, after: bytes, services: EraseServices, *, continues: bool
    ) -> bytes | None:
        portion = erase_portion(db, order, after, services, continues=continues)
        seen(db)
        return portion

    monkeypatch.setattr(erasures, "erase_portion", erase_and_look)
    return await store.erasures.erase(ALL)


async def test_each_transaction_erases_a_portion(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, clock)
    left: list[int] = []

    def count(db: SqlConnection) -> None:
        [(number,)] = db.execute(_LEFT, (ANA.key,)).fetchall()
        left.append(int(number))

    erased = await erase_watched(store, monkeypatch, count)
    assert left == [43, 33, 23, 13, 3, 3], "the last few are for the transaction that ends it"
    assert await store.memories.list(ANA) == []
    assert [(record.id, record.counts) for record in await store.erasures.list(ANA)] == [(erased.id, erased.counts)]
    await store.close()


async def test_others_write_between_portions(clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await new_store("file", tmp_path, clock)
    await fill(store, clock)
    loop, written, bens = asyncio.get_running_loop(), set[asyncio.Task[int]](), list[int]()

    def write_beside(db: SqlConnection) -> None:
        note = add(memory("Ben's boat is green.", clock=clock, subject=BEN))
        loop.call_soon_threadsafe(lambda: written.add(asyncio.create_task(store.memories.apply(BEN, [note], []))))
        [(number,)] = db.execute(_LEFT, (BEN.key,)).fetchall()
        bens.append(int(number))

    await erase_watched(store, monkeypatch, write_beside)
    await asyncio.gather(*written)
    assert bens[-1] >= 1, "written before the last portion"
    assert len(await store.memories.list(BEN)) == len(bens)
    await store.close()


async def test_portions_count_what_one_transaction_counts(
    clock: FakeClock, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for size in (1_000, EACH):
        store = await new_store("file", tmp_path_factory.mktemp("store"), clock)
        await fill(store, clock)
        monkeypatch.setattr(erasures, "MAX_MEMORIES", size)
        counts.append((await store.erasures.erase(ALL)).counts)
        assert await store.erasures.pending() == 1
        assert await store.database.scrub(wait_ms=0)
        assert await store.erasures.pending() == 0
        await store.close()
    assert counts[0] == counts[1]
    assert counts[0]["memories"] == MANY
