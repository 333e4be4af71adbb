"""From a recall request to the query that ranking computes on. Embeds, and reads the newest memories of a tag.

An embedder that fails or is late does not fail the recall, which goes on by words and dates. After a failure it is
left alone for a while, so that one that hangs does not cost every chat its time limit. What chats ask is embedded in a
thread while the store reads what earlier prompts had; users' words are kept in bounded memory, up to an erasure.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from zoneinfo import ZoneInfo

import numpy as np

from toldonce.clock import Clock
from toldonce.engine.components import Components
from toldonce.errors import ModelError, ModelFault, VectorSizeError
from toldonce.extraction.redaction import redact
from toldonce.ids import id_bytes
from toldonce.profiles.policies import RecallPolicy
from toldonce.providers.protocols import Embedder, ImmediateEmbedder
from toldonce.recall.query import Query, RecallRequest, make_query, read_query
from toldonce.text import clean
from toldonce.text.byte_runs import without_bytes
from toldonce.text_caches import register_text_cache
from toldonce.types import MemoryKind, MemoryState, Subject, Vector, Vectors

MAX_KEPT = 1_024
"""Texts whose vectors are kept: the newest of each chat. They take some 4 MB."""


class QueryVectors:
    """Vectors by space and text, of embedders in this process. For the tasks of one event loop."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], asyncio.Future[Vectors]] = OrderedDict()

    def begin(self, text: str, embedder: Embedder) -> None:
        """Begin to embed a text in a thread, unless it is empty, or the embedder has to be asked over a network."""
        if not text or not isinstance(embedder, ImmediateEmbedder):
            return
        key = embedder.space, text
        begun = self._kept.get(key)
        if begun is None:
            loop = asyncio.get_running_loop()
            begun = self._kept[key] = loop.run_in_executor(None, embedder.embed_queries_now, [text])
            begun.add_done_callback(partial(self._drop_failed, key))
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)

    async def find(self, texts: Sequence[str], embedder: Embedder) -> dict[str, Vector]:
        """Return the vectors of those of the texts that were begun, and wait until they are there."""
        found: dict[str, Vector] = {}
        for text in texts:
            begun = self._kept.get((embedder.space, text))
            if begun is None:
                continue
            if not begun.done():
                await asyncio.wait([begun])
            if not begun.cancelled() and begun.exception() is None:
                found[text] = begun.result()[0]
        return found

    def forget(self) -> None:
        """Drop all of them."""
        self._kept.clear()

    def _drop_failed(self, key: tuple[str, str], begun: "asyncio.Future[Vectors]") -> None:
        if (begun.cancelled() or begun.exception() is not None) and self._kept.get(key) is begun:
            del self._kept[key]


logger = logging.getLogger(__name__)

# Of the time that a chat waits for recall, the embedder gets this share; the rest is for recall without it.
RECALL_SHARE = 0.5
# A search by hand waits longer than a chat: a person would rather wait for a model that is being loaded.
SEARCH_TIMEOUT_S = 5.0
# Pause after an embedder failed in a chat; the first chat after it tries again.
PAUSE_S = 5.0

# Queries whose words are kept: people and programs repeat what they ask.
MAX_READ_QUERIES = 512
# Texts that are kept without their secrets: a recall cleans its request several times, and finding secrets in what a
# chat said last takes a millisecond.
_MAX_CLEANED = 512

# Every warning about a query that could not be embedded begins with this.
NO_SIMILARITY = "similarity is left out"

# Weight of the conversation in the embedding of a message: less than half, so that a message which changes the subject
# is found by its own words.
_BEFORE_SHARE = 0.3
# Longest query that is embedded and read for dates; a longer one is cut to its head and its end, where people ask.
_MAX_QUERY_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class QueryVector:
    """Embedding of a request in one space."""

    vector: Vector | None
    """None without content, or if the embedder failed."""
    failure: str = ""
    """Why similarity is left out; empty if it is not."""


