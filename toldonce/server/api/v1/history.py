"""Memories that may need a look, over HTTP: decisions and undoing them, reviews, and the lists of a subject's health.

Serves through the engine.
"""

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field, model_validator

from toldonce.engine import UndoPlan
from toldonce.server.api.v1.fields import (
    BY_ID,
    Answer,
    Body,
    Instant,
    Name,
    Page,
    PageAnswer,
    Paging,
    Uuid,
    Weight,
    read_cursor,
    read_id_cursor,
    write_cursor,
)
from toldonce.server.api.v1.memory_answers import DecisionAnswer, MemoryAnswer, MemoryPage
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.types import MemoryPair

# Comes after every id.
_LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"
_BY_MEMORY = Paging(read=read_id_cursor, write=lambda held: str(held.memory.id))


class DecisionPage(PageAnswer):
    """Decisions, oldest first."""

    decisions: list[DecisionAnswer]


class DecisionListQuery(Page):
    """Which decisions to list."""

    after: Instant | None = Field(default=None, description="Only those taken after this instant.")
    after_id: Uuid | None = Field(
        default=None, description="And those of this instant that come after the one with this id."
    )


class UndoRequest(Body):
    """How to undo a decision."""

    dry_run: bool = Field(default=False, description="Answer what would be done, and change nothing.")


class SourceUndoRequest(UndoRequest):
    """What to undo: a conversation, one message of it, or everything since an instant."""

    conversation: Name | None = Field(default=None, description="Your id of the conversation, or the server's.")
    seq: int | None = Field(default=None, ge=1, description="One message of the conversation.")
    since: Instant | None = Field(default=None, description="Instant of storing, not of saying.")

    @model_validator(mode="after")
    def _names_one_source(self) -> "SourceUndoRequest":
        if (self.conversation is None) == (self.since is None) or (self.seq is not None and self.since is not None):
            raise ValueError("name either a conversation, with or without a message, or an instant")
        return self


class MessagePlace(Answer):
    """A message by its conversation and its position there."""

    conversation: str
    seq: int


class WeakenedMemoryAnswer(Answer):
    """A memory that rests on less."""

    id: str
    lost_messages: int
    messages: list[MessagePlace] = Field(description="Those that it no longer rests on.")
    importance: float = Field(description="Without them.")
    valid_from: datetime = Field(description="Without them.")


class UndoAnswer(Answer):
    """What was undone, or would be."""

    dry_run: bool
    closed: list[MemoryAnswer]
    reopened: list[MemoryAnswer]
    closings: list[DecisionAnswer] = Field(description="The decisions that had closed the reopened ones, in order.")
    weakened: list[WeakenedMemoryAnswer]
    not_back: list[DecisionAnswer] = Field(description="Statements of others that were not kept, and do not come back.")
    undone: list[str] = Field(description="Ids of the memories taken back whole, closed ones among them.")


class HeldMemoryAnswer(Answer):
    """A memory that waits for review."""

    reason: str
    memory: MemoryAnswer


class HeldMemoryPage(PageAnswer):
    """Memories that wait for review, oldest first."""

    reviews: list[HeldMemoryAnswer]


