"""Part of the API: the parts of a prompt, and the whole of it, for those who build their own. Reads the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.chat.messages import log_messages
from recollect.chat.request import request_of
from recollect.engine.base import ListOf
from recollect.engine.context_builder import PromptContext, prompt_recall
from recollect.engine.conversations import ConversationService
from recollect.engine.elsewhere import Elsewhere, said_at, turns_elsewhere
from recollect.engine.scope import MemoryScope
from recollect.errors import BadRequestError, UnknownConversationError
from recollect.extraction.sources import Exchange
from recollect.formation.episode_coverage import Coverage, CoverageKey, read_coverage
from recollect.formation.forgotten_words import without_forgotten
from recollect.prompt.conversation_summary import summary_block, summary_lines
from recollect.types import (
    NO_SCENE,
    NO_VECTORS,
    Conversation,
    ConversationId,
    LoggedMessage,
    Memory,
    MemoryId,
    RequestScope,
    Subject,
)

_SPOKEN = ("user", "assistant")
# Episodes read at once for the summary of the chat: about as many as fit by default.
_AT_ONCE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Talk:
    """A conversation as it stands, for a prompt."""

    scope: MemoryScope
    subject: Subject
    """Whose memory it is."""
    coverage: Coverage | None = None
    """None: nothing was said yet."""
    elsewhere: tuple[Exchange, ...] = ()
    """Turns of the user's other conversations that are in the same window, oldest first."""

    @property
    def window(self) -> list[LoggedMessage]:
        """The turns that are shown word for word."""
        turns = [*self.elsewhere, *self._own]
        return [message for turn in sorted(turns, key=said_at) for message in turn]

    @property
    def _own(self) -> tuple[Exchange, ...]:
        if self.coverage is None:
            return ()
        policy = self.scope.profile.episodes
        return self.coverage.tail if policy.window else self.coverage.tail[-policy.keep :]

    @property
    def room(self) -> int:
        """How many turns of other conversations the window has room for."""
        policy = self.scope.profile.episodes
        if policy.window_of != "user":
            return 0
        return max((policy.window or policy.keep) - len(self._own), 0)


