"""Threads that want the same large subject read it once, whichever comes first."""

import asyncio
import threading
from collections.abc import AsyncIterator, Hashable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from factories import ANA, SPACE, add, memory
from patience import PATIENCE_S
from stores import DURABLE, new_store
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.recall.growing_arrays import GrowingArrays
from toldonce.store.sql.recall.read_locks import ReadLocks
from toldonce.store.sql.recall.snapshot import WholeReader, read_snapshot
from toldonce.store.sql.recall.snapshot_cache import SnapshotCache
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import SubjectSnapshot

TERM_KEY = b"any key"


@pytest.fixture(params=DURABLE)
async def store(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Store]:
    """Open each store that has several reading threads."""
    opened = await new_store(request.param, tmp_path, clock)
    yield opened
    await opened.close()


class CountedReads:
    """Counts whole reads; the first one lasts until another thread waits for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, fails: bool = False) -> None:
        self.whole = 0
        self.waiting = threading.Event()
        held, large = ReadLocks.held, WholeReader.large
        lock = threading.Lock()
        asked: list[Hashable] = []

        def counted_held(locks: ReadLocks, key: Hashable) -> AbstractContextManager[None]:
            with lock:
                asked.append(key)
                if len(asked) > 1:
                    self.waiting.set()
            return held(locks, key)

        def counted_large(reader: WholeReader) -> GrowingArrays:
            with lock:
                self.whole += 1
                is_first = self.whole == 1
            if is_first:
                assert self.waiting.wait(PATIENCE_S)
            if is_first and fails:
                raise InterruptedError
            return large(reader)

        monkeypatch.setattr(ReadLocks, "held", counted_held)
        monkeypatch.setattr(WholeReader, "large", counted_large)


async def both(store: Store, cache: SnapshotCache) -> list[SubjectSnapshot | BaseException]:
    """Read Ana's memories in two threads at once, with an empty cache."""

    def read(db: SqlConnection) -> SubjectSnapshot:
        return read_snapshot(db, ANA, SPACE, cache=cache, term_key=TERM_KEY)

    reads = [store.memories._executor.read(read) for _ in range(2)]
    return await asyncio.wait_for(asyncio.gather(*reads, return_exceptions=True), 2 * PATIENCE_S)


async def test_two_threads_that_want_one_subject_read_it_once(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.memories.apply(ANA, [add(memory(f"m{number}", clock=clock)) for number in range(5)], [])
    reads = CountedReads(monkeypatch)
    first, second = await both(store, SnapshotCache(2**20))

    assert reads.whole == 1
    assert first is second
    assert isinstance(first, SubjectSnapshot)
    assert len(first) == 5


async def test_a_read_that_fails_leaves_the_subject_to_the_next(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.memories.apply(ANA, [add(memory("m", clock=clock))], [])
    reads = CountedReads(monkeypatch, fails=True)
    outcomes = await both(store, SnapshotCache(2**20))

    assert reads.whole == 2
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["InterruptedError", "SubjectSnapshot"]


def test_locks_that_no_thread_uses_are_dropped() -> None:
    locks = ReadLocks()
    with locks.held(1), locks.held(2):
        assert list(locks._locks) == [1, 2]
    with pytest.raises(KeyError), locks.held(3):
        raise KeyError
    assert not locks._locks
