"""`memory.conversations` over HTTP. Asks one server."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from toldonce.engine.conversations import ConversationService
from toldonce.engine.results import ListOf
from toldonce.errors import UnknownConversationError
from toldonce.remote import values
from toldonce.remote.client import Call, RestClient, scope_headers
from toldonce.remote.messages import plain_messages
from toldonce.remote.over_http import RemoteService, each, field, number, over_http
from toldonce.types import NO_SCOPE, Conversation, LoggedMessage, RequestScope, Subject


def _messages(messages: Sequence[Mapping[str, Any]], client: RestClient) -> object:
    return plain_messages(messages)


def _message(raw: Mapping[str, Any], client: RestClient) -> LoggedMessage:
    return values.message(raw)


def _text(raw: object, client: RestClient) -> str:
    return str(raw)


_AFTER_SEQ: dict[str, Any] = {"names": {"after_seq": "cursor"}}


class RemoteConversationService(RemoteService, ConversationService):
    """Conversations of a user: their settings, their log, and what was formed from them."""

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

    get = over_http("getConversation", values.conversation)
    list = over_http("listConversations", values.conversation, pages="conversations")
    end = over_http("endConversation", values.conversation, send={"messages": _messages})
    save = over_http("saveConversation", field("formations", number))
    tree = over_http("listMessages", values.tree_message, pages="messages", **_AFTER_SEQ, more={"with_memories": True})
    window = over_http("getConversationSummary", field("window", each(_message)))
    summary = over_http("getConversationSummary", field("summary", _text))
    memories = over_http("listConversationMemories", field("memories", each(values.memory)))
    trace = over_http("traceConversation", field("prompts", each(values.trace)))

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

    def _path(self, conversation: str, user: str | Subject | None, *steps: str) -> str:
        """Return a path within a conversation.

        Raises:
            UnknownConversationError: The id is empty.
        """
        if not conversation:
            raise UnknownConversationError(conversation)
        return self._client.path(user, "conversations", conversation, *steps)
