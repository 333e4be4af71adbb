"""Make connections: files and folders with tight modes, pragmas, a look before anything is changed. File I/O."""

import os
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

import apsw

from toldonce.errors import NewerSchemaError, UnreadableStoreError
from toldonce.settings import SQLITE
from toldonce.store.database_key import DatabaseKey
from toldonce.store.sqlite.cipher import unlock
from toldonce.store.sqlite.errors import opening
from toldonce.store.sqlite.migrate import (
    APPLICATION_ID,
    has_rows,
    migrate,
    newest_schema,
    required_schema,
    schema_of,
    writing,
)
from toldonce.store.sqlite.migration_copy import keep_copy
from toldonce.store.store_reports import MigrationReport

MEMORY = ":memory:"
# How long to wait for another process's write, in milliseconds. Ours last a few; a backup or an erasure some seconds.
BUSY_MS = 10_000
# The same of a process that is to migrate: another one may be copying and migrating the file, 70 MB a second.
MIGRATION_BUSY_MS = 300_000
# A file whose first page is being made by another process is read once more before its key counts as wrong.
KEY_ATTEMPTS, KEY_PAUSE_S = 4, 0.02
# A 256-number vector (1 kB) with its key stays in its leaf; SQLite's 4096 would put most into overflow pages.
PAGE_BYTES = 8192
# Page cache of a connection: the system caches the file once more, so a few thousand pages are enough.
WRITER_CACHE_KIB = 16 * 1024
READER_CACHE_KIB = 8 * 1024
# The log is cut back to this once it is checkpointed.
WAL_KEPT_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseLocation:
    """Path of a database, and how it is opened."""

    path: str
    """Of the file, or `:memory:`."""
    vfs: str | None = None
    """SQLite's door to the file system; None is the usual one. Tests put a failing one in its place."""
    key: DatabaseKey | None = field(default=None, repr=False)
    """Of an encrypted file. A database in memory is not encrypted."""
    read_only: bool = False
    """The file, or its folder, may not be written."""
    immutable: bool = False
    """No process had the file open: it is read without a log and without locks."""
    exclusive: bool = False
    """Keep the file to this one connection (needed where the VFS has no shared memory)."""
    migration_copy: bool = False
    """Keep a copy of the file beside it before it is migrated."""

    @property
    def alone(self) -> bool:
        """Whether there can be one connection only."""
        return self.exclusive or self.path == MEMORY


def open_writer(place: DatabaseLocation) -> apsw.Connection:
    """Open the connection that writes: create the file or migrate it where needed.

    Raises:
        BadSettingError: it is to be encrypted, and the installed SQLite cannot do that.
        DatabaseKeyError: its key is wrong or missing, or it is not encrypted; it is left as it is.
        NewerSchemaError: a newer ToldOnce wrote it; it is left as it is.
        UnreadableStoreError: not a ToldOnce database, or not readable and writable; it is left as it is.
        StoreUnavailableError: another process holds it.
        StoreFullError: there is no room for a copy of before the migration; it is left as it is.
    """
    with opening(place.path):
        if place.path == MEMORY:
            return _prepare_writer(place)
        _create(Path(place.path))
        until = time.monotonic() + BUSY_MS / 1000
        while True:
            is_empty = not os.stat(place.path).st_size
            try:
                return _prepare_writer(place)
            except apsw.NotADBError:
                # Another process has written the first page of the encrypted file meanwhile, with a salt of its own.
                if place.key is None or not is_empty or time.monotonic() > until:
                    raise


def migrate_file(place: DatabaseLocation) -> MigrationReport:
    """Create a file, or bring it to the newest schema, and say what was done; the errors are those of `open_writer`."""
    before = 0
    if os.path.isfile(place.path) and os.stat(place.path).st_size:
        with opening(place.path), closing(open_reader(place)) as db:
            before = schema_of(db)
    with closing(open_writer(place)) as db:
        after, path = schema_of(db), db.filename
    kept = f"{path}.schema-{before}"
    copy = kept if before < after and place.migration_copy and os.path.exists(kept) else None
    return MigrationReport(where=f"{SQLITE}{place.path}", before=before, after=after, copy=copy)


def for_reading(place: DatabaseLocation) -> DatabaseLocation:
    """Return how a file is opened that is there but may not be written; any other place as it is."""
    path = Path(place.path)
    if place.path == MEMORY or place.vfs is not None or not path.is_file() or not path.stat().st_size:
        return place
    if _is_writable(path) and _is_writable(path.parent):
        return place
    # Without a log beside it, no process has it open and the file is whole. SQLite would make an empty log, which its
    # owner may not write, or fail to.
    return replace(place, read_only=True, immutable=not Path(f"{path}-wal").exists())


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def open_unwritable(place: DatabaseLocation) -> apsw.Connection:
    """Open in the writer's place a file that may only be read: each write to it fails.

    Raises:
        DatabaseKeyError: its key is wrong or missing, or it is not encrypted.
        NewerSchemaError: a newer ToldOnce wrote it.
        UnreadableStoreError: not a ToldOnce database, not readable, or of an older schema.
    """
    with opening(place.path), ExitStack() as on_failure:
        db = open_reader(place)
        on_failure.callback(db.close)
        _look(db, place.path)
        if schema_of(db) < newest_schema():
            raise UnreadableStoreError(
                f"{place.path} has the schema of an older ToldOnce and may not be written: give the user that runs "
                "ToldOnce the right to write file and folder, once"
            )
        on_failure.pop_all()
    return db


