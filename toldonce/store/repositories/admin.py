"""Repositories of budgets and apps, and counts for operators."""

import asyncio
from dataclasses import replace
from datetime import datetime

from toldonce.errors import StoreUnavailableError
from toldonce.profiles.policies import BudgetPolicy
from toldonce.store.executor import DatabaseAdmin, StoreContext, check_limit, flush_counts
from toldonce.store.sql import apps, budgets, stats, subjects, usage_statistics
from toldonce.store.store_reports import StoreStats, SubjectEncryption
from toldonce.types import (
    AppRecord,
    AppSummary,
    EnergyStatus,
    Reservation,
    Statistics,
    StatisticsSpan,
    StoreTotals,
    Subject,
    SubjectHealth,
    SubjectTotals,
)


class BudgetRepository:
    """What memory work of a subject may cost, and has cost."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._executor = context.executor

    async def reserve(self, subject: Subject, booked: Reservation, policy: BudgetPolicy) -> None:
        """Book the expected cost of work; durable on return, and spent until `settle` corrects it.

        The budget is checked and drawn from in one transaction: of two that want the last of it, one gets it. Work
        with units runs while the level is at least the critical share of the capacity and holds its units, and while
        the share of memory work stays below the maximum; all work runs while today's tokens are below their cap. A
        policy without capacity or cap refuses nothing, but the cost is booked all the same.

        Raises:
            BudgetSpentError: The budget does not allow it; nothing was booked.
        """
        await self._executor.write(lambda db: budgets.reserve(db, subject, booked, policy), subject)

    async def settle(self, subject: Subject, reservation: str, *, tokens: int | None) -> None:
        """Replace the booked tokens by those that were used; None takes the whole reservation back.

        Later reservations and statuses see it. It is not durable at once: a crash leaves what was booked. Does nothing
        if the reservation is settled already.
        """
        self._executor.write_later(lambda db: budgets.settle(db, subject, reservation, tokens=tokens), subject)

    async def status(
        self, subject: Subject, policy: BudgetPolicy, *, now: datetime, poller: str | None = None
    ) -> EnergyStatus:
        """Return the state of the subject's budget under a policy.

        With the name of a poller, it includes what memory work cost since the previous call with that name.
        """
        await self._executor.flush(subject)  # pending settlements
        return await self._executor.write(lambda db: budgets.status(db, subject, policy, now, poller=poller), subject)


class AppRepository:
    """Registered apps, subscriptions to shared subjects, and names of characters."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._executor = context.executor

    async def register(self, app: Subject, now: datetime) -> None:
        """Register an app; an app that was removed is registered again, with its first date."""
        await self._executor.write(lambda db: apps.register(db, app, now), app)

    async def remove(self, app: Subject, now: datetime) -> bool:
        """Mark an app as uninstalled and keep its memories; False if it is not registered."""
        return await self._executor.write(lambda db: apps.remove(db, app, now), app)

    async def get(self, subject: Subject) -> AppRecord | None:
        """Return what is known of an app; None if it was never registered."""
        return await self._executor.read(lambda db: apps.app(db, subject))

    async def summaries(self, *, after: str = "", limit: int = 1000, tenant: str | None = None) -> list[AppSummary]:
        """List apps by name, after the name `after`; of one tenant, or of all."""
        check_limit(limit)
        return await self._executor.read(lambda db: apps.summaries(db, after=after, limit=limit, tenant=tenant))

    async def subscribe(self, subject: Subject, shared: Subject, now: datetime) -> None:
        """Let a subject read a shared one in addition to its own; moves its version unless it does already."""
        await self._executor.write(lambda db: apps.subscribe(db, subject, shared, now), subject)

    async def unsubscribe(self, subject: Subject, shared: Subject) -> bool:
        """End a subscription; False if there was none."""
        return await self._executor.write(lambda db: apps.unsubscribe(db, subject, shared), subject)

    def subscriptions_in_caller(self, subject: Subject) -> tuple[int, list[Subject]] | None:
        """Do as `subscriptions` in the calling thread; None if that is not possible now."""
        done = self._executor.read_in_caller(lambda db: apps.subscriptions(db, subject))
        return None if done is None else done[0]

    async def subscriptions(self, subject: Subject) -> tuple[int, list[Subject]]:
        """Return the subject's version, and the shared subjects it reads, oldest subscription first."""
        return await self._executor.read(lambda db: apps.subscriptions(db, subject))

    async def character_names(self, subject: Subject) -> dict[str, str]:
        """Return the further names of a user's characters, each with the name under which the memories are kept."""
        return await self._executor.read(lambda db: apps.character_names(db, subject))

    async def name_character(self, subject: Subject, character: str, name: str) -> None:
        """Give a character a further name; other names of the one that had it come along."""
        await self._executor.write(lambda db: apps.name_character(db, subject, character, name), subject)


