"""Read what of a subject may need a look. Works on a connection."""

from collections.abc import Sequence
from datetime import datetime

from toldonce.clock import to_micros
from toldonce.errors import BadRequestError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.memories.read import memories_within
from toldonce.store.sql.rows import fetch, read_decision
from toldonce.store.sql.subjects import version_of
from toldonce.store.sql.usage_statistics import IDLE_AFTER, UNUSED_AFTER
from toldonce.types import Decision, Memory, MemoryId, MemoryPair, Subject

SQL = load("health")
_LAST_ID = b"\xff" * 16


def never_recalled(
    db: SqlConnection, subject: Subject, *, after: str | None, limit: int, now: datetime
) -> list[Memory]:
    """List active memories that no prompt has used since they were stored, newest first."""
    values = (_id(after, _LAST_ID), to_micros(now - UNUSED_AFTER), limit)
    with db:  # one snapshot
        found = [] if version_of(db, subject) is None else fetch(db, SQL["never_recalled"], subject.key, *values)
        return _memories(db, subject, found)


def idle(db: SqlConnection, subject: Subject, *, after: str | None, limit: int, now: datetime) -> list[Memory]:
    """List active notes that were neither stored nor used for long, newest first."""
    values = (_id(after, _LAST_ID), to_micros(now - IDLE_AFTER), limit)
    with db:  # one snapshot
        found = [] if version_of(db, subject) is None else fetch(db, SQL["idle"], subject.key, *values)
        return _memories(db, subject, found)


def replaced(
    db: SqlConnection, subject: Subject, *, since: datetime, before: tuple[datetime, str], limit: int
) -> list[MemoryPair]:
    """List which memories took the place of others since an instant, newest first; without those that are gone."""
    last = (to_micros(before[0]), _id(before[1], _LAST_ID))
    with db:  # one snapshot
        if version_of(db, subject) is None:
            return []
        rows = fetch(db, SQL["replaced"], subject.key, to_micros(since), *last, limit)
        decisions = [read_decision(subject, row) for row in rows]
        ids = {id_ for line in decisions for id_ in (line.memory_id, line.target_id) if id_ is not None}
        known = {memory.id: memory for memory in memories_within(db, subject, sorted(ids))}
    return [pair for line in decisions if (pair := _replacement(line, known)) is not None]


def held_conflicts(db: SqlConnection, subject: Subject, *, after: str | None, limit: int) -> list[MemoryPair]:
    """List the facts that wait for review, each with the active one of its slot, oldest first."""
    with db:  # one snapshot
        if version_of(db, subject) is None:
            return []
        rows = fetch(db, SQL["held_conflicts"], subject.key, _id(after, b""), limit)
        pairs = [(MemoryId(id_text(held)), MemoryId(id_text(active))) for held, active in rows]
        known = {memory.id: memory for memory in memories_within(db, subject, [id_ for pair in pairs for id_ in pair])}
    return [MemoryPair(newer=known[held], older=known[active]) for held, active in pairs]


def _replacement(line: Decision, known: dict[MemoryId, Memory]) -> MemoryPair | None:
    newer = known.get(line.memory_id) if line.memory_id else None
    older = known.get(line.target_id) if line.target_id else None
    if newer is None or older is None:
        return None
    return MemoryPair(newer=newer, older=older, at=line.at, decision=line.id, reason=line.reason)


def _memories(db: SqlConnection, subject: Subject, rows: Sequence[Row]) -> list[Memory]:
    return memories_within(db, subject, [MemoryId(id_text(id_)) for (id_,) in rows])


def _id(id_: str | None, otherwise: bytes) -> bytes:
    """Return an id as stored.

    Raises:
        BadRequestError: It is none.
    """
    if id_ is None:
        return otherwise
    found = id_bytes(id_)
    if found is None:
        raise BadRequestError("the cursor is none of this list", param="cursor")
    return found
