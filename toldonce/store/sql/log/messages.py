"""Read messages, and what was injected into prompts. Works on a connection."""

from toldonce.clock import to_micros
from toldonce.ids import id_bytes
from toldonce.store.executor import check_limit
from toldonce.store.sql.database import SqlConnection, TooLargeError, load
from toldonce.store.sql.rows import fetch, fetch_value, read_message, read_recall, write_items
from toldonce.store.sql.subjects import rows_of, version_of
from toldonce.types import (
    ConversationId,
    ConversationPage,
    InjectionRecord,
    LoggedMessage,
    Subject,
    UserWords,
)

SQL, EPISODE_SQL = load("log"), load("episode")


def messages(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
) -> list[LoggedMessage]:
    """Read the messages of all branches after `after_seq`, ordered by `seq`."""
    rows = rows_of(db, subject, SQL["messages"], id_bytes(conversation), after_seq, limit)
    return [read_message(conversation, row) for row in rows]


def user_words(
    db: SqlConnection,
    subject: Subject,
    conversation: ConversationId,
    *,
    after_seq: int,
    before_seq: int,
    characters: int,
) -> list[UserWords]:
    """Read how users' messages between two others begin, of all branches, ordered by `seq`.

    Args:
        subject: Owner of the conversation.
        conversation: The conversation.
        after_seq: Messages after this one are read, at most some hundred.
        before_seq: Messages before this one are read.
        characters: Maximum number of characters of each message.
    """
    check_limit(before_seq - after_seq)
    within = (id_bytes(conversation), after_seq, before_seq)
    rows = rows_of(db, subject, SQL["user_words"], *within, characters)
    return [UserWords(seq, name, text[:characters]) for seq, name, text in rows]


def abandoned(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, most: int | None = None
) -> set[int]:
    """Read what is abandoned.

    Raises:
        TooLargeError: The conversation has more than `most` messages; all are looked at.
    """
    id_ = id_bytes(conversation)
    _refuse_long(db, subject, id_, most)
    return {row[0] for row in rows_of(db, subject, SQL["abandoned"], id_)}


def _refuse_long(db: SqlConnection, subject: Subject, conversation: bytes | None, most: int | None) -> None:
    if most is not None and (fetch_value(db, SQL["last_seq"], subject.key, conversation) or 0) > most:
        raise TooLargeError


def page(  # noqa: PLR0913  # a page of each of two lists
    db: SqlConnection,
    subject: Subject,
    conversation: ConversationId,
    *,
    after_seq: int,
    limit: int,
    injected: int,
    most: int | None = None,
) -> ConversationPage:
    """Read a page.

    Raises:
        TooLargeError: See `abandoned`.
    """
    id_ = id_bytes(conversation)
    _refuse_long(db, subject, id_, most)
    with db:
        rows = rows_of(db, subject, SQL["messages"], id_, after_seq, limit)
        gone = fetch(db, SQL["abandoned"], subject.key, id_)
        recalls = fetch(db, SQL["recalls_within"], subject.key, injected, id_, True)
    return ConversationPage(
        messages=tuple(read_message(conversation, row) for row in rows),
        abandoned=frozenset(row[0] for row in gone),
        injections=tuple(map(read_recall, recalls)),
    )


def record_hits(db: SqlConnection, subject: Subject, recall: InjectionRecord) -> None:
    """Record which memories of an injection its answer used; an erased injection is skipped."""
    if version_of(db, subject) is not None:
        values = (subject.key, to_micros(recall.at), id_bytes(recall.id), write_items(recall))
        db.execute(SQL["note_hits"], values)


def injections(
    db: SqlConnection,
    subject: Subject,
    *,
    conversation: ConversationId | None = None,
    limit: int = 100,
    with_memories: bool = False,
) -> list[InjectionRecord]:
    """Read what was injected into prompts, newest first.

    Args:
        subject: Owner of the conversations.
        conversation: Only its prompts; None reads those of all.
        limit: Maximum number of records to return.
        with_memories: Only prompts of a conversation to which recall added memories: not those that only replay.
    """
    if conversation is None:
        rows = rows_of(db, subject, SQL["recalls"], limit)
    else:
        rows = rows_of(db, subject, SQL["recalls_within"], limit, id_bytes(conversation), with_memories)
    return [read_recall(row) for row in rows]


def active_path(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
) -> list[LoggedMessage]:
    """Read the active path after `after_seq` in order: the newest message, its parent, and so on up.

    The `parent_seq` of the first message is `after_seq` exactly if that message is itself on the path.
    """
    rows = rows_of(db, subject, EPISODE_SQL["path"], id_bytes(conversation), after_seq, limit)
    return [read_message(conversation, row) for row in rows]
