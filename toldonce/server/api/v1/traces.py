"""Traces of requests over HTTP: what memory did, across conversations. Serves through the engine."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import Field

from toldonce.server.api.v1.conversation_answers import traced_memory
from toldonce.server.api.v1.cursors import read_cursor, write_cursor
from toldonce.server.api.v1.fields import Page, TenantQuery
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply
from toldonce.server.api.v1.request import ResourceRequest
from toldonce.server.api.v1.trace_answers import TraceDetailAnswer, TracePage, request_trace
from toldonce.types import RequestTrace, TracePlace

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
