"""Group commit: which operations share a transaction, which callers see a failure, and how threads end."""

import asyncio
import logging
import threading
from pathlib import Path

import apsw
import pytest

from factories import ANA, SPACE, add, due, memory, turn
from patience import PATIENCE_S
from toldonce.errors import (
    BadRequestError,
    BadSettingError,
    StoreFullError,
    StoreUnavailableError,
    UnknownMemoryError,
)
from toldonce.store.factory import open_store
from toldonce.store.failpoint import Failpoint
from toldonce.store.sql.jobs import MAX_PASSES
from toldonce.store.sqlite import writer as writer_module
from toldonce.store.sqlite.connection import BUSY_MS, PAGE_BYTES, DatabaseLocation, open_writer
from toldonce.store.sqlite.inline_reader import FileWork
from toldonce.store.sqlite.writer import RESTART_PAGES, Writer
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import StrengthenMemory


class Bench:
    """A writer over a table of numbers, whose thread can be held up so that work gathers behind it."""

    def __init__(self, path: Path) -> None:
        db = open_writer(DatabaseLocation(path=str(path)))
        db.execute("CREATE TABLE number (n INTEGER)")
        self.path = str(path)
        self.commits = 0
        db.set_commit_hook(self._count)
        self.db = db
        self.writer = Writer(db, "the bench", Failpoint())

    def _count(self) -> bool:
        self.commits += 1
        return False

    @staticmethod
    def insert(number: int) -> FileWork[None]:
        def work(db: apsw.Connection) -> None:
            db.execute("INSERT INTO number VALUES (?)", (number,))

        return work

    async def add(self, number: int) -> None:
        await self.writer.run(self.insert(number))

    async def fail(self) -> None:
        def write_then_fail(db: apsw.Connection) -> None:
            db.execute("INSERT INTO number VALUES (-1)")
            raise BadRequestError("no")

        await self.writer.run(write_then_fail)

    async def hold(self, gate: threading.Event) -> asyncio.Task[None]:
        """Keep the thread busy until the gate opens; return once it is, so that no later work joins."""
        begun = threading.Event()

        def work(_db: apsw.Connection) -> None:
            begun.set()
            gate.wait(PATIENCE_S)

        held = asyncio.create_task(self.writer.run(work))
        await asyncio.to_thread(begun.wait, 10)
        return held

    async def numbers(self) -> list[object]:
        return await self.writer.run(lambda db: [row[0] for row in db.execute("SELECT n FROM number ORDER BY n")])


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "bench.sqlite3")


async def test_work_that_waits_shares_one_commit(bench: Bench) -> None:
    gate = threading.Event()
    held = await bench.hold(gate)
    waiting = [asyncio.ensure_future(bench.add(number)) for number in range(50)]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *waiting)

    assert await bench.numbers() == list(range(50))
    assert bench.commits <= 3
    await bench.writer.close()


async def test_one_failing_operation_harms_no_other(bench: Bench) -> None:
    gate = threading.Event()
    held = await bench.hold(gate)
    waiting = [asyncio.ensure_future(work) for work in (bench.add(1), bench.fail(), bench.add(2))]
    await asyncio.sleep(0)
    gate.set()
    outcomes = await asyncio.gather(held, *waiting, return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [type(None), type(None), BadRequestError, type(None)]
    assert await bench.numbers() == [1, 2]
    await bench.writer.close()


async def test_a_defect_in_an_operation_reaches_its_caller_and_the_thread_goes_on(bench: Bench) -> None:
    with pytest.raises(ZeroDivisionError):
        await bench.writer.run(lambda _db: 1 // 0)
    await bench.add(1)
    assert await bench.numbers() == [1]
    await bench.writer.close()


async def test_a_failing_commit_fails_all_of_its_work_and_keeps_none(bench: Bench) -> None:
    bench.db.set_commit_hook(lambda: True)  # SQLite turns such a commit into a rollback
    gate = threading.Event()
    held = await bench.hold(gate)
    waiting = [asyncio.ensure_future(bench.add(number)) for number in range(3)]
    await asyncio.sleep(0)
    gate.set()
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailableError] * 3
    await asyncio.gather(held, return_exceptions=True)

    bench.db.set_commit_hook(None)
    assert await bench.numbers() == []
    await bench.add(1)
    assert await bench.numbers() == [1]
    await bench.writer.close()


async def test_a_full_disk_is_reported_to_all_until_there_is_room(bench: Bench) -> None:
    await bench.add(0)
    pages = int(bench.db.pragma("page_count"))
    await bench.writer.run(lambda db: db.pragma("max_page_count", pages) and None)

    def grow(db: apsw.Connection) -> None:
        db.execute("CREATE TABLE large AS SELECT randomblob(1000000) AS b")

    with pytest.raises(StoreFullError):
        await bench.writer.run(grow)
    assert await bench.numbers() == [0]
    await bench.writer.run(lambda db: db.pragma("max_page_count", pages + 1000) and None)
    await bench.writer.run(grow)
    await bench.writer.close()


async def test_a_write_that_was_accepted_happens_even_if_its_caller_is_cancelled(bench: Bench) -> None:
    gate = threading.Event()
    held = await bench.hold(gate)
    task = asyncio.ensure_future(bench.add(7))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    gate.set()
    await held

    assert task.cancelled()
    assert await bench.numbers() == [7]
    await bench.writer.close()


async def test_closing_finishes_what_was_accepted_and_refuses_the_rest(bench: Bench) -> None:
    waiting = [asyncio.ensure_future(bench.add(number)) for number in range(20)]
    bench.writer.later(bench.insert(99))
    await asyncio.sleep(0)
    await asyncio.gather(bench.writer.close(), bench.writer.close())
    await asyncio.gather(*waiting)
    with pytest.raises(StoreUnavailableError):
        await bench.add(1)
    again = apsw.Connection(bench.path, flags=apsw.SQLITE_OPEN_READONLY)
    assert again.execute("SELECT count(*) FROM number").get == 21
    again.close()


async def test_a_closed_store_says_so_and_leaves_no_thread(store: Store, clock: FakeClock) -> None:
    await store.conversations.record(turn("a", "b"))
    await store.close()
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.conversations.record(turn("a", "b"))
    with pytest.raises(StoreUnavailableError):
        await store.snapshots.snapshot(ANA, SPACE)
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("toldonce")] == []


