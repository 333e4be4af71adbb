"""A keyring in a SQLite file. File I/O, locks.

The file has no write-ahead log, and its freed bytes are overwritten: once a key is destroyed, only backups of the file
and freed blocks of the disk can still hold it, encrypted by the master key.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import apsw

from toldonce.errors import UnreadableStoreError
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sqlite.errors import fault, opening
from toldonce.store.sqlite.migrate import writing

T = TypeVar("T")
MEMORY = ":memory:"
# Marks the file as a keyring (PRAGMA application_id): "Rckr" in ASCII.
APPLICATION_ID = 0x52636B72
_BUSY_MS = 10_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS keyring_info (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keyring_key (
    subject    INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    wrapped    BLOB,
    master     BLOB,
    PRIMARY KEY (subject, generation)
) STRICT, WITHOUT ROWID;
"""


class FileLink:
    """One connection to the file, used by one thread at a time."""

    near = True

    def __init__(self, path: str, *, create: bool) -> None:
        """Open the file; `create` makes it (0600) where it is missing.

        Raises:
            UnreadableStoreError: It is not there, is not a keyring, or cannot be read and written.
            StoreUnavailableError: Another process holds it.
        """
        self.where = f"sqlite:///{path}"
        self._free = threading.Lock()
        with opening(path):
            if path != MEMORY:
                _prepare(path, create=create)
            self._db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            with opening(path):
                self._begin(path)
        except UnreadableStoreError:
            self._db.close()
            raise

    def _begin(self, path: str) -> None:
        self._db.set_busy_timeout(_BUSY_MS)
        found = int(self._db.pragma("application_id"))
        blank = self._db.execute("SELECT count(*) FROM sqlite_schema").get == 0
        if found != APPLICATION_ID and not (blank and not found):
            raise UnreadableStoreError(f"{path} is not a keyring (nothing was changed): name a file of its own")
        for name, value in (("journal_mode", "delete"), ("synchronous", "EXTRA"), ("secure_delete", True)):
            self._db.pragma(name, value)
        if blank:
            with writing(self._db):
                self._db.execute(_SCHEMA)
                self._db.pragma("application_id", APPLICATION_ID)

    def read(self, work: Callable[[SqlConnection], T]) -> T:
        """Do work that only reads."""
        with self._speaking():
            return work(self._db)

    def write(self, work: Callable[[SqlConnection], T]) -> T:
        """Do work in one transaction; it is durable on return."""
        with self._speaking(), writing(self._db):
            return work(self._db)

    def scrub(self) -> None:
        """Do nothing: freed bytes are overwritten as they are freed."""

    def close(self) -> None:
        """Close it. Idempotent."""
        with self._free:
            self._db.close()

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        with self._free:
            try:
                yield
            except apsw.Error as error:
                raise fault(error, self.where) from error


def _prepare(path: str, *, create: bool) -> None:
    if Path(path).exists():
        return
    if not create:
        raise UnreadableStoreError(
            f"the keyring sqlite:///{path} is missing, and without it no row of the database can be decrypted: restore "
            "it from its backup"
        )
    for folder in reversed(Path(path).parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
