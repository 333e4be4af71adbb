"""Threads with connections: what closing waits for, and which work comes first."""

import asyncio
import threading
from pathlib import Path

import pytest

from patience import PATIENCE_S
from stores import DURABLE, new_store
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.jobs import MAX_PASSES
from toldonce.store.sql.reader_pool import ReaderPool
from toldonce.store.store import Store
from toldonce.testing import FakeClock

# Counts for hours; both databases know it.
_ENDLESS = """WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000000000)
SELECT count(*) FROM numbers"""


class Connection:
    """Stands for a connection to a database."""

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def interrupt(self) -> None:
        """Do nothing: no statement runs."""


@pytest.fixture(params=DURABLE)
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Store:
    return await new_store(str(request.param), tmp_path, clock)


async def reading(store: Store, begun: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()

    def endless(db: SqlConnection) -> None:
        loop.call_soon_threadsafe(begun.set)
        db.execute(_ENDLESS)

    await store.memories._executor.read(endless)  # what each of its readings goes through


async def test_closing_ends_a_cancelled_read(store: Store) -> None:
    begun = asyncio.Event()
    task = asyncio.create_task(reading(store, begun))
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])
    await asyncio.wait_for(store.close(), PATIENCE_S)


async def test_urgent_work_passes_work_that_waits_for_a_connection() -> None:
    gate, order = threading.Event(), list[str]()
    pool = ReaderPool([Connection()], "the bench", lambda error: error)

    async def note(name: str, *, urgent: bool = False) -> None:
        await pool.run(lambda _db: order.append(name), urgent=urgent)

    held = asyncio.ensure_future(pool.run(lambda _db: gate.wait(PATIENCE_S)))
    await asyncio.sleep(0)
    works = [asyncio.ensure_future(work) for work in (note("first"), note("second"), note("third", urgent=True))]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *works)

    assert order == ["third", "first", "second"]
    await pool.close()


async def test_one_connection_does_urgent_work_in_the_order_in_which_it_came() -> None:
    begun, gate, order = threading.Event(), threading.Event(), list[int]()
    pool = ReaderPool([Connection()], "the bench", lambda error: error)

    async def note(turn: int) -> None:
        await pool.run(lambda _db: order.append(turn), urgent=True)

    def hold(_db: Connection) -> None:
        begun.set()
        gate.wait(PATIENCE_S)

    held = asyncio.ensure_future(pool.run(hold))
    await asyncio.to_thread(begun.wait, 10)
    turns = [asyncio.ensure_future(note(turn)) for turn in range(5)]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *turns)

    assert order == [0, 1, 2, 3, 4]
    await pool.close()


async def test_urgent_work_passes_other_work_a_few_times_in_a_row() -> None:
    begun, gate, order = threading.Event(), threading.Event(), list[str]()
    pool = ReaderPool([Connection()], "the bench", lambda error: error)

    async def note(name: str, *, urgent: bool) -> None:
        await pool.run(lambda _db: order.append(name), urgent=urgent)

    def hold(_db: Connection) -> None:
        begun.set()
        gate.wait(PATIENCE_S)

    held = asyncio.ensure_future(pool.run(hold))
    await asyncio.to_thread(begun.wait, 10)
    works = [asyncio.ensure_future(note(name, urgent=name == "urgent")) for name in ["renewal"] * 2 + ["urgent"] * 20]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *works)

    passes = ["urgent"] * MAX_PASSES
    assert order[: 2 * MAX_PASSES + 2] == [*passes, "renewal", *passes, "renewal"]
    assert len(order) == 22
    await pool.close()
