"""Executor on PostgreSQL: threads with a connection each, and a queue for background writes. Threads, network."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from toldonce.concurrency import REPEAT_AFTER_S
from toldonce.errors import StoreUnavailableError
from toldonce.settings import shown_url
from toldonce.store.failpoint import Failpoint
from toldonce.store.postgres.connection import ReconnectingConnection
from toldonce.store.postgres.errors import as_ours
from toldonce.store.postgres.migrate import prepare
from toldonce.store.sql.database import SqlConnection, Work
from toldonce.store.sql.idempotency import noting_effect
from toldonce.store.sql.jobs import Fault, PendingWrites
from toldonce.store.sql.reader_pool import ReaderPool, in_own_context
from toldonce.types import Subject

T = TypeVar("T")
# Connections of one process: more than a machine has cores wait for one another in Python.
CONNECTIONS = 8
# The commit does not wait for the server's disk; a crash of the server may lose it.
_NO_SYNC = "SET LOCAL synchronous_commit = off"


class TenantPool(ReaderPool[ReconnectingConnection]):
    """A pool whose threads know for which tenant a caller acts."""

    async def run(self, work: Callable[[ReconnectingConnection], T], *, reads: bool = False, urgent: bool = False) -> T:
        """Do `work` with a connection: see `ReaderPool.run`."""
        return await super().run(in_own_context(work), reads=reads, urgent=urgent)


class WriteBehindQueue:
    """Background writes on one connection, one after the other; reads of the same subject wait for them."""

    def __init__(self, link: ReconnectingConnection, where: str, fault: Fault) -> None:
        self._thread = ReaderPool([link], where, fault)
        self._pending = PendingWrites()

    def later(self, work: Callable[[ReconnectingConnection], None], keys: Sequence[int]) -> None:
        """Queue `work`, which concerns the subjects with these keys."""
        self._pending.add(keys)

        def done(link: ReconnectingConnection) -> None:
            try:
                work(link)
            finally:
                self._pending.remove(keys)

        self._thread.later(done)

    async def written(self, *keys: int) -> None:
        """Wait until no write of these subjects is pending; without keys, no write at all."""
        if self._pending.has(keys):
            await self._thread.run(lambda link: None)

    async def close(self) -> None:
        """Finish accepted work."""
        await self._thread.close()


class PostgresExecutor:
    """Runs work on one PostgreSQL database: see `Executor`. Any number of processes may open the same one."""

    def __init__(self, url: str, term_key: bytes) -> None:
        """Start the threads; use `open` to make one."""
        self.where = shown_url(url)
        self.term_key = term_key
        self.failpoint = Failpoint.from_environment()
        self._closed = False
        fault = partial(as_ours, where=self.where)
        self.connections = TenantPool(
            [ReconnectingConnection(url, self.failpoint) for _ in range(CONNECTIONS)], self.where, fault
        )
        self._write_behind = WriteBehindQueue(ReconnectingConnection(url, self.failpoint), self.where, fault)

    @classmethod
    async def open(cls, url: str) -> "PostgresExecutor":
        """Connect; the schema is created or migrated if needed.

        Raises:
            NewerSchemaError: A newer ToldOnce wrote it.
            UnreadableStoreError: There is no such database, it has no pgvector, or may not be used.
            StoreUnavailableError: The server does not answer.
        """
        Failpoint.from_environment()  # refuses an unknown name before anything is created
        return cls(url, await asyncio.to_thread(prepare, url))

    async def close(self) -> None:
        """Finish accepted work and close all connections. Idempotent."""
        self._closed = True
        await self.connections.close()
        await self._write_behind.close()

    async def read(self, work: Work[T]) -> T:
        """Read in another thread."""
        return await self.connections.run(lambda link: link.read(work), reads=True)

    async def read_inline(self, work: Work[T], *, small: bool = True) -> T:
        """Read in another thread: the event loop must not wait for the network."""
        del small
        return await self.read(work)

    @property
    def reads_in_callers(self) -> bool:
        """Connections belong to threads of the store."""
        return False

    def read_in_caller(self, work: Work[T]) -> tuple[T] | None:
        """Leave it to a thread of the store."""
        del work
        return None

    async def write(
        self,
        work: Work[T],
        *subjects: Subject,
        idempotent: bool = False,
        synced: bool = True,
        urgent: bool = False,
    ) -> T:
        """Write in a transaction that holds the subjects' locks; work that is not urgent, after `write_later`."""
        if not urgent and subjects:
            await self.flush(*subjects)
        work = noting_effect(work if synced else _without_sync(work))
        for wait_s in REPEAT_AFTER_S if idempotent else ():
            try:
                return await self._write(work, subjects, urgent=urgent)
            except StoreUnavailableError:
                if self._closed:
                    raise
                await asyncio.sleep(wait_s)
        return await self._write(work, subjects, urgent=urgent)

    async def _write(self, work: Work[T], subjects: tuple[Subject, ...], *, urgent: bool) -> T:
        locks = [subject.key for subject in subjects]
        return await self.connections.run(lambda link: link.write(work, locks), urgent=urgent)

    @property
    def writes_for_callers(self) -> bool:
        """False: next to the way over the network, that to the event loop costs little."""
        return False

    def write_for_caller(self, work: Work[T], *subjects: Subject) -> T:
        """Refuse: see `writes_for_callers`.

        Raises:
            NotImplementedError: always; use `write`.
        """
        raise NotImplementedError("a calling thread cannot write to PostgreSQL: use `write`")

    def write_later(self, work: Work[None], *subjects: Subject) -> None:
        """Write as soon as the connection for background writes is free."""
        locks = [subject.key for subject in subjects]
        self._write_behind.later(in_own_context(lambda link: link.write(work, locks)), locks)

    async def flush(self, *subjects: Subject) -> None:
        """Wait for pending writes of these subjects; without subjects, for all."""
        await self._write_behind.written(*(subject.key for subject in subjects))


def _without_sync(work: Work[T]) -> Work[T]:
    def unsynced(db: SqlConnection) -> T:
        db.execute(_NO_SYNC)
        return work(db)

    return unsynced
