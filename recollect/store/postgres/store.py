"""`PostgresExecutor`: each promise of `Store`, handed to a thread with a connection of its own. Threads, network."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from recollect.clock import Clock, to_micros
from recollect.errors import NewerSchemaError, StoreUnavailableError
from recollect.settings import shown_url
from recollect.store.failpoint import Failpoint
from recollect.store.operators import StoreStats
from recollect.store.postgres.connection import SCHEMA, PostgresConnection, ReconnectingConnection
from recollect.store.postgres.dialect import dialect_statements
from recollect.store.postgres.errors import as_ours
from recollect.store.postgres.hnsw_index import indexes
from recollect.store.postgres.migrate import newest_schema, prepare, schema_of
from recollect.store.postgres.snapshot_reader import PostgresSnapshotReader, subscriptions
from recollect.store.postgres.write_behind import WriteBehindQueue
from recollect.store.protocol import Rank
from recollect.store.sql.database import Work
from recollect.store.sql.reader_pool import ReaderPool
from recollect.store.sql.recall.snapshot_cache import SnapshotCache
from recollect.store.sql.rows import fetch_value
from recollect.store.sql.statements import load
from recollect.store.sql.stats import counted
from recollect.store.sql.store import RelationalStore
from recollect.types import (
    ALL_VECTORS,
    Memory,
    RecordedTurn,
    StorageKind,
    Subject,
    SubjectSnapshot,
    Turn,
    VectorRequest,
)

ERASE_SQL, OWN_SQL = load("erase"), dialect_statements("recall")
T = TypeVar("T")
# Connections of one process: more than a machine has cores wait for one another in Python.
CONNECTIONS = 8
# How long to wait before a turn is recorded again while the server does not answer: a restart takes a second or two.
RECORD_AGAIN_S = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)


class PostgresExecutor(RelationalStore):
    """A store over one PostgreSQL database. Any number of processes may open the same one."""

    def __init__(self, url: str, *, term_key: bytes, clock: Clock, cache_bytes: int) -> None:
        """Start the threads; use `open` to make one."""
        self._url = url
        self._where = shown_url(url)
        self._closed = False
        self._clock = clock
        self._term_key = term_key
        self._cache = SnapshotCache(cache_bytes)
        self._chooser = PostgresSnapshotReader(self._cache, term_key)
        self._failpoint = Failpoint.from_environment()
        ours = partial(as_ours, where=self._where)
        self._threads = ReaderPool(
            [ReconnectingConnection(url, self._failpoint) for _ in range(CONNECTIONS)], self._where, ours
        )
        self._behind = WriteBehindQueue(ReconnectingConnection(url, self._failpoint), self._where, ours)

    @classmethod
    async def open(cls, url: str, *, clock: Clock, cache_bytes: int) -> "PostgresExecutor":
        """Connect; the schema is made or migrated where needed.

        Raises:
            NewerSchemaError: a newer Recollect wrote it.
            UnreadableStoreError: there is no such database, it has no pgvector, or may not be used.
            StoreUnavailableError: the server does not answer.
        """
        Failpoint.from_environment()  # a wrong name is told before anything is made
        term_key = await asyncio.to_thread(prepare, url)
        return cls(url, term_key=term_key, clock=clock, cache_bytes=cache_bytes)

    async def close(self) -> None:
        """See `Store.close`."""
        self._closed = True
        await self._threads.close()
        await self._behind.close()

    async def record(self, turn: Turn) -> RecordedTurn:
        """See `Store.record`. Done again where nobody knows whether it was committed: it is never there twice."""
        for wait_s in RECORD_AGAIN_S:
            try:
                return await super().record(turn)
            except StoreUnavailableError:
                if self._closed:
                    raise
                await asyncio.sleep(wait_s)
        return await super().record(turn)

    async def _erase(self, work: Work[T], *subjects: Subject) -> T:
        """Erase; what was noted behind an answer is written first: after it, it would bring ids back."""
        await self._behind.written(*(subject.key for subject in subjects))
        return await super()._erase(work, *subjects)

    async def clean(self, *, wait_ms: int, rewrite: bool = False) -> bool:
        """See `Store.clean`. Only writing the tables anew reaches what the server keeps of deleted rows."""
        if not rewrite:
            return not await self.unclean()
        now = to_micros(self._clock.now())
        self._failpoint.reach("cleaning")
        await self._threads.run(lambda link: link.use(PostgresConnection.rewrite))
        await self._threads.run(lambda link: link.write(lambda db: db.execute(ERASE_SQL["cleaned"], (now,)), ()))
        self._failpoint.reach("cleaned")
        return True

    async def ready(self) -> int:
        """See `Store.ready`."""

        def ready(link: ReconnectingConnection) -> int:
            found, known = link.read(lambda db: int(fetch_value(db, OWN_SQL["schema"]))), newest_schema()
            if found > known:
                raise NewerSchemaError(where=self._where, found=found, known=known)
            return found

        return await self._threads.run(ready)

    @property
    def rest(self) -> StorageKind:
        """See `Store.rest`."""
        return StorageKind.SERVER

    async def stats(self, *, check: bool = False) -> StoreStats:
        """See `Store.stats`."""

        def look(session: PostgresConnection) -> StoreStats:
            with session:
                found = counted(session, self._clock, check=check)
                size = fetch_value(session, _SIZE, SCHEMA)
                indexed = indexes(session)
            return replace(
                found,
                url=self._where,
                schema=schema_of(session.connection),
                bytes=int(size or 0),
                indexes=indexed,
            )

        return await self._threads.run(lambda link: link.use(look))

    async def hot(self, subject: Subject, space: str, *, sought: VectorRequest | None = None) -> SubjectSnapshot:
        """See `Store.hot`."""
        await self._behind.written(subject.key)
        return await self._read(lambda db: self._chooser.hot(db, subject, space, sought))

    async def choose(
        self, subjects: Mapping[Subject, str], rank: Rank[T], *, sought: Mapping[Subject, VectorRequest] = ALL_VECTORS
    ) -> tuple[T, list[Memory]]:
        """See `Store.choose`."""
        await self._behind.written(*(subject.key for subject in subjects))
        return await self._read(lambda db: self._chooser.choose(db, subjects, rank, sought))

    async def subscriptions(self, subject: Subject) -> tuple[int, list[Subject]]:
        """See `Store.subscriptions`."""
        return await self._read(partial(subscriptions, subject=subject))

    async def _read(self, work: Work[T]) -> T:
        """Read, in another thread."""
        return await self._threads.run(lambda link: link.read(work), reads=True)

    async def _write(self, work: Work[T], *subjects: Subject) -> T:
        """Write in a transaction that holds the subjects' locks."""
        locks = [subject.key for subject in subjects]
        return await self._threads.run(lambda link: link.write(work, locks))

    def _write_later(self, work: Work[None], *subjects: Subject) -> None:
        """Write as soon as a connection is free; nobody waits for it."""
        locks = [subject.key for subject in subjects]
        self._behind.later(lambda link: link.write(work, locks), locks)

    async def _caught_up(self) -> None:
        """Wait for what nobody waited for."""
        await self._behind.written()


_SIZE = """
SELECT sum(pg_total_relation_size(c.oid))
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = ?1 AND c.relkind IN ('r', 'p')
"""