async def _decisions(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(DecisionListQuery)
    named = None if query.after is None else (query.after, query.after_id or _LAST_ID)
    page = await request.engine.history.decisions(
        user=request.target, limit=query.limit, after=read_cursor(query.cursor) or named
    )
    following = write_cursor(page[-1].at, page[-1].id) if len(page) == query.limit else None
    return request.page(DecisionPage, page, following)


async def _undo_source(request: ResourceRequest) -> ResourceReply:
    body, user = request.body_as(SourceUndoRequest), request.target
    known = None if body.conversation is None else await request.engine.conversations.get(body.conversation, user=user)
    plan = await request.engine.history.undo_source(
        user=user, conversation=known.id if known else None, seq=body.seq, since=body.since, dry_run=body.dry_run
    )
    return request.reply(UndoAnswer, _undone(plan, dry_run=body.dry_run))


def _undone(plan: UndoPlan, *, dry_run: bool) -> Mapping[str, object]:
    return {
        "dry_run": dry_run,
        "closed": plan.leaving,
        "reopened": [back.memory for back in plan.returning],
        "closings": [back.closed_by for back in plan.returning],
        "weakened": [
            {
                "id": weaker.id,
                "lost_messages": len(weaker.without),
                "messages": sorted(weaker.without),
                "importance": weaker.importance,
                "valid_from": weaker.valid_from,
            }
            for weaker in plan.weakened
        ],
        "not_back": plan.unheard,
        "undone": sorted(plan.undone),
    }


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


def _after_replaced(pair: MemoryPair) -> str | None:
    return write_cursor(pair.at, pair.decision) if pair.at and pair.decision else None


_BY_CHANGE = Paging(read=read_cursor, write=_after_replaced, into="before")
_BY_HELD_FACT = Paging(read=read_id_cursor, write=lambda pair: str(pair.newer.id))
_BY_COMPARISONS = Paging(read=read_id_cursor, write=lambda found: found.after)


OPERATIONS = (
    ResourceOperation(
        "listDecisions",
        summary="Read the decision log, oldest first",
        handler=_decisions,
        query=DecisionListQuery,
        answer=DecisionPage,
    ),
    ResourceOperation(
        "undoDecision",
        summary="Reverse a decision: close the memory it added, restore the memory it closed",
        calls=lambda engine: engine.history.undo,
        describe=lambda plan, request: _undone(plan, dry_run=request.body_as(UndoRequest).dry_run),
        body=UndoRequest,
        has_optional_body=True,
        answer=UndoAnswer,
        act="decisions.undo",
    ),
    ResourceOperation(
        "undoSource",
        summary="Undo everything that came from a conversation or message, or everything since an instant",
        description="The message log stays as it is.",
        handler=_undo_source,
        body=SourceUndoRequest,
        answer=UndoAnswer,
        is_lookup=True,
        act="decisions.undo",
    ),
    ResourceOperation(
        "listReviews",
        summary="List the memories that wait for review, oldest first, each with the reason",
        calls=lambda engine: engine.reviews.list,
        paging=_BY_MEMORY,
        query=Page,
        answer=HeldMemoryPage,
    ),
    ResourceOperation(
        "approveMemory",
        summary="Activate a held memory; it closes the memory it replaces",
        calls=lambda engine: engine.reviews.approve,
        answer=MemoryAnswer,
        act="reviews.approve",
    ),
    ResourceOperation(
        "rejectMemory",
        summary="Close a held memory; its history stays",
        calls=lambda engine: engine.reviews.reject,
        answer=MemoryAnswer,
        act="reviews.reject",
    ),
    ResourceOperation(
        "listNeverRecalled",
        summary="List active memories stored at least 30 days ago that no prompt has used",
        calls=lambda engine: engine.health.never_recalled,
        paging=BY_ID,
        query=Page,
        answer=MemoryPage,
    ),
    ResourceOperation(
        "listIdle",
        summary="List active notes neither stored nor used in the last 90 days",
        calls=lambda engine: engine.health.idle,
        paging=BY_ID,
        query=Page,
        answer=MemoryPage,
    ),
    ResourceOperation(
        "listReplaced",
        summary="List which memories took the place of contradicting ones in the last 30 days, newest first",
        calls=lambda engine: engine.health.replaced,
        paging=_BY_CHANGE,
        query=PairPage,
        answer=MemoryPairPage,
    ),
    ResourceOperation(
        "listHeldConflicts",
        summary="List facts that wait for review, each with the active fact that it contradicts",
        calls=lambda engine: engine.health.held_conflicts,
        paging=_BY_HELD_FACT,
        query=PairPage,
        answer=MemoryPairPage,
    ),
    ResourceOperation(
        "listNearDuplicates",
        summary="List notes that say nearly the same, with their similarity",
        description="Each note with up to three older ones. A page makes some 5 million comparisons at most: one of a "
        "large memory may have no pairs although `next_cursor` says that there is more to compare.",
        calls=lambda engine: engine.health.near_duplicates,
        paging=_BY_COMPARISONS,
        query=NearDuplicateQuery,
        answer=NearDuplicatePage,
    ),
)
