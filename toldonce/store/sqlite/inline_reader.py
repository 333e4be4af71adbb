"""Short reads on the event loop's thread: the way to another takes as long. On a connection of its own; locks.

A page of a busy file is in the system's memory and takes microseconds. The loop must not wait for a slow disk: after a
slow read, all reads go to threads for a while.
"""

import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import apsw

from toldonce.clock import Clock
from toldonce.concurrency import ForkGuard

T = TypeVar("T")
FileWork = Callable[[apsw.Connection], T]
"""Work on a connection to a file."""
# A recall that reads 500 memories takes 3 ms here; a longer read waited for something.
SLOW_S = 0.05
# For so long after a slow read, threads read: at most one slow read in that time delays the loop.
CAUTION_S = 2.0


class InlineReader:
    """A connection for short reads; it never waits for a lock."""

    def __init__(self, db: apsw.Connection, clock: Clock) -> None:
        """Own a reading connection."""
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
