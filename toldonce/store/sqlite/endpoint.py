"""A SQLite file as one end of a copy. File I/O."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import apsw

from toldonce.errors import BadRequestError, NewerSchemaError, StoreUnavailableError
from toldonce.store.failpoint import Failpoint
from toldonce.store.sql.database import Row
from toldonce.store.sql.tables import Table
from toldonce.store.sql.transfer.endpoint import KeyRange, quoted
from toldonce.store.sqlite.connection import (
    DatabaseLocation,
    for_reading,
    open_reader,
    open_unwritable,
    open_writer,
)
from toldonce.store.sqlite.errors import fault
from toldonce.store.sqlite.file_guard import ProcessLock
from toldonce.store.sqlite.migrate import newest_schema, schema_of, writing
from toldonce.store.sqlite.migration_copy import remove_copies

T = TypeVar("T")


class SqliteEnd:
    """One file."""

    def __init__(self, db: apsw.Connection, place: DatabaseLocation, company: ProcessLock | None = None) -> None:
        """Take an open connection; `source` or `destination` makes one."""
        self.db = db
        self.where = f"sqlite:///{place.path}"
        self._company = company
        self._failpoint = Failpoint.from_environment()

    @classmethod
    def source(cls, place: DatabaseLocation) -> "SqliteEnd":
        """Open a file to be read, brought to the newest schema; others may go on using it.

        Raises:
            BadRequestError: there is no such file.
        """
        if not os.path.exists(place.path):
            raise BadRequestError(f"sqlite:///{place.path} cannot be copied: there is no such file")
        place = for_reading(place)
        (open_unwritable(place) if place.read_only else open_writer(place)).close()
        return cls(open_reader(place), place)

    @classmethod
    def beside(cls, place: DatabaseLocation) -> "SqliteEnd":
        """Open a file to be written while others use it: each transaction waits for theirs."""
        return cls(open_writer(place), place)

    @classmethod
    def destination(cls, place: DatabaseLocation) -> "SqliteEnd":
        """Open a file for writing, created if missing; no other process may have it open.

        Raises:
            StoreUnavailableError: another process has it open.
        """
        db = open_writer(place)
        company = ProcessLock(place.path)
        if company.has_company:
            company.close()
            db.close()
            raise StoreUnavailableError(
                f"sqlite:///{place.path} is open in another process: stop it, or copy into a new file"
            )
        return cls(db, place, company)

    def require_own_schema(self) -> None:
        """Refuse a database that a newer version has migrated."""
        found, known = schema_of(self.db), newest_schema()
        if found > known:
            raise NewerSchemaError(where=self.where, found=found, known=known)

    def share(self) -> None:
        """Let other processes open the unfinished copy, which tells them so."""
        if self._company is not None:
            self._company.share()

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Translate the driver's errors within the context."""
        try:
            yield
        except apsw.Error as error:
            raise fault(error, self.where) from error

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the sorted column names of a table."""
        return tuple(str(row[0]) for row in self.db.execute(_COLUMNS, (table.name,)))

    def rows(self, table: Table, columns: tuple[str, ...], span: KeyRange) -> Iterator[Row]:
        """Read the rows of some subjects in the order of the key."""
        within = "" if table.is_global else f'WHERE "{table.key[0]}" BETWEEN {span.first:d} AND {span.last:d}'
        which = f'FROM "{table.name}" {within} ORDER BY {quoted(table.key)}'
        with self.speaking():
            yield from self.db.execute(f"SELECT {quoted(columns)} {which}")

    def add(self, table: Table, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
        """Add rows, within a transaction."""
        values = ", ".join("?" * len(columns))
        self.db.executemany(
            f'INSERT INTO "{table.name}" ({quoted(columns)}) VALUES ({values})',  # noqa: S608  # as above
            rows,
        )

    def write(self, work: Callable[[], T], *subjects: int) -> T:
        """Do `work` in one transaction, durable on return."""
        with writing(self.db):
            done = work()
            self._failpoint.reach("before-commit")
        self._failpoint.reach("after-commit")
        return done

    def finish(self, *, rewrite: bool) -> None:
        """Finish: move all rows from the log into the file; with `rewrite`, leave nothing that was deleted."""
        if rewrite:
            self.db.execute("VACUUM")
            remove_copies(self.db.filename)
        self.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def close(self) -> None:
        """Close the connection."""
        self.db.close()
        if self._company is not None:
            self._company.close()


_COLUMNS = "SELECT name FROM pragma_table_info(?) ORDER BY name"
