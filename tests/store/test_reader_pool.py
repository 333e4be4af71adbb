"""Closing a store waits for accepted writes, but not for a read whose caller was cancelled."""

import asyncio
from pathlib import Path

import pytest

from recollect.store.sql.database import SqlConnection
from recollect.store.store import Store
from recollect.testing import FakeClock
from stores import DURABLE, new_store

# Counts for hours; both databases know it.
_ENDLESS = """WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000000000)
SELECT count(*) FROM numbers"""


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
    await asyncio.wait_for(store.close(), 60)
