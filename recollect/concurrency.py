"""Run heavy work in a thread, so that the event loop goes on, and several coroutines together."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")

# From this many bytes on work goes to a thread. Reading 10 MB of text took 0.4 s on the loop, 64 KB take 3 ms;
# the way to a thread costs a tenth of a millisecond.
LARGE = 64 * 1024


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
