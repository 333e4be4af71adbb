"""Remove the bytes of erased rows from the database file and its log. Works on a connection, reads and writes the file.

`secure_delete` zeroes deleted rows, but not the copies that SQLite leaves when it moves rows from one page to another:
they stay in the gap between a page's directory and its rows until they are overwritten (1 to 3 of 900 deleted texts
were still found). So the gaps are zeroed here.

That is done through SQLite's own handle: a second descriptor of the file, once closed, would drop the locks that this
process's connections hold. The gap means nothing to SQLite, so a crash halfway harms nothing. Two things keep old pages
from being written back: the log is empty and nothing else can write meanwhile; and the commit that ends the cleaning
makes every other connection drop its cached pages.

A page of an encrypted file cannot be changed in part, and one that is torn by a crash cannot be read: such a file is
rewritten (VACUUM, which copies live rows alone), through the log.
"""

import ctypes
import logging
import os
from collections.abc import Callable, Iterator

import apsw

from toldonce.clock import Clock, to_micros
from toldonce.errors import StoreUnavailableError, logged_text
from toldonce.store.sql.database import load
from toldonce.store.sql.rows import fetch_value
from toldonce.store.sqlite.connection import BUSY_MS
from toldonce.store.sqlite.migration_copy import remove_copies

logger = logging.getLogger(__name__)

SQL = load("erase")
# Pages of rows begin with one of these: interior and leaf, of an index or a table.
_INTERIOR, _LEAF = (2, 5), (10, 13)
_INTERIOR_HEAD, _LEAF_HEAD = 12, 8
# Bytes before the first page's own header.
_FILE_HEAD = 100
# Overflow and free pages begin with a page number; from this one on it looks like the head of a page of rows.
_MAX_PAGES = 2 << 24
# Read at once.
_BATCH_BYTES = 1024 * 1024
# Another process may commit between emptying the log and locking the file.
_TRIES = 5

_POINTER = ctypes.c_void_p
_ACCESS = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER, ctypes.c_int, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_int)


class _Methods(ctypes.Structure):
    """The head of `sqlite3_io_methods`."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("close", _POINTER),
        ("read", _ACCESS),
        ("write", _ACCESS),
        ("truncate", _POINTER),
        ("sync", _SYNC),
    )


class _File(ctypes.Structure):
    """`sqlite3_file`."""

    _fields_ = (("methods", ctypes.POINTER(_Methods)),)


def clean(
    db: apsw.Connection, clock: Clock, *, wait_ms: int, midway: Callable[[str], None], encrypted: bool = False
) -> bool:
    """Empty the log into the file, zero what is left there of erased rows, and remove copies of before a migration.

    Then no erasure is pending any more.

    Args:
        db: The connection that writes, in no transaction.
        clock: What the end is stamped by.
        wait_ms: How long to wait for readers that hold the log.
        midway: Called with the name of each step, before it.
        encrypted: Whether the file is.

    Returns:
        False if another process holds the log, a copy cannot be removed, or the file is too large to tell its pages
        apart: it is still pending.
    """
    if not fetch_value(db, SQL["unclean"]):
        return True
    try:
        for _ in range(_TRIES):
            db.set_busy_timeout(wait_ms)
            midway("cleaning")
            before = int(db.pragma("data_version"))
            if encrypted:
                _rewrite(db)
            if db.filename_wal:
                db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            db.execute("BEGIN IMMEDIATE")
            if not _log_is_empty(db) or (encrypted and int(db.pragma("data_version")) != before):
                db.execute("ROLLBACK")
                continue
            return _clean_locked(db, clock, midway, zero=not encrypted)
    except (apsw.BusyError, apsw.LockedError):
        return False
    except StoreUnavailableError as error:
        logger.warning("an erasure is pending", extra={"error": logged_text(error)})
        return False
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
        db.set_busy_timeout(BUSY_MS)
    return False


def _rewrite(db: apsw.Connection) -> None:
    db.pragma("temp_store", "FILE")  # encrypted by the same key, and a large file need not fit into memory
    try:
        db.execute("VACUUM")
    finally:
        db.pragma("temp_store", "MEMORY")


def _clean_locked(db: apsw.Connection, clock: Clock, midway: Callable[[str], None], *, zero: bool) -> bool:
    if db.filename:
        remove_copies(db.filename)  # under the lock: none is being made meanwhile
    if db.filename and zero:
        pages = int(db.pragma("page_count"))
        if pages >= _MAX_PAGES:
            return False
        db.release_memory()  # our own cached pages, which this commit would not make us drop
        _zero_gaps(db, pages)
    midway("cleaned")
    db.execute(SQL["cleaned"], (to_micros(clock.now()),))
    db.execute("COMMIT")
    return True


def _log_is_empty(db: apsw.Connection) -> bool:
    try:
        return not db.filename_wal or os.stat(db.filename_wal).st_size == 0
    except FileNotFoundError:
        return True


def _zero_gaps(db: apsw.Connection, pages: int) -> None:
    size = int(db.pragma("page_size"))
    each = max(1, _BATCH_BYTES // size)
    disk = _Disk(db)
    for first in range(0, pages, each):
        count = min(each, pages - first)
        data = disk.read(first * size, count * size)
        for start, end in _gaps(data, size, first=first):
            disk.write(first * size + start, bytes(end - start))
    disk.sync()


def _gaps(data: bytes, size: int, *, first: int) -> Iterator[tuple[int, int]]:
    """Find the gaps with something in them; `first` is the number of the first page, from 0."""
    for number in range(len(data) // size):
        page = number * size
        head = page + (_FILE_HEAD if first + number == 0 else 0)
        kind = data[head]
        if kind not in _INTERIOR and kind not in _LEAF:
            continue
        cells = int.from_bytes(data[head + 3 : head + 5], "big")
        rows = int.from_bytes(data[head + 5 : head + 7], "big") or 65536
        start = head + (_INTERIOR_HEAD if kind in _INTERIOR else _LEAF_HEAD) + 2 * cells
        end = page + rows
        if start < end <= page + size and data[start:end] != bytes(end - start):
            yield start, end


class _Disk:
    """The database file, through the handle that SQLite has open."""

    def __init__(self, db: apsw.Connection) -> None:
        pointer = _POINTER()
        db.file_control("main", apsw.SQLITE_FCNTL_FILE_POINTER, ctypes.addressof(pointer))
        self._file = pointer.value
        self._methods = ctypes.cast(pointer, ctypes.POINTER(_File)).contents.methods.contents

    def read(self, offset: int, size: int) -> bytes:
        buffer = ctypes.create_string_buffer(size)
        self._check(self._methods.read(self._file, buffer, size, offset))
        return buffer.raw

    def write(self, offset: int, data: bytes) -> None:
        self._check(self._methods.write(self._file, data, len(data), offset))

    def sync(self) -> None:
        self._check(self._methods.sync(self._file, apsw.SQLITE_SYNC_FULL))

    @staticmethod
    def _check(code: int) -> None:
        if code != apsw.SQLITE_OK:
            raise apsw.IOError(f"the file could not be cleaned: SQLite's code {code}")
