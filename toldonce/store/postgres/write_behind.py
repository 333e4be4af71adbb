"""Write-behind queue: background writes in order; reads of the same subject wait for them. A thread of its own."""

from collections.abc import Callable, Sequence

from toldonce.store.postgres.connection import ReconnectingConnection
from toldonce.store.sql.jobs import Fault
from toldonce.store.sql.pending_writes import PendingWrites
from toldonce.store.sql.reader_pool import ReaderPool


class WriteBehindQueue:
    """Background writes on one connection, one after the other."""

    def __init__(self, link: ReconnectingConnection, where: str, fault: Fault) -> None:
        """Start the thread."""
        self._thread = ReaderPool([link], where, fault)
        self._pending = PendingWrites()

    def later(self, work: Callable[[ReconnectingConnection], None], keys: Sequence[int]) -> None:
        """Queue `work`, which concerns the subjects with these keys."""
        self._pending.add(keys)

        def done(link: ReconnectingConnection) -> None:
            try:
                work(link)
            finally:
                self._pending.remove(keys)

        self._thread.later(done)

    async def written(self, *keys: int) -> None:
        """Wait until no write of these subjects is pending; without keys, no write at all."""
        if self._pending.has(keys):
            await self._thread.run(lambda link: None)

    async def close(self) -> None:
        """Finish accepted work."""
        await self._thread.close()
