"""A connection to PostgreSQL, used by one thread, and reopened after it was lost. Network."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from types import TracebackType
from typing import Any, TypeVar

import psycopg
from psycopg import RawCursor
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int2BinaryDumper, NumericBinaryLoader

from toldonce.errors import BadSettingError
from toldonce.settings import DATABASE_SETTING
from toldonce.store.acting_tenant import acting_tenant
from toldonce.store.failpoint import Failpoint
from toldonce.store.postgres.dialect import BulkCopy, fill_text, handling, to_postgres
from toldonce.store.postgres.errors import AGAIN, lost_by
from toldonce.store.postgres.vector_codec import chunks, joined, received, teach
from toldonce.store.sql.database import Row, Statement, Work

T = TypeVar("T")

SCHEMA = "toldonce"
# Maximum duration of a statement, and of an idle transaction, in milliseconds: usual ones last a few.
STATEMENT_MS, IDLE_MS = 60_000, 120_000
CONNECT_S = 10
# Set after connecting: a pooler refuses settings that come with the connection.
_SETTINGS = (
    f"SET search_path = {SCHEMA}, public, extensions; SET statement_timeout = {STATEMENT_MS}; "
    f"SET idle_in_transaction_session_timeout = {IDLE_MS}; SET jit = off; SET toldonce_rls.tenant = '*'"
)
# The server rolls back transactions that deadlock or conflict; they are tried again.
TRIES = 4
# All advisory locks of one database share one number space.
_LOCK = "SELECT pg_advisory_xact_lock($1)"
# In whatever schema the extension is; ToldOnce has a table of the same name.
_VECTOR_TYPE = """
SELECT CAST(t.oid AS BIGINT)
  FROM pg_type AS t
  JOIN pg_extension AS e ON e.extname = 'vector' AND e.extnamespace = t.typnamespace
 WHERE t.typname = 'vector'
"""
_GUARDED = "SELECT 1 FROM pg_class WHERE oid = to_regclass('toldonce.memory') AND relrowsecurity"
_ACT_FOR = "SELECT set_config('toldonce_rls.tenant', $1, FALSE)"
TABLES = """
SELECT c.relname
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relkind = 'r'
 ORDER BY c.relname
"""
# Columns of a subject's state, before those of a memory.
_STATE_COLUMNS = 7
_UNPACK: dict[str, Callable[[Sequence[Row]], list[Row]]] = {
    "chunks": joined,
    "packed": received,
    "behind_state": partial(joined, at=_STATE_COLUMNS),
}


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
    """A connection that is opened when needed, and again after it was lost."""

    def __init__(self, url: str, failpoint: Failpoint) -> None:
        """Connect to `url` on first use."""
        self._url = url
        self._failpoint = failpoint
        self._open: PostgresConnection | None = None

    def read(self, work: Work[T]) -> T:
        """Read, and repeat it if the connection was lost since its last use."""
        return self.use(lambda session: session.read(work))

    def use(self, work: Callable[["PostgresConnection"], T]) -> T:
        """Do work that may be repeated if the connection was lost since its last use."""
        return self._again(work, lost=True)

    def write(self, work: Work[T], locks: Sequence[int]) -> T:
        """Do `work` in a transaction that holds `locks`; repeat it only if it certainly did not happen."""
        return self._again(lambda session: session.write(work, locks, self._failpoint), lost=False)

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def interrupt(self) -> None:
        """Interrupt the statement that another thread runs, if there is one; the connection stays."""
        session = self._open
        if session is not None:
            session.connection.cancel()

    def session(self) -> "PostgresConnection":
        """Return an open connection."""
        if self._open is None:
            self._open = PostgresConnection(connect(self._url))
        self._open.act_for(acting_tenant())
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
        said = str(error).strip().partition(': "')[0]  # the rest quotes the URL, and maybe its password
        raise BadSettingError(
            DATABASE_SETTING,
            "postgresql://…",
            f"is no URL ({said}): write what is special in a password as %40, %2F, %25",
        ) from None
    made: psycopg.Connection[Row] = psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=CONNECT_S,
        application_name="toldonce",
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
    """An open connection as a `SqlConnection`."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self.connection = connection
        self._cursor = connection.cursor(binary=True)
        self._depth = 0
        self._writing = False
        self._knows_vectors = False
        self._dims: dict[int, int] = {}
        self._bulk = BulkCopy(SCHEMA)
        self.committing = False
        """A commit was sent whose outcome is not known yet."""
        self._tenant: str | None = None

    @cached_property
    def is_guarded(self) -> bool:
        """Whether row-level security guards the tables; COPY cannot fill such ones."""
        return bool(self._say(_GUARDED))

    def act_for(self, tenant: str | None) -> None:
        """Show the next statements the rows of one tenant alone, if row-level security guards them; None: all rows."""
        if tenant == self._tenant or not self.is_guarded:
            return
        self._say(_ACT_FOR, ("*" if tenant is None else f"={tenant}",))
        self._tenant = tenant

    def read(self, work: Work[T]) -> T:
        """Do work that only reads."""
        try:
            return work(self)
        finally:
            self._settle()

    def write(self, work: Work[T], locks: Sequence[int], failpoint: Failpoint) -> T:
        """Do work in one transaction, which holds the locks of its subjects."""
        self.committing = False
        try:
            self._say("BEGIN")
            self._depth, self._writing = 1, True
            for lock in sorted(set(locks)):  # in one order, so that two transactions cannot deadlock
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
        """Rewrite all tables without their deleted rows; each is locked meanwhile."""
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
        if how is None or self.is_guarded or not self._bulk.copy(insert, values, cursor=self._cursor, say=self._say):
            self._cursor.executemany(insert, values)

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        return max(0, self._cursor.rowcount)

    def __enter__(self) -> "PostgresConnection":
        self._say("BEGIN ISOLATION LEVEL REPEATABLE READ" if not self._depth else f"SAVEPOINT s{self._depth}")
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
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
        """Split the packed vectors of memories into one row per chunk."""
        if not self._knows_vectors:
            teach(self._cursor, int(self._say(_VECTOR_TYPE)[0][0]))
            self._knows_vectors = True
        for subject, space, memory, data in rows:
            number = abs(space)  # negative: of what ended
            if number not in self._dims:
                self._dims[number] = int(self._say("SELECT dim FROM space WHERE id = $1", (number,))[0][0])
            for chunk in chunks(data, self._dims[number]):
                yield subject, space, memory, *chunk

    def _say(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        self._cursor.execute(statement, values or None)
        return self._cursor.fetchall() if self._cursor.description else []

    def _settle(self) -> None:
        """Leave no transaction open."""
        self._depth, self._writing = 0, False
        if self.connection.closed or self.connection.info.transaction_status == TransactionStatus.IDLE:
            return
        self.connection.rollback()


class PostgresCursor:
    """Rows of a statement."""

    __slots__ = ("_rows",)

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows

    def fetchall(self) -> list[Row]:
        """Return all rows."""
        return self._rows
