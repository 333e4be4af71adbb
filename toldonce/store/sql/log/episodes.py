"""What the episodes of a conversation, or of a user, sum up. Works on a connection."""

from collections.abc import Sequence
from dataclasses import replace

from toldonce.clock import from_micros
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import STATE_ORDER, fetch, fetch_value, read_conversation, read_detail
from toldonce.store.sql.subjects import rows_of, version_of
from toldonce.text import conversation_tag
from toldonce.types import (
    NO_DETAIL,
    ConversationId,
    EpisodeRange,
    FormationKey,
    MemoryId,
    Subject,
    UnsummarizedConversation,
)

SQL, LOG_SQL = load("episode"), load("log")
# Episodes read at once to find the last of a chain.
_CHAIN_PAGE = 50


def episode_ranges(db: SqlConnection, subject: Subject, conversation: ConversationId) -> list[EpisodeRange]:
    """Read which turns of a conversation the episodes of `subject` summarize, ordered by turn.

    Closed episodes are included, so that forgotten turns are not summarized again; abandoned ones are not.
    """
    found = []
    for row in rows_of(db, subject, SQL["spans"], conversation_tag(conversation)):
        span = _read_range(row)
        parts = [part for part in span.parts if part.conversation == conversation] or span.parts
        found += [replace(span, parts=(part,)) for part in parts[:1]]
    return sorted(found, key=lambda span: (span.first_turn, span.last_seq))


def episode_chain(db: SqlConnection, subject: Subject, profile: str) -> list[EpisodeRange]:
    """Read which turns of a user the episodes of a profile summarize, ordered by turn.

    All conversations but those with an app count. Closed episodes are included, abandoned ones are not.
    """
    found = [_read_range(row) for row in rows_of(db, subject, SQL["chain"], profile)]
    return sorted(_without_apps(db, subject, found), key=lambda span: (span.first_turn, span.last_turn))


def last_of_chain(db: SqlConnection, subject: Subject, profile: str) -> EpisodeRange | None:
    """Read which turns the last of a user's episodes sums up, as in `episode_chain`, without reading all."""
    if version_of(db, subject) is None:
        return None
    # Newer ones than the last that was added to the chain may have taken the place of earlier ones; all older ones have
    # lower numbers. A page of each is read, as clocks of servers differ.
    found: list[EpisodeRange] = []
    before, is_end = b"\xff" * 16, False
    while not is_end:
        rows = fetch(db, SQL["newest_of_chain"], subject.key, profile, before, _CHAIN_PAGE)
        page = [_read_range(row) for row in rows]
        own = _without_apps(db, subject, page)
        found += own
        is_end = len(rows) < _CHAIN_PAGE or any(span.is_added for span in own)
        before = rows[-1][0] if rows else before
    return max(found, key=lambda span: span.last_turn, default=None)


def _without_apps(db: SqlConnection, subject: Subject, spans: Sequence[EpisodeRange]) -> list[EpisodeRange]:
    firsts = {span.parts[0].conversation for span in spans if span.parts}
    of_app = {id_ for id_ in firsts if fetch_value(db, LOG_SQL["app_of"], subject.key, id_bytes(id_)) is not None}
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
    """Return whether an episode of `subject` rests on messages of a conversation after `seq`."""
    values = (subject.key, home.key, id_bytes(conversation), seq)
    return bool(fetch_value(db, SQL["covered_after"], *values))


def unsummarized(
    db: SqlConnection, subject: Subject, profile: str, *, limit: int, newest: bool = False
) -> list[UnsummarizedConversation]:
    """List a user's conversations of which messages wait to be summed up, except those with an app.

    Args:
        subject: The user.
        profile: Profile under which they are summed up.
        limit: Maximum number of conversations.
        newest: List the last updated first; else those whose oldest waiting message was said first.
    """
    statement = SQL["summing_newest" if newest else "summing_oldest"]
    return [
        UnsummarizedConversation(
            conversation=read_conversation(subject, tuple(row)), cursor=cursor, began=from_micros(began or 0)
        )
        for *row, cursor, began in rows_of(db, subject, statement, profile, limit)
    ]


def summarized_up_to(db: SqlConnection, key: FormationKey) -> int:
    """Return up to which message a conversation is in episodes, or was; 0 if none is."""
    id_ = id_bytes(key.conversation)
    values = (key.subject.key, key.home.key, id_, key.profile, key.version)
    return int(fetch_value(db, SQL["summed_up_to"], *values) or 0)
