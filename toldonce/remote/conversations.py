"""`memory.conversations`, `traces`, `characters` and `agent_notes` over HTTP. Asks one server."""

from collections.abc import Mapping
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
from toldonce.remote.client import Call, RestClient
from toldonce.remote.over_http import RemoteService, each, field, not_over_http, number, over_http, sent_messages
from toldonce.types import LoggedMessage, Subject, TracePlace


def _new_name(conversation: str | None, client: RestClient) -> str:
    return conversation or str(uuid4())


def _known_name(conversation: str | None, client: RestClient) -> str | None:
    return conversation or None


def _options(options: Mapping[str, Any] | None, client: RestClient) -> dict[str, Any]:
    return dict(options or {})


def _subject(raw: str, client: RestClient) -> Subject:
    return client.parsed(raw)


def _text(raw: object, client: RestClient) -> str:
    return str(raw)


_AFTER_SEQ: dict[str, Any] = {"names": {"after_seq": "cursor"}}


class RemoteConversationService(RemoteService, ConversationService):
    """Conversations of a user: their settings, their log, and what was formed from them."""

    open = over_http("openConversation", values.conversation, send={"conversation": _new_name, "options": _options})
    get = over_http("getConversation", values.conversation)
    list = over_http("listConversations", values.conversation, pages="conversations")
    end = over_http("endConversation", values.conversation, send={"messages": sent_messages})
    save = over_http("saveConversation", field("formations", number))
    tree = over_http("listMessages", values.tree_message, pages="messages", **_AFTER_SEQ, more={"with_memories": True})
    window = over_http("getConversationSummary", field("window", each(values.message)))
    summary = over_http("getConversationSummary", field("summary", _text))
    memories = over_http("listConversationMemories", field("memories", each(values.memory)))
    trace = over_http("traceConversation", field("prompts", each(values.trace)))
    subject = over_http("getWrittenSubject", field("subject", _subject), send={"conversation": _known_name})

    async def messages(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[LoggedMessage]:
        """Read a conversation's log: see `ConversationService.messages`."""
        if not conversation:
            raise UnknownConversationError(conversation)
        call = Call(method="GET", path=self._client.path(user, "conversations", conversation, "messages"))
        try:
            raws = await self._client.pages(call, "messages", limit, cursor=str(after_seq))
        except UnknownConversationError:
            return []  # as the library does
        return [values.message(raw, self._client) for raw in raws]


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


class RemoteAgentNoteService(RemoteService, AgentNoteService):
    """Notes of agents; a connection has none."""

    remember = not_over_http("agent_notes")
