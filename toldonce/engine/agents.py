"""Turns of coding agents, which call hooks at the user's prompt and at the end of the answer.

An agent keeps in its own history what a hook adds to a prompt, and adds it to all later requests by itself. So nothing
is replayed, and what the conversation shows already is left out. Reads and writes the store.
"""

from dataclasses import replace
from datetime import UTC, datetime

from toldonce.chat.agent_prompts import typed_words
from toldonce.chat.formats.openai_chat import request_of
from toldonce.chat.messages import log_messages
from toldonce.concurrency import Turns
from toldonce.engine.components import Components
from toldonce.engine.context_builder import ContextBuilder, EarlierPrompts, prompt_recall
from toldonce.engine.prompt_traces import shown_memories
from toldonce.engine.retrieval import record_uses
from toldonce.engine.scope import MemoryScope
from toldonce.engine.shown_memories import ShownMemories
from toldonce.engine.turn import TurnService, charges
from toldonce.ids import is_unstored, new_id
from toldonce.prompt.render import RenderedContext
from toldonce.prompt.replay import PromptReplay
from toldonce.text import hash64
from toldonce.time_zones import in_own_zone
from toldonce.types import (
    DECLARED,
    NO_SCOPE,
    Conversation,
    Destination,
    InjectionRecord,
    LoggedMessage,
    Memory,
    MemoryRequest,
    MemoryState,
    Message,
    OmittedMemory,
    PromptInsertion,
    Recall,
    RecordedTurn,
    RequestScope,
    Subject,
    Turn,
)

AGENT_PROFILE = "project"
"""Profile of agents' conversations where none is named: personal memory, and that of the project (an app)."""
# Newest prompts of a conversation whose memories count as shown; agents compact longer histories.
_MAX_PROMPTS = 200
# Newest messages of a conversation that count as part of the agent's history.
_MAX_MESSAGES = 400


