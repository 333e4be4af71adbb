"""Conversations: their messages, and what was injected into them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from toldonce.clock import Clock, to_micros
from toldonce.errors import UnknownConversationError
from toldonce.ids import id_bytes, new_id
from toldonce.store.executor import INLINE_ROWS, check_limit, read_up_to
from toldonce.store.repository import Reads, Repository, Writes, itself
from toldonce.store.sql import subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.log.episodes import (
    episode_chain,
    episode_ranges,
    is_covered_after,
    last_of_chain,
    summarized_up_to,
    unsummarized,
)
from toldonce.store.sql.log.messages import abandoned, active_path, injections, messages, page, record_hits, user_words
from toldonce.store.sql.log.record import begin, record
from toldonce.store.sql.rows import fetch, fetch_one, read_conversation
from toldonce.text import clean
from toldonce.types import (
    Conversation,
    ConversationId,
    ConversationPage,
    ConversationSetup,
    InjectionRecord,
    MemoryId,
    RecordedTurn,
    Subject,
    Turn,
)

SQL = load("log")
_END_OF_TIME = 2**63 - 1
# Messages of a conversation that are looked at on the event loop: less than a millisecond.
MAX_WALKED_ON_LOOP = 1_000


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
