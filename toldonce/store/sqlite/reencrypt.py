"""Encrypt a SQLite file, decrypt it, or change its key. Writes a copy beside it, which then takes its place.

The file is not changed until its copy is whole, checked and synced: whenever the process or the machine ends, one of
the two is there, whole, under the file's name. A copy that was not finished is removed at the next start.
"""

import os
from contextlib import ExitStack, closing
from dataclasses import replace
from urllib.parse import quote

import apsw

from toldonce.errors import DatabaseKeyError, StoreUnavailableError, UnreadableStoreError
from toldonce.store.database_key import DatabaseKey
from toldonce.store.failpoint import Failpoint
from toldonce.store.sqlite.cipher import CIPHER, SALT_BYTES, key_text, require_ciphers
from toldonce.store.sqlite.connection import DatabaseLocation, open_reader, open_writer
from toldonce.store.sqlite.errors import opening
from toldonce.store.sqlite.file_guard import ProcessLock, unfinished_copy
from toldonce.store.sqlite.migration_copy import fresh_file, remove_copies, sync, sync_folder
from toldonce.store.store_reports import KeyReport
from toldonce.types import ProgressReporter

# Steps of SQLite's machine between two looks at the size of the copy: some ten milliseconds.
_STEPS = 100_000
_MEGABYTE = 1_000_000


def reencrypt(place: DatabaseLocation, new: DatabaseKey | None, bar: ProgressReporter) -> KeyReport:
    """Give the file at `place`, which has the key named there, the key `new`: see `reencrypt_store`."""
    require_ciphers()
    place = replace(place, path=os.path.realpath(place.path))  # a link stays a link
    if _opens(replace(place, key=new)):
        return KeyReport(changed=False, bytes=os.stat(place.path).st_size)
    lock = ProcessLock(place.path)
    with closing(lock), opening(place.path):
        if lock.has_company:
            raise StoreUnavailableError(f"{place.path} is open in another process: stop it first")
        copy = unfinished_copy(place.path)
        with closing(_alone(place)) as db, fresh_file(place.path, copy):
            _write(db, copy, new, bar)
            _compare(db, replace(place, path=copy, key=new))
            sync(copy, os.O_RDWR)
            failpoint = Failpoint.from_environment()
            failpoint.reach("reencrypting")
            size = os.stat(copy).st_size
            remove_copies(place.path)  # they have the key of before, or none
            os.replace(copy, place.path)
            sync_folder(place.path)
            failpoint.reach("reencrypted")
    return KeyReport(changed=True, bytes=size)


def _opens(place: DatabaseLocation) -> bool:
    try:
        open_reader(place).close()
    except DatabaseKeyError:
        return False
    return True


def _alone(place: DatabaseLocation) -> apsw.Connection:
    """Open the file, without a log, so that no other connection can read or write it until this one is closed.

    Raises:
        apsw.BusyError: another process has it open.
    """
    with ExitStack() as on_failure:
        db = open_writer(place)
        on_failure.callback(db.close)
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        db.pragma("locking_mode", "exclusive")
        if db.pragma("journal_mode", "delete") != "delete":
            raise StoreUnavailableError(f"{place.path} is open in another process: stop it first")
        db.execute("BEGIN EXCLUSIVE; COMMIT")
        on_failure.pop_all()
    return db


def _write(db: apsw.Connection, copy: str, new: DatabaseKey | None, bar: ProgressReporter) -> None:
    pages, free, size = (int(db.pragma(name)) for name in ("page_count", "freelist_count", "page_size"))
    bar.begin("copying", "MB", max(1, (pages - free) * size // _MEGABYTE))
    key = "" if new is None else f"{key_text(new, os.urandom(SALT_BYTES))}&cipher={CIPHER}"

    def look() -> bool:
        bar.reach(os.stat(copy).st_size // _MEGABYTE)
        return False

    db.set_progress_handler(look, _STEPS)
    try:
        db.execute("VACUUM INTO ?", (f"file:{quote(copy)}?key={key}",))
    except apsw.FullError:
        raise
    except apsw.Error as error:  # its text may name the URI, and so the key
        raise StoreUnavailableError(f"{copy} cannot be written ({type(error).__name__}): check the disk") from None
    finally:
        db.set_progress_handler(None)


def _compare(db: apsw.Connection, copy: DatabaseLocation) -> None:
    with closing(open_reader(copy)) as there:
        problems = [row[0] for row in there.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
        if problems or _contents(there) != _contents(db):
            raise UnreadableStoreError(
                f"the copy of {db.filename} is not what was copied {problems}: check the disk (nothing was changed)"
            )


def _contents(db: apsw.Connection) -> list[object]:
    """Return the schema, its number, and how many rows each table has."""
    schema = db.execute("SELECT name, sql FROM sqlite_schema ORDER BY name, sql").fetchall()
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    counts = [db.execute(f'SELECT count(*) FROM "{name}"').get for name in tables]  # noqa: S608  # names from the schema
    return [db.pragma("user_version"), db.pragma("application_id"), schema, counts]
