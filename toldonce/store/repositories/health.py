"""Repository of what of a subject may need a look."""

from datetime import datetime

from toldonce.store.executor import StoreContext, check_limit
from toldonce.store.sql import health
from toldonce.types import Memory, MemoryPair, Subject


class HealthRepository:
    """Lists that belong to the counts of `AdminRepository.health`."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._context = context
        self._executor = context.executor

    async def never_recalled(self, subject: Subject, *, after: str | None = None, limit: int = 100) -> list[Memory]:
        """List active memories stored at least 30 days ago that no prompt has used, newest first, after an id."""
        check_limit(limit)
        await self._executor.flush()  # uses that are counted in batches
        now = self._context.clock.now()
        return await self._executor.read(
            lambda db: health.never_recalled(db, subject, after=after, limit=limit, now=now)
        )

    async def idle(self, subject: Subject, *, after: str | None = None, limit: int = 100) -> list[Memory]:
        """List active notes neither stored nor used in the last 90 days, newest first, after an id."""
        check_limit(limit)
        await self._executor.flush()
        now = self._context.clock.now()
        return await self._executor.read(lambda db: health.idle(db, subject, after=after, limit=limit, now=now))

    async def replaced(
        self, subject: Subject, *, since: datetime, before: tuple[datetime, str], limit: int = 100
    ) -> list[MemoryPair]:
        """List which memories took the place of others, newest first.

        Args:
            subject: Owner of the memories.
            since: Only decisions from this instant on.
            before: Time and id of the decision before which the list begins.
            limit: Maximum number of decisions to read; pairs of which a memory is gone are left out.
        """
        check_limit(limit)
        return await self._executor.read(
            lambda db: health.replaced(db, subject, since=since, before=before, limit=limit)
        )

    async def held_conflicts(self, subject: Subject, *, after: str | None = None, limit: int = 100) -> list[MemoryPair]:
        """List the facts that wait for review, each with the active one of its slot, oldest first, after a held one."""
        check_limit(limit)
        return await self._executor.read(lambda db: health.held_conflicts(db, subject, after=after, limit=limit))