class QueryBuilder:
    """Makes queries from requests."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self.zone = ZoneInfo(components.settings.time_zone)
        self._embedder = _QueryEmbedder(components.clock)
        self._vectors = QueryVectors()
        self._read = lru_cache(maxsize=MAX_READ_QUERIES)(read_query)

    def may_name_time(self, request: RecallRequest) -> bool:
        """Return whether a cleaned request may ask about a time."""
        return self._read(request.text).may_name_time

    def forget_texts(self) -> None:
        """Drop the texts of queries that are kept."""
        self._read.cache_clear()
        self._vectors.forget()

    def begin(self, request: RecallRequest, embedder: Embedder) -> None:
        """Begin to embed a cleaned request in threads, if the embedder is in this process."""
        for text in _texts(request):
            self._vectors.begin(text, embedder)

    async def embed(self, request: RecallRequest, embedder: Embedder) -> QueryVector:
        """Embed a cleaned request; the conversation before it has the smaller share of the vector."""
        timeout_s = (
            RECALL_SHARE * self._components.settings.recall_timeout_s if request.for_prompt else SEARCH_TIMEOUT_S
        )
        texts = _texts(request)
        found = await self._vectors.find(texts, embedder)
        if missing := [text for text in texts if text not in found]:
            vectors, failure = await self._embedder.embed(
                missing, embedder, timeout_s=timeout_s, retry_now=not request.for_prompt
            )
            if vectors is None:
                return QueryVector(None, failure)
            found |= dict(zip(missing, vectors, strict=True))
        return QueryVector(_mixed([found[text] for text in texts]))

    def embed_now(self, request: RecallRequest, embedder: Embedder) -> QueryVector | None:
        """Do as `embed` in the calling thread; None if the embedder needs an event loop, or has just failed."""
        vectors = self._embedder.embed_now(_texts(request), embedder)
        return None if vectors is None else QueryVector(_mixed(vectors))

    def query_now(self, request: RecallRequest, embedded: QueryVector, now: datetime) -> Query:
        """Do as `query` for a request that reads no newest memories of a tag."""
        return make_query(request, vector=embedded.vector, now=now, zone=self.zone, read=self._read)

    async def query(
        self, request: RecallRequest, embedded: QueryVector, subjects: Sequence[Subject], now: datetime
    ) -> Query:
        """Make the query of a cleaned request and its vector.

        Args:
            request: What is asked.
            embedded: Its vector in the space of the first subject.
            subjects: The reading list.
            now: When it is asked, or the instant that is asked about (aware).
        """
        if embedded.failure:
            request = replace(request, policy=without_similarity(request.policy))
        query = make_query(request, vector=embedded.vector, now=now, zone=self.zone, read=self._read)
        return replace(query, newest=await self._newest(subjects, request)) if request.tag else query

    async def _newest(self, subjects: Sequence[Subject], request: RecallRequest) -> frozenset[bytes]:
        limit = request.policy.recent if request.for_prompt else 0
        if not limit:
            return frozenset()
        listed = [
            memory
            for subject in subjects
            for memory in await self._components.store.memories.list(
                subject,
                kinds=(MemoryKind.NOTE,),
                tag=request.tag,
                limit=2 * limit,  # some may be held
            )
            if memory.state is MemoryState.ACTIVE
        ]
        ids = sorted((id_ for memory in listed if (id_ := id_bytes(memory.id)) is not None), reverse=True)
        return frozenset(ids[:limit])


def cleaned(request: RecallRequest) -> RecallRequest:
    """Return the request as it may leave the process: short enough and without secrets, for embedders may be remote."""
    before = request.before if request.policy.query == "conversation" else ""
    before = _cleaned(without_bytes(clean(before))[-_MAX_QUERY_CHARACTERS:]) if before else ""
    text = _cleaned(_both_ends(without_bytes(clean(request.text))))
    is_clean = text == request.text and before == request.before
    return request if is_clean else replace(request, text=text, before=before)


@register_text_cache
@lru_cache(maxsize=_MAX_CLEANED)
def _cleaned(text: str) -> str:
    return redact(text)


def without_similarity(policy: RecallPolicy) -> RecallPolicy:
    """Return the policy for a query that could not be embedded: what ranks by similarity ranks by all other signals."""
    order = policy.order if policy.order == "updated" else "evidence"
    return policy.model_copy(update={"order": order, "similarity": 0.0})


class _QueryEmbedder:
    """Calls embedders within a time limit, and pauses those that fail."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paused: dict[str, tuple[float, str]] = {}
        self._immediate: tuple[Embedder, ImmediateEmbedder | None] | None = None

    def embed_now(self, texts: Sequence[str], embedder: Embedder) -> Vectors | None:
        """Embed texts in the calling thread; None if the embedder cannot, or fails."""
        immediate = self._immediate_of(embedder)
        if immediate is None or self._paused:
            return None
        try:
            return immediate.embed_queries_now(texts)
        except ModelError:  # reported by the ordinary way
            return None

    async def embed(
        self, texts: Sequence[str], embedder: Embedder, *, timeout_s: float, retry_now: bool
    ) -> tuple[Vectors | None, str]:
        """Embed texts; returns their vectors, or None and the reason.

        Args:
            texts: The question, and the conversation before it.
            embedder: The one of the subject's space.
            timeout_s: Maximum wait for another process.
            retry_now: Call it even if it has just failed.
        """
        until, reason = self._paused.get(embedder.space, (0.0, ""))
        if reason and not retry_now and self._clock.monotonic() < until:
            return None, f"{NO_SIMILARITY}: {reason}"
        try:
            # One that embeds in this process is never down, but the first text loads its model.
            async with asyncio.timeout(None if self._immediate_of(embedder) else timeout_s):
                vectors = await embedder.embed_queries(texts)
        except TimeoutError:
            return None, self._failed(embedder, f"the embedder gave no answer within {timeout_s:g} s")
        except VectorSizeError as error:
            return None, self._failed(embedder, str(error))
        except ModelError as error:
            return None, self._failed(embedder, str(error), pause=error.fault is not ModelFault.REQUEST)
        if self._paused.pop(embedder.space, None):
            logger.info("embedder answers again", extra={"space": embedder.space})
        return vectors, ""

    def _immediate_of(self, embedder: Embedder) -> ImmediateEmbedder | None:
        if self._immediate is None or self._immediate[0] is not embedder:
            self._immediate = embedder, embedder if isinstance(embedder, ImmediateEmbedder) else None
        return self._immediate[1]

    def _failed(self, embedder: Embedder, reason: str, *, pause: bool = True) -> str:
        if pause:
            self._paused[embedder.space] = (self._clock.monotonic() + PAUSE_S, reason)
        logger.warning("embedding a query failed", extra={"space": embedder.space, "error": reason})
        return f"{NO_SIMILARITY}: {reason}"


def _texts(request: RecallRequest) -> list[str]:
    return [request.text, request.before] if request.before else [request.text]


def _mixed(vectors: Sequence[Vector] | Vectors) -> Vector | None:
    """Return the first vector, mixed with a share of the second if there is one; None without content."""
    vector: Vector = vectors[0]
    if len(vectors) > 1:
        share = np.float32(_BEFORE_SHARE if vector.any() else 1)
        vector = (1 - share) * vector + share * vectors[1]
        length = float(np.linalg.norm(vector))
        vector = vector / np.float32(length) if length else vector
    return vector.astype(np.float32, copy=False) if vector.any() else None


def _both_ends(text: str) -> str:
    """Cut a pasted page to its head and its end.

    >>> len(_both_ends("a" * 10_000))
    4001
    """
    half = _MAX_QUERY_CHARACTERS // 2
    return text if len(text) <= _MAX_QUERY_CHARACTERS else f"{text[:half]}\n{text[-half:]}"
