"""Read memories and decisions back. Works on a connection."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from recollect.errors import BadRequestError
from recollect.ids import id_bytes
from recollect.store.sql.database import SqlConnection, TooLargeError
from recollect.store.sql.rows import STATE_NUMBER, fetch, read_decision, read_memories
from recollect.store.sql.statements import load
from recollect.store.sql.subjects import version_of
from recollect.text import clean
from recollect.types import Conversation, Decision, Memory, MemoryId, MemoryKind, MemoryState, Subject

SQL, TAGGED, REVIEW_SQL = load("memory"), load("tagged"), load("review")
_LAST_ID = b"\xff" * 16


def memories(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
    """Read memories by id: see `Store.memories`."""
    with db:  # one snapshot
        found = [] if version_of(db, subject) is None else memories_within(db, subject, ids)
    return found


def memories_within(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
    """Do as `memories`, for a subject that exists, within the snapshot of the caller's transaction."""
    rows = fetch(db, SQL["remembered"], subject.key, json.dumps(ids))
    found = {memory.id: memory for memory in read_memories(subject, rows)}
    return [found[memory] for memory in ids if memory in found]


class MemoryFilter(NamedTuple):
    """Which memories are listed."""

    kinds: Sequence[MemoryKind]
    closed: bool
    """Closed ones too."""
    tag: str
    """Those under it alone; empty: all."""


def list_memories(
    db: SqlConnection, subject: Subject, which: MemoryFilter, *, after: MemoryId | None, limit: int
) -> list[Memory]:
    """List memories: see `Store.list_memories`."""
    end = _LAST_ID if after is None else id_bytes(after)
    if end is None:
        raise BadRequestError(f"{after!r} is no memory's id", param="after")
    if version_of(db, subject) is None:
        return []
    states = STATE_NUMBER[MemoryState.CLOSED if which.closed else MemoryState.HELD]
    wanted = sum(1 << kind.number for kind in set(which.kinds))
    if which.tag:
        rows = fetch(db, TAGGED["tagged"], subject.key, clean(which.tag), end, states, wanted, limit)
    else:
        sql = SQL["listed_with_turns" if MemoryKind.TURN in which.kinds else "listed"]
        rows = fetch(db, sql, subject.key, end, states, wanted, limit)
    return read_memories(subject, rows)


def formed_of(db: SqlConnection, subject: Subject, source: Conversation, limit: int) -> list[Memory]:
    """Read what a conversation left: see `Store.formed_of`."""
    if version_of(db, subject) is None:
        return []
    rows = fetch(db, TAGGED["formed_of"], subject.key, source.subject.key, id_bytes(source.id), limit)
    return read_memories(subject, rows)


def facts(db: SqlConnection, subject: Subject, *, most: int | None = None) -> list[Memory]:
    """Read all active facts: see `Store.facts`.

    Raises:
        TooLargeError: there are more than `most`.
    """
    if version_of(db, subject) is None:
        return []
    if most is not None and fetch(db, SQL["facts_beyond"], subject.key, most):
        raise TooLargeError
    return read_memories(subject, fetch(db, SQL["facts"], subject.key))


def held(db: SqlConnection, subject: Subject, *, limit: int) -> list[Memory]:
    """Read what waits for review: see `Store.held`."""
    if version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, REVIEW_SQL["held"], subject.key, limit))


def decisions(db: SqlConnection, subject: Subject, *, memory: MemoryId | None, limit: int) -> list[Decision]:
    """Read the decision log: see `Store.decisions`."""
    if version_of(db, subject) is None:
        return []
    if memory is None:
        rows = fetch(db, SQL["decisions"], subject.key, limit)
    else:
        id_ = id_bytes(memory)
        rows = [] if id_ is None else fetch(db, SQL["decisions_of"], subject.key, limit, id_)
    return [read_decision(subject, row) for row in rows]
