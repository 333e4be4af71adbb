"""Pool of reading threads, each with its own connection. Threads."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from toldonce.concurrency import ForkGuard
from toldonce.errors import StoreUnavailableError
from toldonce.store.sql.jobs import MAX_PASSES, Fault, Job, deliver

T = TypeVar("T")
D = TypeVar("D", bound="Closable")
# How often a closing store looks for reads whose callers are gone, in seconds.
_LOOK_S = 0.05


class Closable(Protocol):
    """A connection."""

    def close(self) -> object:
        """Close it."""
        ...

    def interrupt(self) -> object:
        """Interrupt the statement that another thread runs on it, if there is one."""
        ...


def in_own_context(work: Callable[[D], T]) -> Callable[[D], T]:
    """Return `work` bound to the caller's context variables: another thread runs it."""
    context = copy_context()
    return lambda db: context.run(work, db)


class ReaderPool(Generic[D]):
    """A pool of reading threads over one queue: one thread hop an operation."""

    def __init__(self, connections: Sequence[D], where: str, fault: Fault) -> None:
        """Start a thread for each connection, which belongs to it from now on."""
        self._fork_guard = ForkGuard()
        self._where = where
        self._fault = fault
        # A token for each job, and None for each thread that is to end: the job is taken from the two lists.
        self._queue: SimpleQueue[bool | None] = SimpleQueue()
        self._urgent: deque[Job[Any]] = deque()
        self._waiting: deque[Job[Any]] = deque()
        self._passes = 0
        self._gate = threading.Lock()
        self._closing = False
        self._threads: list[tuple[threading.Thread, Future[None]]] = []
        self._reading: dict[int, tuple[D, asyncio.Future[Any] | Future[Any]]] = {}
        for number, db in enumerate(connections):
            ended: Future[None] = Future()
            thread = threading.Thread(
                target=self._serve, args=(number, db, ended), name=f"toldonce-reader-{number}", daemon=True
            )
            self._threads.append((thread, ended))
            thread.start()

    async def run(self, work: Callable[[D], T], *, reads: bool = False, urgent: bool = False) -> T:
        """Do `work` with a connection.

        Args:
            work: What to do; it is finished even if its caller is cancelled.
            reads: It changes nothing, and `close` interrupts it if its caller was cancelled.
            urgent: A chat waits for this short work: it passes other work that waits for a connection, at most
                `MAX_PASSES` pieces in a row.

        Raises:
            StoreUnavailableError: the store is closed.
        """
        self._fork_guard.check()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._gate:
            if self._closing:
                raise StoreUnavailableError(f"{self._where} is closed")
            self._put(Job(work, future, reads=reads, urgent=urgent))
        return await future

    def later(self, work: Callable[[D], None]) -> None:
        """Do `work` soon, without a caller that waits.

        Raises:
            StoreUnavailableError: the store is closed.
        """
        self._fork_guard.check()
        with self._gate:
            if self._closing:
                raise StoreUnavailableError(f"{self._where} is closed")
            self._put(Job(work, None))

    def _put(self, job: Job[Any]) -> None:
        (self._urgent if job.urgent else self._waiting).append(job)
        self._queue.put(True)

    def _take(self) -> Job[Any] | None:
        """Wait for a job; None if there will be no more."""
        if self._queue.get() is None:
            return None
        with self._gate:
            if self._urgent and (self._passes < MAX_PASSES or not self._waiting):
                self._passes = self._passes + 1 if self._waiting else 0
                return self._urgent.popleft()
            self._passes = 0
            return self._waiting.popleft()

    async def close(self) -> None:
        """Finish accepted work and close the connections; interrupt reads whose callers are gone. Idempotent."""
        with self._gate:
            if not self._closing:
                self._closing = True
                for _ in self._threads:
                    self._queue.put(None)
        for thread, ended in self._threads:
            waiting = asyncio.wrap_future(ended)
            while not (await asyncio.wait([waiting], timeout=_LOOK_S))[0]:
                self._end_unwanted()  # a statement that is about to begin is interrupted the next time
            thread.join()

    def _end_unwanted(self) -> None:
        """Interrupt the reads whose callers were cancelled."""
        for db, caller in list(self._reading.values()):
            if caller.cancelled():
                db.interrupt()

    def _serve(self, number: int, db: D, ended: "Future[None]") -> None:
        try:
            while (job := self._take()) is not None:
                if job.future is None or not job.future.cancelled():
                    if job.reads and job.future is not None:
                        self._reading[number] = db, job.future
                    job.run(db)
                    self._reading.pop(number, None)
                    deliver([job], self._fault)
                del job  # while the thread waits, it keeps no texts
        finally:
            db.close()
            ended.set_result(None)
