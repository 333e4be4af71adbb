"""Counts of background writes that are not done, so that a read can wait for those of its subjects. Locks."""

import threading
from collections import Counter
from collections.abc import Collection


class PendingWrites:
    """Background writes by subject. Safe to use from several threads."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._writes = 0
        self._keys: Counter[int] = Counter()

    def add(self, keys: Collection[int]) -> None:
        """Note a write that concerns the subjects with these keys."""
        with self._lock:
            self._writes += 1
            self._keys.update(keys)

    def remove(self, keys: Collection[int]) -> None:
        """Note that such a write is done, or has failed."""
        with self._lock:
            self._writes -= 1
            self._keys -= Counter(keys)

    def has(self, keys: Collection[int] = ()) -> bool:
        """Return whether a write of one of these subjects is pending; without keys, any write."""
        with self._lock:
            return any(key in self._keys for key in keys) if keys else self._writes > 0
