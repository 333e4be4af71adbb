"""Repository of maintenance: which subjects are due, their leases, and what maintenance reads."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from toldonce.store.executor import StoreContext, check_limit
from toldonce.store.sql import maintenance
from toldonce.types import MaintenanceLease, Memory, StaleTerms, Subject


class MaintenanceRepository:
    """Turns of maintenance, expired memories, and terms of a former scheme."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._context = context
        self._executor = context.executor

    async def profiles_of(self, subject: Subject) -> set[str]:
        """Return the profiles that formed the subject's notes and facts, closed ones included."""
        return await self._executor.read_inline(lambda db: maintenance.profiles_of(db, subject))

    async def expired(self, subject: Subject, at: datetime, *, limit: int = 100) -> list[Memory]:
        """Read the `limit` active notes, facts and episodes whose `valid_to` passed first before `at`, by id."""
        check_limit(limit)
        return await self._executor.read(lambda db: maintenance.expired(db, subject, at, limit=limit))

    async def begun(self, subject: Subject, at: datetime, *, limit: int = 100) -> list[Memory]:
        """Read the `limit` active plans whose day, to come when they were stored, was first before `at`, by id."""
        check_limit(limit)
        return await self._executor.read(lambda db: maintenance.begun(db, subject, at, limit=limit))

    async def with_stale_terms(self, *, limit: int = 100) -> list[Subject]:
        """List subjects that may have memories with terms of a former scheme (see `text.TERM_SCHEME`)."""
        check_limit(limit)
        return await self._executor.read(lambda db: maintenance.with_stale_terms(db, limit=limit))

    async def stale_terms(self, subject: Subject, *, limit: int = 100) -> StaleTerms | None:
        """Read the next active memories whose terms must be derived again; None if the subject has none."""
        check_limit(limit)
        return await self._executor.read(lambda db: maintenance.stale_terms(db, subject, limit=limit))

    async def set_terms(self, done: StaleTerms, terms: Sequence[Mapping[str, int]]) -> bool:
        """Replace the terms of memories; without memories, record that the subject has no stale terms any more.

        Args:
            done: What was read. Nothing happens if another process was faster.
            terms: Terms of each memory, in order. A memory that is closed by now is skipped.

        Returns:
            Whether it happened.
        """
        return await self._executor.write(
            lambda db: maintenance.set_terms(db, done, terms, term_key=self._context.term_key), done.subject
        )

    async def due(self, *, before: datetime, now: datetime, limit: int = 100) -> list[Subject]:
        """List subjects that had no maintenance since `before` and are not leased, longest waiting first."""
        check_limit(limit)
        return await self._executor.read(lambda db: maintenance.due(db, before=before, now=now, limit=limit))

    async def lease(
        self, subject: Subject, *, before: datetime, now: datetime, lease_s: float
    ) -> MaintenanceLease | None:
        """Lease a subject for maintenance; None if it had some since `before`, or another process has the lease."""
        return await self._executor.write(
            lambda db: maintenance.lease(db, subject, before=before, now=now, lease_s=lease_s), subject
        )

    async def advance(self, lease: MaintenanceLease, at: datetime, *, until: datetime) -> bool:
        """Record that maintenance covered all that was stored before `at`, and extend the lease to `until`.

        Returns:
            Whether the lease was still held; if not, nothing was recorded.
        """
        return await self._executor.write(lambda db: maintenance.advance(db, lease, at, until), lease.subject)

    async def finish(self, lease: MaintenanceLease, at: datetime, *, whole: bool = True) -> None:
        """Record that a subject had maintenance and give the lease back; do nothing if another process holds it.

        Args:
            lease: The lease.
            at: Everything stored before was covered.
            whole: False if work is left: the subject is due again at once, to continue from `at`.
        """
        await self._executor.write(lambda db: maintenance.finish(db, lease, at, whole=whole), lease.subject)
