"""Executor on SQLite: one writing thread, a few reading ones, and short reads on the event loop. Opens files."""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from toldonce.clock import Clock
from toldonce.errors import StoreUnavailableError
from toldonce.store.failpoint import Failpoint
from toldonce.store.sql import formations
from toldonce.store.sql.database import Work, load
from toldonce.store.sql.idempotency import noting_effect
from toldonce.store.sql.reader_pool import ReaderPool
from toldonce.store.sql.rows import fetch_value
from toldonce.store.sql.transfer.endpoint import refuse_unfinished
from toldonce.store.sqlite.connection import (
    DatabaseLocation,
    for_reading,
    open_reader,
    open_unwritable,
    open_writer,
)
from toldonce.store.sqlite.errors import as_ours, opening
from toldonce.store.sqlite.file_guard import FileGuard, ProcessLock, unfinished_copy
from toldonce.store.sqlite.inline_reader import CallerReaders, FileWork, InlineReader
from toldonce.store.sqlite.writer import Writer
from toldonce.types import Subject

T = TypeVar("T")
SQL = load("subject")
# Reading threads: more than the cores of a small machine gain nothing while Python runs one at a time.
READERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """The connections of a store, before threads own them."""

    writer: apsw.Connection
    readers: tuple[apsw.Connection, ...]
    inline: apsw.Connection | None
    """For the event loop's thread; None if there is one connection only."""
    term_key: bytes
    file_guard: FileGuard
    process_lock: ProcessLock | None
    """This process's mark next to the file; None if no other process can open it."""

    def close(self) -> None:
        """Close all of it."""
        for connection in (self.inline, *self.readers, self.writer):
            if connection is not None:
                connection.close()
        if self.process_lock is not None:
            self.process_lock.close()


def _open(place: DatabaseLocation, clock: Clock) -> _Opened:
    with ExitStack() as on_failure:
        writer = open_unwritable(place) if place.read_only else open_writer(place)
        on_failure.callback(writer.close)
        with opening(place.path):
            refuse_unfinished(writer, place.path)
        process_lock = None if place.alone or place.read_only else ProcessLock(place.path)
        if process_lock is not None:
            on_failure.callback(process_lock.close)
            if process_lock.first:
                with opening(place.path):
                    formations.free_leases(writer)
                Path(unfinished_copy(place.path)).unlink(missing_ok=True)
            process_lock.share()
        if not place.read_only:
            with opening(place.path):
                formations.return_from_future(writer, clock.now())
        readers = []
        for _ in range(0 if place.alone else READERS + 1):
            readers.append(open_reader(place))
            on_failure.callback(readers[-1].close)
        inline = readers.pop() if readers else None
        term_key = fetch_value(writer, SQL["term_key"])
        file_guard = FileGuard.of(writer, place)
        on_failure.pop_all()
    return _Opened(
        writer=writer,
        readers=tuple(readers),
        inline=inline,
        term_key=term_key,
        file_guard=file_guard,
        process_lock=process_lock,
    )


def _open_later(place: DatabaseLocation, guard: FileGuard) -> apsw.Connection:
    """Open a further reading connection, which does not wait for locks, to the file that was opened at first.

    Raises:
        StoreUnavailableError: another file is there now.
    """
    db = open_reader(place)
    try:
        db.set_busy_timeout(0)
        guard.check()
    except StoreUnavailableError:
        db.close()
        raise
    return db


def _close_unused(opening_thread: "asyncio.Future[_Opened]") -> None:
    if not opening_thread.cancelled() and opening_thread.exception() is None:
        opening_thread.result().close()


