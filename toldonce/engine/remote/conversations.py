"""`memory.conversations` over HTTP. Asks one server."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from toldonce.engine.conversations import ConversationService
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient, scope_headers, written
from toldonce.engine.remote.messages import plain_messages
from toldonce.engine.results import ListOf, PromptTrace
from toldonce.errors import UnknownConversationError
from toldonce.types import NO_SCOPE, Conversation, LoggedMessage, Memory, RequestScope, Subject, TreeMessage


class RemoteConversationService(ConversationService):
    """Conversations of a user: their settings, their log, and what was formed from them."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def open(
        self,
        conversation: str | None = None,
        *,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
        options: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """Open a conversation, or change its options: see `ConversationService.open`."""
        call = Call(
            method="PUT",
            path=self._path(conversation or str(uuid4()), user),
            body={"options": dict(options or {})},
            headers=scope_headers(scope),
            writes=True,
        )
        return values.conversation(await self._client.ask(call), self._client)

    async def get(self, conversation: str, *, user: str | Subject | None = None) -> Conversation:
        """Read a conversation: see `ConversationService.get`."""
        raw = await self._client.ask(Call(method="GET", path=self._path(conversation, user)))
        return values.conversation(raw, self._client)

    async def list(
        self,
        *,
        user: str | Subject | None = None,
        limit: int = 100,
        before: datetime | None = None,
        before_id: str | None = None,
    ) -> ListOf[Conversation]:
        """List conversations, last updated first: see `ConversationService.list`."""
        query = {"before": written(before), "before_id": before_id}
        call = Call(method="GET", path=self._client.path(user, "conversations"), query=query)
        raws = await self._client.pages(call, "conversations", limit)
        return [values.conversation(raw, self._client) for raw in raws]

    async def end(
        self,
        conversation: str,
        *,
        reason: str = "ended",
        messages: Sequence[Mapping[str, Any]] = (),
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
    ) -> Conversation:
        """End a conversation: see `ConversationService.end`."""
        call = Call(
            method="POST",
            path=self._path(conversation, user, "end"),
            body={"reason": reason, "messages": plain_messages(messages)},
            headers=scope_headers(scope),
            writes=True,
        )
        return values.conversation(await self._client.ask(call), self._client)

    async def save(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE
    ) -> int:
        """Form in the background what a conversation has waiting: see `ConversationService.save`."""
        path, headers = self._path(conversation, user, "save"), scope_headers(scope)
        return int((await self._client.ask(Call(method="POST", path=path, headers=headers, writes=True)))["formations"])

    async def messages(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[LoggedMessage]:
        """Read a conversation's log: see `ConversationService.messages`."""
        call = Call(method="GET", path=self._path(conversation, user, "messages"))
        try:
            raws = await self._client.pages(call, "messages", limit, cursor=str(after_seq))
        except UnknownConversationError:
            return []  # as the library does
        return [values.message(raw) for raw in raws]

    async def tree(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[TreeMessage]:
        """Read a conversation's log as a tree: see `ConversationService.tree`."""
        call = Call(method="GET", path=self._path(conversation, user, "messages"), query={"with_memories": True})
        raws = await self._client.pages(call, "messages", limit, cursor=str(after_seq))
        return [values.tree_message(raw, self._client) for raw in raws]

    async def window(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE
    ) -> ListOf[LoggedMessage]:
        """Return the newest turns of a conversation: see `ConversationService.window`."""
        return [values.message(raw) for raw in (await self._summary(conversation, user, scope))["window"]]

    async def summary(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE
    ) -> str:
        """Summarize a conversation before its window: see `ConversationService.summary`."""
        return str((await self._summary(conversation, user, scope))["summary"])

    async def memories(
        self, conversation: str, *, user: str | Subject | None = None, scope: RequestScope = NO_SCOPE, limit: int = 100
    ) -> ListOf[Memory]:
        """List what was formed from a conversation: see `ConversationService.memories`."""
        path, headers = self._path(conversation, user, "memories"), scope_headers(scope)
        raw = await self._client.ask(Call(method="GET", path=path, query={"limit": limit}, headers=headers))
        return values.memories(raw["memories"], self._client)

    async def trace(
        self, conversation: str, *, user: str | Subject | None = None, limit: int = 100
    ) -> ListOf[PromptTrace]:
        """Show what memory did for the requests of a conversation: see `ConversationService.trace`."""
        path = self._path(conversation, user, "trace")
        raw = await self._client.ask(Call(method="GET", path=path, query={"limit": limit}))
        return [values.trace(prompt, self._client) for prompt in raw["prompts"]]

    async def subject(
        self, *, user: str | Subject | None = None, conversation: str | None = None, scope: RequestScope = NO_SCOPE
    ) -> Subject:
        """Return the subject that a scope writes to: see `ConversationService.subject`."""
        call = Call(
            method="GET",
            path=self._client.path(user, "written-subject"),
            query={"conversation": conversation or None},
            headers=scope_headers(scope),
        )
        return self._client.parsed((await self._client.ask(call))["subject"])

    async def _summary(self, conversation: str, user: str | Subject | None, scope: RequestScope) -> Mapping[str, Any]:
        path, headers = self._path(conversation, user, "summary"), scope_headers(scope)
        raw: Mapping[str, Any] = await self._client.ask(Call(method="GET", path=path, headers=headers))
        return raw

    def _path(self, conversation: str, user: str | Subject | None, *steps: str) -> str:
        """Return a path within a conversation.

        Raises:
            UnknownConversationError: The id is empty.
        """
        if not conversation:
            raise UnknownConversationError(conversation)
        return self._client.path(user, "conversations", conversation, *steps)
