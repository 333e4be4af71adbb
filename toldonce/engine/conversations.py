"""`memory.conversations`: open, read, end and save conversations. Writes through the store."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from toldonce.engine.components import Components
from toldonce.engine.conversation_window import WindowReader, written_subject
from toldonce.engine.memories import shown_memories
from toldonce.engine.prompt_traces import read_traces
from toldonce.engine.recorder import RecorderService
from toldonce.engine.results import ListOf, PromptTrace
from toldonce.engine.steps import Steps
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.profiles.overrides import options_of
from toldonce.types import (
    NO_SCOPE,
    Conversation,
    ConversationId,
    ConversationSetup,
    LoggedMessage,
    Memory,
    RequestScope,
    Subject,
    TreeMessage,
)


class ConversationService:
    """Conversations of a user: their settings, their log, and what was formed from them."""

    def __init__(self, components: Components, steps: Steps, recorder: RecorderService, windows: WindowReader) -> None:
        self._components = components
        self._store = components.store
        self._steps = steps
        self._recorder = recorder
        self._windows = windows

    async def open(
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
        subject = self._components.subject(user)
        name = conversation or str(uuid4())
        memory_scope = await self._steps.turns.memory_scope(subject, scope, name)
        merged = {**memory_scope.opening.options, **(options or {})}
        options_of(memory_scope.profile, merged)
        setup = ConversationSetup(profile=memory_scope.profile.name, app=scope.app, options=merged)
        return await self._store.conversations.open(subject, name, setup)

    async def get(self, conversation: str, *, user: str | Subject | None = None) -> Conversation:
        """Read a conversation by your id or by ToldOnce's.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
        """
        return await self._windows.conversation(conversation, self._components.subject(user))

    async def list(
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
        subject = self._components.subject(user)
        return await self._store.conversations.list(subject, limit=limit, before=before, before_id=before_id)

    async def end(
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
        subject = self._components.subject(user)
        await self._refuse_another_app(conversation, subject, scope)
        if messages:
            await self._recorder.record(messages, subject, conversation=conversation, said_at=None, scope=scope)
        ended = await self.get(conversation, user=user)
        await self._store.conversations.end(ended.subject, ended.id, reason, self._components.clock.now())
        await self._request_formation(ended, scope)
        return await self.get(conversation, user=user)

    async def _refuse_another_app(self, conversation: str, subject: Subject, scope: RequestScope) -> None:
        """Check that the words of a conversation do not become another app's memory.

        Raises:
            BadRequestError: it belongs to another app than the scope names.
        """
        try:
            known = await self._windows.conversation(conversation, subject)
        except UnknownConversationError:
            return
        if scope.app and known.app and scope.app != known.app:
            raise BadRequestError(
                f"the conversation {conversation!r} belongs to the app {known.app!r}, not to {scope.app!r}", param="app"
            )

    async def save(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE
    ) -> int:
        """Form in the background what a conversation has waiting; return the number of formations requested.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            BadRequestError: the scope names another app than the conversation belongs to.
        """
        await self._refuse_another_app(conversation, self._components.subject(user), scope)
        return await self._request_formation(await self.get(conversation, user=user), scope)

    async def messages(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[LoggedMessage]:
        """Read a conversation's log in order of arrival, all branches.

        Args:
            conversation: ToldOnce's id of the conversation (`Conversation.id`).
            user: User who has the conversation.
            after_seq: Only messages with a larger `seq`; 0 reads from the first one.
            limit: Maximum number of messages to return.
        """
        subject = self._components.subject(user)
        return await self._store.conversations.messages(
            subject, ConversationId(conversation), after_seq=after_seq, limit=limit
        )

    async def tree(
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
        known = await self.get(conversation, user=user)
        home = known.subject
        scope = await self._windows.memory_scope(known, NO_SCOPE)
        owners = [home, *(owner for owner in (scope.writes, scope.app) if owner is not None and home in owner.owners)]
        return await self._store.traces.tree(home, known.id, owners, after_seq=after_seq, limit=limit)

    async def window(
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
        return (await self._windows.read(conversation, self._components.subject(user), scope)).messages

    async def summary(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE
    ) -> str:
        """Summarize a conversation before its window: one line per episode, oldest first; empty without episodes.

        The profile's `episodes.so_far_characters` limits the length; the oldest lines are left out first.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            BadRequestError: the profile needs a session, an app or characters that the scope does not name.
        """
        window = await self._windows.read(conversation, self._components.subject(user), scope)
        return "\n".join(window.summary_lines(await self._windows.episodes(window)))

    async def memories(
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
        known = await self.get(conversation, user=user)
        memory_scope = await self._windows.memory_scope(known, scope)
        owner = memory_scope.writes or known.subject
        await self._store.memories.flush_uses(owner)
        formed = await self._store.memories.formed_from(owner, known, limit=limit)
        return await shown_memories(formed)

    async def trace(
        self, conversation: str, *, user: str | Subject | None = None, limit: int = 100
    ) -> ListOf[PromptTrace]:
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
        known = await self.get(conversation, user=user)
        return await read_traces(self._store, known, limit)

    async def subject(
        self, *, user: str | Subject | None = None, conversation: str | None = None, scope: RequestScope = NO_SCOPE
    ) -> Subject:
        """Return the subject that a scope writes to: the one to list, search, add to and forget from.

        Raises:
            BadRequestError: the profile needs a session, an app or characters that the scope does not name.
        """
        return written_subject(
            await self._steps.turns.memory_scope(self._components.subject(user), scope, conversation)
        )

    async def _request_formation(self, conversation: Conversation, scope: RequestScope) -> int:
        memory_scope = await self._windows.memory_scope(conversation, scope)
        if memory_scope.writes is None:
            return 0
        requested = await self._store.formations.request(
            memory_scope.writes, conversation.subject, conversation.id, self._components.clock.now()
        )
        self._steps.worker.wake(memory_scope.writes)
        return requested
