"""A few threads that read, each with its own connection. Threads."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

import apsw

from recollect.errors import StoreUnavailableError
from recollect.store.sqlite.jobs import Job, Work, deliver

T = TypeVar("T")


class Readers:
    """A pool of reading threads over one queue: one thread hop an operation."""

    def __init__(self, connections: Sequence[apsw.Connection], where: str) -> None:
        """Start a thread for each connection, which belongs to it from now on."""
        self._where = where
        self._queue: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._closing = False
        self._threads: list[tuple[threading.Thread, Future[None]]] = []
        for number, db in enumerate(connections):
            ended: Future[None] = Future()
            thread = threading.Thread(
                target=self._serve, args=(db, ended), name=f"recollect-reader-{number}", daemon=True
            )
            self._threads.append((thread, ended))
            thread.start()

    async def run(self, work: Work[T]) -> T:
        """Do `work` with a connection that reads.

        Raises:
            StoreUnavailableError: the store is closed.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._gate:
            if self._closing:
                raise StoreUnavailableError(f"{self._where} is closed")
            self._queue.put(Job(work, future))
        return await future

    async def close(self) -> None:
        """Finish what was accepted and close the connections. Idempotent."""
        with self._gate:
            if not self._closing:
                self._closing = True
                for _ in self._threads:
                    self._queue.put(None)
        for thread, ended in self._threads:
            await asyncio.shield(asyncio.wrap_future(ended))
            thread.join()

    def _serve(self, db: apsw.Connection, ended: "Future[None]") -> None:
        try:
            while (job := self._queue.get()) is not None:
                if job.future is None or not job.future.cancelled():
                    job.run(db)
                    deliver([job], self._where)
        finally:
            db.close()
            ended.set_result(None)
