"""Signals that end a command in good order, on every system. Handles signals."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_signal(act: Callable[[], object], numbers: tuple[signal.Signals, ...] = STOPPING) -> Iterator[list[int]]:
    """Call `act` in the running event loop at the first signal, and yield those received; a second exits at once.

    Not by the loop's own handlers, which Windows has not.
    """
    loop = asyncio.get_running_loop()
    received: list[int] = []

    def receive(number: int, frame: FrameType | None) -> None:
        del frame
        received.append(number)
        if len(received) > 1:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(act)

    before = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
