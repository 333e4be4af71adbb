"""Opening: what the URL may say, how files come to be, and what is refused untouched."""

import asyncio
import stat
import threading
from contextlib import closing, suppress
from pathlib import Path

import apsw
import pytest

from factories import ANA, turn
from stores import DURABLE, new_store, url_of
from toldonce.errors import (
    BadSettingError,
    NewerSchemaError,
    StoreUnavailableError,
    ToldOnceError,
    UnreadableStoreError,
)
from toldonce.store.factory import open_store
from toldonce.store.postgres.connection import connect
from toldonce.store.sqlite import connection
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer
from toldonce.store.sqlite.migrate import APPLICATION_ID, migrate, migrations, newest_schema, schema_of
from toldonce.testing import FakeClock
from toldonce.types import EraseRequest, Subject
from unprivileged import locked, open_folder, unprivileged

__all__ = ["open_folder"]  # a fixture


@pytest.fixture(autouse=True)
def _migrates(monkeypatch: pytest.MonkeyPatch) -> None:
    """New databases are migrated, not copied as in other tests: see sqlite_image.py."""
    monkeypatch.setattr("toldonce.store.sqlite.connection.migrate", migrate)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


async def test_a_new_store_is_closed_to_other_users(url: str, clock: FakeClock) -> None:
    path = path_of(url).parent / "deeper" / "toldonce.sqlite3"
    store = await open_store(f"sqlite:///{path}", clock=clock)
    try:
        await store.conversations.record(turn("a", "b"))
        assert [mode(folder) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]
        names = {file.name: mode(file) for file in path.parent.iterdir()}
        assert names == {
            "toldonce.sqlite3": 0o600,
            "toldonce.sqlite3-wal": 0o600,
            "toldonce.sqlite3-shm": 0o600,
            "toldonce.sqlite3.lock": 0o600,
        }
    finally:
        await store.close()


async def test_a_relative_path_starts_at_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    monkeypatch.chdir(tmp_path)
    store = await open_store("sqlite:///here.sqlite3", clock=clock)
    await store.close()
    assert (tmp_path / "here.sqlite3").exists()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://me:hunter2@db/x", "sqlite:///path/to/file"),
        ("mysql://me:hunter2@db/x", "postgresql://user:password@host"),
        ("sqlite://", "sqlite:///path/to/file"),
        ("sqlite:///", "sqlite:///path/to/file"),
        ("toldonce.sqlite3", "sqlite:///path/to/file"),
        ("", "sqlite:///path/to/file"),
    ],
)
async def test_a_url_of_no_store_is_refused_without_its_password(clock: FakeClock, url: str, says: str) -> None:
    with pytest.raises(BadSettingError, match=says) as caught:
        await open_store(url, clock=clock)
    assert "hunter2" not in str(caught.value)


