"""One connection to PostgreSQL, used by one thread: opened when it is needed, and again when it was lost. Network."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

import psycopg
from psycopg import RawCursor
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int2BinaryDumper, NumericBinaryLoader

from recollect.errors import BadSettingError
from recollect.settings import DATABASE_SETTING
from recollect.store.failpoint import Failpoint
from recollect.store.postgres.dialect import BulkCopy, fill_text, handling, to_postgres
from recollect.store.postgres.errors import AGAIN, lost_by
from recollect.store.postgres.vector_codec import joined, pieces, received, teach
from recollect.store.sql.database import Row, Statement, Work

T = TypeVar("T")

SCHEMA = "recollect"
# Longest that one statement may take, and that a transaction of ours may stand still, in milliseconds: ours last a few.
STATEMENT_MS, IDLE_MS = 60_000, 120_000
CONNECT_S = 10
# Said once connected: a pooler in between refuses what comes with the connection.
_SETTINGS = (
    f"SET search_path = {SCHEMA}, public, extensions; SET statement_timeout = {STATEMENT_MS}; "
    f"SET idle_in_transaction_session_timeout = {IDLE_MS}; SET jit = off"
)
# Transactions that met another's rows in the wrong order are undone by the server, and done again.
TRIES = 4
# What a name has in common with others: the locks of one database are one space.
_LOCK = "SELECT pg_advisory_xact_lock($1)"
# Wherever the extension lies; a table of ours has the same name.
_VECTOR_TYPE = """
SELECT CAST(t.oid AS BIGINT)
  FROM pg_type AS t
  JOIN pg_extension AS e ON e.extname = 'vector' AND e.extnamespace = t.typnamespace
 WHERE t.typname = 'vector'
"""
TABLES = """
SELECT c.relname
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relkind = 'r'
 ORDER BY c.relname
"""
_UNPACK = {"chunks": joined, "packed": received}


class _TruthDumper(Int2BinaryDumper):
    """Writes True and False as 1 and 0, as the tables keep them."""

    def dump(self, obj: Any) -> Any:
        return super().dump(int(obj))


class _WholeLoader(NumericBinaryLoader):
    """Reads sums of whole numbers as whole numbers."""

    def load(self, data: Any) -> Any:
        found = super().load(data)
        return int(found) if found == found.to_integral_value() else float(found)


class ReconnectingConnection:
    """A connection, and what it takes to have one."""

    def __init__(self, url: str, failpoint: Failpoint) -> None:
        """Note where the server is; nothing is opened yet."""
        self._url = url
        self._failpoint = failpoint
        self._open: PostgresConnection | None = None

    def read(self, work: Work[T]) -> T:
        """Read; once more where the connection was lost since it was used last."""
        return self.use(lambda session: session.read(work))

    def use(self, work: Callable[["PostgresConnection"], T]) -> T:
        """Do what may be done twice; once more where the connection was lost since it was used last."""
        return self._again(work, lost=True)

    def write(self, work: Work[T], locks: Sequence[int]) -> T:
        """Do `work` in a transaction that holds `locks`; once more only where surely nothing happened."""
        return self._again(lambda session: session.write(work, locks, self._failpoint), lost=False)

    def close(self) -> None:
        """Let go of the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def interrupt(self) -> None:
        """End the statement that another thread runs, if there is one; the connection stays."""
        session = self._open
        if session is not None:
            session.connection.cancel()

    def session(self) -> "PostgresConnection":
        """Return an open connection."""
        if self._open is None:
            self._open = PostgresConnection(connect(self._url))
        return self._open

    def _again(self, work: Callable[["PostgresConnection"], T], *, lost: bool) -> T:
        for left in reversed(range(TRIES)):
            fresh = self._open is None
            try:
                session = self.session()
                return work(session)
            except AGAIN:
                if not left:
                    raise
            except psycopg.OperationalError as error:
                if not lost_by(error):
                    raise
                began = self._open is not None and self._open.committing
                self.close()
                if fresh or not left or (began and not lost):
                    raise
        raise AssertionError("unreachable: the last try returns or raises")


def connect(url: str) -> psycopg.Connection[Row]:
    """Open a connection to the tables' schema.

    Raises:
        BadSettingError: the URL cannot be read.
        psycopg.Error: the server does not answer, or refuses.
    """
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        said = str(error).strip().partition(': "')[0]  # behind it stands what it stumbled over: the password, maybe
        raise BadSettingError(
            DATABASE_SETTING,
            "postgresql://…",
            f"is no URL ({said}): write what is special in a password as %40, %2F, %25",
        ) from None
    made: psycopg.Connection[Row] = psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=CONNECT_S,
        application_name="recollect",
        cursor_factory=RawCursor,
        prepare_threshold=3,
    )
    try:
        made.execute(_SETTINGS)
    except psycopg.Error:
        made.close()
        raise
    made.adapters.register_dumper(bool, _TruthDumper)
    made.adapters.register_loader("numeric", _WholeLoader)
    return made


