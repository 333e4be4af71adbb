"""Reads in the threads of callers use connections of their own, and leave to the store what they cannot do."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from patience import PATIENCE_S
from toldonce.store.sqlite.connection import DatabaseLocation, open_reader, open_writer
from toldonce.store.sqlite.inline_reader import MAX_CALLERS, CallerReaders


@pytest.fixture
def opened(tmp_path: Path) -> list[apsw.Connection]:
    """The connections that were opened."""
    open_writer(DatabaseLocation(path=str(tmp_path / "toldonce.sqlite3"))).close()
    return []


@pytest.fixture
def readers(tmp_path: Path, opened: list[apsw.Connection]) -> CallerReaders:
    def connect() -> apsw.Connection:
        opened.append(open_reader(DatabaseLocation(path=str(tmp_path / "toldonce.sqlite3"))))
        return opened[-1]

    return CallerReaders(connect)


def answer(db: apsw.Connection) -> int:
    found: int = db.execute("SELECT 42").get
    return found


def test_one_thread_uses_one_connection(readers: CallerReaders, opened: list[apsw.Connection]) -> None:
    assert [readers.read(answer) for _ in range(3)] == [(42,)] * 3
    assert len(opened) == 1
    readers.close()


def test_more_threads_than_connections_are_left_to_the_store(
    readers: CallerReaders, opened: list[apsw.Connection]
) -> None:
    inside, go_on = threading.Barrier(MAX_CALLERS + 1), threading.Event()

    def slow(db: apsw.Connection) -> int:
        inside.wait(PATIENCE_S)
        go_on.wait(PATIENCE_S)
        return answer(db)

    with ThreadPoolExecutor(MAX_CALLERS) as pool:
        reading = [pool.submit(readers.read, slow) for _ in range(MAX_CALLERS)]
        inside.wait(PATIENCE_S)
        assert readers.read(answer) is None
        go_on.set()
        assert [read.result(PATIENCE_S) for read in reading] == [(42,)] * MAX_CALLERS
    assert readers.read(answer) == (42,)
    assert len(opened) == MAX_CALLERS
    readers.close()


def test_what_the_driver_refuses_is_left_to_the_store(readers: CallerReaders) -> None:
    def locked(_: apsw.Connection) -> int:
        raise apsw.BusyError

    assert readers.read(locked) is None
    with pytest.raises(ZeroDivisionError):
        readers.read(lambda _: 1 // 0)
    assert readers.read(answer) == (42,)
    readers.close()


def test_closing_waits_for_a_read_and_ends_all_others(readers: CallerReaders, opened: list[apsw.Connection]) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(db: apsw.Connection) -> int:
        inside.set()
        go_on.wait(PATIENCE_S)
        return answer(db)

    with ThreadPoolExecutor(2) as pool:
        read = pool.submit(readers.read, slow)
        assert inside.wait(PATIENCE_S)
        assert readers.is_busy
        closing = pool.submit(readers.close)
        while readers.read(answer) is not None:
            pass
        assert not closing.done()
        go_on.set()
        assert read.result(PATIENCE_S) == (42,)
        closing.result(PATIENCE_S)
    readers.close()
    for db in opened:
        with pytest.raises(apsw.ConnectionClosedError):
            db.execute("SELECT 1")
