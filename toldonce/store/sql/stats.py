"""Counts of all subjects, for operators, checks of consistency, and lists of what of a subject may need a look."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from toldonce.clock import Clock, from_micros, to_micros
from toldonce.errors import StoreUnavailableError
from toldonce.ids import id_text
from toldonce.store.executor import DatabaseAdmin, StoreContext, check_limit, flush_counts
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import subjects, usage_statistics
from toldonce.store.sql.database import SqlConnection, Statement, load
from toldonce.store.sql.memories.read import memories_within
from toldonce.store.sql.rows import cursor_id, fetch, fetch_one, fetch_value, read_decision
from toldonce.store.sql.subjects import rows_of, version_of
from toldonce.store.sql.usage_statistics import IDLE_AFTER, UNUSED_AFTER
from toldonce.store.store_reports import StoreStats, SubjectEncryption
from toldonce.types import (
    Decision,
    Memory,
    MemoryId,
    MemoryPair,
    Statistics,
    StatisticsSpan,
    StoreTotals,
    Subject,
    SubjectHealth,
    SubjectTotals,
    UserSummary,
    tenant_range,
)

SQL, KEYS_SQL, HEALTH_SQL = load("subject"), load("keys"), load("health")

MAX_COUNTED = 10_000
"""Rows of a kind that are counted of each user in a list of many: a statement reads no more."""
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


def list_users(db: SqlConnection, *, after: str = "", limit: int = 100, tenant: str | None = None) -> list[UserSummary]:
    """List users by name, after the name `after`, each with what is counted of it; of one tenant, or of all."""
    found: list[UserSummary] = []
    for start, end in _ranges_of_users(db, after, tenant):
        for (name,) in fetch(db, SQL["subjects"], max(after, start), limit - len(found), end):
            found.append(_user(db, Subject.parse(name)))
        if len(found) >= limit:
            break
    return found


def _ranges_of_users(db: SqlConnection, after: str, tenant: str | None) -> Iterator[tuple[str, str]]:
    """Yield the texts between which a tenant's users are, both excluded; None: those of each tenant, by name."""
    if tenant is not None:
        prefix = f"@{tenant}/" if tenant else ""
        yield f"{prefix}user:", f"{prefix}user;"
        return
    last = ""
    if after:
        named = Subject.parse(after).tenant
        if named:
            yield from _ranges_of_users(db, after, named)
        last = tenant_range(named)[1]
    while page := fetch(db, SQL["subjects"], last, 1, tenant_range("")[0]):
        named = Subject.parse(page[0][0]).tenant
        yield from _ranges_of_users(db, after, named)
        last = tenant_range(named)[1]
    yield from _ranges_of_users(db, after, "")


def _user(db: SqlConnection, subject: Subject) -> UserSummary:
    rows, active, quotations, kept, conversations, last = fetch(db, SQL["user_sums"], subject.key, MAX_COUNTED)[0]
    return UserSummary(
        subject=subject,
        memories=active + kept,
        conversations=conversations,
        is_partial=max(rows, quotations, conversations) >= MAX_COUNTED,
        last_seen=None if last is None else from_micros(last),
    )


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
    users = Reads(list_users)

    def __init__(self, context: StoreContext, database: DatabaseAdmin) -> None:
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


_LAST_ID = b"\xff" * 16


def _unused(db: SqlConnection, subject: Subject, which: Statement, *values: object) -> list[Memory]:
    with db:  # one snapshot
        found = rows_of(db, subject, which, *values)
        return memories_within(db, subject, [MemoryId(id_text(id_)) for (id_,) in found])


def replaced(
    db: SqlConnection, subject: Subject, *, since: datetime, before: tuple[datetime, str], limit: int = 100
) -> list[MemoryPair]:
    """List which memories took the place of others, newest first.

    Args:
        subject: Owner of the memories.
        since: Only decisions from this instant on.
        before: Time and id of the decision before which the list begins.
        limit: Maximum number of decisions to read; pairs of which a memory is gone are left out.
    """
    last = (to_micros(before[0]), cursor_id(before[1]))
    with db:  # one snapshot
        rows = rows_of(db, subject, HEALTH_SQL["replaced"], to_micros(since), *last, limit)
        decisions = [read_decision(subject, row) for row in rows]
        ids = {id_ for line in decisions for id_ in (line.memory_id, line.target_id) if id_ is not None}
        known = {memory.id: memory for memory in memories_within(db, subject, sorted(ids))}
    return [pair for line in decisions if (pair := _replacement(line, known)) is not None]


def held_conflicts(
    db: SqlConnection, subject: Subject, *, after: str | None = None, limit: int = 100
) -> list[MemoryPair]:
    """List the facts that wait for review, each with the active one of its slot, oldest first, after a held one."""
    with db:  # one snapshot
        rows = rows_of(db, subject, HEALTH_SQL["held_conflicts"], b"" if after is None else cursor_id(after), limit)
        pairs = [(MemoryId(id_text(held)), MemoryId(id_text(active))) for held, active in rows]
        known = {memory.id: memory for memory in memories_within(db, subject, [id_ for pair in pairs for id_ in pair])}
    return [MemoryPair(newer=known[held], older=known[active]) for held, active in pairs]


def _replacement(line: Decision, known: dict[MemoryId, Memory]) -> MemoryPair | None:
    newer = known.get(line.memory_id) if line.memory_id else None
    older = known.get(line.target_id) if line.target_id else None
    if newer is None or older is None:
        return None
    return MemoryPair(newer=newer, older=older, at=line.at, decision=line.id, reason=line.reason)


class HealthRepository(Repository):
    """What of a subject may need a look."""

    replaced = Reads(replaced)
    held_conflicts = Reads(held_conflicts)

    async def never_recalled(self, subject: Subject, *, after: str | None = None, limit: int = 100) -> list[Memory]:
        """List active memories stored at least 30 days ago that no prompt has used, newest first, after an id."""
        return await self._unused(subject, HEALTH_SQL["never_recalled"], UNUSED_AFTER, after, limit)

    async def idle(self, subject: Subject, *, after: str | None = None, limit: int = 100) -> list[Memory]:
        """List active notes neither stored nor used in the last 90 days, newest first, after an id."""
        return await self._unused(subject, HEALTH_SQL["idle"], IDLE_AFTER, after, limit)

    async def _unused(
        self, subject: Subject, which: Statement, time: timedelta, after: str | None, limit: int
    ) -> list[Memory]:
        last = _LAST_ID if after is None else cursor_id(after)
        values = (last, to_micros(self._context.clock.now() - time), check_limit(limit))
        await self._executor.flush()  # uses that are counted in batches
        return await self._executor.read(lambda db: _unused(db, subject, which, *values))
