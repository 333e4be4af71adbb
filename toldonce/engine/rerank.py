"""Reorder the best candidates by a reranker, if one is set. Calls a model while the chat waits.

A late or failing reranker leaves a warning and the order of recall, and is not called again for a while.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from toldonce.engine.components import Components
from toldonce.errors import ModelError
from toldonce.recall.query import Query
from toldonce.recall.rank import RankedRow
from toldonce.recall.recall import Ranking
from toldonce.types import Memory, MemoryId, Recall

logger = logging.getLogger(__name__)

# Pause after a failure: a server that is down must not cost every chat its timeout.
PAUSE_S = 30.0
# Characters of a memory that are reranked: a cross-encoder takes some 500 tokens.
_MAX_RERANKED_CHARACTERS = 2_000


class RerankedOrder(NamedTuple):
    """A ranking in the order of a reranker."""

    ranking: Ranking
    scores: Mapping[MemoryId, float]
    """Scores of the memories that were reranked."""
    warning: str
    """Why the ranking was not reranked although it should have been."""


class RerankStep:
    """Reranks, or returns the order of recall."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._pause_until = 0.0

    def widened(self, query: Query) -> Query:
        """Return the query with a limit of at lowest the number of candidates to rerank."""
        if not self._wanted(query):
            return query
        return replace(query, limit=max(query.limit, self._components.settings.rerank_top))

    async def ordered(self, ranking: Ranking, query: Query, memories: Mapping[MemoryId, Memory]) -> RerankedOrder:
        """Sort the best candidates of a widened ranking by the reranker's scores.

        Args:
            ranking: Ranking of the widened query.
            query: The original query.
            memories: Memories of the ranking's rows, without secrets.
        """
        ranking = replace(ranking, query=query)
        if not self._wanted(query):
            return RerankedOrder(ranking, {}, "")
        rows = list(zip(ranking.rows, ranking.ids, strict=True))
        first = [(row, id_) for row, id_ in rows if row.standing or id_ not in memories]
        near = [(row, id_) for row, id_ in rows if not row.standing and id_ in memories]
        asked, rest = near[: self._components.settings.rerank_top], near[self._components.settings.rerank_top :]
        scores, remark = await self._scores(query, [memories[id_] for _, id_ in asked]) if asked else ({}, "")
        if not scores:
            return RerankedOrder(ranking, {}, remark)
        asked.sort(key=lambda pair: -scores[pair[1]])  # ties keep their order
        settled: list[tuple[RankedRow, MemoryId]] = [*first, *asked, *rest]
        ordered = replace(ranking, rows=tuple(row for row, _ in settled), ids=tuple(id_ for _, id_ in settled))
        return RerankedOrder(ordered, scores, "")

    @property
    def is_set(self) -> bool:
        """Whether there is a reranker."""
        return self._components.reranker is not None

    def _wanted(self, query: Query) -> bool:
        """Return whether a query is reranked; a policy with an order of its own is not."""
        return self._components.reranker is not None and query.policy.order == "evidence" and query.limit > 0

    async def _scores(self, query: Query, memories: list[Memory]) -> tuple[dict[MemoryId, float], str]:
        reranker, clock, settings = self._components.reranker, self._components.clock, self._components.settings
        if reranker is None or clock.monotonic() < self._pause_until:
            self._components.metrics.rerank_failures += 1
            return {}, "not reranked: the reranker failed and is left alone for a while"
        texts = [memory.text[:_MAX_RERANKED_CHARACTERS] for memory in memories]
        try:
            async with asyncio.timeout(settings.rerank_timeout_s):
                found = await reranker.score(query.text, texts)
        except (ModelError, TimeoutError) as error:
            why = str(error) or f"no answer within {settings.rerank_timeout_s:g} s"
            self._pause_until = clock.monotonic() + PAUSE_S
            self._components.metrics.rerank_failures += 1
            logger.warning("reranking failed", extra={"error": why, "pause_s": PAUSE_S})
            return {}, f"not reranked: {why}"
        self._components.metrics.reranked += 1
        return {memory.id: score for memory, score in zip(memories, found, strict=True)}, ""


def explained(found: Recall, order: RerankedOrder) -> Recall:
    """Return a recall with the reranker's scores as reasons, and its warning."""
    if not order.scores:
        return replace(found, warning=order.warning) if order.warning else found
    lowest = min(order.scores.values())
    items = tuple(
        replace(item, score=score, reasons=(f"reranked ({score:.2f})", *item.reasons))
        if (score := order.scores.get(item.memory.id)) is not None
        else (item if item.standing else replace(item, score=min(item.score, lowest)))
        for item in found.items
    )
    return replace(found, items=items)
