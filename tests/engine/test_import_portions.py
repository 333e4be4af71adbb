"""An import leaves the event loop to others, stops where it is told to, and does not make all subjects due at once."""

import asyncio
import io
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from populated import opened, parts_of
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.errors import StoreUnavailableError
from toldonce.maintenance import pace
from toldonce.store.sql.maintenance import IMPORT_SPREAD

USERS, EACH = 12, 4


class Watched(io.BytesIO):
    """A file that notes which threads read it, and calls back before a line is read."""

    def __init__(self, data: bytes, *, stop_at: int = 0) -> None:
        super().__init__(data)
        self.threads: set[threading.Thread] = set()
        self.lines = 0
        self._stop_at = stop_at
        self.stopped = False

    def readline(self, size: int | None = -1, /) -> bytes:
        """Note the thread, and count the line."""
        self.threads.add(threading.current_thread())
        self.lines += 1
        self.stopped = self.stopped or self.lines == self._stop_at
        return super().readline(size)


@pytest.fixture(autouse=True)
def _glances_at_each_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every spell be over at once, so that what happens does not depend on how fast the machine is."""
    monkeypatch.setattr(pace, "SPELL_S", 0)
    monkeypatch.setattr(pace, "GLANCE_S", 0)


@pytest.fixture(params=DURABLE)
def there(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    (tmp_path / "there").mkdir()
    return url_of(request.param, tmp_path / "there")


@pytest.fixture
async def data(tmp_path: Path) -> bytes:
    """An export of some users with a few notes each."""
    file = io.BytesIO()
    async with opened(f"sqlite:///{tmp_path / 'here.sqlite3'}") as engine:
        for number in range(USERS):
            await engine.bulk.add([f"Box {box} of {number} holds shoes." for box in range(EACH)], user=f"u{number:02}")
        await engine.transfer.export_to(file, everybody=True)
    return file.getvalue()


async def stopped_after(url: str, data: bytes, lines: int) -> int:
    """Import until so many lines were read, and the engine is closed then; return how many lines were read."""
    file = Watched(data, stop_at=lines)
    async with AsyncToldOnce(await parts_of(url)) as engine:
        engine.transfer._closing_down = lambda: file.stopped
        with pytest.raises(StoreUnavailableError, match="the import was stopped"):
            await engine.transfer.import_from(file)
    return file.lines


async def memories_in(url: str) -> int:
    async with opened(url) as engine:
        assert (await engine.admin.stats(check=True)).problems == ()
        return (await engine.admin.stats()).memories


async def test_an_import_reads_and_writes_in_threads(data: bytes, there: str) -> None:
    file, turns = Watched(data), 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with opened(there) as engine:
        beside = asyncio.create_task(others())
        carried = await engine.transfer.import_from(file)
        beside.cancel()
    assert carried.memories == USERS * EACH
    assert threading.current_thread() not in file.threads
    assert turns > file.lines, "others had a turn at each record"


async def test_a_stopped_import_ends_at_the_next_record_and_is_resumed(data: bytes, there: str) -> None:
    lines = data.count(b"\n") + 1
    for stop_at in (lines // 2, lines + lines // 2):  # while it is checked, and while it is read to be written
        assert await stopped_after(there, data, stop_at) == stop_at
    assert await memories_in(there) == 0

    async with opened(there) as engine:
        carried = await engine.transfer.import_from(io.BytesIO(data), only_missing=True)
    assert (carried.subjects, carried.memories) == (USERS, USERS * EACH)


class StopBeforeWriting:
    """Wants the import to stop once texts were embedded, which is followed by a transaction."""

    def __init__(self) -> None:
        self.stopped = False

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Stop."""
        self.stopped = True


async def test_an_import_stopped_while_it_writes_leaves_nothing_half_written(data: bytes, there: str) -> None:
    bar = StopBeforeWriting()
    async with AsyncToldOnce(await parts_of(there)) as engine:
        engine.transfer._closing_down = lambda: bar.stopped
        with pytest.raises(StoreUnavailableError, match="the import was stopped"):
            await engine.transfer.import_from(io.BytesIO(data), progress=bar, trusted=True)
        assert await engine.admin.subjects() == []
    assert await memories_in(there) == 0


async def test_imported_subjects_are_not_all_due_for_maintenance_at_once(data: bytes, there: str) -> None:
    async with AsyncToldOnce(await parts_of(there)) as engine:
        store, clock = engine._components.store, engine._components.clock
        await engine.transfer.import_from(io.BytesIO(data))
        now = clock.now()
        due = [
            len(await store.maintenance.due(before=now, now=now + IMPORT_SPREAD * share / 4, limit=100))
            for share in range(5)
        ]
    assert due == sorted(due)
    assert due[0] < USERS / 2
    assert 0 < due[2] < USERS
    assert due[4] == USERS
    assert timedelta(minutes=30) < IMPORT_SPREAD < timedelta(hours=1)
