"""Maintenance beside formation: while nothing is due, and now and then while something always is. Uses the store."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from toldonce.clock import Clock
from toldonce.errors import StoreUnavailableError, ToldOnceError
from toldonce.maintenance.eraser import Eraser
from toldonce.store.store import Store

logger = logging.getLogger(__name__)

# How long maintenance may continue after a stop: it checks every few milliseconds, but not during a read.
STOP_WAIT_S = 0.2
# Maintenance happens at least this often, also while formations are always due.
UPKEEP_EVERY_S = 60.0
# How often the worker checks for pending erasures.
CLEAN_EVERY_S = 10.0

Chores = Callable[[Callable[[], bool]], Awaitable[bool]]
"""Does a batch of maintenance; asks every few milliseconds whether to stop, and returns whether more is left."""


class Upkeep:
    """Does maintenance in portions, one at a time, until it is stopped."""

    def __init__(self, store: Store, clock: Clock, chores: Chores | None) -> None:
        """Do `chores`; None: there are none."""
        self._store = store
        self._clock = clock
        self._chores = chores
        self._cleaned_at = -CLEAN_EVERY_S
        self._stopped = asyncio.Event()
        self._in_turn = asyncio.Lock()
        self._was_done = False

    def stop(self) -> None:
        """End the portion in progress; it continues another time."""
        self._stopped.set()

    async def finish_erasing(self) -> None:
        """Finish erasures that were interrupted, or that a reader of another process held up, unless just tried."""
        now = self._clock.monotonic()
        if now - self._cleaned_at >= CLEAN_EVERY_S:
            self._cleaned_at = now
            try:
                await Eraser(store=self._store).finish()
            except StoreUnavailableError as error:  # one machine of a cluster may be down: formations go on
                logger.warning("erasures not finished", extra={"error": error.logged})

    async def portion(self, pause: Callable[[], bool]) -> bool:
        """Do a portion; return whether more is left.

        Args:
            pause: Asked every few milliseconds; where it says so, the rest waits for the next time.
        """
        if self._chores is None or self._stopped.is_set():
            return False
        async with self._in_turn:
            more = await self._until_stopped(self._chores(pause))
            self._was_done = True
            return more

    async def regularly(self) -> None:
        """Do a portion whenever none was done for a while, until cancelled. Errors are logged."""
        while True:
            self._was_done = False
            await asyncio.sleep(UPKEEP_EVERY_S)
            if self._was_done:
                continue
            try:
                await self.portion(self._stopped.is_set)
            except ToldOnceError as error:
                logger.warning("maintenance failed", extra={"error": error.logged})

    async def _until_stopped(self, chores: Awaitable[bool]) -> bool:
        """Do maintenance until it ends or the worker stops; then it is cancelled."""
        work, stopped = asyncio.ensure_future(chores), asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait([work, stopped], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([work], timeout=STOP_WAIT_S)
            return work.done() and await work
        finally:
            stopped.cancel()
            work.cancel()
            await asyncio.wait([work])
