"""Run heavy work in a thread, run coroutines together, and retry what a stale read or the database made fail."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from recollect.errors import StaleSubjectError, StoreFullError, StoreUnavailableError

T = TypeVar("T")

logger = logging.getLogger(__name__)

# From this many bytes on work goes to a thread. Reading 10 MB of text took 0.4 s on the loop, 64 KB take 3 ms;
# the way to a thread costs a tenth of a millisecond.
LARGE = 64 * 1024
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


async def retry_once(call: Callable[[], Awaitable[T]]) -> T:
    """Run a call that uses the database, and once more if the database fails."""
    try:
        return await call()
    except (StoreUnavailableError, StoreFullError) as error:
        logger.info("database failed, asking once more", extra={"error": error.logged})
        return await call()
