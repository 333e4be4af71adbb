"""What work costs, and how slow the machine is just now: a limit of time grows with it, so that no busy one fails."""

import asyncio
import gc
import time
from collections.abc import Awaitable

# CPU seconds of `_work` on an idle core of the machine on which the limits were set.
_REFERENCE_S = 0.010


async def costs(work: Awaitable[object]) -> tuple[float, float]:
    """Return the longest that the loop's thread was busy in one go, in ms, and the CPU seconds of this process.

    Both are as an idle machine would take them: they are divided by `slowness`.
    """
    longest, done = 0.0, asyncio.Event()

    async def watch() -> None:
        nonlocal longest
        while not done.is_set():
            before = time.thread_time()
            await asyncio.sleep(0.0005)
            longest = max(longest, time.thread_time() - before)

    before_all = slowness()
    gc.collect()
    gc.disable()  # a collection walks the objects of the whole test run; the server freezes what it loaded
    watching, before = asyncio.create_task(watch()), time.process_time()
    try:
        await work
        cpu_s = time.process_time() - before
    finally:
        gc.enable()
        done.set()
        await watching
    slow = max(before_all, slowness())
    return longest * 1000 / slow, cpu_s / slow


def slowness() -> float:
    """Return by which factor this machine is slower than the one on which limits of time were set; at least 1."""
    took = []
    for _ in range(5):
        before = time.thread_time()
        _work()
        took.append(time.thread_time() - before)
    return max(1.0, sorted(took)[2] / _REFERENCE_S)


def _work() -> int:
    """Do what readers of text do most: cut, fold, compare, count."""
    counts: dict[str, int] = {}
    for number in range(12_000):
        word = f"Word {number % 700}".casefold().strip()
        counts[word] = counts.get(word, 0) + len(word.split())
    return len(counts)
