"""Conversations: their messages, what was injected into them, and what their episodes sum up."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from toldonce.clock import Clock, from_micros, to_micros
from toldonce.errors import UnknownConversationError
from toldonce.ids import id_bytes, id_text, new_id
from toldonce.store.executor import INLINE_ROWS, check_limit, read_up_to
from toldonce.store.repository import Reads, Repository, Writes, itself
from toldonce.store.sql import subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.log.message_tree import MessageTree
from toldonce.store.sql.log.messages import abandoned, active_path, injections, messages, page, record_hits, user_words
from toldonce.store.sql.log.record import begin, record
from toldonce.store.sql.log.record_tree import record_tree
from toldonce.store.sql.rows import STATE_ORDER, fetch, fetch_one, fetch_value, read_conversation, read_detail
from toldonce.store.sql.subjects import rows_of, version_of
from toldonce.text import clean, conversation_tag
from toldonce.types import (
    NO_DETAIL,
    Conversation,
    ConversationId,
    ConversationPage,
    ConversationSetup,
    ConversationTree,
    EpisodeRange,
    FormationKey,
    InjectionRecord,
    MemoryId,
    RecordedTurn,
    Subject,
    Turn,
    UnsummarizedConversation,
)

SQL, EPISODE_SQL = load("log"), load("episode")
_END_OF_TIME = 2**63 - 1
# Messages of a conversation that are looked at on the event loop: less than a millisecond.
MAX_WALKED_ON_LOOP = 1_000
# Messages that upstream has of a chat and that recall leaves out: as many as the longest chats have.
MAX_HELD = 1_000


def open_(
    db: SqlConnection, subject: Subject, external_id: str, opening: ConversationSetup, clock: Clock
) -> Conversation:
    """Return the conversation with that external id; create one without messages if there is none."""
    subjects.ensure(db, subject)
    row = fetch_one(db, SQL["conversation_called"], subject.key, clean(external_id))
    if row is None:
        begin(db, subject, external_id, opening, (to_micros(clock.now()), new_id(clock)))
    elif opening.options and read_conversation(subject, row).profile == opening.profile:
        db.execute(SQL["note_options"], (subject.key, row[0], json.dumps(dict(opening.options))))
    return read_conversation(subject, fetch(db, SQL["conversation_called"], subject.key, clean(external_id))[0])


def conversation(
    db: SqlConnection, subject: Subject, *, id: ConversationId | None = None, external_id: str | None = None
) -> Conversation | None:
    """Find a conversation by its id, or by the client's; None if the subject has none with it."""
    row = None
    if id is not None:
        row = subjects.row_of(db, subject, SQL["conversation"], id_bytes(id))
    elif external_id is not None:
        row = subjects.row_of(db, subject, SQL["conversation_called"], clean(external_id))
    return None if row is None else read_conversation(subject, row)


def said_before(
    db: SqlConnection, subject: Subject, *, after: str | None, external_id: str | None, term_key: bytes
) -> tuple[int, ...]:
    """Return the hashes of a message and of those above it, newest first and `MAX_HELD` at most.

    Args:
        db: Where.
        subject: Whose they are.
        after: The id of a call or an answer; without a message of that id, the conversation's newest counts.
        external_id: The client's id of the conversation.
        term_key: Masks what was erased.
    """
    if subjects.version_of(db, subject) is None:
        return ()
    tree = MessageTree(db, subject.key, TombstoneLedger(db, subject, term_key))
    spot = None if after is None else tree.called(after)
    place = None if spot is None else (spot.conversation, spot.seq)
    if place is None and external_id is not None:
        place = tree.named(external_id)
    return tuple(tree.thread(*place, limit=MAX_HELD)) if place else ()


def list_conversations(
    db: SqlConnection,
    subject: Subject,
    *,
    limit: int = 100,
    before: datetime | None = None,
    before_id: str | None = None,
) -> list[Conversation]:
    """List conversations, last updated first; of those updated at `before`, those with a smaller id."""
    end = _END_OF_TIME if before is None else to_micros(before)
    last = (id_bytes(before_id) if before_id else None) or b""
    rows = subjects.rows_of(db, subject, SQL["conversations"], end, limit, last)
    return [read_conversation(subject, row) for row in rows]


def end(db: SqlConnection, subject: Subject, conversation: ConversationId, reason: str, now: datetime) -> None:
    """Record that a conversation ended, and why; its next message reopens it.

    Raises:
        UnknownConversationError: The subject has no conversation with that id.
    """
    key = id_bytes(conversation)
    if key is None or fetch_one(db, SQL["conversation"], subject.key, key) is None:
        raise UnknownConversationError(conversation)
    db.execute(SQL["end_conversation"], (subject.key, key, to_micros(now), clean(reason)))


# Episodes read at once to find the last of a chain.
_CHAIN_PAGE = 50


def episode_ranges(db: SqlConnection, subject: Subject, conversation: ConversationId) -> list[EpisodeRange]:
    """Read which turns of a conversation the episodes of `subject` summarize, ordered by turn.

    Closed episodes are included, so that forgotten turns are not summarized again; abandoned ones are not.
    """
    found = []
    for row in rows_of(db, subject, EPISODE_SQL["spans"], conversation_tag(conversation)):
        span = _read_range(row)
        parts = [part for part in span.parts if part.conversation == conversation] or span.parts
        found += [replace(span, parts=(part,)) for part in parts[:1]]
    return sorted(found, key=lambda span: (span.first_turn, span.last_seq))