def test_a_loop_that_ends_without_waiting_hurts_no_later_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"

    async def leave() -> Store:
        store = await open_store(url, clock=FakeClock())
        task = asyncio.ensure_future(store.conversations.record(turn("a", "b")))
        await asyncio.sleep(0)
        task.cancel()
        return store

    store = asyncio.run(leave())
    asyncio.run(store.close())

    async def look() -> int:
        again = await open_store(url, clock=FakeClock())
        found = len(await again.conversations.list(ANA))
        await again.close()
        return found

    assert asyncio.run(look()) == 1


async def test_a_failed_change_leaves_records_of_the_same_moment_alone(store: Store, clock: FakeClock) -> None:
    known = memory("a", clock=clock)
    unknown = StrengthenMemory(id=memory("b", clock=clock).id, importance=1)
    outcomes = await asyncio.gather(
        store.conversations.record(turn("a", "b", formations=[due()])),
        store.memories.apply(ANA, [add(known), unknown], []),
        store.conversations.record(turn("c", "d", formations=[due()])),
        return_exceptions=True,
    )
    assert isinstance(outcomes[1], UnknownMemoryError)
    assert len(await store.conversations.list(ANA)) == 2
    assert await store.memories.list(ANA) == []


async def test_a_log_grown_long_is_copied_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.sqlite3"
    db = open_writer(DatabaseLocation(path=str(path)))
    db.execute("CREATE TABLE large (b BLOB)")
    writer = Writer(db, str(path), Failpoint())
    for _ in range(6):
        await writer.run(lambda db: db.execute("INSERT INTO large VALUES (randomblob(9000000))") and None)
    log_bytes = (tmp_path / "long.sqlite3-wal").stat().st_size
    await writer.close()
    assert log_bytes < 40_000_000


def test_a_failpoint_reads_names_and_counts_and_refuses_others() -> None:
    Failpoint("before-commit:3").reach("before-commit")
    Failpoint("after-commit").reach("before-commit")
    Failpoint("").reach("")
    for wrong in ("between", "before-commit:0", "before-commit:x", "before-commit:-1"):
        with pytest.raises(BadSettingError):
            Failpoint(wrong)


async def test_a_long_read_does_not_block_commits_once_the_log_is_long(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "x.sqlite3")
    reader = apsw.Connection(bench.path)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM number").get == 0  # from here on it holds its snapshot
    pages = RESTART_PAGES * PAGE_BYTES
    await bench.writer.run(lambda db: db.execute("CREATE TABLE big AS SELECT zeroblob(?) AS b", (pages,)).get)
    waited = await asyncio.wait_for(bench.writer.run(lambda db: db.pragma("busy_timeout")), BUSY_MS / 2000)
    assert waited == BUSY_MS, "other processes' writes are waited for as before"
    reader.close()
    await bench.writer.close()


