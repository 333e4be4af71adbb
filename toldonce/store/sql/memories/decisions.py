"""The decision log, which is append-only."""

import builtins
import json
from collections.abc import Sequence
from datetime import datetime

from toldonce.clock import to_micros
from toldonce.ids import id_bytes
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import micros, read_decision
from toldonce.store.sql.subjects import row_of, rows_of
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
    if memory is None:
        at, last = (0, "") if after is None else (to_micros(after[0]), after[1])
        rows = rows_of(db, subject, SQL["decisions"], limit, at, id_bytes(last) or b"")
    else:
        rows = rows_of(db, subject, SQL["decisions_of"], limit, id_bytes(memory))
    return [read_decision(subject, row) for row in rows]


def _decisions_of_many(db: SqlConnection, subject: Subject, memories: Sequence[MemoryId]) -> list[Decision]:
    rows = rows_of(db, subject, SQL["decisions_of_many"], json.dumps(memories))
    return [read_decision(subject, row) for row in rows]


def decision(db: SqlConnection, subject: Subject, decision_id: str) -> Decision | None:
    """Read one decision; None if the subject has none with that id."""
    row = row_of(db, subject, UNDO_SQL["decision"], id_bytes(decision_id))
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
    if conversation is not None and id_ is None:
        return []
    rows = rows_of(db, subject, UNDO_SQL["decisions_from"], id_, seq, micros(since))
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
