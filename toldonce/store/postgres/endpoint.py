"""A PostgreSQL database as one end of a copy: rows go in and out by COPY. Network."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeVar

import psycopg

from toldonce.errors import NewerSchemaError, StoreUnavailableError
from toldonce.settings import shown_url
from toldonce.store.failpoint import Failpoint
from toldonce.store.postgres.connection import SCHEMA, PostgresConnection, connect
from toldonce.store.postgres.errors import fault
from toldonce.store.postgres.migrate import newest_schema, prepare, schema_of
from toldonce.store.postgres.vector_codec import chunks, packed
from toldonce.store.sql.database import Row
from toldonce.store.sql.tables import TABLES, Table
from toldonce.store.sql.transfer.endpoint import KeyRange, quoted

T = TypeVar("T")
# "Rclt" and "copy": the lock of a process that copies into a database.
_LOCK = 0x52636C74636F7079
# How long a copy waits for that lock, and between two attempts.
_PATIENCE_S, _PAUSE_S = 5.0, 0.1


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: int


class PostgresEnd:
    """One database."""

    def __init__(self, session: PostgresConnection, url: str) -> None:
        """Take an open connection; `source` or `destination` makes one."""
        self.db = session
        self.where = shown_url(url)
        self._tables: dict[str, tuple[_Column, ...]] = {}
        self._failpoint = Failpoint.from_environment()
        # A table of millions takes longer than a request may.
        session.execute("SET statement_timeout = 0")
        session.execute("SET idle_in_transaction_session_timeout = 0")

    @classmethod
    def source(cls, url: str) -> "PostgresEnd":
        """Open a database to be read, brought to the newest schema; others may go on using it."""
        prepare(url, unfinished=True)
        return cls(PostgresConnection(connect(url)), url)

    @classmethod
    def destination(cls, url: str) -> "PostgresEnd":
        """Open a database to be written; no other copy may be on its way into it.

        Raises:
            StoreUnavailableError: one is.
        """
        end = cls.source(url)
        # The server may hold the lock of a copy for a moment after its process was stopped.
        ends_at = time.monotonic() + _PATIENCE_S
        while not end.db.execute("SELECT pg_try_advisory_lock(?1)", (_LOCK,)).fetchall()[0][0]:
            if time.monotonic() >= ends_at:
                end.close()
                raise StoreUnavailableError(f"another process is copying into {end.where}: wait for it, or stop it")
            time.sleep(_PAUSE_S)
        return end

    def require_own_schema(self) -> None:
        """Refuse a database that a newer version has migrated."""
        found, known = schema_of(self.db.connection), newest_schema()
        if found > known:
            raise NewerSchemaError(where=self.where, found=found, known=known)

    def share(self) -> None:
        """Do nothing: no other process was kept out."""

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Translate the driver's errors within the context."""
        try:
            yield
        except psycopg.Error as error:
            raise fault(error, self.where) from error

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the sorted column names of a table."""
        if table.name == "vector":
            return _PACKED
        return tuple(column.name for column in self._columns(table))

    def rows(self, table: Table, columns: tuple[str, ...], span: KeyRange) -> Iterator[Row]:
        """Read the rows of some subjects in the order of the key."""
        within = "" if table.is_global else f'WHERE "{table.key[0]}" BETWEEN {span.first:d} AND {span.last:d}'
        order = quoted(table.key)
        if table.name == "vector":
            query = f"SELECT {_VECTORS} FROM vector {within} GROUP BY {order} ORDER BY {order}"  # noqa: S608  # our own names
            return packed(self._copied(query, (_BYTES, _BYTES, _WHOLE, _WHOLE)))
        types = {column.name: column.type for column in self._columns(table)}
        query = f'SELECT {quoted(columns)} FROM "{table.name}" {within} ORDER BY {order}'  # noqa: S608  # as above
        return self._copied(query, [types[name] for name in columns])

    def _copied(self, query: str, types: Iterable[int]) -> Iterator[Row]:
        into = _statement(f"({query}) TO STDOUT")
        with self.speaking(), self.db.connection.cursor() as cursor, cursor.copy(into) as copy:
            copy.set_types(list(types))
            yield from copy.rows()

    def add(self, table: Table, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
        """Add rows, within a transaction."""
        if table.name == "vector":
            dims: dict[int, int] = dict(self.db.execute("SELECT id, dim FROM space").fetchall())
            order = itemgetter(*(columns.index(name) for name in _PACKED))
            rows = (
                (memory, space, subject, *chunk)
                for data, memory, space, subject in map(order, rows)
                for chunk in chunks(data, dims[abs(space)])  # negative: of what ended
            )
            columns = _SINGLE
        types = {column.name: column.type for column in self._columns(table)}
        with self.db.vector_cursor() as cursor:
            if self.db.is_guarded:
                values = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
                insert = f'INSERT INTO "{table.name}" ({quoted(columns)}) VALUES ({values})'  # noqa: S608  # our own names
                cursor.executemany(insert.encode(), rows)
                return
            into = f'"{table.name}" ({quoted(columns)}) FROM STDIN'
            with cursor.copy(_statement(into)) as copy:
                copy.set_types([types[name] for name in columns])
                for row in rows:
                    copy.write_row(row)

    def write(self, work: Callable[[], T], *subjects: int) -> T:
        """Do `work` in one transaction, durable on return."""
        return self.db.write(lambda _: work(), subjects, self._failpoint)

    def finish(self, *, rewrite: bool) -> None:
        """Finish the copy; the server's sequences continue after the copied numbers."""
        if rewrite:
            self.db.rewrite()
        for table, column in self.db.execute(_DRAWN, (SCHEMA,)).fetchall():
            highest = f'(SELECT max("{column}") FROM "{table}")'  # noqa: S608  # as above
            self.db.execute(f"SELECT setval(pg_get_serial_sequence('{SCHEMA}.{table}', '{column}'), {highest})")
        for known in TABLES:
            self.db.execute(f'ANALYZE "{SCHEMA}"."{known.name}"')

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    def _columns(self, table: Table) -> tuple[_Column, ...]:
        if table.name not in self._tables:
            found = self.db.execute(_COLUMNS, (f"{SCHEMA}.{table.name}",)).fetchall()
            self._tables[table.name] = tuple(_Column(*row) for row in found if row[0] not in table.postgres)
        return self._tables[table.name]


_PACKED = ("data", "memory", "space", "subject")
_SINGLE = ("memory", "space", "subject", "chunk", "embedding", "sealed")
_VECTORS = (
    "coalesce(string_agg(sealed, ''::BYTEA), string_agg(substr(vector_send(embedding), 5), ''::BYTEA ORDER BY chunk)), "
    "memory, space, subject"
)
_BYTES, _WHOLE = (psycopg.adapters.types[name].oid for name in ("bytea", "int8"))
_COLUMNS = """
SELECT CAST(attname AS TEXT), CAST(atttypid AS BIGINT)
  FROM pg_attribute
 WHERE attrelid = CAST(?1 AS REGCLASS) AND attnum > 0 AND NOT attisdropped
 ORDER BY attname COLLATE "C"
"""
_DRAWN = """
SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT)
  FROM pg_attribute AS a
  JOIN pg_class AS c ON c.oid = a.attrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = ?1 AND a.attidentity <> ''
"""


def _statement(what: str) -> bytes:
    return f"COPY {what} (FORMAT BINARY)".encode()