def _prepare_writer(place: DatabaseLocation) -> apsw.Connection:
    with ExitStack() as on_failure:
        db = _connect(place)
        on_failure.callback(db.close)
        if place.exclusive:
            db.pragma("locking_mode", "exclusive")
        _look(db, place.path)
        if db.readonly("main"):
            raise UnreadableStoreError(
                f"{place.path} may be read but not written: give the user that runs ToldOnce the right to write file "
                "and folder"
            )
        _configure(db, WRITER_CACHE_KIB)
        db.pragma("page_size", PAGE_BYTES)
        db.pragma("secure_delete", True)
        db.pragma("journal_size_limit", WAL_KEPT_BYTES)
        if place.path != MEMORY:
            _use_wal(db)
        if 0 < schema_of(db) < newest_schema():
            db.set_busy_timeout(MIGRATION_BUSY_MS)
            if place.migration_copy and not place.alone:
                _keep_copy(db, place)
        migrate(db)
        db.set_busy_timeout(BUSY_MS)
        on_failure.pop_all()
    return db


def _keep_copy(db: apsw.Connection, place: DatabaseLocation) -> None:
    """Copy a file that is to be migrated, while no other connection can write to it."""
    with writing(db), closing(_connect(place)) as reader:
        if schema_of(db) < newest_schema() and has_rows(db):  # another process may have been quicker
            _configure(reader, READER_CACHE_KIB)
            keep_copy(reader, schema_of(db))


def open_reader(place: DatabaseLocation) -> apsw.Connection:
    """Open a connection that only reads; the writer's must have been opened before."""
    with opening(place.path):
        db = _connect(place)
        _configure(db, READER_CACHE_KIB)
        db.pragma("query_only", True)
        return db


def _create(path: Path) -> None:
    """Make the file (0600) and its missing folders (0700). An existing file is not opened.

    Closing a second descriptor of it would drop the locks that this process's other connections hold.
    """
    if path.is_dir():
        raise UnreadableStoreError(
            f"{path} is a folder: name a file in it, for instance sqlite:///{path / 'toldonce.sqlite3'}"
        )
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return


def _connect(place: DatabaseLocation) -> apsw.Connection:
    attempts = 0
    while True:
        attempts += 1
        with ExitStack() as on_failure:
            # URIs for `reencrypt`; a path that begins with a slash or a drive is none.
            access = apsw.SQLITE_OPEN_READONLY if place.read_only else apsw.SQLITE_OPEN_READWRITE
            name = f"file:{quote(place.path)}?immutable=1" if place.immutable else place.path
            db = apsw.Connection(name, flags=access | apsw.SQLITE_OPEN_URI, vfs=place.vfs)
            on_failure.callback(db.close)
            db.set_busy_timeout(BUSY_MS)
            if place.path != MEMORY and not unlock(db, place.key, place.path, again=attempts < KEY_ATTEMPTS):
                time.sleep(KEY_PAUSE_S)
                continue
            # Else a join is planned again for each bound value, to see whether a partial index fits it: 55 µs, not 7.
            db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            on_failure.pop_all()
        return db


def _look(db: apsw.Connection, where: str) -> None:
    """Refuse what is not ours, before anything is written. Closing meanwhile leaves a foreign log alone, too."""
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    with db:  # One snapshot: another process may be creating the schema between two of these reads.
        application, schema, required = int(db.pragma("application_id")), schema_of(db), required_schema(db)
        blank = db.execute("SELECT count(*) FROM sqlite_schema").get == 0 and not application and not schema
    if application != APPLICATION_ID and not blank:
        raise UnreadableStoreError(
            f"{where} is another program's database (nothing was changed): point TOLDONCE_DATABASE_URL at another file"
        )
    if required > newest_schema():
        raise NewerSchemaError(where=where, found=schema, known=newest_schema())
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def _configure(db: apsw.Connection, cache_kib: int) -> None:
    db.pragma("synchronous", "FULL")
    db.pragma("cache_size", -cache_kib)
    db.pragma("temp_store", "MEMORY")
    db.pragma("trusted_schema", False)


def _use_wal(db: apsw.Connection) -> None:
    """Switch to write-ahead logging, which needs the file alone for a moment: another process may be doing the same."""
    until = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            mode = db.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise UnreadableStoreError(f"{db.filename} cannot keep a write-ahead log: put it on a local disk")
        return
