"""The database's files vanish under a running store: nothing is acknowledged that would not be found again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from factories import ANA, add, memory, turn
from toldonce.errors import StoreUnavailableError
from toldonce.store.factory import open_store
from toldonce.store.failpoint import Failpoint
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer
from toldonce.store.sqlite.file_guard import FileGuard
from toldonce.store.sqlite.writer import Writer
from toldonce.testing import FakeClock


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def replaced(path: Path) -> None:
    """Put another database in the place, as a restored backup is."""
    other = path.with_name("other.sqlite3")
    open_writer(DatabaseLocation(path=str(other))).close()
    other.replace(path)


def replaced_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


VANISHINGS: list[Callable[[Path], object]] = [
    Path.unlink,
    replaced,
    replaced_by_a_folder,
    lambda path: path.rename(path.with_name("away")),
    lambda path: path.parent.rename(path.parent.with_name("away")),
    lambda path: log_of(path).unlink(),
]


@pytest.mark.parametrize("vanish", VANISHINGS)
async def test_nothing_is_acknowledged_once_the_file_is_gone(
    url: str, clock: FakeClock, vanish: Callable[[Path], object]
) -> None:
    store = await open_store(url, clock=clock)
    recorded = await store.conversations.record(turn("a", "b"))
    await store.database.ping()
    vanish(path_of(url))

    with pytest.raises(StoreUnavailableError, match="put it back, or restart"):
        await store.conversations.record(turn("c", "d"))
    with pytest.raises(StoreUnavailableError, match="put it back, or restart"):
        await store.memories.apply(ANA, [add(memory("e", clock=clock))], [])
    with pytest.raises(StoreUnavailableError, match="put it back, or restart"):
        await store.database.ping()
    assert len(await store.conversations.messages(ANA, recorded.conversation)) == 2, "reads go on"
    await store.close()


async def test_a_restored_file_takes_writes_again_and_has_all_acknowledged_ones(url: str, clock: FakeClock) -> None:
    path = path_of(url)
    store = await open_store(url, clock=clock)
    await store.conversations.record(turn("a", "b"))
    path.rename(path.with_name("away"))
    with pytest.raises(StoreUnavailableError):
        await store.conversations.record(turn("c", "d"))
    path.with_name("away").rename(path)
    await store.conversations.record(turn("e", "f"))
    await store.database.ping()
    await store.close()

    store = await open_store(url, clock=clock)
    found = [m.text for c in await store.conversations.list(ANA) for m in await store.conversations.messages(ANA, c.id)]
    assert sorted(found) == ["a", "b", "e", "f"]
    await store.close()


async def test_a_restart_keeps_what_was_acknowledged_before_the_log_was_deleted(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    await store.conversations.record(turn("a", "b"))
    log_of(path_of(url)).unlink()
    await store.close()

    store = await open_store(url, clock=clock)
    assert len(await store.conversations.list(ANA)) == 1
    await store.conversations.record(turn("c", "d"))
    await store.close()


async def test_a_copy_without_its_log_opens_with_what_the_file_holds(
    url: str, clock: FakeClock, tmp_path: Path
) -> None:
    store = await open_store(url, clock=clock)
    await store.conversations.record(turn("a", "b"))
    await store.close()
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(path_of(url).read_bytes())
    store = await open_store(f"sqlite:///{copy}", clock=clock)
    assert len(await store.conversations.list(ANA)) == 1
    assert (await store.admin.stats(check=True)).problems == ()
    await store.conversations.record(turn("e", "f"))
    await store.close()


async def test_a_commit_into_a_file_that_vanished_meanwhile_is_not_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    db = open_writer(DatabaseLocation(path=str(path)))
    writer = Writer(db, str(path), Failpoint(), FileGuard.of(db, DatabaseLocation(path=str(path))))
    with pytest.raises(StoreUnavailableError, match=r"x\.sqlite3 was moved"):
        await writer.run(lambda _db: path.unlink())
    await writer.close()


async def test_a_link_is_followed_to_its_file(url: str, clock: FakeClock, tmp_path: Path) -> None:
    path = path_of(url)
    store = await open_store(url, clock=clock)
    await store.close()
    link = tmp_path / "link.sqlite3"
    link.symlink_to(path)
    store = await open_store(f"sqlite:///{link}", clock=clock)
    await store.conversations.record(turn("a", "b"))
    path.unlink()
    with pytest.raises(StoreUnavailableError):
        await store.conversations.record(turn("c", "d"))
    await store.close()


async def test_a_log_that_is_copied_and_restarted_is_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "long.sqlite3"
    db = open_writer(DatabaseLocation(path=str(path)))
    db.execute("CREATE TABLE large (b BLOB)")
    writer = Writer(db, str(path), Failpoint(), FileGuard.of(db, DatabaseLocation(path=str(path))))
    for _ in range(6):
        await writer.run(lambda db: db.execute("INSERT INTO large VALUES (randomblob(9000000))") and None)
    assert log_of(path).stat().st_size < 40_000_000
    await writer.close()


def test_a_database_in_memory_has_no_files_to_lose() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    assert FileGuard.of(db, DatabaseLocation(path=MEMORY)) == FileGuard()
    db.close()
