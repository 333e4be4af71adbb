"""The leases of a killed worker are free once a process opens the file that no other process has open."""

import subprocess
import sys
from pathlib import Path

import pytest

from factories import due, turn
from toldonce.store.factory import open_store
from toldonce.store.sqlite.file_guard import ProcessLock
from toldonce.testing import FakeClock

pytestmark = pytest.mark.process

HOLD = """
import sys, time
from toldonce.store.sqlite.file_guard import ProcessLock
print(ProcessLock(sys.argv[1]).first, flush=True)
time.sleep(60)
"""


async def leased(path: Path, clock: FakeClock) -> bool:
    """Open the file, and return whether its one formation is leased."""
    store = await open_store(f"sqlite:///{path}", clock=clock)
    free = await store.formations.due(clock.now())
    await store.close()
    return not free


async def test_the_lease_of_a_dead_process_alone_is_free_at_once(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "r.sqlite3"
    store = await open_store(f"sqlite:///{path}", clock=clock)
    await store.conversations.record(turn("I like tea.", "Noted.", formations=[due()]))
    [key] = await store.formations.due(clock.now())
    assert await store.formations.lease(key, now=clock.now(), lease_s=60)
    assert await leased(path, clock), "the store that holds it is still open"
    await store.close()
    assert not await leased(path, clock)


def test_a_mark_goes_with_its_process_however_it_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "r.sqlite3")
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        other.kill()
        other.wait()
    mark = ProcessLock(path)
    assert mark.first
    mark.close()


def test_only_the_first_is_first(tmp_path: Path) -> None:
    path = str(tmp_path / "r.sqlite3")
    one = ProcessLock(path)
    one.share()
    two = ProcessLock(path)
    assert (one.first, two.first) == (True, False)
    for mark in (one, two):
        mark.close()
        mark.close()
    three = ProcessLock(path)
    assert three.first
    three.close()


def test_a_folder_that_is_not_there_leaves_no_mark_and_breaks_nothing(tmp_path: Path) -> None:
    mark = ProcessLock(str(tmp_path / "nowhere" / "r.sqlite3"))
    assert not mark.first
    mark.share()
    mark.close()
