"""When subjects are tended: each once in so many seconds, by whichever process comes first. Uses the store."""

import logging
from collections.abc import Callable
from datetime import timedelta

from recollect.errors import RecollectError, StoreUnavailableError
from recollect.tend.tending import tend_subject
from recollect.types import Subject
from recollect.work.tools import Tools

logger = logging.getLogger(__name__)

# Subjects tended before the worker looks for live turns' work and rests: a backlog of all users goes by in the
# background, some of them a second.
PORTION = 8
# How long another process waits for one that died while tending; also the time until one that failed is tried again.
LEASE_S = 300.0


class Schedule:
    """Says whose turn it is, and tends."""

    def __init__(self, tools: Tools, every_s: float) -> None:
        """Tend each subject once in `every_s` seconds; 0: never."""
        self._tools = tools
        self._every = timedelta(seconds=every_s)

    async def portion(self, stop: Callable[[], bool]) -> int:
        """Tend a few of the subjects whose turn it is; return how many.

        Args:
            stop: Asked before each subject; where it says so, the rest waits for the next time.

        Raises:
            StoreUnavailableError: the database does not answer.
        """
        if not self._every:
            return 0
        store, now = self._tools.store, self._tools.clock.now()
        tended = 0
        for subject in await store.tend_due(before=now - self._every, now=now, limit=PORTION):
            if stop():
                break
            tended += await self._tend(subject)
        return tended

    async def _tend(self, subject: Subject) -> bool:
        store, now = self._tools.store, self._tools.clock.now()
        lease = await store.lease_tending(subject, before=now - self._every, now=now, lease_s=LEASE_S)
        if lease is None:
            return False
        try:
            decisions = await tend_subject(self._tools, subject, since=lease.last)
        except StoreUnavailableError:
            raise
        except RecollectError as error:
            # The lease runs out by itself, and then the subject has its turn again.
            logger.warning("tending failed", extra={"error": type(error).__name__})
            return False
        await store.tended(lease, now)
        if decisions:
            logger.info("tended", extra={"closed": len(decisions)})
        return True
