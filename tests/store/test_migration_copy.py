"""Before a file is migrated a copy is kept beside it, which an erasure removes."""

import shutil
import stat
from contextlib import closing
from pathlib import Path

import pytest

from database_contents import QuietBar
from factories import ANA, add, memory
from pretended_migration import pretend_migration
from toldonce.errors import StoreFullError
from toldonce.maintenance.eraser import Eraser
from toldonce.store.database_key import DatabaseKey
from toldonce.store.factory import open_store, reencrypt_store
from toldonce.store.sqlite.cipher import is_encrypted
from toldonce.store.sqlite.connection import DatabaseLocation, open_reader
from toldonce.store.sqlite.migrate import newest_schema, schema_of
from toldonce.testing import FakeClock
from toldonce.types import EraseRequest

WORDS = "Ana keeps bees."
KEYS = (None, DatabaseKey("1" * 64))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite3"


async def open_once(path: Path, clock: FakeClock, *, key: DatabaseKey | None = None, keeps: bool = True) -> None:
    store = await open_store(f"sqlite:///{path}", clock=clock, key=key, migration_copy=keeps)
    await store.close()


async def fill(path: Path, clock: FakeClock, *, key: DatabaseKey | None = None) -> Path:
    """Store a memory; return where the copy will be."""
    store = await open_store(f"sqlite:///{path}", clock=clock, key=key, migration_copy=True)
    await store.memories.apply(ANA, [add(memory(WORDS, clock=clock))], [])
    await store.close()
    return path.with_name(f"{path.name}.schema-{newest_schema()}")


def copies(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir() if ".schema-" in entry.name}


@pytest.mark.parametrize("key", KEYS, ids=("plain", "encrypted"))
async def test_a_copy_of_before_is_kept_until_an_erasure(
    key: DatabaseKey | None, path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, before = await fill(path, clock, key=key), newest_schema()
    await open_once(path, clock, key=key)
    assert copies(path) == set(), "nothing was migrated"
    path.with_name(f"{path.name}.schema-3").touch()
    path.with_name(f"{path.name}.schema-{before}.unfinished").touch()
    path.with_name(f"{path.name}.schema-mine").touch()
    pretend_migration(monkeypatch)
    await open_once(path, clock, key=key)

    assert copies(path) == {copy.name, f"{path.name}.schema-mine"}
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert is_encrypted(copy.read_bytes()[:24]) == (key is not None)
    assert (WORDS.encode() in copy.read_bytes()) == (key is None)
    with closing(open_reader(DatabaseLocation(path=str(copy), key=key))) as db:
        assert (schema_of(db), db.execute("SELECT text FROM remembered").get) == (before, WORDS)

    store = await open_store(f"sqlite:///{path}", clock=clock, key=key, migration_copy=True)
    receipt = await Eraser(store=store).erase(EraseRequest(subject=ANA, everything=True))
    await store.close()
    assert receipt.done
    assert copies(path) == {f"{path.name}.schema-mine"}


async def test_an_erasure_is_pending_while_a_copy_cannot_be_removed(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = await fill(path, clock)
    copy.mkdir()  # in place of a file that may not be removed
    store = await open_store(f"sqlite:///{path}", clock=clock)
    receipt = await Eraser(store=store).erase(EraseRequest(subject=ANA, everything=True))
    assert [place.name for place in receipt.places if place.reach.value == "pending"] == ["file and log"]
    copy.rmdir()
    assert await Eraser(store=store).finish()
    await store.close()


async def test_none_is_kept_where_it_is_not_wanted_or_nothing_is_stored(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_once(path, clock)
    await fill(path.with_name("filled"), clock)
    pretend_migration(monkeypatch)
    await open_once(path, clock)
    await open_once(path.with_name("filled"), clock, keeps=False)
    assert copies(path) == set()


async def test_without_room_for_the_copy_nothing_is_migrated(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(path, clock)
    before = newest_schema()
    full = shutil.disk_usage(path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    with monkeypatch.context() as patch:
        pretend_migration(patch)
        with pytest.raises(StoreFullError, match="TOLDONCE_MIGRATION_COPY=false"):
            await open_once(path, clock)
    with closing(open_reader(DatabaseLocation(path=str(path)))) as db:
        assert schema_of(db) == before
    assert copies(path) == set()


async def test_a_file_that_gets_a_key_leaves_no_plain_copy(path: Path, clock: FakeClock) -> None:
    (await fill(path, clock)).write_text(WORDS, "utf-8")
    reencrypt_store(f"sqlite:///{path}", key=None, new=KEYS[1], bar=QuietBar())
    assert copies(path) == set()
