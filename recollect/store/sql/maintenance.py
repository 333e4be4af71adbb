"""Whose turn it is to be tended, leased by compare-and-swap, and what tending reads. Works on a connection."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from recollect.clock import from_micros, to_micros
from recollect.store.executor import Executor
from recollect.store.paging import check_limit
from recollect.store.sql import inner, terming
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.formations import MAX_DELAY
from recollect.store.sql.rows import fetch, fetch_one, read_memories
from recollect.store.sql.statements import load
from recollect.store.sql.subjects import version_of
from recollect.types import MaintenanceLease, Memory, StaleTerms, Subject

SQL = load("tend")
_TOKEN_BITS = 63  # what a signed integer holds


def profiles_of(db: SqlConnection, subject: Subject) -> set[str]:
    """Name the profiles of what is known: see `Store.profiles_of`."""
    if version_of(db, subject) is None:
        return set()
    return {name for (name,) in fetch(db, SQL["profiles_of"], subject.key)}


def ended(db: SqlConnection, subject: Subject, at: datetime, *, limit: int) -> list[Memory]:
    """Read what has ended by itself: see `Store.ended`."""
    if version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, SQL["ended"], subject.key, to_micros(at), limit))


def due(db: SqlConnection, *, before: datetime, now: datetime, limit: int) -> list[Subject]:
    """List the subjects whose turn it is: see `Store.tend_due`."""
    times = (to_micros(now), to_micros(now + MAX_DELAY))
    rows = fetch(db, SQL["tend_due"], to_micros(before), *times, limit)
    # A time of tending that is still to come was stamped by a clock that ran ahead.
    rows = rows or fetch(db, SQL["tended_in_future"], *times, limit)
    return [Subject.parse(name) for (name,) in rows]


def lease(
    db: SqlConnection, subject: Subject, *, before: datetime, now: datetime, lease_s: float
) -> MaintenanceLease | None:
    """Take a subject for tending: see `Store.lease_tending`."""
    if version_of(db, subject) is None:
        return None
    inner.register(db, subject)  # a process of an older version may have made it without
    token = secrets.randbits(_TOKEN_BITS)
    until = to_micros(now + timedelta(seconds=lease_s))
    times = (to_micros(before), to_micros(now), to_micros(now + MAX_DELAY))
    row = fetch_one(db, SQL["lease_tending"], subject.key, *times, token, until)
    if row is None:
        return None
    reached = abs(row[0])
    last = from_micros(reached) if 0 < reached <= to_micros(now) else None
    return MaintenanceLease(subject=subject, token=token, last=last)


def tended_up_to(db: SqlConnection, lease: MaintenanceLease, at: datetime, until: datetime) -> bool:
    """Note how far tending came, and hold the lease on: see `Store.tended_up_to`."""
    row = (lease.subject.key, lease.token, -to_micros(at), to_micros(until))
    return fetch_one(db, SQL["tended_up_to"], *row) is not None


def tended(db: SqlConnection, lease: MaintenanceLease, at: datetime, *, whole: bool) -> None:
    """Note that a subject was tended: see `Store.tended`."""
    micros = to_micros(at)
    db.execute(SQL["tended"], (lease.subject.key, lease.token, micros if whole else -micros))


class Tending(Executor):
    """The part of the store that tending asks: see `Store`."""

    async def version(self, subject: Subject) -> int:
        """See `Store.version`."""
        return await self._read_short(lambda db: version_of(db, subject)) or 0

    async def profiles_of(self, subject: Subject) -> set[str]:
        """See `Store.profiles_of`."""
        return await self._read_short(lambda db: profiles_of(db, subject))

    async def ended(self, subject: Subject, at: datetime, *, limit: int = 100) -> list[Memory]:
        """See `Store.ended`."""
        check_limit(limit)
        return await self._read(lambda db: ended(db, subject, at, limit=limit))

    async def behind(self, *, limit: int = 100) -> list[Subject]:
        """See `Store.behind`."""
        check_limit(limit)
        return await self._read(lambda db: terming.behind(db, limit=limit))

    async def untermed(self, subject: Subject, *, limit: int = 100) -> StaleTerms | None:
        """See `Store.untermed`."""
        check_limit(limit)
        return await self._read(lambda db: terming.untermed(db, subject, limit=limit))

    async def set_terms(self, done: StaleTerms, terms: Sequence[Mapping[str, int]]) -> bool:
        """See `Store.set_terms`."""
        return await self._write(lambda db: terming.set_terms(db, done, terms, term_key=self._term_key), done.subject)

    async def tend_due(self, *, before: datetime, now: datetime, limit: int = 100) -> list[Subject]:
        """See `Store.tend_due`."""
        check_limit(limit)
        return await self._read(lambda db: due(db, before=before, now=now, limit=limit))

    async def lease_tending(
        self, subject: Subject, *, before: datetime, now: datetime, lease_s: float
    ) -> MaintenanceLease | None:
        """See `Store.lease_tending`."""
        return await self._write(lambda db: lease(db, subject, before=before, now=now, lease_s=lease_s), subject)

    async def tended_up_to(self, lease: MaintenanceLease, at: datetime, *, until: datetime) -> bool:
        """See `Store.tended_up_to`."""
        return await self._write(lambda db: tended_up_to(db, lease, at, until), lease.subject)

    async def tended(self, lease: MaintenanceLease, at: datetime, *, whole: bool = True) -> None:
        """See `Store.tended`."""
        await self._write(lambda db: tended(db, lease, at, whole=whole), lease.subject)
