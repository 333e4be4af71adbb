"""The decision log, which is append-only."""

import builtins
import json
from collections.abc import Sequence
from datetime import datetime

from toldonce.clock import to_micros
from toldonce.ids import id_bytes
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, micros, read_decision
from toldonce.store.sql.subjects import version_of
from toldonce.types import ConversationId, Decision, MemoryId, Subject

SQL, UNDO_SQL = load("memory"), load("undo")


def decisions(
    db: SqlConnection,
    subject: Subject,
    *,
    memory: MemoryId | None = None,
    limit: int = 1000,
    after: tuple[datetime, str] | None = None,
) -> list[Decision]:
    """Read the decision log, oldest first; of one memory: all that made, changed or considered it.

    Without a memory, `after` is time and id of the last decision of the page before.
    """
    if version_of(db, subject) is None:
        return []
    if memory is None:
        at, last = (0, "") if after is None else (to_micros(after[0]), after[1])
        rows = fetch(db, SQL["decisions"], subject.key, limit, at, id_bytes(last) or b"")
    else:
        id_ = id_bytes(memory)
        rows = [] if id_ is None else fetch(db, SQL["decisions_of"], subject.key, limit, id_)
    return [read_decision(subject, row) for row in rows]


def _decisions_of_many(db: SqlConnection, subject: Subject, memories: Sequence[MemoryId]) -> list[Decision]:
    if version_of(db, subject) is None:
        return []
    rows = fetch(db, SQL["decisions_of_many"], subject.key, json.dumps(memories))
    return [read_decision(subject, row) for row in rows]


def decision(db: SqlConnection, subject: Subject, decision_id: str) -> Decision | None:
    """Read one decision; None if the subject has none with that id."""
    id_ = id_bytes(decision_id)
    if id_ is None or version_of(db, subject) is None:
        return None
    row = fetch_one(db, UNDO_SQL["decision"], subject.key, id_)
    return None if row is None else read_decision(subject, row)


def decisions_from(
    db: SqlConnection,
    subject: Subject,
    *,
    conversation: ConversationId | None = None,
    seq: int | None = None,
    since: datetime | None = None,
) -> list[Decision]:
    """Read the decisions on a conversation, or one of its messages, or since an instant; oldest first."""
    id_ = None if conversation is None else id_bytes(conversation)
    if version_of(db, subject) is None or (conversation is not None and id_ is None):
        return []
    rows = fetch(db, UNDO_SQL["decisions_from"], subject.key, id_, seq, micros(since))
    return [read_decision(subject, row) for row in rows]


class DecisionRepository(Repository):
    """What was decided on memories."""

    list = Reads(decisions)
    get = Reads(decision)
    from_source = Reads(decisions_from)

    async def of_many(self, subject: Subject, memories: Sequence[MemoryId]) -> builtins.list[Decision]:
        """Read all decisions that made, changed or considered one of these memories, oldest first."""
        if not memories:
            return []
        return await self._executor.read(lambda db: _decisions_of_many(db, subject, memories))
