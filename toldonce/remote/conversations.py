"""`memory.conversations`, `traces`, `characters` and `agent_notes` over HTTP. Asks one server."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from toldonce.clock import to_micros
from toldonce.engine.agent_notes import AgentNoteService
from toldonce.engine.apps import CharacterService
from toldonce.engine.conversations import ConversationService
from toldonce.engine.prompt_traces import TraceService
from toldonce.engine.results import ListOf, RenamedCharacter
from toldonce.errors import UnknownConversationError
from toldonce.remote import values
from toldonce.remote.client import Call, RestClient, scope_headers
from toldonce.remote.messages import plain_messages
from toldonce.remote.over_http import RemoteService, each, field, number, over_http
from toldonce.remote.unavailable import unavailable
from toldonce.types import NO_SCOPE, Conversation, LoggedMessage, Memory, RequestScope, Subject, TracePlace


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


def _place_of_trace(place: TracePlace | None, client: RestClient) -> str | None:
    """Return a place as the server's cursors write it."""
    return None if place is None else f"{to_micros(place[0])}.{place[1]}"


_PLACES = {"before": _place_of_trace, "after": _place_of_trace}


class RemoteTraceService(RemoteService, TraceService):
    """Traces of recorded requests."""

    list = over_http(
        "listSubjectTraces", values.request_trace, pages="traces", names={"before": "cursor"}, send=_PLACES
    )
    list_all = over_http("listTraces", values.request_trace, pages="traces", names={"before": "cursor"}, send=_PLACES)
    get = over_http("getTrace", values.trace_detail)


def _renamed(raw: dict[str, Any], client: RestClient) -> RenamedCharacter:
    return RenamedCharacter(subject=client.parsed(raw["subject"]), joined=int(raw["joined"]))


class RemoteCharacterService(RemoteService, CharacterService):
    """Characters of a user who talk with each other."""

    rename = over_http("renameCharacter", _renamed)


class RemoteAgentNoteService(AgentNoteService):
    """Notes of agents; a connection has none."""

    def __init__(self) -> None:
        """Ask nothing."""

    async def remember(
        self, text: str, *, user: str | Subject | None = None, via: str = "", said_at: datetime | None = None
    ) -> Memory:
        """Refuse: an agent calls the server's route /mcp."""
        raise unavailable("agent_notes.remember")
