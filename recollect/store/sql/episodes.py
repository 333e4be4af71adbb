"""Read the active path of a conversation, and what episodes sum up of it. Works on a connection."""

from recollect.ids import id_bytes, id_text
from recollect.store.sql import subjects
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.rows import STATE_ORDER, fetch, read_message
from recollect.store.sql.statements import load
from recollect.text import conversation_tag
from recollect.types import ConversationId, EpisodeRange, LoggedMessage, MemoryId, Subject

SQL = load("episode")


def path(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, after_seq: int, limit: int
) -> list[LoggedMessage]:
    """Read the active path: see `Store.path`."""
    id_ = id_bytes(conversation)
    if id_ is None or subjects.version_of(db, subject) is None:
        return []
    rows = fetch(db, SQL["path"], subject.key, id_, after_seq, limit)
    return [read_message(conversation, row) for row in rows]


def spans(db: SqlConnection, subject: Subject, conversation: ConversationId) -> list[EpisodeRange]:
    """Read what episodes sum up: see `Store.spans`."""
    if subjects.version_of(db, subject) is None:
        return []
    found = [
        EpisodeRange(
            id=MemoryId(id_text(id_)),
            state=STATE_ORDER[state],
            first_turn=first_turn,
            last_turn=last_turn,
            first_seq=first_seq,
            last_seq=last_seq,
        )
        for id_, state, first_turn, last_turn, first_seq, last_seq in fetch(
            db, SQL["spans"], subject.key, conversation_tag(conversation)
        )
        if last_seq is not None
    ]
    return sorted(found, key=lambda span: (span.first_turn, span.last_seq))
