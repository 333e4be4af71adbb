"""Conversations over HTTP: list, open, read, summarize, end, save, erase. Serves through the engine."""

from typing import Any

from pydantic import Field

from toldonce.errors import BadRequestError
from toldonce.server.api.v1.conversation_answers import (
    ConversationAnswer,
    ConversationListAnswer,
    RequestedFormations,
    SummaryAnswer,
    TraceAnswer,
    traced_prompt,
)
from toldonce.server.api.v1.fields import (
    Body,
    Instant,
    Name,
    Page,
    ProfileName,
    UrlQuery,
    Uuid,
    read_cursor,
    write_cursor,
)
from toldonce.server.api.v1.memory_answers import MemoriesAnswer, ReceiptAnswer
from toldonce.server.api.v1.message_bodies import MAX_MESSAGES, NewMessage, known_conversation, new_name_of, scope_of
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.status import ACCEPTED

_MAX_REASON = 500


class ConversationSettings(Body):
    """What a conversation is opened with; an open one keeps what is not given."""

    profile: ProfileName | None = None
    app: Name | None = None
    options: dict[str, Any] = Field(default_factory=dict, max_length=50)


class ConversationEnding(Body):
    """How a conversation ends."""

    reason: str = Field(default="ended", min_length=1, max_length=_MAX_REASON)
    messages: list[NewMessage] = Field(
        default_factory=list, max_length=MAX_MESSAGES, description="Its last messages, if they are not recorded yet."
    )


class ConversationListQuery(Page):
    """Which conversations to list."""

    before: Instant | None = Field(default=None, description="Only those updated before this instant.")
    before_id: Uuid | None = Field(
        default=None, description="And those updated at this instant that come after the one with this id."
    )


class LimitQuery(UrlQuery):
    """How many items to return."""

    limit: int = Field(default=100, ge=1, le=1000)


class ErasedConversationQuery(UrlQuery):
    """What else an erasure reaches."""

    everywhere: bool = Field(
        default=False,
        description="Erase what other subjects have of its messages, too; not for a request bound to one user or app.",
    )


async def _list(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(ConversationListQuery)
    before, before_id = read_cursor(query.cursor) or (query.before, query.before_id)
    page = await request.engine.conversations.list(
        user=request.target, limit=query.limit, before=before, before_id=before_id
    )
    following = write_cursor(page[-1].updated_at, page[-1].id) if len(page) == query.limit else None
    return request.page(ConversationListAnswer, page, following)


async def _open(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(ConversationSettings)
    opened = await request.engine.conversations.open(
        new_name_of(request), user=request.target, scope=scope_of(request, body.profile, body.app), options=body.options
    )
    return request.reply(ConversationAnswer, opened)


async def _end(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(ConversationEnding)
    last = [message.plain for message in body.messages]
    if any(message.said_at for message in body.messages):
        raise BadRequestError("the last messages are of now: record older ones first", param="messages")
    ended = await request.engine.conversations.end(
        request.path["conversation"],
        reason=body.reason,
        messages=last,
        user=request.target,
        scope=scope_of(request, None, None),
    )
    return request.reply(ConversationAnswer, ended)


async def _summary(request: ResourceRequest) -> ResourceReply:
    scope = scope_of(request, None, None)
    conversation, user = request.path["conversation"], request.target
    summary = await request.engine.conversations.summary(conversation, user=user, scope=scope)
    window = await request.engine.conversations.window(conversation, user=user, scope=scope)
    return request.reply(SummaryAnswer, {"summary": summary, "window": window})


async def _erase(request: ResourceRequest) -> ResourceReply:
    known = await known_conversation(request)
    everywhere = request.reaches_others(request.query_as(ErasedConversationQuery).everywhere)
    receipt = await request.engine.erasure.conversation(known.id, user=known.subject, everywhere=everywhere)
    return request.reply(ReceiptAnswer, receipt)


OPERATIONS = (
    ResourceOperation(
        "listConversations",
        summary="List conversations, last updated first",
        handler=_list,
        query=ConversationListQuery,
        answer=ConversationListAnswer,
    ),
    ResourceOperation(
        "getConversation",
        summary="Read a conversation by your id or the server's",
        calls=lambda engine: engine.conversations.get,
        answer=ConversationAnswer,
    ),
    ResourceOperation(
        "openConversation",
        summary="Open a conversation, or change the options of an open one",
        handler=_open,
        body=ConversationSettings,
        answer=ConversationAnswer,
    ),
    ResourceOperation(
        "eraseConversation",
        summary="Erase all messages, with what was formed from them alone",
        handler=_erase,
        query=ErasedConversationQuery,
        answer=ReceiptAnswer,
        act="conversations.erase",
    ),
    ResourceOperation(
        "endConversation",
        summary="End a conversation; its memories are formed in the background",
        handler=_end,
        body=ConversationEnding,
        has_optional_body=True,
        answer=ConversationAnswer,
        status=ACCEPTED,
    ),
    ResourceOperation(
        "saveConversation",
        summary="Form in the background what a conversation has waiting",
        calls=lambda engine: engine.conversations.save,
        answer=RequestedFormations,
        status=ACCEPTED,
    ),
    ResourceOperation(
        "listConversationMemories",
        summary="List the memories formed from a conversation, newest first",
        calls=lambda engine: engine.conversations.memories,
        query=LimitQuery,
        answer=MemoriesAnswer,
    ),
    ResourceOperation(
        "getConversationSummary",
        summary="Read the summary of a conversation, and its newest messages that it does not cover",
        handler=_summary,
        answer=SummaryAnswer,
    ),
    ResourceOperation(
        "traceConversation",
        summary="Show what memory did for the requests of a conversation, newest first",
        calls=lambda engine: engine.conversations.trace,
        describe=lambda traces, request: [traced_prompt(trace) for trace in traces],
        query=LimitQuery,
        answer=TraceAnswer,
    ),
)
