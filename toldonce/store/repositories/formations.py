"""Repository of formations: which work is due, its leases, and its commit."""

import builtins
from collections.abc import Sequence
from datetime import datetime

from toldonce.store.executor import StoreContext, check_limit
from toldonce.store.repositories.insertions import empty_most_quoting
from toldonce.store.sql import formations
from toldonce.store.sql.log import conversations
from toldonce.store.sql.memories.apply import forgets
from toldonce.types import (
    BusySubjects,
    ConversationId,
    FormationKey,
    FormationPlace,
    FormationResult,
    FormationStatus,
    Lease,
    LeaseRequest,
    Subject,
    Unindexed,
)


class FormationRepository:
    """Formations: the work that a conversation causes."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._context = context
        self._executor = context.executor

    async def request(self, writes: Subject, home: Subject, conversation: ConversationId, now: datetime) -> int:
        """Make due the formations into `writes` that a conversation of `home` waits for; return how many."""
        return await self._executor.write(
            lambda db: conversations.request_formation(db, writes, home, conversation, now), writes, home
        )

    async def due(self, now: datetime, *, limit: int = 32) -> builtins.list[FormationKey]:
        """List formations that are due and not leased, longest due first."""
        check_limit(limit)
        return await self._executor.read_inline(lambda db: formations.due(db, now, limit=limit))

    async def next_slices(
        self, now: datetime, *, after: int, count: int, share: int, busy: BusySubjects
    ) -> tuple[builtins.list[builtins.list[FormationKey]], int]:
        """List due formations of the subjects whose turn is next, so that no backlog of one subject delays the others.

        Subjects form a ring, in the order of their keys. Those whose conversations' owner is busy come last.

        Args:
            now: What is due by then counts.
            after: Key of the subject that had the last turn.
            count: Maximum number of subjects.
            share: Maximum number of formations of each.
            busy: What is left out, and what comes last.

        Returns:
            The formations of each subject, longest due first; and the key after which the next turn begins.
        """
        return await self._executor.read_inline(
            lambda db: formations.next_slices(db, now, after=after, count=count, share=share, busy=busy)
        )

    async def due_of(self, subject: Subject, now: datetime, *, limit: int) -> builtins.list[FormationKey]:
        """List formations of one subject that are due and not leased, longest due first."""
        check_limit(limit)
        return await self._executor.read_inline(lambda db: formations.due_of(db, subject, now, limit=limit))

    async def unindexed(self, subjects: Sequence[Subject], *, limit: int) -> builtins.list[Unindexed]:
        """List the conversations whose newest messages are no quotations of these subjects yet, newest first."""
        check_limit(limit)
        return await self._executor.read_inline(lambda db: formations.unindexed(db, subjects, limit=limit))

    def unindexed_in_caller(self, subjects: Sequence[Subject], *, limit: int) -> builtins.list[Unindexed] | None:
        """Do as `unindexed` in the calling thread; None if that is not possible now."""
        done = self._executor.read_in_caller(lambda db: formations.unindexed(db, subjects, limit=check_limit(limit)))
        return None if done is None else done[0]

    async def next_due(self) -> datetime | None:
        """Return when the next unparked formation is due; None when nothing waits."""
        return await self._executor.read(formations.next_due)

    async def lease(self, key: FormationKey, *, now: datetime, lease_s: float) -> Lease | None:
        """Lease a formation and count the attempt; None if it is not due, parked or leased by another worker.

        The attempt is on the disk when this returns: a formation that takes the machine down is parked in the end.
        """
        return await self._executor.write(lambda db: formations.lease(db, key, now=now, lease_s=lease_s), key.subject)

    async def renew(self, lease: Lease, *, now: datetime, lease_s: float) -> bool:
        """Extend a lease; False if it ran out or was taken over.

        A crash of the machine may undo it, as it ends the worker: the disk is not waited for.
        """
        return await self._executor.write(
            lambda db: formations.renew(db, lease, now=now, lease_s=lease_s), lease.key.subject, synced=False
        )

    async def commit(self, lease: Lease, result: FormationResult, *, now: datetime) -> int:
        """Apply a formation's changes and decisions and move its cursor, in one transaction.

        The formation is due again at once while its cursor has not reached what was requested (unless the result says
        that it waits for more), after silence if it waits for that, and otherwise not by itself. Attempts, error and
        lease are cleared. The cursor moves back only if the result says that an edit removed what it had passed.

        Returns:
            The subject's new version.

        Raises:
            LeaseLostError: The token is not the current one, or the lease ran out.
            StaleSubjectError: `result.subject_version` is no longer the subject's version.
            VectorSizeError: A vector does not fit its space.
        """
        await self._empty_most(lease, result)
        return await self._executor.write(
            lambda db: formations.commit(db, lease, result, now=now, term_key=self._context.term_key),
            lease.key.subject,
            lease.key.home,
        )

    async def commit_and_lease(self, lease: Lease, result: FormationResult, following: LeaseRequest) -> Lease | None:
        """Do as `commit`, and lease in the same transaction what the worker forms next, counting its attempt.

        Args:
            lease: On the formation that is committed.
            result: What is committed.
            following: A formation of the same conversation into the same subject.

        Returns:
            The second lease; None where `lease` would return None.

        Raises:
            ToldOnceError: As `commit`; then nothing is committed or leased.
        """
        await self._empty_most(lease, result)
        return await self._executor.write(
            lambda db: formations.commit_and_lease(db, lease, result, following, term_key=self._context.term_key),
            lease.key.subject,
            lease.key.home,
        )

    async def _empty_most(self, lease: Lease, result: FormationResult) -> None:
        if forgets(result.changes):
            await empty_most_quoting(self._executor, lease.key.home)

    async def release(
        self, lease: Lease, *, error: str | None, retry_at: datetime | None, now: datetime, counted: bool = True
    ) -> None:
        """Give a lease back without a commit: due again at `retry_at`, or parked with its error if that is None.

        The attempt is not counted without an error (a shutdown: nothing was tried) or with `counted` False (an open
        circuit breaker, a spent budget). Does nothing if the lease is lost already.
        """
        await self._executor.write(
            lambda db: formations.release(db, lease, error=error, retry_at=retry_at, now=now, counted=counted),
            lease.key.subject,
        )

    async def list(
        self,
        *,
        subject: Subject | None = None,
        tenant: str | None = None,
        parked: bool | None = None,
        after: FormationPlace | None = None,
        limit: int = 100,
    ) -> builtins.list[FormationStatus]:
        """List formations of one subject, or (for operators) of a tenant or all, longest due first, from a place on."""
        check_limit(limit)
        return await self._executor.read(
            lambda db: formations.list_formations(
                db, subject=subject, tenant=tenant, parked=parked, after=after, limit=limit
            )
        )

    async def retry(self, key: FormationKey, *, now: datetime) -> bool:
        """Make a parked formation due again and clear its attempts; False if it is not parked."""
        return await self._executor.write(lambda db: formations.retry(db, key, now=now), key.subject)

    async def skip(self, key: FormationKey) -> None:
        """End a formation: what was said so far is not formed any more, and one under way commits nothing."""
        await self._executor.write(lambda db: formations.skip(db, key), key.subject)

    async def has_other_version(self, key: FormationKey) -> bool:
        """Return whether another extractor version has a formation of the same conversation, profile and stage."""
        return await self._executor.read_inline(lambda db: formations.has_other_version(db, key))
