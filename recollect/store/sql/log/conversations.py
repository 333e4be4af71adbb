"""Open, find, list and end conversations, and ask for what they wait to have formed. Works on a connection."""

import json
from datetime import datetime
from uuid import UUID

from recollect.clock import Clock, to_micros
from recollect.errors import UnknownConversationError
from recollect.ids import id_bytes, id_text, new_id
from recollect.store.sql import subjects
from recollect.store.sql.database import Row, SqlConnection, load
from recollect.store.sql.rows import (
    STATE_ORDER,
    fetch,
    fetch_one,
    fetch_value,
    read_conversation,
    read_detail,
    read_message,
)
from recollect.text import clean, conversation_tag
from recollect.types import (
    Conversation,
    ConversationId,
    ConversationSetup,
    EpisodeRange,
    LoggedMessage,
    MemoryId,
    Subject,
)

SQL = load("log")
FORMATION_SQL, EPISODE_SQL = load("formation"), load("episode")
_END_OF_TIME = 2**63 - 1


def begin(
    db: SqlConnection, subject: Subject, external_id: str | None, opening: ConversationSetup, at: tuple[int, str]
) -> bytes:
    """Add a conversation, `at` its instant and id; return the id's bytes."""
    begun_at, id_ = at
    options = json.dumps(dict(opening.options)) if opening.options else None
    values = (None if external_id is None else clean(external_id), begun_at)
    conversation = UUID(id_).bytes
    db.execute(SQL["add_conversation"], (subject.key, conversation, *values, opening.profile, opening.app, options))
    return conversation


def open_(
    db: SqlConnection, subject: Subject, external_id: str, opening: ConversationSetup, clock: Clock
) -> Conversation:
    """Open a conversation."""
    subjects.ensure(db, subject)
    row = _called(db, subject, external_id)
    if row is None:
        begin(db, subject, external_id, opening, (to_micros(clock.now()), new_id(clock)))
    elif opening.options and read_conversation(subject, row).profile == opening.profile:
        db.execute(SQL["note_options"], (subject.key, row[0], json.dumps(dict(opening.options))))
    return read_conversation(subject, fetch(db, SQL["conversation_called"], subject.key, clean(external_id))[0])


def conversation(
    db: SqlConnection, subject: Subject, *, id_: ConversationId | None, external_id: str | None
) -> Conversation | None:
    """Find a conversation."""
    if subjects.version_of(db, subject) is None:
        return None
    if id_ is not None:
        key = id_bytes(id_)
        row = None if key is None else fetch_one(db, SQL["conversation"], subject.key, key)
    else:
        row = None if external_id is None else _called(db, subject, external_id)
    return None if row is None else read_conversation(subject, row)


def list_conversations(
    db: SqlConnection, subject: Subject, *, before: datetime | None, before_id: str | None, limit: int
) -> list[Conversation]:
    """List conversations; those updated at `before` come first whose id is smaller than `before_id`."""
    if subjects.version_of(db, subject) is None:
        return []
    end = _END_OF_TIME if before is None else to_micros(before)
    last = (id_bytes(before_id) if before_id else None) or b""
    rows = fetch(db, SQL["conversations"], subject.key, end, limit, last)
    return [read_conversation(subject, row) for row in rows]


def end(db: SqlConnection, subject: Subject, conversation: ConversationId, reason: str, now: datetime) -> None:
    """End a conversation."""
    key = id_bytes(conversation)
    if key is None or fetch_one(db, SQL["conversation"], subject.key, key) is None:
        raise UnknownConversationError(conversation)
    db.execute(SQL["end_conversation"], (subject.key, key, to_micros(now), clean(reason)))


def request_formation(
    db: SqlConnection, writes: Subject, home: Subject, conversation: ConversationId, now: datetime
) -> int:
    """Ask for formations."""
    key = id_bytes(conversation)
    if key is None or subjects.version_of(db, writes) is None or subjects.version_of(db, home) is None:
        return 0
    last_seq = fetch_value(db, SQL["last_seq"], home.key, key) or 0
    return len(fetch(db, FORMATION_SQL["ask"], writes.key, home.key, key, last_seq, to_micros(now)))


def active_path(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, after_seq: int, limit: int
) -> list[LoggedMessage]:
    """Read the active path."""
    id_ = id_bytes(conversation)
    if id_ is None or subjects.version_of(db, subject) is None:
        return []
    rows = fetch(db, EPISODE_SQL["path"], subject.key, id_, after_seq, limit)
    return [read_message(conversation, row) for row in rows]


def episode_ranges(db: SqlConnection, subject: Subject, conversation: ConversationId) -> list[EpisodeRange]:
    """Read what episodes sum up."""
    if subjects.version_of(db, subject) is None:
        return []
    rows = fetch(db, EPISODE_SQL["spans"], subject.key, conversation_tag(conversation))
    told = [(id_, state, read_detail(detail)) for id_, state, detail in rows if detail]
    found = [
        EpisodeRange(
            id=MemoryId(id_text(id_)),
            state=STATE_ORDER[state],
            first_turn=detail.first_turn,
            last_turn=detail.last_turn,
            first_seq=detail.first_seq,
            last_seq=detail.last_seq,
        )
        for id_, state, detail in told
        if detail.last_seq
    ]
    return sorted(found, key=lambda span: (span.first_turn, span.last_seq))


def _called(db: SqlConnection, subject: Subject, external_id: str) -> Row | None:
    return fetch_one(db, SQL["conversation_called"], subject.key, clean(external_id))
