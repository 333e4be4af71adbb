"""Memories that may need a look, over HTTP: lists for the counts of a subject's health. Through the engine."""

from datetime import datetime

from pydantic import Field

from toldonce.server.api.v1.cursors import BY_ID, Paging, read_cursor, read_id_cursor, write_cursor
from toldonce.server.api.v1.fields import Answer, Page, PageAnswer, Weight
from toldonce.server.api.v1.memory_answers import MemoryAnswer, MemoryPage
from toldonce.server.api.v1.operation import ResourceOperation
from toldonce.types import MemoryPair

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
