"""How long work shares the processor with live requests: short spells, rests between, a quick stop. Threads.

A thread that computes in Python keeps the interpreter from the event loop for up to five milliseconds each time the
loop wants it. So long computations run here in spells of two milliseconds, each followed by a rest as long as itself.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from toldonce.errors import ToldOnceError

T = TypeVar("T")

SPELL_S = 0.002
# A spell that was one long call into numpy is not answered by an equally long rest.
MAX_REST_S = 0.02
# Long enough for the event loop to take over the interpreter, which it otherwise waits for up to five milliseconds.
GLANCE_S = 0.0001


class PausedError(ToldOnceError):
    """Work was told to stop; what it had reached is kept. Callers of the library never see it."""


class Pace:
    """Rests between spells of work, and ends the work where it is told to stop."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        """Ask `stop` before each spell; it is called from the event loop and from threads."""
        self._stop = stop
        self._began = 0.0
        self._cancelled = False

    def check(self) -> None:
        """Raise `PausedError` where the work is to stop."""
        if self._cancelled or self._stop():
            raise PausedError("told to stop")

    async def apart(self, work: Callable[[], T]) -> T:
        """Do `work` in a thread; it calls `breathe` or `glance` at least every few milliseconds.

        If the caller is cancelled, the work is stopped and waited for: what it uses may be closed afterwards.

        Raises:
            PausedError: it was told to stop.
        """
        self.check()

        def paced() -> T:
            self._began = time.perf_counter()
            return work()

        thread = asyncio.ensure_future(asyncio.to_thread(paced))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            self._cancelled = True
            while not thread.done():  # another cancellation ends the wait, but not the thread
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([thread])
            if not thread.cancelled():
                thread.exception()  # marks it as retrieved: the caller is gone
            raise

    def breathe(self) -> None:
        """Rest as long as the spell took, if it is over; for the thread that works.

        Raises:
            PausedError: the work is to stop.
        """
        self._rest(MAX_REST_S)

    def glance(self) -> None:
        """Let the event loop run if the spell is over, without a long rest: others wait for the work, as for a lock.

        Raises:
            PausedError: the work is to stop.
        """
        self._rest(GLANCE_S)

    def _rest(self, longest_s: float) -> None:
        spent = time.perf_counter() - self._began
        if spent < SPELL_S:
            return
        self.check()
        time.sleep(min(spent, longest_s))
        self._began = time.perf_counter()
