"""Write-behind queue: background writes in order; reads of the same subject wait for them. A thread of its own."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence

from recollect.store.postgres.connection import ReconnectingConnection
from recollect.store.sql.jobs import Fault
from recollect.store.sql.reader_pool import ReaderPool


class WriteBehindQueue:
    """Background writes on one connection, one after the other."""

    def __init__(self, link: ReconnectingConnection, where: str, fault: Fault) -> None:
        """Start the thread."""
        self._thread = ReaderPool([link], where, fault)
        self._lock = threading.Lock()
        self._waiting: Counter[int] = Counter()

    def later(self, work: Callable[[ReconnectingConnection], None], keys: Sequence[int]) -> None:
        """Queue `work`, which concerns the subjects with these keys."""
        with self._lock:
            self._waiting.update(keys)

        def done(link: ReconnectingConnection) -> None:
            try:
                work(link)
            finally:
                with self._lock:
                    self._waiting -= Counter(keys)

        self._thread.later(done)

    async def written(self, *keys: int) -> None:
        """Wait until no write of these subjects is pending; without keys, no write at all."""
        with self._lock:
            waiting = not keys or any(key in self._waiting for key in keys)
        if waiting:
            await self._thread.run(lambda link: None)

    async def close(self) -> None:
        """Finish accepted work."""
        await self._thread.close()
