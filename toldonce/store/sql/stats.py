"""Counts and lists of all subjects, for operators, and checks of consistency."""

import asyncio
import json
from dataclasses import replace

from toldonce.clock import Clock, to_micros
from toldonce.errors import StoreUnavailableError
from toldonce.store.executor import DatabaseAdmin, StoreContext, flush_counts
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import subjects, usage_statistics
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.store.sql.subjects import version_of
from toldonce.store.store_reports import StoreStats, SubjectEncryption
from toldonce.types import Statistics, StatisticsSpan, StoreTotals, Subject, SubjectHealth, SubjectTotals

SQL, KEYS_SQL = load("subject"), load("keys")

# Statements that count what must not be, with what each says about it.
_CHECKS = {
    "gaps": "conversations with a gap in their messages",
    "active_without_hot": "active memories that recall cannot see",
    "hot_without_active": "rows that recall sees without an active memory",
    "vectors_without_hot": "vectors without an active memory",
    "turns_without_words": "quotations whose message is missing",
    "log_without_subject": "conversations without a subject",
}


def counted(db: SqlConnection, clock: Clock, *, check: bool) -> StoreStats:
    """Count what is stored; `url`, `schema` and `bytes` are left for the backend."""
    row = fetch_one(db, SQL["count"], to_micros(clock.now()))
    counts = [0] * 6 if row is None else [int(value) for value in row]
    return StoreStats(
        url="",
        schema=0,
        subjects=counts[0],
        conversations=counts[1],
        messages=counts[2],
        memories=counts[3],
        formations_due=counts[4],
        formations_parked=counts[5],
        bytes=0,
        spaces=tuple(row[0] for row in fetch(db, SQL["spaces"])),
        problems=_problems(db) if check else (),
    )


def store_totals(db: SqlConnection, clock: Clock) -> StoreTotals:
    """Count for the operator's metrics."""
    memories, apps, remembering, due, parked = fetch(db, SQL["sums"], to_micros(clock.now()))[0]
    return StoreTotals(
        memories=memories, apps=apps, apps_with_memories=remembering, formations_due=due, formations_parked=parked
    )


def subject_totals(db: SqlConnection, subject: Subject) -> SubjectTotals:
    """Count what is stored of one subject."""
    if version_of(db, subject) is None:
        return SubjectTotals(memories=0, decisions={}, recalled=0, hits=0)
    with db:  # one snapshot
        memories, recalled, hits = fetch(db, SQL["subject_sums"], subject.key)[0]
        decisions = {action: count for action, count in fetch(db, SQL["decisions_by_action"], subject.key)}
    return SubjectTotals(memories=memories, decisions=decisions, recalled=recalled or 0, hits=hits or 0)


def count_encrypted(db: SqlConnection) -> tuple[int, int, int, int, str]:
    """Count subjects with all rows encrypted, with some, and all; and keys to be destroyed. Last, how far it goes."""
    encrypted, mixed, subjects, pending = fetch(db, KEYS_SQL["count_keyed"])[0]
    mark = fetch_value(db, KEYS_SQL["mark"])
    return encrypted, mixed, subjects, pending, str(json.loads(bytes(mark))["extent"]) if mark else ""


def _problems(db: SqlConnection) -> tuple[str, ...]:
    found: list[str] = []
    for name, what in _CHECKS.items():
        count = fetch_value(db, SQL[name])
        if count:
            found.append(f"{count} {what}")
    return tuple(found)


class AdminRepository(Repository):
    """Counts and lists of all subjects, for operators."""

    subjects = Reads(subjects.list_subjects)

    def __init__(self, context: StoreContext, database: DatabaseAdmin) -> None:
        """Work on the database of `context`, and on `database` as a whole."""
        super().__init__(context)
        self._database = database
        self._counting = asyncio.Lock()
        """Held while everything is counted: counts that take seconds must not take all connections."""

    async def totals(self) -> StoreTotals:
        """Count what the operators' metrics report, over all subjects."""
        return await self._executor.read(lambda db: store_totals(db, self._context.clock))

    async def subject_totals(self, subject: Subject) -> SubjectTotals:
        """Count what is stored of one subject, what was decided, and how often recall helped."""
        await flush_counts(self._executor, subject)
        return await self._executor.read(lambda db: subject_totals(db, subject))

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

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is stored; with `check`, verify the files and that all indexes agree (slow)."""
        found = await self._database.stats(check=check)
        return replace(found, encryption=await self._encryption())

    async def _encryption(self) -> SubjectEncryption | None:
        vault = self._context.vault
        if vault is None:
            return None
        encrypted, mixed, subjects, pending, extent = await self._executor.read(count_encrypted)
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