class AgentService:
    """Turns of coding agents."""

    def __init__(self, components: Components, contexts: ContextBuilder, turns: TurnService) -> None:
        self._components = components
        self._store = components.store
        self._contexts = contexts
        self._turns = turns
        self._shown = ShownMemories(components.store)
        # A turn that comes a second time must not pass the first, which may still be running.
        self._in_order = Turns()

    async def prompt(
        self,
        text: str,
        *,
        conversation: str,
        turn: str | None = None,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
        late_since: datetime | None = None,
    ) -> str:
        """Record what a user submitted to an agent, and return what memory adds to it.

        The user's words are durable when it returns. What the agent wraps around them is neither recorded nor answered.

        Args:
            text: The prompt as submitted.
            conversation: The agent's id of the session.
            turn: The agent's id of the turn: the same id again is the same turn.
            user: User of the agent.
            scope: Profile (by default `project`) and app (the project).
            late_since: When it was submitted, if it comes late: it is recorded, and nothing is recalled for it.

        Returns:
            The block to add; empty if there is nothing to say that the session does not show already.

        Raises:
            BadRequestError: the profile needs something that the scope does not name.
        """
        words = typed_words(text)
        if not words:
            return ""
        home = self._components.subject(user)
        async with self._in_order.hold((home, conversation)):
            memory_scope = await self._scope(home, scope, conversation)
            if late_since is not None:
                late = self._log(words, in_own_zone(late_since, memory_scope.zone or UTC))
                await self._record(home, conversation, turn, memory_scope, messages=late)
                return ""
            return await self._prompt(words, conversation, turn, home, memory_scope, scope.destination)

    async def _prompt(
        self,
        words: str,
        conversation: str,
        turn: str | None,
        home: Subject,
        memory_scope: MemoryScope,
        destination: Destination,
    ) -> str:
        now, started = self._components.clock.now(), self._components.clock.monotonic()
        log = self._log(words, in_own_zone(now, memory_scope.zone or UTC))
        recall, rendered = await self._recalled(words, log, memory_scope, await self._known(home, conversation))
        request = MemoryRequest(
            profile=memory_scope.profile.name,
            reads=recall.subjects,
            destination=destination,
            considered=recall.considered,
            took_ms=(self._components.clock.monotonic() - started) * 1000,
        )
        await self._record(
            home,
            conversation,
            turn,
            memory_scope,
            messages=log,
            recall=self._injection(recall, rendered, now, request),
        )
        await record_uses(self._components, recall)
        return rendered.text

    async def answer(
        self,
        text: str,
        *,
        conversation: str,
        turn: str | None = None,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
        late_since: datetime | None = None,
    ) -> RecordedTurn | None:
        """Record an agent's answer to the newest prompt of a session.

        A second answer to the same prompt takes the first one's place.

        Args:
            text: The answer.
            conversation: The agent's id of the session.
            turn: The agent's id of the turn, as `prompt` got it.
            user: User of the agent.
            scope: Profile (by default `project`) and app (the project).
            late_since: When it was given, if it comes late.

        Returns:
            Where it was recorded; None if the session has no prompt, or has this answer already.
        """
        home = self._components.subject(user)
        async with self._in_order.hold((home, conversation)):
            known = await self._known(home, conversation)
            if known is None or not text.strip():
                return None
            asked, answered = await self._newest(known)
            if asked is None or (answered is not None and answered.text == text):
                return None
            memory_scope = await self._scope(home, scope, conversation)
            [reply] = log_messages(
                request_of([{"role": "assistant", "content": text}]),
                said_at=in_own_zone(late_since or self._components.clock.now(), memory_scope.zone or UTC),
                max_characters=self._components.settings.max_message_characters,
            )
            again = self._log(asked.text, asked.said_at)
            return await self._record(home, conversation, turn, memory_scope, messages=again, reply=reply)

    async def resume(
        self,
        *,
        conversation: str,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
    ) -> str:
        """Return what memory adds to a session whose history the agent has just compacted: the earlier blocks are gone.

        It is recalled for the newest prompt, as if the session began with that. Nothing is recorded.
        """
        home = self._components.subject(user)
        known = await self._known(home, conversation)
        asked = (await self._newest(known))[0] if known is not None else None
        if asked is None:
            return ""
        memory_scope = await self._scope(home, scope, conversation)
        _, rendered = await self._recalled(asked.text, self._log(asked.text, asked.said_at), memory_scope, None)
        return rendered.text

    async def shown(self, *, conversation: str, user: str | Subject | None = None) -> list[Memory]:
        """Read what prompts of a session were shown and what still holds, newest prompt first.

        A session that a client has through the server counts, too, where it names itself as the agent does.
        """
        home = self._components.subject(user)
        known = await self._known(home, conversation)
        records = await self._injections(known) if known is not None else []
        found = await shown_memories(self._store, home, records)
        ids = dict.fromkeys(memory for record in records for _, memory, _ in record.items if memory in found)
        return [found[memory] for memory in ids if found[memory].state is MemoryState.ACTIVE]

    async def _scope(self, home: Subject, scope: RequestScope, conversation: str) -> MemoryScope:
        scope = replace(scope, profile=scope.profile or scope.key_profile or AGENT_PROFILE)
        return await self._turns.memory_scope(home, scope, conversation)

    def _log(self, words: str, said_at: datetime) -> tuple[Message, ...]:
        limit = self._components.settings.max_message_characters
        return log_messages(request_of([{"role": "user", "content": words}]), said_at=said_at, max_characters=limit)

    async def _known(self, home: Subject, conversation: str) -> Conversation | None:
        return await self._store.conversations.get(home, external_id=conversation)

    async def _newest(self, known: Conversation) -> tuple[LoggedMessage | None, LoggedMessage | None]:
        """Return the newest prompt of a session, and its answer."""
        path = await self._path(known)
        asked = next((message for message in reversed(path) if message.role == "user"), None)
        last = path[-1] if path and path[-1].role == "assistant" else None
        return asked, last

    async def _path(self, known: Conversation) -> list[LoggedMessage]:
        after = max(0, known.last_seq - _MAX_MESSAGES)
        return await self._store.conversations.active_path(known.subject, known.id, after_seq=after)

    async def _recalled(
        self, words: str, log: tuple[Message, ...], scope: MemoryScope, known: Conversation | None
    ) -> tuple[Recall, RenderedContext]:
        if scope.writes is None:
            return Recall(query=words, items=()), RenderedContext()
        request = request_of([{"role": "user", "content": words}])
        wanted = prompt_recall(request, log, scope, self._components.settings)
        if known is None:
            return await self._contexts.write(wanted, scope)
        # The agent sends its history with the prompt.
        said = frozenset(message.hash for message in await self._path(known))
        wanted = replace(wanted, present=wanted.present | said)
        return await self._contexts.write(wanted, scope, earlier=await self._earlier(known))

    async def _earlier(self, known: Conversation) -> EarlierPrompts | None:
        """Return what earlier prompts of a session show; None if memory added nothing so far."""
        records = await self._injections(known)
        if not records:
            return None
        replay = PromptReplay(thread=0, insertions=tuple(_insertion(record) for record in reversed(records)))
        # Nothing of what agents show is stored as text, so that forgetting could empty it.
        closed = await self._shown.closed(replay, frozenset(replay.shown))
        return EarlierPrompts(
            shown=frozenset(replay.shown),
            ended=await self._shown.ended(closed),
            began=records[-1].at,
        )

    async def _injections(self, known: Conversation) -> list[InjectionRecord]:
        """Read what was added to prompts of a session, newest first."""
        return await self._store.conversations.injections(
            known.subject, conversation=known.id, limit=_MAX_PROMPTS, with_memories=True
        )

    def _injection(
        self, recall: Recall, rendered: RenderedContext, now: datetime, request: MemoryRequest
    ) -> InjectionRecord | None:
        if not (rendered.text or recall.considered):
            return None
        ended = tuple(OmittedMemory(id=memory.id, reason=DECLARED) for memory in rendered.withdrawn)
        return InjectionRecord(
            id=new_id(self._components.clock),
            at=now,
            query_hash=hash64("query", recall.query),
            items=tuple((item.memory.subject, item.memory.id, item.score) for item in recall.items if item.is_stored),
            block_hash=rendered.boundary,
            tokens=self._components.counter.count(rendered.text),
            omitted=ended + tuple(left for left in recall.left_out if not is_unstored(left.id)),
            request=request,
        )

    async def _record(  # noqa: PLR0913  # a turn and where it belongs
        self,
        home: Subject,
        conversation: str,
        turn: str | None,
        scope: MemoryScope,
        *,
        messages: tuple[Message, ...],
        reply: Message | None = None,
        recall: InjectionRecord | None = None,
    ) -> RecordedTurn:
        """Record a prompt, or the answer below it; durable when it returns."""
        return await self._turns.record(
            Turn(
                subject=home,
                external_id=conversation,
                append=True,
                message_id=turn,
                messages=messages,
                reply=reply,
                said_at=self._components.clock.now(),
                recall=recall,
                formations=self._turns.formations(scope),
                charges=charges(scope),
                opening=replace(scope.opening, profile=scope.profile.name),
            )
        )


def _insertion(record: InjectionRecord) -> PromptInsertion:
    """Return a prompt's record as what was inserted into it, without its text."""
    return PromptInsertion(
        thread=0,
        chain=0,
        depth=1,
        id=record.id,
        at=record.at,
        items=tuple((subject, memory) for subject, memory, _ in record.items),
        withdrawn=tuple(omitted.id for omitted in record.omitted if omitted.reason == DECLARED),
    )
