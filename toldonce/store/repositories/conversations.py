"""Repository of conversations: their messages, and what was injected into them."""

import builtins
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from toldonce.store.executor import INLINE_ROWS, StoreContext, check_limit
from toldonce.store.sql.database import TooLargeError
from toldonce.store.sql.log import conversations, record
from toldonce.types import (
    Conversation,
    ConversationId,
    ConversationPage,
    ConversationSetup,
    EpisodeRange,
    FormationKey,
    InjectionRecord,
    LoggedMessage,
    MemoryId,
    RecordedTurn,
    Subject,
    Turn,
    UnsummarizedConversation,
    UserWords,
)

# Messages of a conversation that are looked at on the event loop: less than a millisecond.
MAX_WALKED_ON_LOOP = 1_000


class ConversationRepository:
    """Messages, conversations and injections."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._context = context
        self._executor = context.executor

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
            partial(record.record, turn=turn, clock=context.clock, term_key=context.term_key),
            turn.subject,
            *(wanted.key_subject for wanted in turn.formations),
            *(charged for charged, _ in turn.charges),
            idempotent=True,
            urgent=True,
        )

    async def messages(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
    ) -> builtins.list[LoggedMessage]:
        """Read the messages of all branches after `after_seq`, ordered by `seq`."""
        check_limit(limit)
        return await self._executor.read_inline(
            lambda db: record.messages(db, subject, conversation, after_seq=after_seq, limit=limit),
            small=limit <= INLINE_ROWS,
        )

    async def user_words(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int, before_seq: int, characters: int
    ) -> builtins.list[UserWords]:
        """Read how users' messages between two others begin, of all branches, ordered by `seq`.

        Args:
            subject: Owner of the conversation.
            conversation: The conversation.
            after_seq: Messages after this one are read, at most some hundred.
            before_seq: Messages before this one are read.
            characters: Maximum number of characters of each message.
        """
        check_limit(before_seq - after_seq)
        return await self._executor.read_inline(
            lambda db: record.user_words(
                db, subject, conversation, after_seq=after_seq, before_seq=before_seq, characters=characters
            )
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
        read = partial(
            record.page,
            subject=subject,
            conversation=conversation,
            after_seq=after_seq,
            limit=limit,
            injected=injected,
        )
        try:
            return await self._executor.read_inline(partial(read, most=MAX_WALKED_ON_LOOP), small=limit <= INLINE_ROWS)
        except TooLargeError:
            return await self._executor.read(read)

    async def active_path(
        self, subject: Subject, conversation: ConversationId, *, after_seq: int = 0, limit: int = 1000
    ) -> builtins.list[LoggedMessage]:
        """Read the active path after `after_seq` in order: the newest message, its parent, and so on up.

        The `parent_seq` of the first message is `after_seq` exactly if that message is itself on the path.
        """
        check_limit(limit)
        return await self._executor.read(
            lambda db: conversations.active_path(db, subject, conversation, after_seq=after_seq, limit=limit)
        )

    async def list(
        self,
        subject: Subject,
        *,
        limit: int = 100,
        before: datetime | None = None,
        before_id: str | None = None,
    ) -> builtins.list[Conversation]:
        """List conversations, last updated first; of those updated at `before`, those with a smaller id."""
        check_limit(limit)
        return await self._executor.read(
            lambda db: conversations.list_conversations(db, subject, before=before, before_id=before_id, limit=limit)
        )

    async def open(self, subject: Subject, external_id: str, opening: ConversationSetup) -> Conversation:
        """Return the conversation with that external id; create one without messages if there is none.

        An existing conversation keeps its profile and app; its options are replaced if they are of the same profile.
        """
        return await self._executor.write(
            lambda db: conversations.open_(db, subject, external_id, opening, self._context.clock), subject
        )

    async def get(
        self, subject: Subject, *, id: ConversationId | None = None, external_id: str | None = None
    ) -> Conversation | None:
        """Find a conversation by its id, or by the client's; None if the subject has none with it."""
        return await self._executor.read_inline(
            lambda db: conversations.conversation(db, subject, id_=id, external_id=external_id)
        )

    async def end(self, subject: Subject, conversation: ConversationId, reason: str, now: datetime) -> None:
        """Record that a conversation ended, and why; its next message reopens it.

        Raises:
            UnknownConversationError: The subject has no conversation with that id.
        """
        await self._executor.write(lambda db: conversations.end(db, subject, conversation, reason, now), subject)

    async def abandoned(self, subject: Subject, conversation: ConversationId) -> set[int]:
        """Return the `seq` of messages that an edit took off the active path.

        A user message with a newer sibling that is a user message was abandoned, with everything below it. A
        regenerated answer abandons nothing: its question was asked all the same.
        """
        read = partial(record.abandoned, subject=subject, conversation=conversation)
        try:
            return await self._executor.read_inline(partial(read, most=MAX_WALKED_ON_LOOP))
        except TooLargeError:
            return await self._executor.read(read)

    async def episode_ranges(self, subject: Subject, conversation: ConversationId) -> builtins.list[EpisodeRange]:
        """Read which turns of a conversation the episodes of `subject` summarize, ordered by turn.

        Closed episodes are included, so that forgotten turns are not summarized again; abandoned ones are not.
        """
        return await self._executor.read(lambda db: conversations.episode_ranges(db, subject, conversation))

    async def episode_chain(self, subject: Subject, profile: str) -> builtins.list[EpisodeRange]:
        """Read which turns of a user the episodes of a profile summarize, ordered by turn.

        All conversations but those with an app count. Closed episodes are included, abandoned ones are not.
        """
        return await self._executor.read(lambda db: conversations.episode_chain(db, subject, profile))

    async def last_of_chain(self, subject: Subject, profile: str) -> EpisodeRange | None:
        """Read which turns the last of a user's episodes sums up, as in `episode_chain`, without reading all."""
        return await self._executor.read(lambda db: conversations.last_of_chain(db, subject, profile))

    async def is_covered_after(self, subject: Subject, home: Subject, conversation: ConversationId, seq: int) -> bool:
        """Return whether an episode of `subject` rests on messages of a conversation after `seq`."""
        return await self._executor.read_inline(
            lambda db: conversations.is_covered_after(db, subject, home, conversation, seq)
        )

    async def unsummarized(
        self, subject: Subject, profile: str, *, limit: int, newest: bool = False
    ) -> builtins.list[UnsummarizedConversation]:
        """List a user's conversations of which messages wait to be summed up, except those with an app.

        Args:
            subject: The user.
            profile: Profile under which they are summed up.
            limit: Maximum number of conversations.
            newest: List the last updated first; else those whose oldest waiting message was said first.
        """
        check_limit(limit)
        return await self._executor.read(
            lambda db: conversations.unsummarized(db, subject, profile, limit=limit, newest=newest)
        )

    async def summarized_up_to(self, key: FormationKey) -> int:
        """Return up to which message a conversation is in episodes, or was; 0 if none is."""
        return await self._executor.read_inline(lambda db: conversations.summarized_up_to(db, key))

    async def injections(
        self,
        subject: Subject,
        *,
        conversation: ConversationId | None = None,
        limit: int = 100,
        with_memories: bool = False,
    ) -> builtins.list[InjectionRecord]:
        """Read what was injected into prompts, newest first.

        Args:
            subject: Owner of the conversations.
            conversation: Only its prompts; None reads those of all.
            limit: Maximum number of records to return.
            with_memories: Only prompts of a conversation to which recall added memories: not those that only replay.
        """
        check_limit(limit)
        return await self._executor.read_inline(
            lambda db: record.injections(
                db, subject, conversation=conversation, limit=limit, with_memories=with_memories
            ),
            small=limit <= INLINE_ROWS,
        )

    async def record_hits(self, subject: Subject, injection: InjectionRecord, hits: Sequence[MemoryId]) -> None:
        """Record which memories of an injection its answer used. Not durable at once."""
        judged = replace(injection, hits=frozenset(hits))
        self._executor.write_later(lambda db: record.record_hits(db, subject, judged), subject)