class PromptService(ConversationService):
    """Shows a conversation as a prompt holds it."""

    async def window(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE
    ) -> ListOf[LoggedMessage]:
        """Return the newest turns of a conversation: those on its active path that no episode sums up.

        Between `keep` and `window` turns of the profile's policy. More while their summary is still under way, for
        none is lost between window and episode; fewer where an edit took some away. Where the profile sums up nothing,
        the newest `keep` turns. Where the window is the user's (`episodes.window_of`), the newest turns of their other
        conversations fill it up, all in the order in which they were said.

        Args:
            conversation: Your id of it, or ours.
            user: Whose conversation.
            scene: As it was recorded under, where it was not opened with a profile.

        Raises:
            UnknownConversationError: this user has none of that id.
            BadRequestError: the profile wants to know more: which session, app or characters.
        """
        return (await self._talk(await self.conversation(conversation, user=user), scene)).window

    async def summary_so_far(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE
    ) -> str:
        """Sum up what was said before the window: a line an episode, oldest first; empty without any.

        As long as the profile's `episodes.so_far_characters` allows: for want of room the oldest are left out.

        Raises:
            UnknownConversationError: this user has none of that id.
            BadRequestError: the profile wants to know more: which session, app or characters.
        """
        talk = await self._talk(await self.conversation(conversation, user=user), scene)
        return "\n".join(_lines(talk, await self._episodes(talk)))

    async def prompt(
        self,
        query: str,
        *,
        conversation: str,
        user: str | Subject | None = None,
        scene: RequestScope = NO_SCENE,
        system: str = "",
        one_system: bool = False,
    ) -> ListOf[dict[str, str]]:
        """Write the messages of a chat request: what a client without a history of its own sends upstream.

        In this order: the system prompt, what is remembered, the summary of the chat so far, the window, the query.
        What the user asked to forget is left out of the window.
        Nothing is recorded by it; hand `record` the query and its answer.

        Args:
            query: The message that is to be answered.
            conversation: Your id of it; one that is not there yet has neither summary nor window.
            user: Whose conversation.
            scene: Its profile, app and characters, where it was not opened with them.
            system: Your system prompt.
            one_system: Put all that is the system's into one message, for models that take no second one.

        Raises:
            BadRequestError: the profile wants to know more: which session, app or characters.
        """
        try:
            talk = await self._talk(await self.conversation(conversation, user=user), scene)
        except UnknownConversationError:
            scope = await self.turns.scope(self.subject(user), scene, conversation)
            talk = await self._with_elsewhere(_Talk(scope=scope, subject=_written_to(scope)), scope.home, None)
        episodes = await self._episodes(talk)
        tools = await self._tools.for_subject(talk.subject)
        window = await without_forgotten(talk.window, talk.subject, tools, home=talk.scope.home)
        messages = [_said(message) for message in window if message.role in _SPOKEN and message.text]
        messages.append({"role": "user", "content": query})
        context = await self._context(messages, talk, frozenset(memory.id for memory in episodes))
        so_far = summary_block(_lines(talk, episodes), key=await self._block_key(talk))
        head = [part for part in (system, context.text, so_far) if part]
        if one_system and head:
            head = ["\n\n".join(head)]
        return [*({"role": "system", "content": part} for part in head), *messages]

    async def _talk(self, conversation: Conversation, scene: RequestScope) -> _Talk:
        scope = await self._scope_of(conversation, scene)
        subject = _written_to(scope)
        whose = CoverageKey(subject=subject, home=conversation.subject, conversation=conversation.id)
        talk = _Talk(scope=scope, subject=subject, coverage=await read_coverage(self._store, whose))
        return await self._with_elsewhere(talk, conversation.subject, conversation.id)

    async def _with_elsewhere(self, talk: _Talk, home: Subject, own: ConversationId | None) -> _Talk:
        """Fill a window that is the user's with the newest turns of their other conversations."""
        wanted = Elsewhere(home=home, subject=talk.subject, profile=talk.scope.profile.name, room=talk.room, own=own)
        return replace(talk, elsewhere=await turns_elsewhere(self._store, wanted))

    async def _episodes(self, talk: _Talk) -> ListOf[Memory]:
        """Read the newest episodes of a conversation, as many as may fit into its summary, in order."""
        if talk.coverage is None:
            return []
        found: list[Memory] = []
        left = talk.coverage.episodes
        while left and len(_lines(talk, found)) == len(found):
            older = await self._store.memories(talk.subject, [span.id for span in left[-_AT_ONCE:]])
            found, left = older + found, left[:-_AT_ONCE]
        return found

    async def _context(
        self, messages: Sequence[Mapping[str, str]], talk: _Talk, shown: frozenset[MemoryId]
    ) -> PromptContext:
        """Recall for the last of some messages, and count it as a use."""
        request = request_of(messages)
        now = self.clock.now()
        wanted = prompt_recall(request, log_messages(request, said_at=now), talk.scope, self.settings)
        present = wanted.present | {message.hash for message in talk.window}
        context = await self._prompts.context(replace(wanted, present=present, excluded=shown), talk.scope)
        for subject in {item.memory.subject for item in context.items}:
            ids = [item.memory.id for item in context.items if item.memory.subject == subject]
            await self._store.note_uses(subject, ids, now)
        return context

    async def _block_key(self, talk: _Talk) -> bytes:
        """Return the secret that names the subject's blocks: the same in every process, and unknown outside."""
        tools = await self._tools.for_subject(talk.subject)
        return (await self._store.hot(talk.subject, tools.embedder.space, sought=NO_VECTORS)).salt


def _written_to(scope: MemoryScope) -> Subject:
    if scope.writes is None:
        raise BadRequestError(f"profile {scope.profile.name}: {scope.missing}", param="scene")
    return scope.writes


def _lines(talk: _Talk, episodes: ListOf[Memory]) -> ListOf[str]:
    return summary_lines(episodes, talk.scope.profile.episodes.so_far_characters)


def _said(message: LoggedMessage) -> dict[str, str]:
    said = {"role": message.role, "content": message.text}
    return said | {"name": message.name} if message.name else said
