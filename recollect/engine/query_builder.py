"""From what is asked, and the conversation before it, to a query. Embeds, and reads what is newest under a tag."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from recollect.engine.components import Components
from recollect.engine.query_vectors import RECALL_SHARE, SEARCH_TIMEOUT_S, QueryEmbedder
from recollect.extraction.redaction import scrub
from recollect.ids import id_bytes
from recollect.profiles.policies import RecallPolicy
from recollect.providers.protocols import Embedder
from recollect.recall.query import Query, background_terms, make_query
from recollect.text import clean
from recollect.types import MemoryKind, MemoryState, Subject, Vector, Vectors

# What the conversation before it counts in the meaning of a message: less than half, so that a message which changes
# the subject is found by its own words.
_BEFORE_SHARE = 0.3
# Longest query that is embedded and read for dates, in characters: what is asked stands at the head or the end.
_MAX_QUERY_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What kind of recall is wanted."""

    policy: RecallPolicy
    limit: int
    """Most memories to return."""
    tokens: int | None = None
    """Room for them in a prompt; None is without bound."""
    present: frozenset[int] = frozenset()
    """`Message.hash` of what the request already contains."""
    standing: bool = False
    """For a prompt: standing facts come first, and what the policy keeps out of prompts stays out."""
    before: str = ""
    """The conversation before what is asked, the newest last."""
    tag: str = ""
    """The newest memories that take part are those under this tag; empty: of all."""
    half_life_days: float = 0.0
    """After so long without use a memory weighs half; 0: it keeps its weight."""
    cold_start: int = 0
    """With fewer memories of one's own, quotations not counted, global ones are read as well; 0: never."""


class Embedded(NamedTuple):
    """What is asked, with its vector in one space."""

    text: str
    before: str
    """What was said before."""
    vector: Vector | None
    failure: str = ""
    """Why there is no vector where there should be one."""


class QueryBuilder:
    """Makes queries."""

    def __init__(self, parts: Components) -> None:
        """Take the store."""
        self._parts = parts
        self._zone = ZoneInfo(parts.settings.time_zone)
        self._embedder = QueryEmbedder(parts.clock)

    async def embedded(self, text: str, wish: Wish, embedder: Embedder) -> Embedded:
        """Return what is asked and what was said before as they may be read, and their vector.

        An embedder that fails or is late leaves no vector and the reason.
        """
        text = scrub(_both_ends(clean(text)))  # an embedder may be somebody else's server
        before = wish.before if wish.policy.query == "conversation" else ""
        before = scrub(clean(before)[-_MAX_QUERY_CHARACTERS:])
        texts = [text, before] if before else [text]
        timeout_s = RECALL_SHARE * self._parts.settings.recall_timeout_s if wish.standing else SEARCH_TIMEOUT_S
        found = await self._embedder.embed(texts, embedder, timeout_s=timeout_s, patient=not wish.standing)
        if found.vectors is None:
            return Embedded(text, before, None, found.failure)
        return Embedded(text, before, _mixed(found.vectors))

    async def query(self, asked: Embedded, subjects: Sequence[Subject], wish: Wish, now: datetime) -> Query:
        """Make the query of what was embedded."""
        text, before, vector, failure = asked
        query = make_query(
            text,
            vector=vector,
            now=now,
            zone=self._zone,
            limit=wish.limit,
            policy=without_similarity(wish.policy) if failure else wish.policy,
            present=wish.present,
            token_budget=wish.tokens,
            standing=wish.standing,
        )
        if not (before or wish.tag or wish.half_life_days):
            return query
        return replace(
            query,
            background=background_terms(before, query),
            newest=await self._newest(subjects, wish) if wish.tag else None,
            half_life_days=wish.half_life_days,
        )

    async def _newest(self, subjects: Sequence[Subject], wish: Wish) -> frozenset[bytes]:
        most = wish.policy.recent if wish.standing else 0
        if not most:
            return frozenset()
        listed = [
            memory
            for subject in subjects
            for memory in await self._parts.store.list_memories(
                subject,
                kinds=(MemoryKind.NOTE,),
                tag=wish.tag,
                limit=2 * most,  # some may be held
            )
            if memory.state is MemoryState.ACTIVE
        ]
        ids = sorted((id_ for memory in listed if (id_ := id_bytes(memory.id)) is not None), reverse=True)
        return frozenset(ids[:most])


def without_similarity(policy: RecallPolicy) -> RecallPolicy:
    """Return the policy for a query that the embedder did not answer: what ranks by similarity ranks by all else."""
    order = policy.order if policy.order == "updated" else "evidence"
    return policy.model_copy(update={"order": order, "similarity": 0.0})


def _mixed(vectors: Vectors) -> Vector | None:
    """Return the one vector, or the two with the first one's greater share; None without content."""
    vector: Vector = vectors[0]
    if len(vectors) > 1:
        share = np.float32(_BEFORE_SHARE if vector.any() else 1)
        vector = (1 - share) * vector + share * vectors[1]
        length = float(np.linalg.norm(vector))
        vector = vector / np.float32(length) if length else vector
    return vector.astype(np.float32, copy=False) if vector.any() else None


def _both_ends(text: str) -> str:
    """Cut a pasted page to its head and its end, where people ask.

    >>> len(_both_ends("a" * 10_000))
    4001
    """
    half = _MAX_QUERY_CHARACTERS // 2
    return text if len(text) <= _MAX_QUERY_CHARACTERS else f"{text[:half]}\n{text[-half:]}"
