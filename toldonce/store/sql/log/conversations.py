"""Open, find, list and end conversations, and ask for what they wait to have formed. Works on a connection."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from toldonce.clock import Clock, from_micros, to_micros
from toldonce.errors import UnknownConversationError
from toldonce.ids import id_bytes, id_text, new_id
from toldonce.store.sql import subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import (
    STATE_ORDER,
    fetch,
    fetch_one,
    fetch_value,
    read_conversation,
    read_detail,
    read_message,
)
from toldonce.text import clean, conversation_tag
from toldonce.types import (
    NO_DETAIL,
    Conversation,
    ConversationId,
    ConversationSetup,
    EpisodeRange,
    FormationKey,
    LoggedMessage,
    MemoryId,
    Subject,
    UnsummarizedConversation,
)

SQL = load("log")
FORMATION_SQL, EPISODE_SQL = load("formation"), load("episode")
_END_OF_TIME = 2**63 - 1
# Episodes read at once to find the last of a chain.
_CHAIN_PAGE = 50


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
    """Read what episodes sum up of a conversation."""
    if subjects.version_of(db, subject) is None:
        return []
    found = []
    for row in fetch(db, EPISODE_SQL["spans"], subject.key, conversation_tag(conversation)):
        span = _read_range(row)
        parts = [part for part in span.parts if part.conversation == conversation] or span.parts
        found += [replace(span, parts=(part,)) for part in parts[:1]]
    return sorted(found, key=lambda span: (span.first_turn, span.last_seq))


def episode_chain(db: SqlConnection, subject: Subject, profile: str) -> list[EpisodeRange]:
    """Read what the episodes of a user sum up, except those of conversations with an app."""
    if subjects.version_of(db, subject) is None:
        return []
    found = [_read_range(row) for row in fetch(db, EPISODE_SQL["chain"], subject.key, profile)]
    return sorted(_without_apps(db, subject, found), key=lambda span: (span.first_turn, span.last_turn))


def last_of_chain(db: SqlConnection, subject: Subject, profile: str) -> EpisodeRange | None:
    """Read which turns the last of a user's episodes sums up, except those of conversations with an app.

    Newer ones than the last that was added to the chain may have taken the place of earlier ones; all older ones have
    lower numbers. A page of each is read, as clocks of servers differ.
    """
    if subjects.version_of(db, subject) is None:
        return None
    found: list[EpisodeRange] = []
    before, is_end = b"\xff" * 16, False
    while not is_end:
        rows = fetch(db, EPISODE_SQL["newest_of_chain"], subject.key, profile, before, _CHAIN_PAGE)
        page = [_read_range(row) for row in rows]
        own = _without_apps(db, subject, page)
        found += own
        is_end = len(rows) < _CHAIN_PAGE or any(span.is_added for span in own)
        before = rows[-1][0] if rows else before
    return max(found, key=lambda span: span.last_turn, default=None)


def _without_apps(db: SqlConnection, subject: Subject, spans: Sequence[EpisodeRange]) -> list[EpisodeRange]:
    firsts = {span.parts[0].conversation for span in spans if span.parts}
    of_app = {id_ for id_ in firsts if fetch_value(db, SQL["app_of"], subject.key, id_bytes(id_)) is not None}
    return [span for span in spans if span.parts and span.parts[0].conversation not in of_app]


def _read_range(row: Row) -> EpisodeRange:
    id_, state, written, began = row
    detail = read_detail(written) if written else NO_DETAIL
    return EpisodeRange(
        id=MemoryId(id_text(id_)),
        state=STATE_ORDER[state],
        began=from_micros(began),
        first_turn=detail.first_turn,
        last_turn=detail.last_turn,
        is_added=detail.chain_turns > 0,
        parts=detail.summarized,
    )


def is_covered_after(
    db: SqlConnection, subject: Subject, home: Subject, conversation: ConversationId, seq: int
) -> bool:
    """Return whether an episode rests on messages after one."""
    values = (subject.key, home.key, id_bytes(conversation), seq)
    return bool(fetch_value(db, EPISODE_SQL["covered_after"], *values))


def unsummarized(
    db: SqlConnection, subject: Subject, profile: str, *, limit: int, newest: bool
) -> list[UnsummarizedConversation]:
    """List conversations of which messages wait to be summed up."""
    if subjects.version_of(db, subject) is None:
        return []
    statement = EPISODE_SQL["summing_newest" if newest else "summing_oldest"]
    return [
        UnsummarizedConversation(
            conversation=read_conversation(subject, tuple(row)), cursor=cursor, began=from_micros(began or 0)
        )
        for *row, cursor, began in fetch(db, statement, subject.key, profile, limit)
    ]


def summarized_up_to(db: SqlConnection, key: FormationKey) -> int:
    """Return the cursor of the stage that makes episodes; 0 where there is none."""
    id_ = id_bytes(key.conversation)
    values = (key.subject.key, key.home.key, id_, key.profile, key.version)
    return int(fetch_value(db, EPISODE_SQL["summed_up_to"], *values) or 0)


def _called(db: SqlConnection, subject: Subject, external_id: str) -> Row | None:
    return fetch_one(db, SQL["conversation_called"], subject.key, clean(external_id))
