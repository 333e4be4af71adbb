"""A file's key is set, changed and removed: its content stays, and whenever it is interrupted a whole file is there."""

import os
import random
import signal
import stat
import time
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from database_contents import QuietBar
from forked_processes import ForkedProcess
from patience import PATIENCE_S
from populated import populate
from soak import SOAK
from toldonce.errors import BadRequestError, DatabaseKeyError, StoreUnavailableError, UnreadableStoreError
from toldonce.store.database_key import DatabaseKey
from toldonce.store.factory import open_store, reencrypt_store
from toldonce.store.failpoint import VARIABLE
from toldonce.store.sqlite import reencrypt as module
from toldonce.store.sqlite.cipher import is_encrypted
from toldonce.store.sqlite.connection import DatabaseLocation, open_reader, open_writer
from toldonce.store.store_reports import KeyReport
from toldonce.testing import FakeClock

SCRIPT = Path(__file__).parent / "reencrypt_process.py"
TESTS = Path(__file__).parent.parent
ONE, TWO = "1" * 64, "2" * 64
CHANGES = [("-", ONE), (ONE, TWO), (ONE, "-")]
KILLS = max(3, SOAK)
NO_KEY = "-"


def key_of(text: str) -> DatabaseKey | None:
    return None if text == NO_KEY else DatabaseKey(text)


def place(path: Path, key: str) -> DatabaseLocation:
    return DatabaseLocation(path=str(path), key=key_of(key))


def change(path: Path, old: str, new: str) -> KeyReport:
    return reencrypt_store(f"sqlite:///{path}", key=key_of(old), new=key_of(new), bar=QuietBar())


def contents(path: Path, key: str) -> list[object]:
    """Read all there is."""
    with closing(open_reader(place(path, key))) as db:
        assert db.execute("PRAGMA integrity_check").get == "ok"
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        rows = [sorted(map(repr, db.execute(f'SELECT * FROM "{table}"'))) for table in tables]  # noqa: S608  # ours
        schema = db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
        return [db.pragma("user_version"), db.pragma("application_id"), schema, tables, rows]


def opens(path: Path, key: str) -> bool:
    try:
        open_reader(place(path, key)).close()
    except DatabaseKeyError:
        return False
    return True


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    """A plain file with something of everything."""
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "kept.sqlite3"
    await populate(f"sqlite:///{path}")
    return path


def left_beside(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir()} - {path.name, f"{path.name}.lock"}


def test_a_file_is_encrypted_rekeyed_and_decrypted_and_keeps_all_there_is(file: Path) -> None:
    before = contents(file, NO_KEY)
    for old, new in ((NO_KEY, ONE), (ONE, TWO), (TWO, NO_KEY)):
        assert change(file, old, new) == KeyReport(changed=True, bytes=file.stat().st_size)
        assert contents(file, new) == before
        assert not opens(file, old)
        assert is_encrypted(file.read_bytes()[:24]) is (new != NO_KEY)
        assert left_beside(file) == set()
        assert not change(file, old, new).changed, "once more does nothing"


async def test_a_store_opens_the_file_with_its_new_key(file: Path) -> None:
    change(file, NO_KEY, ONE)
    store = await open_store(f"sqlite:///{file}", clock=FakeClock(), key=key_of(ONE))
    assert (await store.admin.stats(check=True)).problems == ()
    await store.close()


def test_rights_stay_and_a_link_stays_a_link(file: Path) -> None:
    file.chmod(0o640)
    link = file.parent / "link.sqlite3"
    link.symlink_to(file)
    change(link, NO_KEY, ONE)
    assert link.is_symlink()
    assert not file.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert opens(file, ONE)


async def test_a_file_in_use_is_left_as_it_is(file: Path) -> None:
    store = await open_store(f"sqlite:///{file}", clock=FakeClock())
    with pytest.raises(StoreUnavailableError, match="is open in another process: stop it first"):
        change(file, NO_KEY, ONE)
    await store.close()
    assert opens(file, NO_KEY)


