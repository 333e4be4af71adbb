"""Work in a thread: a cancelled caller waits until the thread has ended."""

import asyncio
import threading

import pytest

from recollect.maintenance.pace import Pace


async def test_work_cancelled_twice_is_waited_for_until_its_thread_ends() -> None:
    began, gate, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        gate.wait(10)
        ended.set()

    task = asyncio.create_task(Pace(lambda: False).apart(work))
    await asyncio.to_thread(began.wait, 10)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0.01)
    assert not task.done(), "what the thread uses must stay open"
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
