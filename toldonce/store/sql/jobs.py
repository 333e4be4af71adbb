"""Jobs: work for a thread, whose result goes back to the event loop that waits for it. Threads, locks.

Background writes that are not done are counted, so that a read can wait for those of its subjects.
"""

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Fault = Callable[[Exception], Exception]
"""Translates a driver's exception; any other stays as it is."""

# Urgent pieces of work (in SQLite's writer: transactions) that may pass other work in a row: that never waits for more
# than these, however many chats run.
MAX_PASSES = 4

logger = logging.getLogger(__name__)


class Job(Generic[T]):
    """Work on a connection. As a context manager it keeps an exception for the caller that waits."""

    def __init__(  # noqa: PLR0913  # each option is independent of the others
        self,
        work: Callable[[Any], T],
        future: asyncio.Future[T] | Future[T] | None,
        *,
        alone: bool = False,
        reads: bool = False,
        synced: bool = True,
        urgent: bool = False,
        keys: Sequence[int] = (),
    ) -> None:
        """Hold work and the future of its caller, who waits on an event loop or in a thread; None if no caller waits.

        Work that runs `alone` shares no transaction: it begins and ends its own. Work that `reads` changes nothing.
        Work that is not `synced` does not wait for the disk. A chat waits for work that is `urgent`. Background work
        names the `keys` of its subjects.
        """
        self._work = work
        self.alone = alone
        self.reads = reads
        self.synced = synced
        self.urgent = urgent
        self.keys = keys
        self.future = future
        self.result: T | None = None
        self.error: Exception | None = None

    def run(self, db: Any) -> None:
        """Do the work, and keep its result or error for `deliver`."""
        with self:
            self.result = self._work(db)

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self.error = error
            return True
        return False

    def settle(self, fault: Fault) -> None:
        """Resolve the future, in its own loop's thread if it has a loop."""
        error = self.error
        if error is not None and (ours := fault(error)) is not error:
            error, ours.__cause__ = ours, error
        if self.future is None or self.future.cancelled():
            if error is not None and not self.reads:  # a read without a caller is interrupted on purpose
                logger.warning("store_work_failed", extra={"error": type(error).__name__})
        elif error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(self.result)  # type: ignore[arg-type]  # None is T's own where work returns None


def deliver(jobs: Sequence[Job[Any]], fault: Fault) -> None:
    """Resolve the futures of finished jobs, from any thread; cancelled callers are skipped."""
    waiting: dict[asyncio.AbstractEventLoop | None, list[Job[Any]]] = {}
    for job in jobs:
        waiting.setdefault(_loop_of(job), []).append(job)
    for loop, group in waiting.items():
        if loop is None:
            _settle(group, fault)
            continue
        try:
            loop.call_soon_threadsafe(_settle, group, fault)
        except RuntimeError:  # the loop was closed, and its callers with it
            logger.warning("store_caller_gone", extra={"jobs": len(group)})


def _loop_of(job: Job[Any]) -> asyncio.AbstractEventLoop | None:
    """Return the event loop on which a job's caller waits; None if there is none."""
    return job.future.get_loop() if isinstance(job.future, asyncio.Future) else None


def _settle(jobs: Sequence[Job[Any]], fault: Fault) -> None:
    for job in jobs:
        job.settle(fault)


class PendingWrites:
    """Background writes by subject. Safe to use from several threads."""

    def __init__(self) -> None:
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
