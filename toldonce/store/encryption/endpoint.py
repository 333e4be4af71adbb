"""One end of an export or import, whose rows are plain while the database holds sealed ones. Wraps an end."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TypeVar

from toldonce.store.encryption.connection import Dialect, SealedConnection
from toldonce.store.encryption.vault import SubjectVault
from toldonce.store.sql.database import Row
from toldonce.store.sql.tables import CONTENT, Content, Table
from toldonce.store.sql.transfer.endpoint import CopyEndpoint, KeyRange

T = TypeVar("T")
_NO_CONTENT = Content()


class SealedEnd:
    """A database with encrypted subjects: see `CopyEndpoint`."""

    def __init__(self, inner: CopyEndpoint, vault: SubjectVault, dialect: Dialect) -> None:
        self._inner = inner
        self._vault = vault
        self.where = inner.where
        self.db = SealedConnection(inner.db, vault, dialect)

    def speaking(self) -> AbstractContextManager[None]:
        """Translate the driver's errors."""
        return self._inner.speaking()

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the sorted column names of a table."""
        return self._inner.columns(table)

    def rows(self, table: Table, columns: tuple[str, ...], span: KeyRange) -> Iterator[Row]:
        """Read the rows of some subjects, opened."""
        for row in self._inner.rows(table, columns, span):
            yield self._vault.opened([row])[0]

    def add(self, table: Table, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
        """Add rows, sealed, within a transaction."""
        content = CONTENT.get(table.name, _NO_CONTENT)
        seals = [at for at, name in enumerate(columns) if name in content.seals]
        matches = [(at, name) for at, name in enumerate(columns) if name in content.matches]
        if not seals and not matches:
            self._inner.add(table, columns, self._plain(rows))
            return
        subject = columns.index(table.key[0])
        # All at once: while rows are on their way to a server, it cannot be asked for the number of a key.
        sealed = [self.db.sealed_row(row[subject], row, seals, matches) for row in rows]
        self._inner.add(table, columns, sealed)

    def _plain(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            self.db.require_plain(row)
            yield row

    def require_own_schema(self) -> None:
        """Refuse a database that a newer version has migrated."""
        self._inner.require_own_schema()

    def share(self) -> None:
        """Let other processes open a destination."""
        self._inner.share()

    def write(self, work: Callable[[], T], *subjects: int) -> T:
        """Do `work` in one transaction."""

        def fresh() -> T:
            self.db.forget()
            return work()

        return self._inner.write(fresh, *subjects)

    def finish(self, *, rewrite: bool) -> None:
        """Finish after all rows were added."""
        self._inner.finish(rewrite=rewrite)

    def close(self) -> None:
        """Close the connection."""
        self._inner.close()