def episode_chain(db: SqlConnection, subject: Subject, profile: str) -> list[EpisodeRange]:
    """Read which turns of a user the episodes of a profile summarize, ordered by turn.

    All conversations but those with an app count. Closed episodes are included, abandoned ones are not.
    """
    found = [_read_range(row) for row in rows_of(db, subject, EPISODE_SQL["chain"], profile)]
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
    """Return whether an episode of `subject` rests on messages of a conversation after `seq`."""
    values = (subject.key, home.key, id_bytes(conversation), seq)
    return bool(fetch_value(db, EPISODE_SQL["covered_after"], *values))


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
    statement = EPISODE_SQL["summing_newest" if newest else "summing_oldest"]
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
    return int(fetch_value(db, EPISODE_SQL["summed_up_to"], *values) or 0)


class ConversationRepository(Repository):
    """Messages, conversations and injections."""

    messages = Reads(messages, inline=True)
    user_words = Reads(user_words, inline=True)
    active_path = Reads(active_path)
    injections = Reads(injections, inline=True)
    list = Reads(list_conversations)
    get = Reads(conversation, inline=True)
    end = Writes(end, itself)
    episode_ranges = Reads(episode_ranges)
    episode_chain = Reads(episode_chain)
    last_of_chain = Reads(last_of_chain)
    is_covered_after = Reads(is_covered_after, inline=True)
    unsummarized = Reads(unsummarized)
    summarized_up_to = Reads(summarized_up_to, inline=True)

    async def said_before(self, subject: Subject, *, after: str | None, external_id: str | None) -> tuple[int, ...]:
        """Return the hashes of what a conversation has up to an answer, newest first: see `said_before`."""
        term_key = self._context.term_key
        return await self._executor.read_inline(
            lambda db: said_before(db, subject, after=after, external_id=external_id, term_key=term_key)
        )

    async def record(self, turn: Turn) -> RecordedTurn:
        """Append a turn to its conversation, with the formations it makes due; durable on return.

        The conversation is found in this order: by `external_id` within the subject; by the newest message of the
        turn whose `anchor` (or, with tool calls, `call_ids`) was recorded for this subject; by an equal first message
        recorded in the last ten minutes whose path the turn repeats and whose last answer has no continuation (a
        retry or a regeneration); else it is new. The messages after the anchor are matched down the tree: an equal
        child is the same message and is not written again (unless an edit took it back), anything else is appended
        as a sibling. The reply is appended below the last message, unless an equal reply is there already.

        What the turn counts for in the share of memory work (`Turn.charges`) is booked with it if anything was new.

        Messages before the anchor are not compared, as the client may trim or summarize them. Recording the identical
        turn again changes nothing but `due_at`.

        A formation is requested up to the newest message if as many turns wait after its cursor as
        `FormationRequest.every_turns` says, or (`on_edit`) if the turn branches off; with `after_idle` it becomes due
        after that silence; else it waits for `formations.request`.
        """
        context = self._context
        return await self._executor.write(
            partial(record, turn=turn, clock=context.clock, term_key=context.term_key),
            turn.subject,
            *(wanted.key_subject for wanted in turn.formations),
            *(charged for charged, _ in turn.charges),
            idempotent=True,
            urgent=True,
        )

    async def record_tree(self, tree: ConversationTree) -> RecordedTurn:
        """Record a whole conversation, with the formations it makes due; durable on return: see `record_tree`."""
        context = self._context
        return await self._executor.write(
            partial(record_tree, tree=tree, clock=context.clock, term_key=context.term_key),
            tree.subject,
            *(wanted.key_subject for wanted in tree.formations),
            idempotent=True,
        )

    async def page(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int, limit: int, injected: int
    ) -> ConversationPage:
        """Read what one formation works on, in one snapshot: see `messages`, `abandoned` and `injections`.

        Args:
            subject: Owner of the conversation.
            conversation: The conversation.
            after_seq: Messages after this one are read.
            limit: Maximum number of messages.
            injected: Maximum number of injections, the newest.
        """
        check_limit(limit)
        check_limit(injected)
        where = partial(page, subject=subject, conversation=conversation)
        read = partial(where, after_seq=after_seq, limit=limit, injected=injected)
        return await read_up_to(self._executor, read, MAX_WALKED_ON_LOOP, small=limit <= INLINE_ROWS)

    async def open(self, subject: Subject, external_id: str, opening: ConversationSetup) -> Conversation:
        """Return the conversation with that external id; create one without messages if there is none.

        An existing conversation keeps its profile and app; its options are replaced if they are of the same profile.
        """
        return await self._executor.write(
            lambda db: open_(db, subject, external_id, opening, self._context.clock), subject
        )

    async def abandoned(self, subject: Subject, conversation: ConversationId) -> set[int]:
        """Return the `seq` of messages that an edit took off the active path.

        A user message with a newer sibling that is a user message was abandoned, with everything below it. A
        regenerated answer abandons nothing: its question was asked all the same.
        """
        read = partial(abandoned, subject=subject, conversation=conversation)
        return await read_up_to(self._executor, read, MAX_WALKED_ON_LOOP)

    async def record_hits(self, subject: Subject, injection: InjectionRecord, hits: Sequence[MemoryId]) -> None:
        """Record which memories of an injection its answer used. Not durable at once."""
        judged = replace(injection, hits=frozenset(hits))
        self._executor.write_later(lambda db: record_hits(db, subject, judged), subject)
