"""Traces of requests over HTTP: what memory did, across conversations. Serves through the engine."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from toldonce.server.api.v1.conversation_answers import TracedMemoryAnswer, traced_memory
from toldonce.server.api.v1.fields import (
    EMPTY_IS_NULL,
    Answer,
    HashText,
    Page,
    PageAnswer,
    SubjectText,
    TenantQuery,
    read_cursor,
    write_cursor,
)
from toldonce.server.api.v1.memory_answers import OmittedMemoryAnswer
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.types import BlockState, RequestTrace, TracePlace


class InjectedMemoryAnswer(Answer):
    """A memory that was added to a prompt."""

    id: str
    subject: SubjectText = Field(description="Whose memory it is.")
    score: float
    used: bool | None = Field(description="Whether the answer shows it; null while that is unknown.")


class RequestTraceAnswer(Answer):
    """What memory did for one request."""

    id: str
    at: datetime = Field(description="When the prompt was prepared.")
    recorded_at: datetime = Field(description="When the turn was stored, after its answer; lists are in this order.")
    subject: SubjectText
    conversation: str = Field(description="The server's id.")
    external_id: str | None = Field(description="The client's id of the conversation.")
    seq: int | None = Field(description="The turn's last message, mostly the answer.")
    profile: Annotated[str | None, EMPTY_IS_NULL]
    reads: list[SubjectText] = Field(description="The reading list: whose memories were considered.")
    upstream: str | None = Field(description="Host of the model's API, or `built-in`.")
    model: str | None
    client: str | None = Field(description="How memory was asked for: `chat`, or what the client called it.")
    considered: int | None = Field(description="Active memories that were scored; null if that is unknown.")
    injected: list[InjectedMemoryAnswer] = Field(description="Best first.")
    omitted: list[OmittedMemoryAnswer] = Field(description="Up to 50 that were left out, with the reasons.")
    declared: list[str] = Field(description="Those of `omitted` that the prompt says no longer hold.")
    replayed: int = Field(description="Memories that the prompt repeated from earlier ones of the conversation.")
    tokens: int = Field(description="Tokens that were newly added.")
    took_ms: float | None = Field(description="Milliseconds that recall took, embedding and writing included.")
    prefix: Annotated[str | None, EMPTY_IS_NULL] = Field(
        description="What became of the previous prompt: `kept`, or what broke it."
    )
    failure: Annotated[str | None, EMPTY_IS_NULL] = Field(
        description="Why nothing was recalled although it was wanted."
    )
    query_hash: HashText
    block_hash: str


class TracePage(PageAnswer):
    """Requests, newest first."""

    traces: list[RequestTraceAnswer]
    newest: str = Field(
        description="Send it as `after` to get what is recorded from now on. Requests of the last seconds may come "
        "again, for several processes record at once: tell them apart by `id`."
    )


class PromptBlockAnswer(Answer):
    """What memory added to a prompt at one message, as the model saw it."""

    at: datetime = Field(description="When the prompt was prepared that had it first.")
    seq: int | None = Field(description="The user's message; null: the beginning of the conversation.")
    standing: str = Field(description="Appended to the system message.")
    recalled: str = Field(description="Appended to the user's message.")
    state: BlockState = Field(
        description="`kept`; `erased`: its words were erased or forgotten; `hidden`: it has words of a subject that "
        "the user no longer reads."
    )


class TraceDetailAnswer(Answer):
    """One request in full."""

    trace: RequestTraceAnswer
    memories: list[TracedMemoryAnswer] = Field(
        description="The injected memories as they are now, without those of subjects that are no longer read."
    )
    added: PromptBlockAnswer | None = Field(
        description="What was added at this request's message; null if the text was not kept: only the placement "
        "`split` keeps it."
    )
    previous: PromptBlockAnswer | None = Field(description="The same of the turn before in this conversation.")
    replayed: list[PromptBlockAnswer] = Field(description="What the prompt repeated of all earlier ones, in order.")


def request_trace(trace: RequestTrace) -> Mapping[str, object]:
    """Return the values of a `RequestTraceAnswer`."""
    record, asked = trace.record, trace.record.request
    plain = ("id", "at", "seq", "omitted", "declared", "replayed", "tokens", "prefix", "failure", "query_hash")
    return {
        **{name: getattr(record, name) for name in (*plain, "block_hash")},
        **{name: getattr(trace, name) for name in ("recorded_at", "conversation", "external_id")},
        **{name: getattr(asked.destination, name) for name in ("upstream", "model", "client")},
        **{name: getattr(asked, name) for name in ("profile", "reads", "considered", "took_ms")},
        "subject": trace.home,
        "injected": [
            {"id": id_, "subject": owner, "score": score, "used": None if record.hits is None else id_ in record.hits}
            for owner, id_, score in record.items
        ],
    }


# What is recorded by another process or machine may become visible so much later than what has a later time.
_OVERLAP = timedelta(seconds=5)
_NO_ID = "00000000-0000-0000-0000-000000000000"


class TraceListQuery(Page):
    """Which requests to list."""

    after: str | None = Field(
        default=None,
        min_length=1,
        max_length=600,
        description="Only requests recorded after this place: `newest` of an earlier answer.",
    )


class AllTracesQuery(TenantQuery, TraceListQuery):
    """Which requests to list, and of which tenant."""


async def _of_subject(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(TraceListQuery)
    page = await request.engine.traces.list(
        user=request.target, before=read_cursor(query.cursor), after=read_cursor(query.after), limit=query.limit
    )
    return _reply(request, query, page)


async def _of_all(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(AllTracesQuery)
    tenant = request.requester.require_tenant(query.tenant)
    page = await request.engine.traces.list_all(
        tenant=tenant, before=read_cursor(query.cursor), after=read_cursor(query.after), limit=query.limit
    )
    return _reply(request, query, page)


async def _get(request: ResourceRequest) -> ResourceReply:
    found = await request.engine.traces.get(request.path["conversation"], request.path["trace"], user=request.target)
    shown = [traced_memory(memory, found.trace.record) for memory in found.memories]
    blocks = {"added": found.added, "previous": found.previous, "replayed": found.replayed}
    return request.reply(TraceDetailAnswer, {"trace": request_trace(found.trace), "memories": shown, **blocks})


def _reply(request: ResourceRequest, query: TraceListQuery, page: Sequence[RequestTrace]) -> ResourceReply:
    following = write_cursor(*page[-1].place) if len(page) == query.limit else None
    newest = write_cursor(*_newest(page, read_cursor(query.after), request.engine.clock.now()))
    found = {"traces": [request_trace(trace) for trace in page], "next_cursor": following, "newest": newest}
    return ResourceReply(answer=TracePage.of(found, request.requester), next_cursor=following)


def _newest(page: Sequence[RequestTrace], after: TracePlace | None, now: datetime) -> TracePlace:
    """Return the place from which a client that asks again misses nothing."""
    known = page[0].place if page else after
    settled = (now - _OVERLAP, _NO_ID)
    return settled if known is None else min(known, settled)


_WHAT = (
    "Each recorded request for which there was a memory to consider, or whose recall failed. A page is read by an "
    "index, so that asking every second with `after` costs little."
)
OPERATIONS = (
    ResourceOperation(
        "listTraces",
        summary="Show what memory did for the requests of all subjects, newest first",
        description=_WHAT,
        handler=_of_all,
        query=AllTracesQuery,
        answer=TracePage,
    ),
    ResourceOperation(
        "listSubjectTraces",
        summary="Show what memory did for the requests of one subject, newest first",
        description=_WHAT,
        handler=_of_subject,
        query=TraceListQuery,
        answer=TracePage,
    ),
    ResourceOperation(
        "getTrace",
        summary="Show one request in full, with the text that memory added to its prompt and to the one before",
        handler=_get,
        answer=TraceDetailAnswer,
    ),
)