async def test_a_log_that_cannot_be_copied_is_reported_once_and_its_end_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "CHECKPOINT_BUSY_MS", 1)
    caplog.set_level(logging.INFO, logger=writer_module.__name__)
    bench = Bench(tmp_path / "x.sqlite3")
    reader = apsw.Connection(bench.path)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM number").get == 0  # from here on it holds its snapshot
    pages = RESTART_PAGES * PAGE_BYTES
    await bench.writer.run(lambda db: db.execute("CREATE TABLE big AS SELECT zeroblob(?) AS b", (pages,)).get)
    for number in range(3):
        await bench.add(number)
    reader.close()
    for number in range(3):
        await bench.add(number)
    await bench.writer.close()
    assert [record.message for record in caplog.records] == ["checkpoint_failed", "checkpoint_succeeded"]


async def test_a_commit_waits_for_the_disk_if_any_of_its_work_does(bench: Bench) -> None:
    normal, full = 1, 2

    def level(db: apsw.Connection) -> int:
        return int(db.pragma("synchronous"))

    assert await bench.writer.run(level, synced=False) == normal
    assert await bench.writer.run(level) == full
    assert await bench.writer.run(level, synced=False) == normal
    assert await bench.writer.run_alone(level) == full
    gate = threading.Event()
    held = await bench.hold(gate)
    waiting = [asyncio.ensure_future(bench.writer.run(level, synced=synced)) for synced in (False, True, False)]
    await asyncio.sleep(0)
    gate.set()
    assert await asyncio.gather(*waiting) == [full] * 3
    await held
    await bench.writer.close()


async def test_urgent_work_passes_work_that_waits(bench: Bench) -> None:
    gate, order = threading.Event(), list[str]()
    held = await bench.hold(gate)
    waiting = [asyncio.ensure_future(bench.writer.run(lambda _db: order.append("other"))) for _ in range(3)]
    await asyncio.sleep(0)
    urgent = asyncio.ensure_future(bench.writer.run(lambda _db: order.append("urgent"), synced=False, urgent=True))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *waiting, urgent)

    assert order == ["urgent", "other", "other", "other"]
    await bench.writer.close()


async def test_urgent_work_happens_in_the_order_in_which_it_came(bench: Bench) -> None:
    gate, order = threading.Event(), list[int]()
    held = await bench.hold(gate)
    turns = [
        asyncio.ensure_future(bench.writer.run(lambda _db, turn=turn: order.append(turn), urgent=True))  # type: ignore[misc]
        for turn in range(5)
    ]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *turns)

    assert order == [0, 1, 2, 3, 4], "turns of one chat, recorded one after the other"
    await bench.writer.close()


async def test_a_transaction_ends_early_for_urgent_work(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "MAX_HOLD_S", 0)
    begun, gates = threading.Event(), [threading.Event(), threading.Event()]
    order: list[str] = []

    def first(db: apsw.Connection) -> None:
        begun.set()
        gates[1].wait(PATIENCE_S)
        bench.insert(1)(db)
        order.append("first")

    held = await bench.hold(gates[0])
    waiting = [
        asyncio.ensure_future(work)
        for work in (bench.writer.run(first), bench.writer.run(lambda _db: order.append("second")))
    ]
    await asyncio.sleep(0)
    gates[0].set()
    await asyncio.to_thread(begun.wait, 10)
    urgent = asyncio.ensure_future(bench.writer.run(lambda _db: order.append("urgent"), urgent=True))
    await asyncio.sleep(0)
    gates[1].set()
    await asyncio.gather(held, *waiting, urgent)

    assert order == ["first", "urgent", "second"]
    assert await bench.numbers() == [1]
    await bench.writer.close()


async def test_urgent_work_without_end_lets_other_work_happen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "MAX_JOBS", 1)  # A chat's next turn comes while the one before is committed.
    gate, order = threading.Event(), list[str]()

    async def note(name: str) -> None:
        await bench.writer.run(lambda _db: order.append(name), synced=False, urgent=name == "urgent")

    held = await bench.hold(gate)
    works = [asyncio.ensure_future(note(name)) for name in ["other"] * 2 + ["urgent"] * 20]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *works)

    passes = ["urgent"] * MAX_PASSES
    assert order[: 2 * MAX_PASSES + 2] == [*passes, "other", *passes, "other"]
    assert len(order) == 22
    await bench.writer.close()


async def test_closing_finishes_urgent_and_other_work(bench: Bench) -> None:
    gate = threading.Event()
    held = await bench.hold(gate)
    bench.writer.later(bench.insert(1))
    waiting = [
        asyncio.ensure_future(bench.add(2)),
        asyncio.ensure_future(bench.writer.run(bench.insert(3), synced=False, urgent=True)),
    ]
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(bench.writer.close())
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(held, *waiting, closing)

    reader = apsw.Connection(bench.path)
    assert reader.execute("SELECT n FROM number ORDER BY n").fetchall() == [(1,), (2,), (3,)]
    reader.close()
