"""Locks by which threads that want the same subject read it one after another, not each for itself. Locks."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class _ReadLock:
    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0


class ReadLocks:
    """A lock for each key that is in use now."""

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._locks: dict[Hashable, _ReadLock] = {}

    @contextmanager
    def held(self, key: Hashable) -> Iterator[None]:
        """Hold the lock of a key. A thread must not hold a second one, nor wait for other threads meanwhile."""
        with self._gate:
            entry = self._locks.setdefault(key, _ReadLock())
            entry.users += 1
        try:
            with entry.lock:
                yield
        finally:
            with self._gate:
                entry.users -= 1
                if not entry.users:
                    del self._locks[key]
