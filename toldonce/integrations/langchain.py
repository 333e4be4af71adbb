"""Memory as a middleware of LangChain's agents. Needs the extra `langchain`; works through the library.

What memory adds is kept beside the user's message, among its `additional_kwargs`: the message stays as it is in state
and history, and each model call shows both. So a prompt begins as the one before it, in tool loops and later runs.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from toldonce.engine import AsyncToldOnce
from toldonce.integrations.framework_chat import IDS, AddedMemory, FrameworkChat, spoken
from toldonce.integrations.opened_memory import OpenedMemory
from toldonce.sync import ToldOnce
from toldonce.types import NO_SCOPE, RequestScope, Subject

# Of messages that another middleware writes in a user's place, such as summaries.
_WRITTEN = "lc_source"


class ToldOnceMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Recalls for each prompt and records each run: `create_agent(…, middleware=[ToldOnceMiddleware(memory)])`.

    The conversation is the thread of the run (`thread_id`). Without a checkpointer it is recognised by its messages.
    """

    def __init__(
        self,
        memory: ToldOnce | AsyncToldOnce,
        *,
        user: str | Subject | Callable[[Runtime[Any]], str | Subject] | None = None,
        scope: RequestScope = NO_SCOPE,
    ) -> None:
        """Give agents a memory.

        Args:
            memory: An open `ToldOnce`, which serves both kinds of callers, or an `AsyncToldOnce`; also of a server.
            user: User of the chat, or a function that returns it for a run, mostly from `runtime.context`; None: the
                default user.
            scope: Profile, app and time zone of the chat, and the model that the memories go to.
        """
        super().__init__()
        self._memory = OpenedMemory(memory)
        self._user = user
        self._scope = scope

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Recall for the user's newest message, if the run begins with one, and keep beside it what memory adds."""
        return self._memory.run(self._recalled(state["messages"], runtime))

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Do as `before_agent`."""
        return await self._memory.wait(self._recalled(state["messages"], runtime))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Show the model what memory added to each message."""
        return handler(request.override(messages=[_shown(message) for message in request.messages]))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Do as `wrap_model_call`."""
        return await handler(request.override(messages=[_shown(message) for message in request.messages]))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Record the run."""
        self._memory.run(self._chat(runtime).record(list(_said(state["messages"]))))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Do as `after_agent`."""
        await self._memory.wait(self._chat(runtime).record(list(_said(state["messages"]))))

    async def _recalled(self, messages: Sequence[AnyMessage], runtime: Runtime[Any]) -> dict[str, Any] | None:
        asked = messages[-1] if messages else None
        if not isinstance(asked, HumanMessage) or not _is_said(asked) or _added(asked) is not None:
            return None
        before = list(_said(messages[:-1]))
        shown = [id_ for message in messages if (added := _added(message)) for id_ in added.ids]
        found = await self._chat(runtime).recall(asked.text, before=before, shown=shown)
        if found is None:
            return None
        kept = {**asked.additional_kwargs, IDS: {"text": found.text, "ids": list(found.ids)}}
        return {"messages": [asked.model_copy(update={"additional_kwargs": kept})]}

    def _chat(self, runtime: Runtime[Any]) -> FrameworkChat:
        run = runtime.execution_info
        return FrameworkChat(
            memory=self._memory.engine,
            user=partial(self._user, runtime) if callable(self._user) else self._user,
            conversation=run.thread_id if run else None,
            scope=self._scope,
        )


def _added(message: BaseMessage) -> AddedMemory | None:
    """Return what memory added to a message."""
    kept = message.additional_kwargs.get(IDS)
    if not isinstance(kept, dict) or not isinstance(kept.get("text"), str):
        return None
    ids = kept.get("ids")
    return AddedMemory(text=kept["text"], ids=tuple(map(str, ids)) if isinstance(ids, list) else ())


def _shown(message: AnyMessage) -> AnyMessage:
    """Return a message as the model sees it: what memory added is at its end."""
    added = _added(message)
    if not isinstance(message, HumanMessage) or added is None:
        return message
    content = message.content
    own = f"{content}\n\n{added.text}" if isinstance(content, str) else [*content, {"type": "text", "text": added.text}]
    return message.model_copy(update={"content": own})


def _said(messages: Sequence[AnyMessage]) -> Iterator[dict[str, str]]:
    """Yield what user and assistant said; not what tools returned, nor what another middleware wrote."""
    for message in messages:
        if isinstance(message, HumanMessage | AIMessage) and _is_said(message):
            yield spoken("user" if isinstance(message, HumanMessage) else "assistant", message.text)


def _is_said(message: BaseMessage) -> bool:
    return _WRITTEN not in message.additional_kwargs
