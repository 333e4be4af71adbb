"""Reads in the threads of blocking callers: the way to the store's own threads takes longer than such a read. Locks."""

import threading
from collections.abc import Callable
from typing import TypeVar

import apsw

from toldonce.concurrency import ForkGuard
from toldonce.errors import StoreUnavailableError
from toldonce.store.sqlite.inline_reader import FileWork

T = TypeVar("T")
# Threads that read at the same time, each on a connection that is opened when it is first needed. Python runs one at a
# time: with more, the others use the store's threads.
MAX_CALLERS = 8


class CallerReaders:
    """Connections that are lent to calling threads, the last one used first."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        """Open connections with `connect`, from any thread."""
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
