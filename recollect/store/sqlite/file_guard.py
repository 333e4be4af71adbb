"""Tell whether the files that are open still lie where they were opened. Looks at the file system.

SQLite goes on writing to a file that was deleted or replaced under it: every commit succeeds, and nothing is there
once the process ends. So a commit is acknowledged only behind a look.
"""

import os
from dataclasses import dataclass

import apsw

from recollect.errors import StoreUnavailableError
from recollect.store.sqlite.connection import DatabaseLocation


@dataclass(frozen=True, slots=True)
class FileGuard:
    """A database's file and its write-ahead log as they were when it was opened."""

    known: tuple[tuple[str, tuple[int, int] | None], ...] = ()
    """Path with device and inode of each; empty where there is no file to look at."""

    @classmethod
    def of(cls, db: apsw.Connection, place: DatabaseLocation) -> "FileGuard":
        """Note the files behind a connection. The log stays the same one for as long as somebody has it open."""
        if place.alone or place.vfs is not None or not db.filename:
            return cls()
        return cls(tuple((path, _seen(path)) for path in (place.path, db.filename_wal)))

    def check(self) -> None:
        """Look whether the files are still there: two look-ups, some 4 µs.

        Raises:
            StoreUnavailableError: one was moved, deleted or replaced; what is written now would vanish with it.
        """
        for path, known in self.known:
            if _seen(path) != known:
                raise StoreUnavailableError(
                    f"the database file {path} was moved, deleted or replaced under the running program: "
                    "put it back, or restart"
                )


def _seen(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
