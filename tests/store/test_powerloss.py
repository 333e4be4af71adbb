"""The power goes: nothing that was acknowledged is lost, and nothing is found by half.

`TOLDONCE_SOAK` says how many times (with other moments each time); a few by default.
"""

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from factories import ANA, add, decision, due, memory, turn
from soak import SOAK
from store.powerloss import NAME, Disk, PowerLoss
from toldonce.store.factory import open_sqlite, open_store
from toldonce.store.sqlite.connection import DatabaseLocation
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import FormationResult

TRIALS = SOAK or 3
# From the tenth on: without syncing, each of the first three trials loses something, as 19 of 30 do.
FIRST_SEED = 10
TURNS = 60
# Opening, and creating the tables, takes some sixty writes; sixty turns take several hundred more.
FIRST_WRITE, LAST_WRITE = 5, 600


@contextmanager
def disk(tmp_path: Path, seed: int, acknowledged: list[str]) -> Iterator[tuple[Disk, list[str]]]:
    """A folder on the forgetful disk, and what was acknowledged when the power went."""
    chance = random.Random(seed)
    then: list[str] = []
    folder = tmp_path / "before"
    folder.mkdir()
    found = Disk(folder, chance.randint(FIRST_WRITE, LAST_WRITE), chance, lambda: then.extend(acknowledged))
    vfs = PowerLoss(found)
    yield found, then
    vfs.unregister()


async def work(store: Store, clock: FakeClock, acknowledged: list[str]) -> None:
    """Record turns, several at once, and form a memory now and then."""

    async def say(number: int) -> None:
        text = f"turn {number}"
        await store.conversations.record(turn(text, f"ok {number}", external_id="x", append=True, formations=[due()]))
        acknowledged.append(text)

    for start in range(0, TURNS, 4):
        await asyncio.gather(*(say(number) for number in range(start, start + 4)))
        for key in await store.formations.due(clock.now()):
            lease = await store.formations.lease(key, now=clock.now(), lease_s=60)
            assert lease is not None
            known = memory(f"memory {lease.last_seq}", clock=clock)
            result = FormationResult(formed_seq=lease.last_seq, changes=(add(known),), decisions=(decision(known),))
            await store.formations.commit(lease, result, now=clock.now())
            acknowledged.append(known.text)


def restore(image: dict[str, bytes], folder: Path) -> None:
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + TRIALS))
async def test_nothing_acknowledged_is_lost_when_the_power_goes(tmp_path: Path, clock: FakeClock, seed: int) -> None:
    acknowledged: list[str] = []
    with disk(tmp_path, seed, acknowledged) as (lost, then):
        place = DatabaseLocation(path=str(lost.folder / "r.sqlite3"), vfs=NAME, exclusive=True)
        store = await open_sqlite(place, clock=clock, cache_bytes=0)
        await work(store, clock, acknowledged)
        await store.close()
    assert lost.image is not None, f"the power was to go at write {lost.cut_at}, there were {lost.writes}"

    restore(lost.image, tmp_path / "after")
    store_again = await open_store(f"sqlite:///{tmp_path / 'after' / 'r.sqlite3'}", clock=clock)
    try:
        found = []
        for conversation in await store_again.conversations.list(ANA):
            log = await store_again.conversations.messages(ANA, conversation.id)
            assert [m.seq for m in log] == list(range(1, len(log) + 1))
            assert [m.role for m in log] == ["user", "assistant"] * (len(log) // 2)
            (status,) = await store_again.formations.list()
            assert status.last_seq == len(log)
            assert status.formed_seq == len(log) or status.due_at is not None
            found += [m.text for m in log if m.role == "user"]
        memories = await store_again.memories.list(ANA)
        assert len(await store_again.decisions.list(ANA)) == len(memories)
        found += [row.text for row in memories]
        assert len(set(found)) == len(found)
        assert set(then) <= set(found)
        assert (await store_again.admin.stats(check=True)).problems == ()
    finally:
        await store_again.close()


async def test_a_counted_attempt_is_on_the_disk_before_the_work_begins(tmp_path: Path, clock: FakeClock) -> None:
    """Else a formation that takes the machine down with it is tried for ever."""
    with disk(tmp_path, 0, []) as (lost, _):
        lost.cut_at = 100_000
        place = DatabaseLocation(path=str(lost.folder / "r.sqlite3"), vfs=NAME, exclusive=True)
        store = await open_sqlite(place, clock=clock, cache_bytes=0)
        await store.conversations.record(turn("a", "b", formations=[due()]))
        [key] = await store.formations.due(clock.now())
        lease = await store.formations.lease(key, now=clock.now(), lease_s=60)
        after_lease = [write.path for write in lost.unsynced]
        assert lease is not None
        clock.advance(seconds=2)
        assert await store.formations.renew(lease, now=clock.now(), lease_s=60)
        after_renewal = [write.path for write in lost.unsynced]
        await store.close()

    assert after_lease == []
    assert after_renewal, "a renewal does not wait for the disk"


def test_the_disk_forgets_what_was_not_synced(tmp_path: Path) -> None:
    """Were it not so, the test above could not fail."""
    acknowledged: list[str] = []
    with disk(tmp_path, 0, acknowledged) as (lost, then):
        lost.cut_at = 40
        lost.chance = random.Random(1)
        db = apsw.Connection(str(lost.folder / "r.sqlite3"), vfs=NAME)
        db.pragma("locking_mode", "exclusive")
        db.pragma("journal_mode", "wal")
        db.pragma("synchronous", "NORMAL")
        db.execute("CREATE TABLE t (n TEXT)")
        for number in range(30):
            db.execute("INSERT INTO t VALUES (?)", (str(number),))
            acknowledged.append(str(number))
        db.close()
    assert lost.image is not None
    restore(lost.image, tmp_path / "after")
    db = apsw.Connection(str(tmp_path / "after" / "r.sqlite3"))
    tables = db.execute("SELECT count(*) FROM sqlite_schema").get
    found = db.execute("SELECT count(*) FROM t").get if tables else 0
    db.close()
    assert isinstance(found, int)
    assert found < len(then)
