"""The part of the store that counts, rations and lists for operators: see `Store`."""

from datetime import datetime

from recollect.profiles.policies import BudgetPolicy
from recollect.store.executor import Executor
from recollect.store.paging import check_limit
from recollect.store.sql import apps, budgets, sharing
from recollect.store.sql.rows import fetch
from recollect.store.sql.statements import load
from recollect.store.sql.stats import store_sums, subject_sums
from recollect.types import (
    AppRecord,
    EnergyStatus,
    Reservation,
    StoreTotals,
    Subject,
    SubjectTotals,
)

SQL = load("subject")


class Operating(Executor):
    """Energy, apps, subjects and sums."""

    async def reserve(self, subject: Subject, booked: Reservation, policy: BudgetPolicy) -> None:
        """See `Store.reserve`."""
        await self._write(lambda db: budgets.reserve(db, subject, booked, policy), subject)

    async def settle(self, subject: Subject, reservation: str, *, tokens: int | None) -> None:
        """See `Store.settle`."""
        self._write_later(lambda db: budgets.settle(db, subject, reservation, tokens=tokens), subject)

    async def energy(
        self, subject: Subject, policy: BudgetPolicy, *, now: datetime, poller: str | None = None
    ) -> EnergyStatus:
        """See `Store.energy`."""
        await self._caught_up()  # the settlements that nobody waited for
        return await self._write(lambda db: budgets.status(db, subject, policy, now, poller=poller), subject)

    async def subjects(self, *, after: str = "", limit: int = 1000) -> list[Subject]:
        """See `Store.subjects`."""
        check_limit(limit)
        rows = await self._read(lambda db: fetch(db, SQL["subjects"], after, limit))
        return [Subject.parse(name) for (name,) in rows]

    async def subscribe(self, subject: Subject, shared: Subject, now: datetime) -> None:
        """See `Store.subscribe`."""
        await self._write(lambda db: sharing.subscribe(db, subject, shared, now), subject)

    async def unsubscribe(self, subject: Subject, shared: Subject) -> bool:
        """See `Store.unsubscribe`."""
        return await self._write(lambda db: sharing.unsubscribe(db, subject, shared), subject)

    async def subscriptions(self, subject: Subject) -> tuple[int, list[Subject]]:
        """See `Store.subscriptions`."""
        return await self._read(lambda db: sharing.subscriptions(db, subject))

    async def announce_app(self, app: Subject, now: datetime) -> None:
        """See `Store.announce_app`."""
        await self._write(lambda db: apps.announce(db, app, now), app)

    async def remove_app(self, app: Subject, now: datetime) -> bool:
        """See `Store.remove_app`."""
        return await self._write(lambda db: apps.remove(db, app, now), app)

    async def app(self, subject: Subject) -> AppRecord | None:
        """See `Store.app`."""
        return await self._read(lambda db: apps.app(db, subject))

    async def sums(self) -> StoreTotals:
        """See `Store.sums`."""
        return await self._read(lambda db: store_sums(db, self._clock))

    async def subject_sums(self, subject: Subject) -> SubjectTotals:
        """See `Store.subject_sums`."""
        return await self._read(lambda db: subject_sums(db, subject))
