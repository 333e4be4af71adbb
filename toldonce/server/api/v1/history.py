"""Decisions about memories and taking them back, and memories that wait for review, over HTTP. Through the engine."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field, model_validator

from toldonce.engine import UndoPlan
from toldonce.server.api.v1.cursors import Paging, read_cursor, read_id_cursor, write_cursor
from toldonce.server.api.v1.fields import Answer, Body, Instant, Name, Page, PageAnswer, Uuid
from toldonce.server.api.v1.memory_answers import DecisionAnswer, MemoryAnswer
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest

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
)
