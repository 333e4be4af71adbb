"""Short reads in the callers' own threads: the way to a thread of the store takes longer than such a read. Locks.

A page of a busy file is in the system's memory and takes microseconds. The event loop must not wait for a slow disk:
after a slow read, all its reads go to threads for a while.
"""

import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import apsw

from toldonce.clock import Clock
from toldonce.concurrency import ForkGuard
from toldonce.errors import StoreUnavailableError

T = TypeVar("T")
FileWork = Callable[[apsw.Connection], T]
"""Work on a connection to a file."""
# A recall that reads 500 memories takes 3 ms here; a longer read waited for something.
SLOW_S = 0.05
# For so long after a slow read, threads read: at most one slow read in that time delays the loop.
CAUTION_S = 2.0
# Threads that read at the same time, each on a connection that is opened when it is first needed. Python runs one at a
# time: with more, the others use the store's threads.
MAX_CALLERS = 8


class InlineReader:
    """A connection for short reads on the event loop's thread; it never waits for a lock."""

    def __init__(self, db: apsw.Connection, clock: Clock) -> None:
        db.set_busy_timeout(0)
        self._fork_guard = ForkGuard()
        self._db = db
        self._clock = clock
        self._free = threading.Lock()
        self._quick_from: float | None = None

    def read(self, work: FileWork[T]) -> T | None:
        """Do `work`; None if it must be done in a thread instead.

        Raises:
            BadSubjectError: another subject's name has the same 64-bit key.
            TooLargeError: `work` says so.
        """
        self._fork_guard.check()
        quick = self._quick_from is not None and self._clock.monotonic() >= self._quick_from
        if not quick or not self._free.acquire(blocking=False):
            return None
        try:
            return self._timed(work, self._db)
        except apsw.Error:  # locked, closed, broken: the read in a thread reports it
            return None
        finally:
            self._free.release()

    def watched(self, work: FileWork[T]) -> FileWork[T]:
        """Wrap work for a thread, to measure the disk; nothing is read here before the first measurement."""
        return partial(self._timed, work)

    def _timed(self, work: FileWork[T], db: apsw.Connection) -> T:
        began = self._clock.monotonic()
        done = work(db)
        ended = self._clock.monotonic()
        if ended - began > SLOW_S:
            self._quick_from = ended + CAUTION_S
        elif self._quick_from is None:
            self._quick_from = ended
        return done

    def close(self) -> None:
        """Close the connection. Idempotent."""
        with self._free:
            self._db.close()


class CallerReaders:
    """Connections for callers without an event loop, lent to their threads, the last one used first."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._fork_guard = ForkGuard()
        self._connect = connect
        self._idle: list[apsw.Connection] = []
        self._lent = 0
        self._changed = threading.Condition()
        self._closing = False

    def read(self, work: FileWork[T]) -> tuple[T] | None:
        """Do `work` in this thread; None if a thread of the store has to do it, which also reports a driver's errors.

        Raises:
            Exception: whatever `work` raises, but for errors of the driver.
        """
        self._fork_guard.check()
        with self._changed:
            if self._closing or self._lent >= MAX_CALLERS:
                return None
            self._lent += 1
            db = self._idle.pop() if self._idle else None
        try:
            db = db or self._connect()
            return (work(db),)
        except (apsw.Error, StoreUnavailableError):  # locked, out of files, broken
            return None
        finally:
            self._give_back(db)

    def close(self) -> None:
        """Close the connections, after the reads in progress. Idempotent."""
        with self._changed:
            self._closing = True
            self._changed.wait_for(lambda: not self._lent)
            while self._idle:
                self._idle.pop().close()

    @property
    def is_busy(self) -> bool:
        """Whether a thread reads, so that closing has to wait."""
        return self._lent > 0

    def _give_back(self, db: apsw.Connection | None) -> None:
        with self._changed:
            self._lent -= 1
            if db is not None:
                self._idle.append(db)
            if self._closing:
                self._changed.notify_all()
