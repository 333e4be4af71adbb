"""Namespaces of `ToldOnce`: conversations, traces, characters, agent_notes. Made by tools/make_sync.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import ListOf
from toldonce.types import (
    NO_SCOPE,
    Conversation,
    LoggedMessage,
    Memory,
    RequestScope,
    RequestTrace,
    Subject,
    TracePlace,
    TreeMessage,
)

if TYPE_CHECKING:
    from toldonce.engine import PromptTrace, RenamedCharacter, TraceDetail


class BlockingConversationService:
    """Conversations of a user: their settings, their log, and what was formed from them."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def open(
        self,
        conversation: str | None = None,
        *,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
        options: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """Open a conversation before its first message, or change the options of an open one.

        An open conversation keeps its profile, its app, and the options that are not given.

        Args:
            conversation: Your id of the conversation; None makes one.
            user: User who has the conversation.
            scope: Profile, app and characters; they hold for all its messages that name no others.
            options: Options of this conversation alone, named as in its profile's interface.

        Returns:
            The conversation as it is now.

        Raises:
            UnknownProfileError: the scope names an unknown profile.
            BadRequestError: the profile has no such option, or the option does not take this value.
        """
        return self._engine.run(
            self._engine.core.conversations.open(conversation, user=user, scope=scope, options=options)
        )

    def get(self, conversation: str, *, user: str | Subject | None = None) -> Conversation:
        """Read a conversation by your id or by ToldOnce's.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
        """
        return self._engine.run(self._engine.core.conversations.get(conversation, user=user))

    def list(
        self,
        *,
        user: str | Subject | None = None,
        limit: int = 100,
        before: datetime | None = None,
        before_id: str | None = None,
    ) -> ListOf[Conversation]:
        """List conversations, last updated first.

        Args:
            user: User who has the conversations.
            limit: Maximum number of conversations to return.
            before: Only conversations updated before this instant (aware); None lists all.
            before_id: Id of the last conversation of the page before, which was updated at `before`: those of the
                same instant that come after it are listed, too.
        """
        return self._engine.run(
            self._engine.core.conversations.list(user=user, limit=limit, before=before, before_id=before_id)
        )

    def end(
        self,
        conversation: str,
        *,
        reason: str = "ended",
        messages: Sequence[Mapping[str, Any]] = (),
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
    ) -> Conversation:
        """End a conversation; memories that its profile forms at the end are formed in the background.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            reason: Why it ended; stored with it.
            messages: Its last messages, if they were not recorded yet.
            user: User who has the conversation.
            scope: Profile, app and characters it was recorded under, unless it was opened with a profile.

        Returns:
            The conversation as it is now.

        Raises:
            UnknownConversationError: this user has no conversation with this id, and no messages were given.
            BadRequestError: the scope names another app than the conversation belongs to.
        """
        return self._engine.run(
            self._engine.core.conversations.end(conversation, reason=reason, messages=messages, user=user, scope=scope)
        )

    def save(self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE) -> int:
        """Form in the background what a conversation has waiting; return the number of formations requested.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            BadRequestError: the scope names another app than the conversation belongs to.
        """
        return self._engine.run(self._engine.core.conversations.save(conversation, user=user, scope=scope))

    def messages(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[LoggedMessage]:
        """Read a conversation's log in order of arrival, all branches.

        Args:
            conversation: ToldOnce's id of the conversation (`Conversation.id`).
            user: User who has the conversation.
            after_seq: Only messages with a larger `seq`; 0 reads from the first one.
            limit: Maximum number of messages to return.
        """
        return self._engine.run(
            self._engine.core.conversations.messages(conversation, user=user, after_seq=after_seq, limit=limit)
        )

    def tree(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[TreeMessage]:
        """Read a conversation's log as a tree: all branches, which messages are on the active path, what each left.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            user: User who has the conversation.
            after_seq: Only messages with a larger `seq`; 0 reads from the first one.
            limit: Maximum number of messages to return.

        Returns:
            Messages in order of arrival; `message.parent_seq` is the branch. Memories are those of the user, and of the
            session, app or character within the user that the conversation was recorded for.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
        """
        return self._engine.run(
            self._engine.core.conversations.tree(conversation, user=user, after_seq=after_seq, limit=limit)
        )

    def window(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE
    ) -> ListOf[LoggedMessage]:
        """Return the newest turns of a conversation: those on its active path that no episode summarizes yet.

        A profile with `episodes.window` keeps between `keep` and `window` turns, more while a summary is in progress,
        fewer after an edit removed some. A profile without summaries keeps the newest `keep` turns. With
        `episodes.window_of = "user"`, the newest turns of the user's other conversations fill the window, in the order
        in which they were said.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            user: User who has the conversation.
            scope: Profile, app and characters it was recorded under, unless it was opened with a profile.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            BadRequestError: the profile needs a session, an app or characters that the scope does not name.
        """
        return self._engine.run(self._engine.core.conversations.window(conversation, user=user, scope=scope))

    def summary(self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE) -> str:
        """Summarize a conversation before its window: one line per episode, oldest first; empty without episodes.

        The profile's `episodes.so_far_characters` limits the length; the oldest lines are left out first.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            BadRequestError: the profile needs a session, an app or characters that the scope does not name.
        """
        return self._engine.run(self._engine.core.conversations.summary(conversation, user=user, scope=scope))

    def memories(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE, limit: int = 100
    ) -> ListOf[Memory]:
        """List the notes, facts, episodes and kept quotations formed from a conversation, newest first.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            user: User who has the conversation.
            scope: Profile, app and characters it was recorded under, unless it was opened with a profile.
            limit: Maximum number of memories to return.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
        """
        return self._engine.run(
            self._engine.core.conversations.memories(conversation, user=user, scope=scope, limit=limit)
        )

    def trace(self, conversation: str, *, user: str | Subject | None = None, limit: int = 100) -> ListOf[PromptTrace]:
        """Show what memory did for the requests of a conversation, newest first.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            user: User who has the conversation.
            limit: Maximum number of requests to return.

        Returns:
            One trace for each recorded request for which there was a memory to consider, or whose recall failed.
            Memories are as they are now: those that ended are closed, those that were forgotten have no text, and those
            of a shared subject that the user no longer reads are left out.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
        """
        return self._engine.run(self._engine.core.conversations.trace(conversation, user=user, limit=limit))

    def subject(
        self, *, user: str | Subject | None = None, conversation: str | None = None, scope: RequestScope = NO_SCOPE
    ) -> Subject:
        """Return the subject that a scope writes to: the one to list, search, add to and forget from.

        Raises:
            BadRequestError: the profile needs a session, an app or characters that the scope does not name.
        """
        return self._engine.run(
            self._engine.core.conversations.subject(user=user, conversation=conversation, scope=scope)
        )


class BlockingTraceService:
    """Traces of recorded requests, in the order in which their turns were stored."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def list(
        self,
        *,
        user: str | Subject | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of one user, newest first.

        A page costs the same however many requests there are. Memories are ids: `get` reads them.

        Args:
            user: User or subject whose conversations they are in.
            before: `place` of the last one of the page before; None begins with the newest.
            after: Only requests recorded after this place, for a client that asks again; None goes back to the first.
            limit: Maximum number of requests to return.

        Returns:
            One trace for each recorded request for which there was a memory to consider, or whose recall failed. What
            is of a shared subject that the user no longer reads is left out of `record.items`.
        """
        return self._engine.run(self._engine.core.traces.list(user=user, before=before, after=after, limit=limit))

    def list_all(
        self,
        *,
        tenant: str | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of all users, newest first, for operators.

        Args:
            tenant: Only requests of this tenant's subjects, or of those without one if it is empty; None lists all.
            before: As in `list`.
            after: As in `list`.
            limit: Maximum number of requests to return.
        """
        return self._engine.run(
            self._engine.core.traces.list_all(tenant=tenant, before=before, after=after, limit=limit)
        )

    def get(self, conversation: str, trace: str, *, user: str | Subject | None = None) -> TraceDetail:
        """Show one request in full: its memories, and what its prompt had from memory, as the model saw it.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            trace: Id of the request's record: `RequestTrace.record.id`.
            user: User who has the conversation.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            UnknownTraceError: the conversation has no request with this id, or memory had nothing to do with it.
        """
        return self._engine.run(self._engine.core.traces.get(conversation, trace, user=user))


class BlockingCharacterService:
    """Characters of a user who talk with each other."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def rename(
        self, character: str, to: str, *, join: bool = False, user: str | Subject | None = None
    ) -> RenamedCharacter:
        """Give a character a new name: requests that use it read and write the memories that the character has.

        The memories stay in their subject, with their history. The old name leads to them as well.

        Args:
            character: Name of the character; case does not matter.
            to: The new name.
            join: If a character of the new name has memories, let the renamed one have its active ones, too. Its held
                and closed ones stay in their own subject.
            user: User whose character it is.

        Raises:
            BadRequestError: the character has no memories, or the new name is empty.
            BadSubjectError: the new name cannot be part of a subject.
            ConflictError: a character of the new name has memories, and `join` is False.
        """
        return self._engine.run(self._engine.core.characters.rename(character, to, join=join, user=user))


class BlockingAgentNoteService:
    """Keeps what agents say on a user's behalf: without secrets, and with orders that may be planted held back."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def remember(
        self, text: str, *, user: str | Subject | None = None, via: str = "", said_at: datetime | None = None
    ) -> Memory:
        """Store a sentence that an agent asks to keep; durable on return. What is known is strengthened and returned.

        A sentence that states one slot of the user becomes a fact: a newer value takes the place of an older one, and
        what is said besides a known value becomes a note. Its subject is "I", "User", "The user", "The owner" or the
        name that the user stated. Secrets are struck out. What reads like a planted order is held for review: see
        `reviews`.

        Args:
            text: What to remember, up to 10,000 characters.
            user: User whose memory it is added to.
            via: How it came, for the decision log, such as `MCP (claude-code)`.
            said_at: When it was said (aware), and so true from; None is now.

        Raises:
            BadRequestError: the text is empty, is too long or asks to forget something, or `said_at` is in the future
                or has no time zone.
        """
        return self._engine.run(self._engine.core.agent_notes.remember(text, user=user, via=via, said_at=said_at))
