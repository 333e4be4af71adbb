"""Read messages, and what was injected into prompts. Works on a connection."""

from toldonce.clock import to_micros
from toldonce.ids import id_bytes
from toldonce.store.executor import check_limit
from toldonce.store.sql.database import SqlConnection, TooLargeError, load
from toldonce.store.sql.rows import fetch, fetch_value, read_message, read_recall, write_items
from toldonce.store.sql.subjects import version_of
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
    id_ = id_bytes(conversation)
    if id_ is None or version_of(db, subject) is None:
        return []
    rows = fetch(db, SQL["messages"], subject.key, id_, after_seq, limit)
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
        db: A connection.
        subject: Owner of the conversation.
        conversation: The conversation.
        after_seq: Messages after this one are read, at most some hundred.
        before_seq: Messages before this one are read.
        characters: Maximum number of characters of each message.
    """
    check_limit(before_seq - after_seq)
    id_ = id_bytes(conversation)
    if id_ is None or version_of(db, subject) is None:
        return []
    rows = fetch(db, SQL["user_words"], subject.key, id_, after_seq, before_seq, characters)
    return [UserWords(seq, name, text[:characters]) for seq, name, text in rows]


def abandoned(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, most: int | None = None
) -> set[int]:
    """Read what is abandoned.

    Raises:
        TooLargeError: The conversation has more than `most` messages; all are looked at.
    """
    id_ = id_bytes(conversation)
    if id_ is None or version_of(db, subject) is None:
        return set()
    _refuse_long(db, subject, id_, most)
    return {row[0] for row in fetch(db, SQL["abandoned"], subject.key, id_)}


def _refuse_long(db: SqlConnection, subject: Subject, conversation: bytes, most: int | None) -> None:
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
    if id_ is not None:
        _refuse_long(db, subject, id_, most)
    with db:
        if id_ is None or version_of(db, subject) is None:
            found = ConversationPage()
        else:
            rows = fetch(db, SQL["messages"], subject.key, id_, after_seq, limit)
            found = ConversationPage(
                messages=tuple(read_message(conversation, row) for row in rows),
                abandoned=frozenset(row[0] for row in fetch(db, SQL["abandoned"], subject.key, id_)),
                injections=tuple(
                    read_recall(row) for row in fetch(db, SQL["recalls_within"], subject.key, injected, id_, True)
                ),
            )
    return found


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
        db: A connection.
        subject: Owner of the conversations.
        conversation: Only its prompts; None reads those of all.
        limit: Maximum number of records to return.
        with_memories: Only prompts of a conversation to which recall added memories: not those that only replay.
    """
    if version_of(db, subject) is None:
        return []
    if conversation is None:
        return [read_recall(row) for row in fetch(db, SQL["recalls"], subject.key, limit)]
    id_ = id_bytes(conversation)
    rows = [] if id_ is None else fetch(db, SQL["recalls_within"], subject.key, limit, id_, with_memories)
    return [read_recall(row) for row in rows]


def active_path(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
) -> list[LoggedMessage]:
    """Read the active path after `after_seq` in order: the newest message, its parent, and so on up.

    The `parent_seq` of the first message is `after_seq` exactly if that message is itself on the path.
    """
    id_ = id_bytes(conversation)
    if id_ is None or version_of(db, subject) is None:
        return []
    rows = fetch(db, EPISODE_SQL["path"], subject.key, id_, after_seq, limit)
    return [read_message(conversation, row) for row in rows]
