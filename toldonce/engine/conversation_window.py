"""A conversation as a prompt shows it: its newest turns word for word, and a summary of what came before. Reads the
store."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toldonce.engine.components import Components
from toldonce.engine.elsewhere import Elsewhere, said_at, turns_elsewhere
from toldonce.engine.scope import MemoryScope
from toldonce.engine.turn import TurnService
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.extraction.own_text.chat_bridges import labelled_parts
from toldonce.extraction.sources import Exchange
from toldonce.formation.episode_coverage import Coverage, CoverageKey, read_coverage
from toldonce.prompt.conversation_summary import summary_lines
from toldonce.types import Conversation, ConversationId, LoggedMessage, Memory, MemoryState, RequestScope, Subject

# Episodes read at once for the summary of the conversation: about as many as fit by default.
_BATCH_SIZE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationWindow:
    """The state of a conversation that a prompt is written from."""

    scope: MemoryScope
    subject: Subject
    """The subject whose memory the conversation forms."""
    key: CoverageKey | None = None
    """None: nothing was recorded yet."""
    coverage: Coverage | None = None
    """None: nothing was recorded yet."""
    elsewhere: tuple[Exchange, ...] = ()
    """Turns of the user's other conversations that belong to the same window, oldest first."""

    @property
    def messages(self) -> list[LoggedMessage]:
        """Messages that are shown word for word, oldest first."""
        turns = [*self.elsewhere, *self._own_turns]
        return [message for turn in sorted(turns, key=said_at) for message in turn]

    @property
    def room(self) -> int:
        """Number of turns of other conversations that the window has room for."""
        policy = self.scope.profile.episodes
        if policy.window_of != "user" or self.subject != self.scope.home:
            return 0
        return max((policy.window or policy.keep) - len(self._own_turns), 0)

    def summary_lines(self, episodes: Sequence[Memory]) -> list[str]:
        """Return a line for each episode, oldest first, within the length that the profile allows."""
        return summary_lines(episodes, self.scope.profile.episodes.so_far_characters)

    @property
    def _own_turns(self) -> tuple[Exchange, ...]:
        if self.coverage is None:
            return ()
        policy = self.scope.profile.episodes
        turns = self.coverage.gap + self.coverage.tail
        return turns if policy.window else turns[-policy.keep :]


class WindowReader:
    """Reads conversations, their windows and their episodes."""

    def __init__(self, components: Components, turns: TurnService) -> None:
        self._store = components.store
        self._turns = turns

    async def conversation(self, conversation: str, subject: Subject) -> Conversation:
        """Find a conversation by the client's id, else by ToldOnce's.

        Raises:
            UnknownConversationError: the subject has no conversation with this id.
        """
        found = await self._store.conversations.get(subject, external_id=conversation)
        if found is None:
            found = await self._store.conversations.get(subject, id=ConversationId(conversation))
        if found is None:
            raise UnknownConversationError(conversation)
        return found

    async def memory_scope(self, conversation: Conversation, scope: RequestScope) -> MemoryScope:
        """Return which memory a recorded conversation reads and writes."""
        return await self._turns.memory_scope(conversation.subject, scope, conversation.external_id or conversation.id)

    async def read(self, conversation: str, subject: Subject, scope: RequestScope) -> ConversationWindow:
        """Read the window of a recorded conversation.

        Raises:
            UnknownConversationError: the subject has no conversation with this id.
            BadRequestError: the profile needs a session, an app or characters that the request does not name.
        """
        known = await self.conversation(conversation, subject)
        memory_scope = await self.memory_scope(known, scope)
        owner = written_subject(memory_scope)
        key = CoverageKey(subject=owner, home=known.subject, conversation=known.id)
        coverage = await read_coverage(self._store, key)
        window = ConversationWindow(scope=memory_scope, subject=owner, key=key, coverage=coverage)
        return await self._with_elsewhere(window, known.subject, known.id)

    async def read_or_begin(self, conversation: str, subject: Subject, scope: RequestScope) -> ConversationWindow:
        """Read the window of a conversation; an unknown conversation has none of its own turns."""
        try:
            return await self.read(conversation, subject, scope)
        except UnknownConversationError:
            memory_scope = await self._turns.memory_scope(subject, scope, conversation)
            window = ConversationWindow(scope=memory_scope, subject=written_subject(memory_scope))
            return await self._with_elsewhere(window, memory_scope.home, None)

    async def episodes(self, window: ConversationWindow) -> list[Memory]:
        """Read the newest episodes of a conversation, as many as fit into its summary, oldest first."""
        if window.coverage is None or window.key is None:
            return []
        episodes: list[Memory] = []
        taken_back = {stray.id for stray in window.coverage.strays}
        spans = await self._store.conversations.episode_ranges(window.subject, window.key.conversation)
        left = [span for span in spans if span.state is MemoryState.ACTIVE and span.id not in taken_back]
        while left and len(window.summary_lines(episodes)) == len(episodes):
            older = await self._store.memories.get_many(window.subject, [span.id for span in left[-_BATCH_SIZE:]])
            episodes, left = older + episodes, left[:-_BATCH_SIZE]
        return episodes

    async def _with_elsewhere(
        self, window: ConversationWindow, home: Subject, own: ConversationId | None
    ) -> ConversationWindow:
        """Fill a window that spans the user's conversations with the newest turns of the others."""
        profile = window.scope.profile
        wanted = Elsewhere(
            home=home,
            subject=window.subject,
            profile=profile.name,
            room=window.room,
            summarized=profile.episodes.window > 0,
            own=own,
        )
        return replace(window, elsewhere=await turns_elsewhere(self._store, wanted))


def written_subject(scope: MemoryScope) -> Subject:
    """Return the subject that a scope writes to.

    Raises:
        BadRequestError: the profile needs a session, an app or characters that the request does not name.
    """
    if scope.writes is None:
        raise BadRequestError(f"profile {scope.profile.name}: {scope.missing}", param="scope")
    return scope.writes


def prompt_message(message: LoggedMessage) -> dict[str, str]:
    """Return a logged message in the shape of a chat request, with the name that the client sent."""
    shaped = {"role": message.role, "content": message.text}
    is_sent = message.name and not labelled_parts(message.text, message.name)
    return shaped | {"name": message.name} if is_sent and message.name else shaped