class SqliteExecutor:
    """Runs work on one SQLite file: see `Executor`. Several processes may open the same file."""

    def __init__(self, place: DatabaseLocation, opened: _Opened, clock: Clock) -> None:
        """Start the threads; use `open` to make one."""
        self.place = place
        self.term_key = opened.term_key
        self.file_guard = opened.file_guard
        self.failpoint = Failpoint.from_environment()
        self._process_lock = opened.process_lock
        self._writer = Writer(opened.writer, place.path, self.failpoint, opened.file_guard)
        # A file that cannot be shared between connections is read by the writing thread.
        self._readers = (
            ReaderPool(opened.readers, place.path, partial(as_ours, where=place.path)) if opened.readers else None
        )
        self._inline = InlineReader(opened.inline, clock) if opened.inline else None
        self._callers = None if place.alone else CallerReaders(partial(_open_later, place, opened.file_guard))

    @classmethod
    async def open(cls, place: DatabaseLocation, clock: Clock) -> "SqliteExecutor":
        """Open the file; it is created or migrated if needed. One that may not be written is opened to be read.

        Raises:
            NewerSchemaError: a newer ToldOnce wrote it.
            UnreadableStoreError: it is not a ToldOnce database, may not be read, or is not there and may not be made.
            StoreUnavailableError: another process holds it.
        """
        Failpoint.from_environment()  # a wrong name is told before a file is made
        place = for_reading(place)
        opening_thread = asyncio.ensure_future(asyncio.to_thread(_open, place, clock))
        try:
            opened = await asyncio.shield(opening_thread)
        except asyncio.CancelledError:
            # The thread cannot be stopped. Its files are closed before the caller goes on, who may delete them.
            opening_thread.add_done_callback(_close_unused)
            await asyncio.wait([opening_thread])
            raise
        return cls(place, opened, clock)

    async def close(self) -> None:
        """Finish accepted work and close all connections. Idempotent."""
        if self._callers is not None:
            if self._callers.is_busy:
                await asyncio.to_thread(self._callers.close)
            self._callers.close()
        if self._inline is not None:
            self._inline.close()
        if self._readers is not None:
            await self._readers.close()
        await self._writer.close()
        if self._process_lock is not None:
            self._process_lock.close()

    async def read(self, work: Work[T]) -> T:
        """Read in another thread."""
        return await self.look(work)

    async def look(self, work: FileWork[T]) -> T:
        """Read in a reading thread, or in the writing one if the file cannot be shared between connections."""
        if self._readers is None:
            return await self._writer.run(work)
        return await self._readers.run(self._watched(work), reads=True)

    async def read_inline(self, work: Work[T], *, small: bool = True) -> T:
        """Read on the event loop while the disk, if there is one, is fast and a connection is free.

        The way to another thread and back takes longer than such a read, and a formation has a dozen of them.
        """
        if not small:
            return await self.read(work)
        if self._inline is None:
            read = self._writer.read_inline(work) if self.place.alone else None
            return await self.read(work) if read is None else read[0]
        watched = self._watched(work)
        done = self._inline.read(lambda db: (watched(db),))
        return await self.look(self._inline.watched(work)) if done is None else done[0]

    @property
    def reads_in_callers(self) -> bool:
        """Whether `read_in_caller` reads."""
        return self._callers is not None

    def read_in_caller(self, work: Work[T]) -> tuple[T] | None:
        """Read in the calling thread, which may be any; None if that is not possible now."""
        return None if self._callers is None else self._callers.read(self._watched(work))

    def _watched(self, work: FileWork[T]) -> FileWork[T]:
        """Let `work` fail where another process began to write a file that is read without locks."""
        if not self.place.immutable:
            return work

        def read(db: apsw.Connection) -> T:
            done = work(db)
            self.file_guard.check()
            return done

        return read

    async def write(
        self,
        work: Work[T],
        *subjects: Subject,
        idempotent: bool = False,
        synced: bool = True,
        urgent: bool = False,
    ) -> T:
        """Write in the one writing thread, whose transactions follow one another."""
        del subjects, idempotent  # one thread writes, and no connection is lost
        return await self._writer.run(noting_effect(work), synced=synced, urgent=urgent)

    @property
    def writes_for_callers(self) -> bool:
        """Whether `write_for_caller` writes."""
        return True

    def write_for_caller(self, work: Work[T], *subjects: Subject) -> T:
        """Write in the writing thread, while the calling one waits."""
        del subjects
        return self._writer.run_for_caller(work)

    def write_later(self, work: Work[None], *subjects: Subject) -> None:
        """Write with the next transaction, or within seconds; nothing where the file may only be read."""
        if self.place.read_only:
            return
        self._writer.later(work, [subject.key for subject in subjects])

    async def flush(self, *subjects: Subject) -> None:
        """Write now what is pending of these subjects; without subjects, all."""
        await self._writer.written(*(subject.key for subject in subjects))

    async def run_alone(self, work: FileWork[T]) -> T:
        """Run `work` in the writing thread between transactions; it begins and ends its own."""
        return await self._writer.run_alone(work)