def test_a_reader_without_a_mark_keeps_the_file_as_it_is(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toldonce.store.sqlite.connection.BUSY_MS", 50)
    with closing(open_reader(place(file, NO_KEY))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchall()
        with pytest.raises(StoreUnavailableError, match=r"locked|open in another process"):
            change(file, NO_KEY, ONE)
    assert opens(file, NO_KEY)
    assert left_beside(file) <= {f"{file.name}-wal", f"{file.name}-shm"}


def test_a_wrong_old_key_changes_nothing(file: Path) -> None:
    change(file, NO_KEY, ONE)
    before = file.read_bytes()
    with pytest.raises(DatabaseKeyError, match="with another key"):
        change(file, TWO, NO_KEY)
    with pytest.raises(DatabaseKeyError, match="is encrypted"):
        change(file, NO_KEY, TWO)
    assert file.read_bytes() == before


@pytest.mark.parametrize("url", ["sqlite:///:memory:", "sqlite:////nowhere/x.sqlite3", "postgresql://127.0.0.1:1/x"])
def test_what_is_no_file_is_refused(url: str) -> None:
    with pytest.raises(BadRequestError):
        reencrypt_store(url, key=None, new=key_of(ONE), bar=QuietBar())


def test_a_copy_that_differs_does_not_take_the_files_place(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = module._write

    def write_less(db: apsw.Connection, copy: str, new: DatabaseKey | None, bar: QuietBar) -> None:
        write(db, copy, new, bar)
        with closing(open_writer(DatabaseLocation(path=copy, key=new))) as there:
            there.execute("DELETE FROM message WHERE seq = 1")
            there.pragma("journal_mode", "delete")

    monkeypatch.setattr(module, "_write", write_less)
    with pytest.raises(UnreadableStoreError, match="is not what was copied"):
        change(file, NO_KEY, ONE)
    assert opens(file, NO_KEY)
    assert left_beside(file) == set()


def test_a_full_disk_is_told_without_the_key_and_leaves_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "quote", lambda _: "/nowhere/copy")
    with pytest.raises(StoreUnavailableError) as caught:
        change(file, NO_KEY, ONE)
    assert ONE not in str(caught.value)
    assert caught.value.__cause__ is None
    assert opens(file, NO_KEY)
    assert left_beside(file) == set()


def start(path: Path, old: str, new: str, failpoint: str = "") -> ForkedProcess:
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    return ForkedProcess(str(SCRIPT), f"sqlite:///{path}", old, new, env=environment)


@pytest.mark.process
@pytest.mark.parametrize(("old", "new"), CHANGES)
async def test_a_kill_around_the_replacement_leaves_the_old_or_the_new_file(file: Path, old: str, new: str) -> None:
    if old != NO_KEY:
        change(file, NO_KEY, old)
    before = contents(file, old)
    for failpoint, expected in (("reencrypting", old), ("reencrypted", new)):
        killed = start(file, old, new, failpoint)
        _, err = killed.communicate(timeout=PATIENCE_S)
        assert killed.returncode == -signal.SIGKILL, err
        assert contents(file, expected) == before
    store = await open_store(f"sqlite:///{file}", clock=FakeClock(), key=key_of(new))
    await store.close()
    assert left_beside(file) == set(), "an unfinished copy is removed at the next start"


@pytest.mark.soak
@pytest.mark.process
def test_a_change_of_key_killed_at_any_moment_leaves_a_whole_file(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as db:  # so that copying takes a while
        rows = ((f"row {number}", os.urandom(2_000)) for number in range(8_000))
        with db:
            db.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", rows)
    before, key = contents(file, NO_KEY), NO_KEY
    seed = random.randrange(1_000_000)
    luck = random.Random(seed)
    ended = []
    for number in range(KILLS):
        new = f"{number % 9 + 1}" * 64 if number % 4 else NO_KEY
        process = start(file, key, new)
        if process.wait_for_output("copying\n", within_s=PATIENCE_S):
            time.sleep(luck.random() * 0.25)
        ended.append(process.kill())
        [key] = {each for each in (key, new) if opens(file, each)}
        assert contents(file, key) == before, f"seed {seed}, kill {number}"
    assert -signal.SIGKILL in ended
