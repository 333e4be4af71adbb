"""The one writing thread: it takes all waiting work, does it in one transaction, and syncs the disk once. Threads.

Each piece of work runs in a savepoint: one that fails is rolled back alone. Futures are resolved after the commit; if
the commit itself fails, none of the work happened, and every caller gets the error. It is never repeated silently. A
commit into a file that is no longer found under its name is not acknowledged.

Urgent work, for which a chat waits, passes other work that waits, in a transaction of its own: a transaction of other
work ends early when urgent work arrives. Other work is passed a few times in a row at most.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import apsw

from toldonce.concurrency import ForkGuard
from toldonce.errors import StoreUnavailableError
from toldonce.store.failpoint import Failpoint
from toldonce.store.sql.jobs import MAX_PASSES, Job, PendingWrites, deliver
from toldonce.store.sqlite.connection import BUSY_MS
from toldonce.store.sqlite.errors import as_ours
from toldonce.store.sqlite.file_guard import FileGuard
from toldonce.store.sqlite.inline_reader import FileWork

T = TypeVar("T")

# Maximum pieces of work in one transaction: bounds how long the first of a batch waits for the last.
MAX_JOBS = 256
# A transaction of other work that has lasted so long ends after the current piece of work if urgent work waits.
MAX_HOLD_S = 0.002
# Work without a caller (counts of use) joins the next transaction, or makes its own after so many seconds or pieces.
IDLE_S = 2.0
MAX_IDLE = 64
# Log pages from which the log is copied into the file, after the commit, so that no caller waits; from the second
# number on the copy waits for readers, so that the log starts over: 8 and 32 MB.
CHECKPOINT_PAGES = 1_000
RESTART_PAGES = 4_000
# How long a checkpoint waits for readers and other processes, in milliseconds: commits wait meanwhile, and a long
# reader (a backup) must not hold them up. The next commit tries again.
CHECKPOINT_BUSY_MS = 50

logger = logging.getLogger(__name__)


class Writer:
    """A thread with the connection that writes."""

    def __init__(self, db: apsw.Connection, where: str, failpoint: Failpoint, guard: FileGuard | None = None) -> None:
        """Start the thread, which owns `db`. Without `guard` its files are not watched."""
        self._fork_guard = ForkGuard()
        self._db = db
        self._where = where
        self._fault = partial(as_ours, where=where)
        self._failpoint = failpoint
        self._guard = guard or FileGuard()
        self._queue: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._pending = PendingWrites()
        self._gate = threading.Lock()
        self._using = threading.Lock()
        """Held while the connection is used."""
        self._closing = False
        self._ended: Future[None] = Future()
        # Taken from the queue, by the writing thread alone.
        self._urgent: deque[Job[Any]] = deque()
        self._waiting: deque[Job[Any]] = deque()
        self._idle: list[Job[Any]] = []
        self._passes = 0
        self._open = True
        self._log_pages = 0
        self._held_up = False
        self._synced = True
        db.set_wal_hook(self._note_log)
        self._thread = threading.Thread(target=self._serve, name="toldonce-writer", daemon=True)
        self._thread.start()

    async def run(self, work: FileWork[T], *, synced: bool = True, urgent: bool = False) -> T:
        """Do `work` in a transaction; it is durable when this returns. Happens even if the caller is cancelled.

        Args:
            work: Reads and writes.
            synced: False if it need not outlive the machine: the commit does not wait for the disk, unless other work
                of the same transaction does.
            urgent: A chat waits for this short work: it passes work that is not urgent.

        Raises:
            StoreUnavailableError: the store is closed.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._put(Job(work, future, synced=synced, urgent=urgent))
        return await future

    def run_for_caller(self, work: FileWork[T]) -> T:
        """Do `work` as `run` does, for a thread that waits for it and has no event loop.

        Raises:
            StoreUnavailableError: the store is closed.
        """
        future: Future[T] = Future()
        self._put(Job(work, future))
        return future.result()

    def read_inline(self, work: FileWork[T]) -> tuple[T] | None:
        """Read with this connection in the calling thread; None if the writing thread uses it, or is to use it first.

        Only for a database in memory, where no read waits for a disk.
        """
        self._fork_guard.check()
        if self._pending.has(()) or not self._using.acquire(blocking=False):
            return None
        try:
            return (work(self._db),)
        except apsw.Error:  # closed, broken: the read in the thread reports it
            return None
        finally:
            self._using.release()

    async def run_alone(self, work: FileWork[T]) -> T:
        """Do `work` between transactions, on the same thread: it begins and ends its own.

        Raises:
            StoreUnavailableError: the store is closed.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._put(Job(work, future, alone=True))
        return await future

    def later(self, work: FileWork[None], keys: Sequence[int] = ()) -> None:
        """Do `work`, which concerns the subjects with these keys, within seconds; no caller waits."""
        self._pending.add(keys)
        self._put(Job(work, None, keys=keys))

    async def written(self, *keys: int) -> None:
        """Wait until no background work of these subjects is pending; without keys, none at all.

        Raises:
            StoreUnavailableError: the store is closed, or the file cannot be written.
        """
        if self._pending.has(keys):
            await self.run(lambda db: None, synced=False)  # background work joins the transaction, before it

    async def close(self) -> None:
        """Finish what was accepted and close the connection. Idempotent."""
        with self._gate:
            if not self._closing:
                self._closing = True
                self._queue.put(None)
        await asyncio.shield(asyncio.wrap_future(self._ended))
        self._thread.join()

    def _put(self, job: Job[Any]) -> None:
        self._fork_guard.check()
        with self._gate:
            if self._closing:
                raise StoreUnavailableError(f"{self._where} is closed")
            self._queue.put(job)

    def _serve(self) -> None:
        try:
            while self._open or self._urgent or self._waiting or self._idle:
                batch = self._next()
                if batch and batch[0].alone:
                    self._do_alone(batch[0])
                elif batch:
                    self._commit(batch)
                    self._checkpoint()
                del batch  # while the thread waits, it keeps no texts
        finally:
            self._end()

    def _end(self) -> None:
        """Close the file, and fail all waiting work, even if the thread ended by a bug."""
        with self._gate:
            self._closing = True
            left = [*self._urgent, *self._waiting, *self._idle, *iter(self._poll, None)]
        for job in left:
            job.error = StoreUnavailableError(f"{self._where} is closed")
        self._note_done(left)
        deliver(left, self._fault)
        try:
            with self._using:
                self._db.close()
        except apsw.Error as error:  # the log could not be copied into the file; it is read at the next start
            logger.warning("close_failed", extra={"error": type(error).__name__})
        finally:
            self._ended.set_result(None)

    def _poll(self) -> Job[Any] | None:
        return None if self._queue.empty() else self._queue.get()

    def _next(self) -> list[Job[Any]]:
        """Wait for work; return what to do now in one transaction, or alone."""
        self._receive()
        if self._urgent and (self._passes < MAX_PASSES or not self._waiting):
            self._passes = self._passes + 1 if self._waiting else 0
            batch = [self._urgent.popleft() for _ in range(min(len(self._urgent), MAX_JOBS))]
            # Idle work joins where the disk is waited for anyway.
            return self._take_idle() + batch if any(job.synced for job in batch) else batch
        self._passes = 0
        if self._waiting and self._waiting[0].alone:
            return [self._waiting.popleft()]
        batch = []
        while self._waiting and not self._waiting[0].alone and len(batch) < MAX_JOBS:
            batch.append(self._waiting.popleft())
        return self._take_idle() + batch

    def _receive(self) -> None:
        """Take all work from the queue; wait for some if there is nothing to do now."""
        while self._open and not (self._urgent or self._waiting or len(self._idle) >= MAX_IDLE):
            try:
                self._sort(self._queue.get(timeout=IDLE_S if self._idle else None))
            except Empty:
                return
        self._receive_more()

    def _receive_more(self) -> None:
        while self._open and not self._queue.empty():
            self._sort(self._queue.get())

    def _sort(self, job: Job[Any] | None) -> None:
        if job is None:
            self._open = False
        elif job.future is None:
            self._idle.append(job)
        else:
            (self._urgent if job.urgent else self._waiting).append(job)

    def _take_idle(self) -> list[Job[Any]]:
        idle, self._idle = self._idle, []
        return idle

    def _commit(self, batch: list[Job[Any]]) -> None:
        with self._using:
            try:
                self._transact(batch)
            except (apsw.Error, StoreUnavailableError) as error:
                for job in batch:
                    job.error = job.error or error
                self._roll_back()
        self._note_done(batch)
        deliver(batch, self._fault)

    def _transact(self, batch: list[Job[Any]]) -> None:
        self._guard.check()
        self._sync(any(job.synced for job in batch))
        self._db.execute("BEGIN IMMEDIATE")
        self._do(batch)
        self._failpoint.reach("before-commit")
        self._db.execute("COMMIT")
        self._failpoint.reach("after-commit")
        self._guard.check()

    def _note_done(self, jobs: Sequence[Job[Any]]) -> None:
        for job in jobs:
            if job.future is None:
                self._pending.remove(job.keys)

    def _do(self, batch: list[Job[Any]]) -> None:
        """Do the jobs of a transaction; if urgent work arrives meanwhile, leave the rest for a later one."""
        ends_at = time.monotonic() + MAX_HOLD_S
        passable = not batch[-1].urgent
        if len(batch) == 1:  # the transaction is its savepoint
            self._attempt_alone(batch[0])
            return
        for place, job in enumerate(batch, start=1):
            self._attempt(job)
            if passable and place < len(batch) and time.monotonic() >= ends_at and self._is_urgent_waiting():
                self._waiting.extendleft(reversed(batch[place:]))
                del batch[place:]
                return

    def _attempt_alone(self, job: Job[Any]) -> None:
        """Run the only job of a transaction.

        Raises:
            apsw.Error: SQLite gave up the transaction.
        """
        job.run(self._db)
        if job.error is not None:
            if not self._db.in_transaction:
                raise job.error if isinstance(job.error, apsw.Error) else apsw.AbortError("the transaction is gone")
            self._db.execute("ROLLBACK")
            self._db.execute("BEGIN IMMEDIATE")

    def _is_urgent_waiting(self) -> bool:
        self._receive_more()
        return bool(self._urgent)

    def _sync(self, synced: bool) -> None:
        """Let the next commits wait for the disk, or not: without, a crash of the machine may undo the last ones."""
        if synced != self._synced:
            self._db.pragma("synchronous", "FULL" if synced else "NORMAL")
            self._synced = synced

    def _do_alone(self, job: Job[Any]) -> None:
        with self._using:
            try:
                self._guard.check()
                self._sync(True)
            except (apsw.Error, StoreUnavailableError) as error:
                job.error = error
            else:
                job.run(self._db)
                self._roll_back()
        deliver([job], self._fault)

    def _roll_back(self) -> None:
        try:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        except apsw.Error as error:  # the next BEGIN fails, and its callers are told
            logger.warning("rollback_failed", extra={"error": type(error).__name__})

    def _attempt(self, job: Job[Any]) -> None:
        """Run one job in a savepoint.

        Raises:
            apsw.Error: SQLite gave up the whole transaction (full disk, failed read): nothing of the batch happened.
        """
        self._db.execute("SAVEPOINT job")
        job.run(self._db)
        if job.error is not None:
            if not self._db.in_transaction:
                raise job.error if isinstance(job.error, apsw.Error) else apsw.AbortError("the transaction is gone")
            self._db.execute("ROLLBACK TO job")
        self._db.execute("RELEASE job")

    def _note_log(self, _db: apsw.Connection, _name: str, pages: int) -> int:
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _checkpoint(self) -> None:
        if self._log_pages < (RESTART_PAGES if self._is_urgent_waiting() else CHECKPOINT_PAGES):
            return
        mode = apsw.SQLITE_CHECKPOINT_PASSIVE
        if self._log_pages >= RESTART_PAGES:
            mode = apsw.SQLITE_CHECKPOINT_RESTART
        try:
            self._db.set_busy_timeout(CHECKPOINT_BUSY_MS)
            self._db.wal_checkpoint(mode=mode)
        except apsw.Error as error:  # all is safe in the log; the next commit tries again
            self._note_held_up(True, type(error).__name__)
        else:
            self._note_held_up(False)
        finally:
            self._db.set_busy_timeout(BUSY_MS)
        self._log_pages = 0

    def _note_held_up(self, held_up: bool, error: str = "") -> None:
        """Log once that the log cannot be copied, and once that it can again: a long reader meets each commit."""
        if held_up and not self._held_up:
            logger.info("checkpoint_failed", extra={"error": error, "log_pages": self._log_pages})
        elif self._held_up and not held_up:
            logger.info("checkpoint_succeeded", extra={"log_pages": self._log_pages})
        self._held_up = held_up
