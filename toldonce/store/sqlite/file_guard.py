"""Watch a database file: whether it is still the one that was opened, and whether other processes have it open.

SQLite goes on writing to a file that was deleted or replaced: every commit succeeds, and nothing is there once the
process ends. So a commit is acknowledged only after a check. The lock file is released with its process, however it
ends: a process that finds no other knows that every lease is a dead worker's, and need not wait for it to run out.
"""

import ctypes
import os
from contextlib import suppress
from dataclasses import dataclass

import apsw

from toldonce.errors import StoreUnavailableError
from toldonce.file_lock import HAS_LOCKS, lock_alone, lock_shared
from toldonce.store.sqlite.connection import DatabaseLocation


@dataclass(frozen=True, slots=True)
class FileGuard:
    """A database's file and its write-ahead log as they were when it was opened."""

    known: tuple[tuple[str, tuple[int, int] | None], ...] = ()
    """Path with device and inode of each; empty if there is no file to check."""

    @classmethod
    def of(cls, db: apsw.Connection, place: DatabaseLocation) -> "FileGuard":
        """Remember the files of a connection. The log stays the same file as long as a process has it open.

        Raises:
            StoreUnavailableError: Another file took the place of the one that was opened.
        """
        if place.alone or place.vfs is not None or not db.filename:
            return cls()
        guard = cls(tuple((path, _seen(path)) for path in (place.path, db.filename_wal)))
        if _has_moved(db):
            raise StoreUnavailableError(f"{place.path} was replaced while it was being opened: try again")
        return guard

    def check(self) -> None:
        """Check that the files are still the same: two look-ups, some 4 µs.

        Raises:
            StoreUnavailableError: One was moved, deleted or replaced; writes would vanish with it.
        """
        for path, known in self.known:
            if _seen(path) != known:
                raise StoreUnavailableError(
                    f"the database file {path} was moved, deleted or replaced under the running program: "
                    "put it back, or restart"
                )


def _has_moved(db: apsw.Connection) -> bool:
    moved = ctypes.c_int(0)
    db.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
    return bool(moved.value)


def _seen(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def unfinished_copy(path: str) -> str:
    """Return the path of the copy that `reencrypt` writes of a file."""
    return f"{path}.rekeying"


class ProcessLock:
    """This process's mark that it has a database open."""

    def __init__(self, path: str) -> None:
        """Mark the database at `path` as open."""
        self.first = False
        """Whether no other process had done so; False where the system has no locks, and a dead worker's lease has to
        run out."""
        self.has_company = False
        """Whether another process has it open, as far as the system tells."""
        self._file = -1
        if not HAS_LOCKS:
            return
        with suppress(OSError):  # a read-only folder, or a file system without locks: no mark
            self._file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                lock_alone(self._file)
                self.first = True
            except BlockingIOError:
                self.has_company = True
                lock_shared(self._file)

    def share(self) -> None:
        """Let other processes open the database; call it after the work that only the first may do."""
        if self.first:
            with suppress(OSError):
                lock_shared(self._file)

    def close(self) -> None:
        """Remove the mark. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
