"""`SqliteExecutor`: each promise of `Store`, handed to the thread that keeps it. Starts threads, opens files."""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

import apsw

from recollect.clock import Clock
from recollect.errors import NewerSchemaError
from recollect.store.failpoint import Failpoint
from recollect.store.operators import StoreStats
from recollect.store.sql import formations as work
from recollect.store.sql.database import SqlConnection, Work
from recollect.store.sql.reader_pool import ReaderPool
from recollect.store.sql.recall.snapshot_cache import SnapshotCache
from recollect.store.sql.rows import fetch_value
from recollect.store.sql.statements import load
from recollect.store.sql.store import RelationalStore
from recollect.store.sql.unfinished import refuse_unfinished
from recollect.store.sqlite.connection import DatabaseLocation, open_reader, open_writer
from recollect.store.sqlite.errors import as_ours, opening
from recollect.store.sqlite.file_guard import FileGuard
from recollect.store.sqlite.inline_reader import FileWork, InlineReader
from recollect.store.sqlite.migrate import newest_schema, schema_of
from recollect.store.sqlite.process_lock import ProcessLock
from recollect.store.sqlite.secure_delete import clean
from recollect.store.sqlite.stats import stats
from recollect.store.sqlite.writer import Writer
from recollect.types import StorageKind, Subject

T = TypeVar("T")
SQL = load("subject")
ERASE_SQL = load("erase")
# Reading threads: more than the cores of a small machine gain nothing while Python runs one at a time.
READERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """The connections of a store, before threads own them."""

    writer: apsw.Connection
    readers: tuple[apsw.Connection, ...]
    on_loop: apsw.Connection | None
    """For the event loop's thread; None where there is one connection only."""
    term_key: bytes
    presence: FileGuard
    company: ProcessLock | None
    """Our mark beside the file; None where nobody else can come."""


def _open(place: DatabaseLocation, clock: Clock) -> _Opened:
    with ExitStack() as on_failure:
        writer = open_writer(place)
        on_failure.callback(writer.close)
        with opening(place.path):
            refuse_unfinished(writer, place.path)
        company = None if place.alone else ProcessLock(place.path)
        if company is not None:
            on_failure.callback(company.close)
            if company.first:
                work.free_leases(writer)
            company.share()
        with opening(place.path):
            work.return_from_future(writer, clock.now())
        readers = []
        for _ in range(0 if place.alone else READERS + 1):
            readers.append(open_reader(place))
            on_failure.callback(readers[-1].close)
        on_loop = readers.pop() if readers else None
        term_key = fetch_value(writer, SQL["term_key"])
        presence = FileGuard.of(writer, place)
        on_failure.pop_all()
    return _Opened(
        writer=writer, readers=tuple(readers), on_loop=on_loop, term_key=term_key, presence=presence, company=company
    )


class SqliteExecutor(RelationalStore):
    """A store over one SQLite file. Several processes may open the same one."""

    def __init__(self, place: DatabaseLocation, opened: _Opened, *, clock: Clock, cache_bytes: int) -> None:
        """Start the threads; use `open` to make one."""
        self._place = place
        self._clock = clock
        self._term_key = opened.term_key
        self._company = opened.company
        self._cache = SnapshotCache(cache_bytes)
        self._presence = opened.presence
        self._failpoint = Failpoint.from_environment()
        self._writer = Writer(opened.writer, place.path, self._failpoint, opened.presence)
        # A file that cannot be shared between connections is read by the writing thread.
        self._readers = (
            ReaderPool(opened.readers, place.path, partial(as_ours, where=place.path)) if opened.readers else None
        )
        self._on_loop = InlineReader(opened.on_loop, clock) if opened.on_loop else None

    @classmethod
    async def open(cls, place: DatabaseLocation, *, clock: Clock, cache_bytes: int) -> "SqliteExecutor":
        """Open the file, made or migrated where needed.

        Raises:
            NewerSchemaError: a newer Recollect wrote it.
            UnreadableStoreError: it is no database of ours, or may not be read or written.
            StoreUnavailableError: another process holds it.
        """
        Failpoint.from_environment()  # a wrong name is told before a file is made
        opened = await asyncio.to_thread(_open, place, clock)
        return cls(place, opened, clock=clock, cache_bytes=cache_bytes)

    async def close(self) -> None:
        """See `Store.close`."""
        if self._on_loop is not None:
            self._on_loop.close()
        if self._readers is not None:
            await self._readers.close()
        await self._writer.close()
        if self._company is not None:
            self._company.close()

    async def next_due(self) -> datetime | None:
        """See `Store.next_due`."""

        def next_due(db: SqlConnection) -> datetime | None:
            self._presence.check()  # the readers, too, have the old file open: this is what `/healthz` asks
            return work.next_due(db)

        return await self._read(next_due)

    async def ready(self) -> int:
        """See `Store.ready`."""

        def ready(db: apsw.Connection) -> int:
            self._presence.check()
            found, known = schema_of(db), newest_schema()
            if found > known:
                raise NewerSchemaError(where=self._place.path, found=found, known=known)
            return found

        return await self._look(ready)

    @property
    def rest(self) -> StorageKind:
        """See `Store.rest`."""
        return StorageKind.FILE

    async def clean(self, *, wait_ms: int, rewrite: bool = False) -> bool:
        """See `Store.clean`. The file is rewritten where that is needed, whether that is asked for or not."""
        return await self._writer.run_alone(
            partial(clean, clock=self._clock, wait_ms=wait_ms, midway=self._failpoint.reach)
        )

    async def stats(self, *, check: bool = False) -> StoreStats:
        """See `Store.stats`."""
        return await self._look(lambda db: stats(db, self._place, self._clock, check=check))

    async def _read(self, work: Work[T]) -> T:
        """Read, in another thread."""
        return await self._look(work)

    async def _look(self, work: FileWork[T]) -> T:
        """Read in a reading thread, or in the writing one where the file cannot be shared between connections."""
        if self._readers is None:
            return await self._writer.run(work)
        return await self._readers.run(work, reads=True)

    async def _read_short(self, work: Work[T], *, small: bool = True) -> T:
        """Read on the loop, while the disk is quick and nobody reads there.

        The way to another thread and back takes longer than such a reading, and a formation has a dozen of them.
        """
        if self._on_loop is None or not small:
            return await self._read(work)
        done = self._on_loop.read(lambda db: (work(db),))
        return await self._look(self._on_loop.watched(work)) if done is None else done[0]

    async def _write(self, work: Work[T], *subjects: Subject) -> T:
        """Write in the one thread that does, whose transactions follow one another."""
        return await self._writer.run(work)

    def _write_later(self, work: Work[None], *subjects: Subject) -> None:
        """Write with the next transaction, or within seconds."""
        self._writer.later(work)

    async def _caught_up(self) -> None:
        """Do nothing: what is written next is written behind it."""
