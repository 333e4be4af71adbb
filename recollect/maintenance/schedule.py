"""When subjects are tended: each once in so many seconds, by whichever process comes first. Uses the store."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.clock import EPOCH
from recollect.errors import RecollectError, StoreUnavailableError
from recollect.formation.runtime import Runtime
from recollect.maintenance.sweep import Care
from recollect.types import MaintenanceLease

logger = logging.getLogger(__name__)

# Subjects tended before the worker looks for live turns' work and rests: a backlog of all users goes by in the
# background, some of them a second.
BATCH_SIZE = 8
# How long another process waits for one that died while tending; also the time until one that failed is tried again.
LEASE_S = 300.0
# Longest time that tending goes on before the worker looks for live turns of other processes.
MAX_PORTION_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnderWay:
    """A subject that is being tended."""

    care: Care
    lease: MaintenanceLease
    began: datetime


class SweepSchedule:
    """Says whose turn it is, and tends."""

    def __init__(self, tools: Runtime, every_s: float) -> None:
        """Tend each subject once in `every_s` seconds; 0: never."""
        self._tools = tools
        self._every = timedelta(seconds=every_s)
        self._under_way: _UnderWay | None = None

    async def portion(self, stop: Callable[[], bool]) -> bool:
        """Tend a few of the subjects whose turn it is, or go on with a large one; return whether that one needs more.

        Args:
            stop: Asked every few milliseconds; where it says so, the rest waits for the next time.

        Raises:
            StoreUnavailableError: the database does not answer.
        """
        if not self._every:
            return False
        clock = self._tools.clock
        end = clock.monotonic() + MAX_PORTION_S

        def pause() -> bool:
            return stop() or clock.monotonic() >= end

        if not await self._go_on(pause):
            return True
        store, now = self._tools.store, clock.now()
        for subject in await store.tend_due(before=now - self._every, now=now, limit=BATCH_SIZE):
            if pause():
                break
            lease = await store.lease_tending(subject, before=now - self._every, now=now, lease_s=LEASE_S)
            if lease is not None:
                care = Care(self._tools, subject, since=lease.last)
                self._under_way = _UnderWay(care=care, lease=lease, began=now)
                if not await self._go_on(pause):
                    return True
        return False

    async def close(self) -> None:
        """Note how far the subject under way was tended, so that another process goes on from there."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            await self._tools.store.tended(under_way.lease, self._reached(under_way), whole=False)

    async def _go_on(self, pause: Callable[[], bool]) -> bool:
        """Go on with the subject under way; return whether none is any more."""
        under_way = self._under_way
        if under_way is None:
            return True
        store, now = self._tools.store, self._tools.clock.now()
        until = now + timedelta(seconds=LEASE_S)
        try:
            if not await store.tended_up_to(under_way.lease, self._reached(under_way), until=until):
                logger.info("tending was taken over")
            elif not await under_way.care.run(pause):
                return False
            else:
                await store.tended(under_way.lease, under_way.began)
        except StoreUnavailableError:
            raise
        except RecollectError as error:
            # The lease runs out by itself, and then the subject has its turn again.
            logger.warning("tending failed", extra={"error": type(error).__name__})
        self._under_way = None
        if under_way.care.decisions:
            logger.info("tended", extra={"closed": len(under_way.care.decisions)})
        return True

    def _reached(self, under_way: _UnderWay) -> datetime:
        """Return the time before which all was tended: what was compared, of the rest what was before this tending."""
        before = under_way.lease.last or EPOCH
        reached = under_way.care.reached
        return before if reached is None else min(max(before, reached), under_way.began)