async def test_recorded_turns_are_there_after_reopening(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    recorded = await store.conversations.record(turn("a", "b"))
    await store.close()
    store = await open_store(url, clock=clock)
    assert len(await store.conversations.messages(ANA, recorded.conversation)) == 2
    await store.close()


def contents(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


async def refused(path: Path, clock: FakeClock) -> ToldOnceError:
    """Open a file that must be refused and not change; return why."""
    before = contents(path)
    with pytest.raises(ToldOnceError) as caught:
        await open_store(f"sqlite:///{path}", clock=clock)
    assert contents(path) == before
    assert path.name in str(caught.value)
    return caught.value


async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "newer.sqlite3"
    store = await open_store(f"sqlite:///{path}", clock=clock)
    await store.close()
    db = apsw.Connection(str(path))
    db.pragma("user_version", newest_schema() + 1)
    db.close()

    error = await refused(path, clock)
    assert isinstance(error, NewerSchemaError)
    assert (error.found, error.known) == (newest_schema() + 1, newest_schema())


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ana, " * 1000)
    error = await refused(path, clock)
    assert isinstance(error, UnreadableStoreError)
    assert "not a database" in str(error)


async def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "browser.sqlite3"
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE history (url TEXT)")
    db.close()
    error = await refused(path, clock)
    assert isinstance(error, UnreadableStoreError)
    assert "another program" in str(error)


def test_a_schema_that_another_process_creates_meanwhile_is_no_foreign_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process migrates between two reads of the first look at the file, if it can."""
    place = DatabaseLocation(path=str(tmp_path / "new.sqlite3"))
    attempts: list[int] = []

    def read_schema(db: apsw.Connection) -> int:
        if not attempts:
            attempts.append(schema_of(db))
            other = apsw.Connection(place.path)
            with suppress(apsw.BusyError), closing(other):
                migrate(other)
        return schema_of(db)

    monkeypatch.setattr(connection, "schema_of", read_schema)
    with closing(open_writer(place)) as db:
        assert attempts == [0]
        assert schema_of(db) == newest_schema()


async def test_a_folder_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    error = await refused(tmp_path, clock)
    assert isinstance(error, UnreadableStoreError)
    assert "is a folder" in str(error)


async def test_a_file_in_the_way_of_a_folder_is_refused(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnreadableStoreError):
        await open_store(f"sqlite:///{tmp_path / 'file' / 'toldonce.sqlite3'}", clock=clock)


async def test_a_file_that_may_not_be_read_is_refused(open_folder: Path, clock: FakeClock) -> None:
    path = open_folder / "toldonce.sqlite3"
    store = await open_store(f"sqlite:///{path}", clock=clock)
    await store.close()
    path.chmod(0o000)
    with unprivileged(open_folder), pytest.raises(UnreadableStoreError, match="cannot be opened"):
        await open_store(f"sqlite:///{path}", clock=clock)


async def test_a_folder_that_may_not_be_written_is_refused(open_folder: Path, clock: FakeClock) -> None:
    with unprivileged(open_folder), locked(open_folder), pytest.raises(UnreadableStoreError):
        await open_store(f"sqlite:///{open_folder / 'toldonce.sqlite3'}", clock=clock)


async def test_a_file_that_another_program_locks_says_so(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "toldonce.sqlite3"
    await (await open_store(f"sqlite:///{path}", clock=clock)).close()
    monkeypatch.setattr(connection, "BUSY_MS", 1)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        error = await refused(path, clock)
    assert isinstance(error, StoreUnavailableError)
    assert "is locked by another process" in str(error)


async def test_a_damaged_file_says_so(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "damaged.sqlite3"
    store = await open_store(f"sqlite:///{path}", clock=clock)
    await store.close()
    data = bytearray(path.read_bytes())
    data[100:200] = b"\xff" * 100
    path.write_bytes(data)
    with pytest.raises(UnreadableStoreError, match="damaged"):
        await open_store(f"sqlite:///{path}", clock=clock)


async def test_refused_files_leave_no_thread_behind(tmp_path: Path, clock: FakeClock) -> None:
    with pytest.raises(UnreadableStoreError):
        await open_store(f"sqlite:///{tmp_path}", clock=clock)
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("toldonce")] == []


def schema(db: apsw.Connection) -> list[tuple[object, ...]]:
    return db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").fetchall()


def test_a_database_migrated_from_the_first_equals_a_fresh_one(tmp_path: Path) -> None:
    number, first = migrations()[0]
    old = apsw.Connection(str(tmp_path / "old.sqlite3"))
    old.execute(first)
    old.pragma("user_version", number)
    migrate(old)
    fresh = open_writer(DatabaseLocation(path=MEMORY))

    assert schema(old) == schema(fresh)
    assert old.pragma("user_version") == fresh.pragma("user_version")
    assert schema_of(old) == newest_schema()
    old.close()
    fresh.close()


VIEWS_OF_BEFORE = (
    "app_memories",
    "vectors",
    "users_vectors",
    "memory_updates",
    "episodic_memory",
    "structured_facts",
    "rests_on",
    "readable",
)


@pytest.mark.parametrize("kind", DURABLE)
async def test_i13_a_migrated_database_finds_the_subjects_within_each_user(
    kind: str, tmp_path: Path, clock: FakeClock
) -> None:
    names = ["session:ana/1", "app:ana/b/c", "character:z%C3%AB/Kira", "session:app:ana%2Fb/1", "app:calendar"]
    store = await new_store(kind, tmp_path, clock)
    for name in names:
        await store.memories.apply(Subject.parse(name), [], [])
    await store.close()
    url = url_of(kind, tmp_path)
    if kind == "postgres":
        with connect(url) as server:
            server.execute("DROP TABLE inner_subject")
            server.execute(f"DROP VIEW apps, app_shares, {', '.join(VIEWS_OF_BEFORE)}")
            server.execute("DROP FUNCTION id_uuid, instant")
            for view in VIEWS_OF_BEFORE:  # whatever they were, a later migration takes their place
                server.execute(f"CREATE VIEW {view} AS SELECT 1 AS nothing")
            server.execute("DELETE FROM migration WHERE number >= 4")
    else:
        db = apsw.Connection(url.removeprefix("sqlite:///"))
        db.execute("DROP TABLE inner_subject")
        db.pragma("user_version", 8)
        db.close()
    store = await open_store(url, clock=clock)
    done = await store.erasures.erase(EraseRequest(subject=Subject("user", "ana"), everything=True))
    assert [subject.text for subject, _ in done.inner] == ["session:app:ana%2Fb/1", "app:ana/b/c", "session:ana/1"], (
        done
    )
    assert [subject.text for subject in await store.admin.subjects()] == ["app:calendar", "character:z%C3%AB/Kira"]
    await store.close()


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _ in migrations()] == list(range(1, len(migrations()) + 1))


def test_each_connection_has_the_measured_settings(tmp_path: Path) -> None:
    db = open_writer(DatabaseLocation(path=str(tmp_path / "x.sqlite3")))
    found = {
        name: db.pragma(name)
        for name in ("journal_mode", "synchronous", "secure_delete", "page_size", "application_id")
    }
    db.close()
    full = 2
    assert found == {
        "journal_mode": "wal",
        "synchronous": full,
        "secure_delete": 1,
        "page_size": 8192,
        "application_id": APPLICATION_ID,
    }


def test_two_databases_have_keys_of_their_own() -> None:
    keys = set()
    for _ in range(2):
        db = open_writer(DatabaseLocation(path=MEMORY))
        keys.add(db.execute("SELECT value FROM meta WHERE name = 'term_key'").get)
        db.close()
    assert len(keys) == 2


async def test_cancelled_opening_closes_its_file_before_it_ends(tmp_path: Path) -> None:
    opening = asyncio.create_task(open_store(f"sqlite:///{tmp_path}/a.sqlite3", clock=FakeClock()))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    # SQLite removes its write-ahead log with the last connection.
    assert (tmp_path / "a.sqlite3").exists()
    assert not (tmp_path / "a.sqlite3-wal").exists()