class AdminRepository:
    """Counts and lists of all subjects, for operators."""

    def __init__(self, context: StoreContext, database: DatabaseAdmin) -> None:
        """Work on the database of `context`, and on `database` as a whole."""
        self._context = context
        self._executor = context.executor
        self._database = database
        self._counting = asyncio.Lock()
        """Held while everything is counted: counts that take seconds must not take all connections."""

    async def subjects(self, *, after: str = "", limit: int = 1000, tenant: str | None = None) -> list[Subject]:
        """List subjects by name, after the name `after`; of one tenant, or of all."""
        check_limit(limit)
        return await self._executor.read(lambda db: subjects.list_subjects(db, after=after, limit=limit, tenant=tenant))

    async def totals(self) -> StoreTotals:
        """Count what the operators' metrics report, over all subjects."""
        return await self._executor.read(lambda db: stats.store_totals(db, self._context.clock))

    async def subject_totals(self, subject: Subject) -> SubjectTotals:
        """Count what is stored of one subject, what was decided, and how often recall helped."""
        await flush_counts(self._executor, subject)
        return await self._executor.read(lambda db: stats.subject_totals(db, subject))

    async def subject_statistics(self, subject: Subject, span: StatisticsSpan) -> Statistics:
        """Count what is stored of one subject, and what happened in a span of time."""
        await flush_counts(self._executor, subject)
        now = self._context.clock.now()
        return await self._executor.read(lambda db: usage_statistics.subject_statistics(db, subject, span, now))

    async def health(self, subject: Subject) -> SubjectHealth:
        """Count what of one subject may need a look."""
        await flush_counts(self._executor, subject)
        now = self._context.clock.now()
        return await self._executor.read(lambda db: usage_statistics.subject_health(db, subject, now))

    async def statistics(self, span: StatisticsSpan, *, tenant: str | None = None) -> Statistics:
        """Count the same of all subjects of a tenant, or of all; one call reads at a time."""
        now = self._context.clock.now()
        async with self._counting:
            return await self._executor.read(lambda db: usage_statistics.all_statistics(db, tenant, span, now))

    async def schema_version(self) -> int:
        """Return the number of the newest applied migration: see `DatabaseAdmin.schema_version`."""
        return await self._database.schema_version()

    async def ping(self) -> None:
        """Check that the database answers: see `DatabaseAdmin.ping`."""
        await self._database.ping()

    async def ping_all(self) -> None:
        """Check that every machine of the database answers: see `DatabaseAdmin.ping_all`."""
        await self._database.ping_all()

    async def require_writable(self) -> None:
        """Check that the database may be written: see `DatabaseAdmin.require_writable`."""
        await self._database.require_writable()

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is stored; with `check`, verify the files and that all indexes agree (slow)."""
        found = await self._database.stats(check=check)
        return replace(found, encryption=await self._encryption())

    async def _encryption(self) -> SubjectEncryption | None:
        vault = self._context.vault
        if vault is None:
            return None
        encrypted, mixed, subjects, pending, extent = await self._executor.read(stats.count_encrypted)
        try:
            keys = await asyncio.to_thread(vault.counts)
        except StoreUnavailableError:
            keys = None
        return SubjectEncryption(
            extent=extent,
            encrypted=encrypted,
            mixed=mixed,
            plain=max(0, subjects - encrypted - mixed),
            pending=pending,
            keyring=vault.keyring.where,
            keys=keys.subjects if keys else None,
            others=keys.others if keys else 0,
        )
