"""Messages of conversations over HTTP: record, import, read, erase; and what memory adds to prompts."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from toldonce.engine import run_in_thread_if_large
from toldonce.server.api.v1.conversation_answers import (
    ContextAnswer,
    MessageListAnswer,
    PromptAnswer,
    RecordedTurnAnswer,
)
from toldonce.server.api.v1.fields import Body, Name, ProfileName, UrlQuery, Uuid
from toldonce.server.api.v1.memory_answers import MessageAnswer, ReceiptAnswer
from toldonce.server.api.v1.message_bodies import (
    MAX_MESSAGES,
    DestinationBody,
    NewMessage,
    NewMessages,
    known_conversation,
    new_name_of,
    scope_of,
)
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.status import CREATED
from toldonce.types import Access, Conversation, LoggedMessage

_BYTES_OF_MESSAGE = 1_000


class MessageListQuery(UrlQuery):
    """Which messages to read."""

    limit: int = Field(default=100, ge=1, le=1000)
    cursor: int | None = Field(default=None, ge=0, description="`seq` of the last message of the page before.")
    with_memories: bool = Field(
        default=False, description="Say which messages are on the active path, and what each left in memory."
    )


class ErasedMessagesQuery(UrlQuery):
    """Which messages to erase."""

    seq: list[int] = Field(min_length=1, max_length=1000, description="Positions of the messages.")
    everywhere: bool = Field(
        default=False,
        description="Erase what other subjects have of them, too; not for a request bound to one user or app.",
    )


async def _record(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(NewMessages)
    recorded = await request.engine.record(
        body.plain,
        user=request.target,
        conversation=new_name_of(request) if "conversation" in request.path else None,
        said_at=body.dates,
        scope=scope_of(request, body.profile, body.app),
    )
    return request.reply(RecordedTurnAnswer, recorded)


async def _list(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(MessageListQuery)
    known = await known_conversation(request)
    if query.with_memories:
        return await _tree(request, known, query)
    page = await request.engine.conversations.messages(
        known.id, user=known.subject, after_seq=query.cursor or 0, limit=query.limit
    )
    following = page[-1].seq if len(page) == query.limit else None
    return await _reply(request, page, following)


async def _tree(request: ResourceRequest, known: Conversation, query: MessageListQuery) -> ResourceReply:
    """Answer messages with their places and what they left."""
    page = await request.engine.conversations.tree(
        known.id, user=known.subject, after_seq=query.cursor or 0, limit=query.limit
    )
    following = page[-1].message.seq if len(page) == query.limit else None
    rows = [{**_fields(each.message), "active": each.active, "memories": each.memories} for each in page]
    return await _reply(request, rows, following)


def _fields(message: LoggedMessage) -> Mapping[str, object]:
    return {name: getattr(message, name) for name in MessageAnswer.model_fields}


async def _reply(request: ResourceRequest, page: Sequence[object], following: int | None) -> ResourceReply:
    found = {"messages": page, "next_cursor": following}
    answer = await run_in_thread_if_large(
        _BYTES_OF_MESSAGE * len(page), lambda: MessageListAnswer.of(found, request.requester)
    )
    return ResourceReply(answer=answer, next_cursor=None if following is None else str(following))


async def _erase(request: ResourceRequest) -> ResourceReply:
    query, known = request.query_as(ErasedMessagesQuery), await known_conversation(request)
    receipt = await request.engine.erasure.messages(
        known.id, query.seq, user=known.subject, everywhere=request.reaches_others(query.everywhere)
    )
    return request.reply(ReceiptAnswer, receipt)


_MAX_QUERY, _MAX_SYSTEM, _MAX_SHOWN = 200_000, 200_000, 10_000


class ContextRequest(Body):
    """What memory would add to a prompt."""

    query: str = Field(max_length=_MAX_QUERY, description="The newest message.")
    conversation: Name | None = None
    messages: list[NewMessage] = Field(default_factory=list, max_length=MAX_MESSAGES, description="The chat before.")
    shown: list[Uuid] = Field(
        default_factory=list,
        max_length=_MAX_SHOWN,
        description="Memories in earlier contexts that the chat has: left out, or told if they no longer hold.",
    )
    use: bool = Field(default=False, description="Count the memories as used; this needs write access.")
    profile: ProfileName | None = None
    app: Name | None = None
    destination: DestinationBody | None = None


class PromptRequest(Body):
    """The message to answer, for a client without a history of its own."""

    query: str = Field(max_length=_MAX_QUERY)
    system: str = Field(default="", max_length=_MAX_SYSTEM)
    one_system: bool = False
    profile: ProfileName | None = None
    app: Name | None = None
    destination: DestinationBody | None = None


async def _context(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(ContextRequest)
    user = request.subject(request.path["subject"], Access.WRITE) if body.use else request.target
    context = await request.engine.context(
        body.query,
        user=user,
        conversation=body.conversation,
        scope=scope_of(request, body.profile, body.app, body.destination),
        messages=[message.plain for message in body.messages],
        shown=body.shown,
        use=body.use,
    )
    return request.reply(ContextAnswer, context)


OPERATIONS = (
    ResourceOperation(
        "listMessages",
        summary="Read the log in order of arrival, all branches",
        handler=_list,
        query=MessageListQuery,
        answer=MessageListAnswer,
    ),
    ResourceOperation(
        "recordMessages",
        summary="Record messages, also old ones with their dates; memories are formed from them in the background",
        description="Send new messages, or the whole history with them. They are durable when this answers.",
        handler=_record,
        body=NewMessages,
        answer=RecordedTurnAnswer,
        status=CREATED,
    ),
    ResourceOperation(
        "eraseMessages",
        summary="Erase messages, with what was formed from them",
        handler=_erase,
        query=ErasedMessagesQuery,
        answer=ReceiptAnswer,
        act="messages.erase",
    ),
    ResourceOperation(
        "recordTurn",
        summary="Record messages without an id of their conversation, which is recognised by its history",
        description="To extract memories from a text, send it as a message of the user.",
        handler=_record,
        body=NewMessages,
        answer=RecordedTurnAnswer,
        status=CREATED,
    ),
    ResourceOperation(
        "getContext",
        summary="Return what memory would add to a prompt",
        handler=_context,
        body=ContextRequest,
        answer=ContextAnswer,
    ),
    ResourceOperation(
        "writePrompt",
        summary="Write the messages of a chat request: what is remembered, the summary, the window, the query",
        calls=lambda engine: engine.prompt,
        body=PromptRequest,
        answer=PromptAnswer,
    ),
)
