"""Derive stored terms again when the term scheme has changed, in batches. Reads and writes the store."""

import asyncio
import logging
from collections.abc import Callable

from toldonce.formation.recallable import index_pieces
from toldonce.formation.runtime import Runtime
from toldonce.types import Subject

logger = logging.getLogger(__name__)

# Memories in one commit: some 10 ms to count their terms and as much to write them. Live turns go between commits.
BATCH_SIZE = 200
# Commits before other chores have their turn.
MAX_BATCHES = 40
_SUBJECTS = 8


class TermReindexer:
    """Reindexes the subjects with an older term scheme. Several processes may run it: each commit happens once."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._over = False

    async def portion(self, stop: Callable[[], bool]) -> int:
        """Reindex a batch; return the number of memories reached.

        Args:
            stop: Asked before each commit; where it says so, the rest waits for the next time.

        Raises:
            StoreUnavailableError: the database does not answer.
        """
        reached = 0
        for _ in range(MAX_BATCHES):
            if self._over or stop():
                break
            subjects = await self._runtime.store.maintenance.with_stale_terms(limit=_SUBJECTS)
            self._over = not subjects
            for subject in subjects:
                if not stop():
                    reached += await self._reterm(subject)
        return reached

    async def _reterm(self, subject: Subject) -> int:
        store = self._runtime.store
        stale = await store.maintenance.stale_terms(subject, limit=BATCH_SIZE)
        if stale is None:
            return 0
        counted = await asyncio.to_thread(lambda: [index_pieces(memory)[1] for memory in stale.memories])
        if await store.maintenance.set_terms(stale, counted) and not stale.memories:
            logger.info("terms rebuilt")
        return len(stale.memories)
