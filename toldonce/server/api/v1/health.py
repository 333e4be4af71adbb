"""Memories that may need a look, over HTTP: lists for the counts of a subject's health. Through the engine."""

from datetime import datetime

from pydantic import Field

from toldonce.server.api.v1.cursors import read_cursor, read_id_cursor, write_cursor
from toldonce.server.api.v1.fields import Answer, Page, PageAnswer, Weight
from toldonce.server.api.v1.memory_answers import MemoryAnswer, MemoryPage
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest

_TAG = "memories"
_MAX_PAIRS = 200


class MemoryPairAnswer(Answer):
    """Two memories that say nearly the same, or contradict each other."""

    newer: MemoryAnswer = Field(description="Stored later; or it took the other's place; or it waits for review.")
    older: MemoryAnswer
    similarity: float | None = Field(description="0 to 1; null if they were not compared.")
    at: datetime | None = Field(description="When the newer one took the older one's place; null: it did not.")
    decision: str | None = Field(description="Id of the decision by which it did; undo it to take it back.")
    reason: str


class MemoryPairPage(PageAnswer):
    """Pairs of memories."""

    pairs: list[MemoryPairAnswer]


class NearDuplicatePage(MemoryPairPage):
    """Notes that say nearly the same, as far as they were compared."""

    compared: int = Field(
        description="Comparisons made for this page; with a `next_cursor`, the next page goes on after them."
    )


class PairPage(Page):
    """Parameters of a list of pairs."""

    limit: int = Field(default=50, ge=1, le=_MAX_PAIRS, description="Maximum number of pairs of the page.")


class NearDuplicateQuery(PairPage):
    """Which notes count as saying nearly the same."""

    min_similarity: Weight = Field(default=0.8, strict=False, description="Calibrated similarity, 0 to 1.")


async def _never_recalled(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(Page)
    page = await request.engine.health.never_recalled(
        user=request.target, after=read_id_cursor(query.cursor), limit=query.limit
    )
    return request.page(MemoryPage, page, page[-1].id if len(page) == query.limit else None)


async def _idle(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(Page)
    page = await request.engine.health.idle(user=request.target, after=read_id_cursor(query.cursor), limit=query.limit)
    return request.page(MemoryPage, page, page[-1].id if len(page) == query.limit else None)


async def _replaced(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(PairPage)
    page = await request.engine.health.replaced(
        user=request.target, before=read_cursor(query.cursor), limit=query.limit
    )
    last = page[-1] if page else None
    following = write_cursor(last.at, last.decision) if last and last.at and last.decision else None
    return request.page(MemoryPairPage, page, following if len(page) == query.limit else None)


async def _held_conflicts(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(PairPage)
    page = await request.engine.health.held_conflicts(
        user=request.target, after=read_id_cursor(query.cursor), limit=query.limit
    )
    return request.page(MemoryPairPage, page, page[-1].newer.id if len(page) == query.limit else None)


async def _near_duplicates(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(NearDuplicateQuery)
    found = await request.engine.health.near_duplicates(
        user=request.target,
        min_similarity=query.min_similarity,
        after=read_id_cursor(query.cursor),
        limit=query.limit,
    )
    answer = NearDuplicatePage.of(
        {"pairs": found.pairs, "compared": found.compared, "next_cursor": found.after}, request.requester
    )
    return ResourceReply(answer=answer, next_cursor=found.after)


OPERATIONS = (
    ResourceOperation(
        "listNeverRecalled",
        tag=_TAG,
        summary="List active memories stored at least 30 days ago that no prompt has used",
        handler=_never_recalled,
        query=Page,
        answer=MemoryPage,
    ),
    ResourceOperation(
        "listIdle",
        tag=_TAG,
        summary="List active notes neither stored nor used in the last 90 days",
        handler=_idle,
        query=Page,
        answer=MemoryPage,
    ),
    ResourceOperation(
        "listReplaced",
        tag=_TAG,
        summary="List which memories took the place of contradicting ones in the last 30 days, newest first",
        handler=_replaced,
        query=PairPage,
        answer=MemoryPairPage,
    ),
    ResourceOperation(
        "listHeldConflicts",
        tag=_TAG,
        summary="List facts that wait for review, each with the active fact that it contradicts",
        handler=_held_conflicts,
        query=PairPage,
        answer=MemoryPairPage,
    ),
    ResourceOperation(
        "listNearDuplicates",
        tag=_TAG,
        summary="List notes that say nearly the same, with their similarity",
        description="Each note with up to three older ones. A page makes some 5 million comparisons at most: one of a "
        "large memory may have no pairs although `next_cursor` says that there is more to compare.",
        handler=_near_duplicates,
        query=NearDuplicateQuery,
        answer=NearDuplicatePage,
    ),
)
