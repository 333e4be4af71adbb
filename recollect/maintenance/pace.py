"""How maintenance shares the processor with live requests: short spells of work, rests between, a quick stop. Threads.

A thread that computes in Python keeps the interpreter from the event loop for up to five milliseconds each time the
loop wants it. So long computations run here in spells of two milliseconds, each followed by a rest as long as itself.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from recollect.errors import RecollectError

T = TypeVar("T")

SPELL_S = 0.002
# A spell that was one long call into numpy is not answered by an equally long rest.
MAX_REST_S = 0.02


class PausedError(RecollectError):
    """Maintenance was told to stop; what it had reached is kept. Never leaves `recollect.maintenance`."""


class Pace:
    """Rests between spells of work, and ends the work where it is told to stop."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        """Ask `stop` before each spell; it is called from the event loop and from threads."""
        self._stop = stop
        self._began = 0.0

    def check(self) -> None:
        """Raise `PausedError` where the work is to stop."""
        if self._stop():
            raise PausedError("told to stop")

    async def apart(self, work: Callable[[], T]) -> T:
        """Do `work` in a thread; it calls `breathe` at least every few milliseconds.

        Raises:
            PausedError: it was told to stop.
        """
        self.check()

        def paced() -> T:
            self._began = time.perf_counter()
            return work()

        return await asyncio.to_thread(paced)

    def breathe(self) -> None:
        """Rest if the spell is over; for the thread that works.

        Raises:
            PausedError: the work is to stop.
        """
        spent = time.perf_counter() - self._began
        if spent < SPELL_S:
            return
        self.check()
        time.sleep(min(spent, MAX_REST_S))
        self._began = time.perf_counter()
