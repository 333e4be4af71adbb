"""Reading on the event loop's thread never waits."""

import asyncio
import threading
from pathlib import Path

import apsw

from patience import PATIENCE_S
from toldonce.store.failpoint import Failpoint
from toldonce.store.sqlite.connection import DatabaseLocation, open_reader, open_writer
from toldonce.store.sqlite.inline_reader import InlineReader
from toldonce.store.sqlite.writer import Writer
from toldonce.testing import FakeClock


def one(db: apsw.Connection) -> int:
    found: int = db.execute("SELECT 1").get
    return found


def opened(tmp_path: Path) -> InlineReader:
    place = DatabaseLocation(path=str(tmp_path / "toldonce.sqlite3"))
    open_writer(place).close()
    on_loop = InlineReader(open_reader(place), FakeClock())
    db = open_reader(place)
    assert on_loop.read(one) is None, "nothing is known of the disk yet"
    assert on_loop.watched(one)(db) == 1
    db.close()
    return on_loop


def test_a_locked_connection_is_left_to_a_thread_at_once(tmp_path: Path) -> None:
    on_loop = opened(tmp_path)
    assert on_loop.read(one) == 1

    def locked(db: apsw.Connection) -> int:
        assert db.pragma("busy_timeout") == 0
        raise apsw.BusyError

    assert on_loop.read(locked) is None
    assert on_loop.read(one) == 1
    on_loop.close()


def test_while_one_loop_reads_another_goes_to_a_thread(tmp_path: Path) -> None:
    on_loop = opened(tmp_path)
    inside, go_on = threading.Event(), threading.Event()

    def slow(db: apsw.Connection) -> int:
        inside.set()
        go_on.wait(PATIENCE_S)
        return one(db)

    found: list[int | None] = []
    other = threading.Thread(target=lambda: found.append(on_loop.read(slow)))
    other.start()
    assert inside.wait(PATIENCE_S)
    assert on_loop.read(one) is None
    go_on.set()
    other.join()
    assert found == [1]
    assert on_loop.read(one) == 1
    on_loop.close()


def test_once_closed_nothing_is_read(tmp_path: Path) -> None:
    on_loop = opened(tmp_path)
    on_loop.close()
    on_loop.close()
    assert on_loop.read(one) is None


async def test_a_database_in_memory_is_read_inline_unless_it_is_being_written() -> None:
    writer = Writer(apsw.Connection(":memory:"), ":memory:", Failpoint())
    assert writer.read_inline(one) == (1,)
    inside, go_on = threading.Event(), threading.Event()

    def slow(_: apsw.Connection) -> None:
        inside.set()
        go_on.wait(PATIENCE_S)

    writing = asyncio.ensure_future(writer.run(slow))
    await asyncio.to_thread(inside.wait, PATIENCE_S)
    assert writer.read_inline(one) is None
    go_on.set()
    await writing
    writer.later(lambda db: None)
    assert writer.read_inline(one) is None, "what waits in the background is written first"
    await writer.written()
    assert writer.read_inline(one) == (1,)
    await writer.close()
    assert writer.read_inline(one) is None
