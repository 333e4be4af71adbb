"""Memory as a context provider of Microsoft's Agent Framework. Needs the extra `agent-framework`; works through the
library.

What memory adds becomes a content of the user's message, which the framework keeps in the session's history.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any

from agent_framework import (
    AgentSession,
    Content,
    ContextProvider,
    HistoryProvider,
    Message,
    SessionContext,
    SupportsAgentRun,
)

from toldonce.engine import AsyncToldOnce
from toldonce.integrations.framework_chat import IDS, FrameworkChat, spoken
from toldonce.sync import ToldOnce
from toldonce.types import NO_SCOPE, RequestScope, Subject

_ROLES = ("user", "assistant")


class ToldOnceProvider(ContextProvider):
    """Recalls before each run and records after it: `Agent(…, context_providers=[ToldOnceProvider(memory)])`.

    The conversation is the session's id.
    """

    def __init__(
        self,
        memory: AsyncToldOnce | ToldOnce,
        *,
        user: str | Subject | Callable[[AgentSession], str | Subject] | None = None,
        scope: RequestScope = NO_SCOPE,
        source_id: str = "toldonce",
    ) -> None:
        """Remember what is said to an agent.

        Args:
            memory: An open library, or a connection to a server.
            user: User of the chat, or a function that returns it for a session, mostly from its `state`; None: the
                default user.
            scope: Profile, app and time zone of the chat.
            source_id: Name of the provider within the agent.
        """
        super().__init__(source_id)
        self._memory = memory
        self._user = user
        self._scope = scope

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Recall for the user's newest message, and add the memories to it."""
        history = await _history(agent, session, context)
        context.metadata[self.source_id] = history or []
        given = context.input_messages
        asked = max((place for place, message in enumerate(given) if message.role == "user"), default=None)
        if asked is None or any(_ids(given)):
            return
        # Where the service keeps the history, it keeps what was added, too.
        shown = state.get("shown", []) if history is None else list(_ids(history))
        before = [*(history or []), *given[:asked]]
        added = await self._chat(session).recall(_words(given[asked]), before=list(_said(before)), shown=shown)
        if added is not None:
            own = Content.from_text(added.text, additional_properties={IDS: list(added.ids)})
            message = copy(given[asked])
            message.contents = [*given[asked].contents, own]
            given[asked] = message
            state["shown"] = [*shown, *added.ids]

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Record the run."""
        answered = context.response.messages if context.response else []
        said = _said([*context.metadata.get(self.source_id, []), *context.input_messages, *answered])
        await self._chat(session).record(list(said))

    def _chat(self, session: AgentSession) -> FrameworkChat:
        return FrameworkChat(
            memory=self._memory,
            user=partial(self._user, session) if callable(self._user) else self._user,
            conversation=session.session_id,
            scope=self._scope,
        )


async def _history(agent: SupportsAgentRun, session: AgentSession, context: SessionContext) -> list[Message] | None:
    """Return the messages of the session before a run; None if no provider has them."""
    providers = [
        provider
        for provider in getattr(agent, "context_providers", ())  # not part of the protocol
        if isinstance(provider, HistoryProvider) and provider.load_messages
    ]
    if not providers:
        return None
    found: list[Message] = []
    for provider in providers:
        loaded = context.context_messages.get(provider.source_id)
        if loaded is None:  # it comes after this one
            state = session.state.setdefault(provider.source_id, {})
            loaded = await provider.get_messages(context.session_id, state=state)
        found += loaded
    return found


def _own_ids(content: Content) -> Sequence[str] | None:
    """Return the ids of the memories in a content that was added; None for others."""
    found = content.additional_properties.get(IDS)
    return found if isinstance(found, list) else None


def _ids(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the ids of the memories that messages show."""
    for message in messages:
        for content in message.contents:
            yield from _own_ids(content) or ()


def _words(message: Message) -> str:
    """Return the words of a message: no reasoning, no calls of tools, no results, and nothing that memory added."""
    texts = (content.text or "" for content in message.contents if content.type == "text" and _own_ids(content) is None)
    return "\n".join(texts)


def _said(messages: Sequence[Message]) -> Iterator[dict[str, str]]:
    """Yield what user and assistant said."""
    return (spoken(message.role, _words(message)) for message in messages if message.role in _ROLES)
