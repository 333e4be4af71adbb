"""What operators ask of a PostgreSQL database: its schema, its health, its counts, and cleaning it. Network."""

from dataclasses import replace

from toldonce.clock import Clock, to_micros
from toldonce.errors import NewerSchemaError, StoreReadOnlyError
from toldonce.store.postgres.connection import SCHEMA, PostgresConnection
from toldonce.store.postgres.dialect import dialect_statements
from toldonce.store.postgres.executor import PostgresExecutor
from toldonce.store.postgres.hnsw_index import indexes
from toldonce.store.postgres.migrate import REQUIRED_SCHEMA, newest_schema, schema_of
from toldonce.store.sql import formations
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch_value
from toldonce.store.sql.stats import counted
from toldonce.store.store_reports import StoreStats
from toldonce.types import StorageKind

ERASE_SQL, OWN_SQL = load("erase"), dialect_statements("recall")
_IS_READ_ONLY = "SELECT current_setting('default_transaction_read_only') = 'on' OR pg_is_in_recovery()"
_SIZE = """
SELECT sum(pg_total_relation_size(c.oid))
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = ?1 AND c.relkind IN ('r', 'p')
"""


class PostgresAdmin:
    """Operators' view of one PostgreSQL database: see `DatabaseAdmin`."""

    def __init__(self, executor: PostgresExecutor, clock: Clock) -> None:
        self._executor = executor
        self._clock = clock

    @property
    def storage_kind(self) -> StorageKind:
        """Return that the data is on a server."""
        return StorageKind.SERVER

    async def schema_version(self) -> int:
        """Return the number of the newest applied migration."""

        def read(db: SqlConnection) -> int:
            found, known = int(fetch_value(db, OWN_SQL["schema"])), newest_schema()
            if found > known and int(fetch_value(db, REQUIRED_SCHEMA)) > known:
                raise NewerSchemaError(where=self._executor.where, found=found, known=known)
            return found

        return await self._executor.read(read)

    async def ping(self) -> None:
        """Read from the server that is connected to; of a cluster, no other is asked."""
        await self._executor.read(lambda db: fetch_value(db, OWN_SQL["schema"]))

    async def ping_all(self) -> None:
        """Read from every machine of a cluster."""
        await self._executor.read(formations.next_due)

    async def require_writable(self) -> None:
        """Ask the server whether a transaction of this user may write."""
        if await self._executor.read(lambda db: fetch_value(db, _IS_READ_ONLY)):
            raise StoreReadOnlyError(
                f"{self._executor.where} may be read but not written: `default_transaction_read_only` is on, or the "
                "server is a standby"
            )

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is stored, and check it if asked."""

        def read(session: PostgresConnection) -> StoreStats:
            with session:
                found = counted(session, self._clock, check=check)
                size = fetch_value(session, _SIZE, SCHEMA)
                indexed = indexes(session)
            return replace(
                found,
                url=self._executor.where,
                schema=schema_of(session.connection),
                bytes=int(size or 0),
                indexes=indexed,
            )

        return await self._executor.connections.run(lambda link: link.use(read))

    async def scrub(self, *, wait_ms: int, rewrite: bool = False) -> bool:
        """Rewrite the tables if asked: nothing else removes what the server keeps of deleted rows."""
        del wait_ms
        if not rewrite:
            return not await self._executor.read(lambda db: int(fetch_value(db, ERASE_SQL["unclean"])))
        now, reach = to_micros(self._clock.now()), self._executor.failpoint.reach
        reach("cleaning")
        await self._executor.connections.run(lambda link: link.use(PostgresConnection.rewrite))
        await self._executor.write(lambda db: db.execute(ERASE_SQL["cleaned"], (now,)))
        reach("cleaned")
        return True

    async def close(self) -> None:
        """Finish accepted work and close all connections. Idempotent."""
        await self._executor.close()
