"""Run work in threads, together or in turn, and retry what a stale read or the database made fail. Locks."""

import asyncio
import logging
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from toldonce.errors import StaleSubjectError, StoreFullError, StoreUnavailableError

T = TypeVar("T")

logger = logging.getLogger(__name__)

# From this many bytes on work goes to a thread. Reading 10 MB of text took 0.4 s on the loop, 64 KB take 3 ms;
# the way to a thread costs a tenth of a millisecond.
LARGE = 64 * 1024
# Pauses before what may be repeated is, while the database does not answer: a restart takes a second or two.
REPEAT_AFTER_S = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
# So many concurrent commits in a row mean that something is wrong.
MAX_STALE_ATTEMPTS = 20


async def run_in_thread_if_large(size: int, work: Callable[[], T], *, above: int = LARGE) -> T:
    """Do `work`, in a thread where it works on more than `above` characters or bytes.

    Raises:
        Exception: whatever `work` raises.
    """
    return await asyncio.to_thread(work) if size > above else work()


async def gather_or_cancel(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Do all of it side by side and return what came of it, in order; the first error ends the rest and is raised."""
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def retry_while_stale(
    attempt: Callable[[], Awaitable[T]],
    *,
    failure: StaleSubjectError | None = None,
    max_attempts: int = MAX_STALE_ATTEMPTS,
) -> T:
    """Read, decide and commit again while a concurrent commit makes the read stale.

    A `SpaceMovedError` of a read is retried as well: the subject was re-embedded after its embedder was looked up.

    Args:
        attempt: Looks up the subject's embedder and reads each time. Raises `StaleSubjectError` where a read is out of
            date or the commit is refused.
        failure: Raised after the last attempt; None raises the error of that attempt.
        max_attempts: Number of attempts, at least 1.
    """
    for number in range(1, max_attempts + 1):
        try:
            return await attempt()
        except StaleSubjectError as error:
            if number == max_attempts:
                raise (failure or error) from error.__cause__
    raise AssertionError("max_attempts is at least 1")


async def retry_while_unavailable(attempt: Callable[[], Awaitable[T]]) -> T:
    """Read again while the database does not answer, some six seconds long.

    Raises:
        StoreUnavailableError: It still does not.
    """
    for wait_s in REPEAT_AFTER_S:
        try:
            return await attempt()
        except StoreUnavailableError:
            await asyncio.sleep(wait_s)
    return await attempt()


class ForkGuard:
    """Refuses work in a fork of the process that opened something: its threads, locks and files are the parent's."""

    def __init__(self) -> None:
        """Begin in the process that opens it."""
        self._pid = os.getpid()

    @property
    def is_forked(self) -> bool:
        """Whether this process is a fork of the one that opened it."""
        return os.getpid() != self._pid

    def check(self) -> None:
        """Refuse work in a fork.

        Raises:
            RuntimeError: this process is a fork.
        """
        if self.is_forked:
            raise RuntimeError(
                "this ToldOnce was opened before a fork and belongs to the parent process; "
                "open one in each child, and none before forking"
            )


class Turns:
    """Exclude work on the same key: one task at a time, or any number of threads while no task holds or awaits a turn.

    Threads do not wait: they leave the work to a task. So a task is never passed by threads again and again.
    """

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._locks: dict[Hashable, asyncio.Lock] = {}
        self._tasks: dict[Hashable, int] = {}
        """Number of tasks that hold or await a turn."""
        self._threads: dict[Hashable, int] = {}
        self._idle: dict[Hashable, asyncio.Future[None]] = {}
        """Resolved when the last thread leaves."""

    @asynccontextmanager
    async def hold(self, key: Hashable) -> AsyncIterator[None]:
        """Wait until the tasks before this one, and the threads that have entered, are done; hold the turn meanwhile.

        Only for tasks of one event loop.
        """
        with self._gate:
            self._tasks[key] = self._tasks.get(key, 0) + 1
            lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                await self._wait_for_threads(key)
                yield
        finally:
            with self._gate:
                self._tasks[key] -= 1
                if not self._tasks[key]:
                    del self._tasks[key], self._locks[key]

    def enter(self, key: Hashable) -> bool:
        """Let a thread begin, which must call `leave`; False if a task holds or awaits the turn."""
        with self._gate:
            if key in self._tasks:
                return False
            self._threads[key] = self._threads.get(key, 0) + 1
            return True

    def leave(self, key: Hashable) -> None:
        """Note that a thread is done."""
        with self._gate:
            self._threads[key] -= 1
            if self._threads[key]:
                return
            del self._threads[key]
            idle = self._idle.pop(key, None)
        if idle is not None:
            with suppress(RuntimeError):  # the loop was closed, and its task with it
                idle.get_loop().call_soon_threadsafe(_resolve, idle)

    async def _wait_for_threads(self, key: Hashable) -> None:
        with self._gate:
            if key not in self._threads:
                return
            idle = self._idle[key] = asyncio.get_running_loop().create_future()
        await idle


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():  # a task that waited may have been cancelled
        future.set_result(None)


async def retry_once(call: Callable[[], Awaitable[T]]) -> T:
    """Run a call that uses the database, and once more if the database fails."""
    try:
        return await call()
    except (StoreUnavailableError, StoreFullError) as error:
        logger.info("database failed, asking once more", extra={"error": error.logged})
        return await call()
