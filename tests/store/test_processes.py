"""Several processes on one file, and processes that die."""

import os
import signal
from pathlib import Path

import apsw
import numpy as np
import pytest

from factories import ANA, SPACE, add, memory, turn
from forked_processes import ForkedProcess
from patience import PATIENCE_S
from toldonce.errors import StoreUnavailableError
from toldonce.ids import id_bytes
from toldonce.store.factory import open_store
from toldonce.store.failpoint import VARIABLE
from toldonce.store.sqlite import connection
from toldonce.testing import FakeClock
from toldonce.types import CloseMemory

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).parent / "store_process.py"
TESTS = Path(__file__).parent.parent


def start(url: str, name: str, count: int, failpoint: str = "") -> ForkedProcess:
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    return ForkedProcess(str(SCRIPT), url, name, str(count), env=environment)


async def questions(url: str) -> list[str]:
    """Read the log back, check that it is whole, and return what was asked."""
    store = await open_store(url, clock=FakeClock())
    try:
        conversations = await store.conversations.list(ANA)
        assert len(conversations) <= 1
        found = await store.conversations.messages(ANA, conversations[0].id, limit=10_000) if conversations else []
        assert [m.seq for m in found] == list(range(1, len(found) + 1))
        assert [status.last_seq for status in await store.formations.list()] == [len(found)] * len(conversations)
        assert (await store.admin.stats(check=True)).problems == ()
        return [m.text for m in found if m.role == "user"]
    finally:
        await store.close()


async def test_three_processes_write_one_new_file_and_lose_nothing(url: str) -> None:
    processes = [start(url, name, 30) for name in "abc"]
    said = []
    for process in processes:
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
        said += out.split()

    assert len(said) == 90
    assert sorted(await questions(url)) == sorted(said)


@pytest.mark.parametrize(("failpoint", "unsaid"), [("before-commit:2", 0), ("after-commit:2", 1)])
async def test_acknowledged_writes_survive_a_kill_around_a_commit(url: str, failpoint: str, unsaid: int) -> None:
    process = start(url, "a", 40, failpoint)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGKILL, err
    acknowledged = set(out.split())
    found = await questions(url)

    assert acknowledged <= set(found)
    assert len(found) == len(set(found))
    assert bool(len(found) > len(acknowledged)) == bool(unsaid)


async def test_what_another_process_changes_is_seen_at_once(url: str, clock: FakeClock) -> None:
    ours, theirs = [await open_store(url, clock=clock) for _ in range(2)]
    try:
        await ours.memories.apply(ANA, [add(memory("one", clock=clock))], [])
        assert len(await theirs.snapshots.snapshot(ANA, SPACE)) == 1
        await ours.memories.apply(ANA, [add(memory("two", clock=clock))], [])
        assert len(await theirs.snapshots.snapshot(ANA, SPACE)) == 2
    finally:
        await ours.close()
        await theirs.close()


async def test_what_others_changed_while_a_cache_was_away_is_seen_by_both(url: str, clock: FakeClock) -> None:
    """One keeps its cache while the other leaves, changes memories with a cache of its own, and leaves again."""
    ours = await open_store(url, clock=clock)
    first = [memory(f"memory {number}", clock=clock) for number in range(8)]
    await ours.memories.apply(ANA, [add(row) for row in first], [])
    assert len(await ours.snapshots.snapshot(ANA, SPACE)) == 8
    clock.advance(seconds=1)
    for number in range(2):
        theirs = await open_store(url, clock=clock)
        cached = await theirs.snapshots.snapshot(ANA, SPACE)
        gone = CloseMemory(id=first[number].id, valid_to=clock.now(), closed_at=clock.now())
        await theirs.memories.apply(ANA, [gone, add(memory(f"new {number}", clock=clock), vector=[0, 1, 0, 0])], [])
        merged = await theirs.snapshots.snapshot(ANA, SPACE)
        assert merged.version == cached.version + 1
        await theirs.close()
        fresh = await open_store(url, clock=clock)
        read = await fresh.snapshots.snapshot(ANA, SPACE)
        await fresh.close()
        for snapshot in (merged, await ours.snapshots.snapshot(ANA, SPACE)):
            assert (snapshot.ids, snapshot.version) == (read.ids, read.version)
            assert np.array_equal(snapshot.vectors, read.vectors)
            assert np.array_equal(snapshot.terms, read.terms)
        assert id_bytes(gone.id) not in read.ids
    await ours.close()


async def test_a_file_that_another_process_holds_is_unavailable_until_it_lets_go(
    url: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_MS", 20)
    store = await open_store(url, clock=clock)
    other = apsw.Connection(url.removeprefix("sqlite:///"))
    try:
        recorded = await store.conversations.record(turn("a", "b"))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="locked by another process"):
            await store.conversations.record(turn("c", "d"))
        assert len(await store.conversations.messages(ANA, recorded.conversation)) == 2
        other.execute("ROLLBACK")
        assert (await store.conversations.record(turn("c", "d"))).new_conversation
    finally:
        other.close()
        await store.close()
