"""Work in a thread: a cancelled caller waits until the thread has ended."""

import asyncio
import gc
import threading
from typing import Any

import pytest

from patience import PATIENCE_S
from toldonce.maintenance.pace import Pace, PausedError


async def test_work_cancelled_twice_is_waited_for_until_its_thread_ends() -> None:
    began, gate, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        gate.wait(PATIENCE_S)
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


async def test_cancelled_work_that_pauses_logs_no_unretrieved_error() -> None:
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    began, gate = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        gate.wait(PATIENCE_S)
        raise PausedError("told to stop")

    task = asyncio.create_task(Pace(lambda: False).apart(work))
    await asyncio.to_thread(began.wait, 10)
    task.cancel()
    await asyncio.sleep(0.01)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    del task
    gc.collect()
    await asyncio.sleep(0)
    assert reported == []
