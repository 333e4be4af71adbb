"""Read what came from a source, what changed since, and what held at an instant. Works on a connection."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.clock import from_micros, to_micros
from recollect.ids import id_bytes, id_text
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.rows import fetch, fetch_one, micros, read_decision, read_memories
from recollect.store.sql.statements import load
from recollect.store.sql.subjects import version_of
from recollect.types import ConversationId, Decision, InjectionSite, Memory, MemoryId, MemoryKind, MemoryState, Subject

SQL = load("undo")


def memories_from(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, seq: int | None
) -> list[Memory]:
    """Read what rests on a source: see `Store.memories_from`."""
    id_ = id_bytes(conversation)
    if id_ is None or version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, SQL["from_source"], subject.key, id_, seq))


def memories_since(db: SqlConnection, subject: Subject, since: datetime) -> list[Memory]:
    """Read what was stored or closed since: see `Store.memories_since`."""
    if version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, SQL["changed_since"], subject.key, to_micros(since)))


def memories_at(
    db: SqlConnection, subject: Subject, kinds: Sequence[MemoryKind], *, at: datetime, known_at: datetime
) -> list[Memory]:
    """Read what held: see `Store.memories_at`."""
    if version_of(db, subject) is None:
        return []
    wanted = sum(1 << kind.number for kind in set(kinds))
    rows = fetch(db, SQL["at"], subject.key, to_micros(at), to_micros(known_at), wanted)
    return [_as_then(memory, known_at) for memory in read_memories(subject, rows)]


def _as_then(memory: Memory, known_at: datetime) -> Memory:
    """Show a memory as it was known at an instant: what closed it later had not happened."""
    later = memory.closed_at is not None and memory.closed_at > known_at
    return replace(memory, state=MemoryState.ACTIVE, closed_at=None, valid_to=None if later else memory.valid_to)


def decision(db: SqlConnection, subject: Subject, decision_id: str) -> Decision | None:
    """Read one decision: see `Store.decision`."""
    id_ = id_bytes(decision_id)
    if id_ is None or version_of(db, subject) is None:
        return None
    row = fetch_one(db, SQL["decision"], subject.key, id_)
    return None if row is None else read_decision(subject, row)


def decisions_from(
    db: SqlConnection,
    subject: Subject,
    *,
    conversation: ConversationId | None,
    seq: int | None,
    since: datetime | None,
) -> list[Decision]:
    """Read the decisions of a source or a time: see `Store.decisions_from`."""
    id_ = None if conversation is None else id_bytes(conversation)
    if version_of(db, subject) is None or (conversation is not None and id_ is None):
        return []
    rows = fetch(db, SQL["decisions_from"], subject.key, id_, seq, micros(since))
    return [read_decision(subject, row) for row in rows]


def last_recall(db: SqlConnection, subject: Subject, memory: MemoryId) -> InjectionSite | None:
    """Find where a memory was put into a prompt last: see `Store.last_recall`."""
    if version_of(db, subject) is None:
        return None
    row = fetch_one(db, SQL["last_recall"], subject.key, memory)
    if row is None:
        return None
    conversation, seq, at = row
    return InjectionSite(conversation=ConversationId(id_text(conversation)), seq=seq, at=from_micros(at))