class PostgresConnection:
    """An open connection in the shape in which the relational store uses one."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        """Take an open connection."""
        self.connection = connection
        self._cursor = connection.cursor(binary=True)
        self._depth = 0
        self._writing = False
        self._knows_vectors = False
        self._dims: dict[int, int] = {}
        self._bulk = BulkCopy(SCHEMA)
        self.committing = False
        """A commit was sent whose outcome is not known yet."""

    def read(self, work: Work[T]) -> T:
        """Do what reads."""
        try:
            return work(self)
        finally:
            self._settle()

    def write(self, work: Work[T], locks: Sequence[int], failpoint: Failpoint) -> T:
        """Do what writes, in one transaction, alone among those that hold one of the locks."""
        self.committing = False
        try:
            self._say("BEGIN")
            self._depth, self._writing = 1, True
            for lock in sorted(set(locks)):  # in one order: two that need the same ones do not wait for each other
                self._say(_LOCK, (lock,))
            done = work(self)
            failpoint.reach("before-commit")
            self.committing = True
            self._say("COMMIT")
            self.committing = False
            failpoint.reach("after-commit")
            return done
        finally:
            self._settle()

    def rewrite(self) -> None:
        """Write all tables anew, without what was deleted of them; nobody else can use a table meanwhile."""
        self._say("SET statement_timeout = 0")
        try:
            for (table,) in self._say(TABLES, (SCHEMA,)):
                self._say(f'VACUUM (FULL, ANALYZE) "{SCHEMA}"."{table}"')
            self._say("CHECKPOINT")
        finally:
            self._say(f"SET statement_timeout = {STATEMENT_MS}")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> "PostgresCursor":
        """Run a statement."""
        special = handling(statement) if isinstance(statement, Statement) else None
        if not special:
            return PostgresCursor(self._say(to_postgres(statement), values))
        if special.get("copy") == "vectors":
            self.executemany(statement, [values])
            return PostgresCursor([])
        # A subject's version that is read in order to change it stays as it is until the end of the transaction.
        lock = " FOR NO KEY UPDATE" if self._writing and "lock" in special else ""
        rows = self._say(to_postgres(statement) + lock, values)
        if "vectors" in special:
            rows = _UNPACK[special["vectors"]](rows)
        return PostgresCursor(fill_text(self, rows) if "text" in special else rows)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement for each row of values; many rows go in by COPY if its header allows it."""
        how = handling(statement).get("copy") if isinstance(statement, Statement) else None
        if how == "vectors":
            rows = self._single_vectors(rows)
        insert, values = to_postgres(statement), [tuple(row) for row in rows]
        if how is None or not self._bulk.copy(insert, values, cursor=self._cursor, say=self._say):
            self._cursor.executemany(insert, values)

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        return max(0, self._cursor.rowcount)

    def __enter__(self) -> "PostgresConnection":
        """Begin a snapshot; within a transaction, a part of it."""
        self._say("BEGIN ISOLATION LEVEL REPEATABLE READ" if not self._depth else f"SAVEPOINT s{self._depth}")
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Keep it, or undo it where it failed."""
        self._depth -= 1
        if self.connection.closed:
            return
        if self._depth:
            self._say(f"{'RELEASE' if kind is None else 'ROLLBACK TO'} SAVEPOINT s{self._depth}")
        else:
            self._say("COMMIT" if kind is None else "ROLLBACK")

    def vector_cursor(self) -> psycopg.Cursor[Row]:
        """Return another cursor of this connection, which can send vectors."""
        made = self.connection.cursor(binary=True)
        teach(made, int(self._say(_VECTOR_TYPE)[0][0]))
        return made

    def _single_vectors(self, rows: Iterable[Sequence[Any]]) -> Iterator[Row]:
        """Cut the packed vectors of memories into rows of one."""
        if not self._knows_vectors:
            teach(self._cursor, int(self._say(_VECTOR_TYPE)[0][0]))
            self._knows_vectors = True
        for subject, space, memory, data in rows:
            if space not in self._dims:
                self._dims[space] = int(self._say("SELECT dim FROM space WHERE id = $1", (space,))[0][0])
            for chunk, piece in enumerate(pieces(data, self._dims[space])):
                yield subject, space, memory, chunk, piece

    def _say(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        self._cursor.execute(statement, values or None)
        return self._cursor.fetchall() if self._cursor.description else []

    def _settle(self) -> None:
        """Leave no transaction open behind."""
        self._depth, self._writing = 0, False
        if self.connection.closed or self.connection.info.transaction_status == TransactionStatus.IDLE:
            return
        self.connection.rollback()


class PostgresCursor:
    """What a statement found."""

    __slots__ = ("_rows",)

    def __init__(self, rows: list[Row]) -> None:
        """Take the rows."""
        self._rows = rows

    def fetchall(self) -> list[Row]:
        """Return all rows."""
        return self._rows
