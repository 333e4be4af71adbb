"""Memory as a capability of Pydantic AI's agents. Needs the extra `pydantic-ai`; works through the library.

What memory adds becomes a part of the user's prompt in the message history, so that later runs, which get that history,
send it again at the same place.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pydantic_ai import AgentRunResult, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextContent,
    TextPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import AgentDepsT

from toldonce.engine import AsyncToldOnce
from toldonce.integrations.framework_chat import IDS, AddedMemory, FrameworkChat, spoken
from toldonce.sync import ToldOnce
from toldonce.types import NO_SCOPE, RequestScope, Subject


@dataclass
class ToldOnceMemory(AbstractCapability[AgentDepsT]):
    """Recalls for each prompt and records each run: `Agent(…, capabilities=[ToldOnceMemory(memory, user="ana")])`.

    The conversation is that of the run (`conversation_id`), which goes on with the message history.
    """

    memory: AsyncToldOnce | ToldOnce
    """An open library, or a connection to a server."""
    user: str | Subject | Callable[[RunContext[AgentDepsT]], str | Subject] | None = None
    """User of the chat, or a function that returns it for a run, mostly from `deps`; None: the default user."""
    scope: RequestScope = NO_SCOPE
    """Profile, app and time zone of the chat."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return None: a specification in a file cannot name an open library."""
        return None

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Recall for a prompt, and add the memories to it. Requests with results of tools are left as they are."""
        asked = _asked(ctx.messages)
        if asked is None or any(_ids([asked])):
            return request_context
        added = await self._chat(ctx).recall(
            _words(asked), before=list(_said(ctx.messages[:-1])), shown=list(_ids(ctx.messages))
        )
        if added is not None:
            for messages in (request_context.messages, ctx.messages):
                messages[-1] = _with(messages[-1], added)
        return request_context

    async def after_run(self, ctx: RunContext[AgentDepsT], *, result: AgentRunResult[object]) -> AgentRunResult[object]:
        """Record the run."""
        await self._chat(ctx).record(list(_said(result.all_messages())))
        return result

    def _chat(self, ctx: RunContext[AgentDepsT]) -> FrameworkChat:
        destination = replace(self.scope.destination, model=self.scope.destination.model or ctx.model.model_name)
        return FrameworkChat(
            memory=self.memory,
            user=partial(self.user, ctx) if callable(self.user) else self.user,
            conversation=ctx.conversation_id,
            scope=replace(self.scope, destination=destination),
        )


def _asked(messages: Sequence[ModelMessage]) -> ModelRequest | None:
    """Return the newest message, if it is a user's prompt."""
    newest = messages[-1] if messages else None
    if not isinstance(newest, ModelRequest) or not any(isinstance(part, UserPromptPart) for part in newest.parts):
        return None
    return newest


def _contents(message: ModelRequest) -> Iterator[UserContent]:
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            yield from [part.content] if isinstance(part.content, str) else part.content


def _own_ids(content: UserContent) -> Sequence[str] | None:
    """Return the ids of the memories in a content that was added; None for others."""
    found = (
        content.metadata.get(IDS) if isinstance(content, TextContent) and isinstance(content.metadata, dict) else None
    )
    return found if isinstance(found, list) else None


def _ids(messages: Sequence[ModelMessage]) -> Iterator[str]:
    """Yield the ids of the memories that messages show."""
    for message in messages:
        if isinstance(message, ModelRequest):
            for content in _contents(message):
                yield from _own_ids(content) or ()


def _words(message: ModelRequest) -> str:
    """Return what the user says in a prompt."""
    texts = (
        content if isinstance(content, str) else content.content
        for content in _contents(message)
        if isinstance(content, str) or (isinstance(content, TextContent) and _own_ids(content) is None)
    )
    return "\n".join(texts)


def _said(messages: Sequence[ModelMessage]) -> Iterator[dict[str, str]]:
    """Yield what user and assistant said; not what tools returned."""
    for message in messages:
        if isinstance(message, ModelResponse):
            yield spoken("assistant", "\n".join(part.content for part in message.parts if isinstance(part, TextPart)))
        else:
            yield spoken("user", _words(message))


def _with(message: ModelMessage, added: AddedMemory) -> ModelMessage:
    """Return a message whose last prompt ends with what memory adds."""
    if not isinstance(message, ModelRequest):
        return message
    own = TextContent(added.text, metadata={IDS: list(added.ids)})
    parts = list(message.parts)
    for place, part in reversed(list(enumerate(parts))):
        if isinstance(part, UserPromptPart):
            said = [part.content] if isinstance(part.content, str) else part.content
            parts[place] = replace(part, content=[*said, own])
            break
    return replace(message, parts=parts)
