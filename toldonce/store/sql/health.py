"""Lists of what of a subject may need a look: see `AdminRepository.health` for the counts."""

from datetime import datetime, timedelta

from toldonce.clock import to_micros
from toldonce.ids import id_text
from toldonce.store.executor import check_limit
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql.database import SqlConnection, Statement, load
from toldonce.store.sql.memories.read import memories_within
from toldonce.store.sql.rows import cursor_id, read_decision
from toldonce.store.sql.subjects import rows_of
from toldonce.store.sql.usage_statistics import IDLE_AFTER, UNUSED_AFTER
from toldonce.types import Decision, Memory, MemoryId, MemoryPair, Subject

SQL = load("health")
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
        rows = rows_of(db, subject, SQL["replaced"], to_micros(since), *last, limit)
        decisions = [read_decision(subject, row) for row in rows]
        ids = {id_ for line in decisions for id_ in (line.memory_id, line.target_id) if id_ is not None}
        known = {memory.id: memory for memory in memories_within(db, subject, sorted(ids))}
    return [pair for line in decisions if (pair := _replacement(line, known)) is not None]


def held_conflicts(
    db: SqlConnection, subject: Subject, *, after: str | None = None, limit: int = 100
) -> list[MemoryPair]:
    """List the facts that wait for review, each with the active one of its slot, oldest first, after a held one."""
    with db:  # one snapshot
        rows = rows_of(db, subject, SQL["held_conflicts"], b"" if after is None else cursor_id(after), limit)
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
        return await self._unused(subject, SQL["never_recalled"], UNUSED_AFTER, after, limit)

    async def idle(self, subject: Subject, *, after: str | None = None, limit: int = 100) -> list[Memory]:
        """List active notes neither stored nor used in the last 90 days, newest first, after an id."""
        return await self._unused(subject, SQL["idle"], IDLE_AFTER, after, limit)

    async def _unused(
        self, subject: Subject, which: Statement, time: timedelta, after: str | None, limit: int
    ) -> list[Memory]:
        last = _LAST_ID if after is None else cursor_id(after)
        values = (last, to_micros(self._context.clock.now() - time), check_limit(limit))
        await self._executor.flush()  # uses that are counted in batches
        return await self._executor.read(lambda db: _unused(db, subject, which, *values))
