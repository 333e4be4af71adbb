"""Recall of a past instant: what was true, or known, then. Reads the store, embeds.

It cannot use the snapshots, which hold active memories only. It reads the memories of that instant, counts their terms
and embeds their texts, 1 to 2 ms a memory with the built-in embedder, and keeps nothing.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from toldonce.concurrency import run_in_thread_if_large
from toldonce.engine.components import Components
from toldonce.engine.query_builder import QueryBuilder, cleaned
from toldonce.engine.retrieval import redact_quotation
from toldonce.engine.withheld import find_withheld, omit
from toldonce.errors import BadRequestError
from toldonce.formation.runtime import Runtime
from toldonce.recall.as_of import SnapshotItem, build_snapshot
from toldonce.recall.finalize import finalize
from toldonce.recall.query import RecallRequest
from toldonce.recall.recall import rank_subjects
from toldonce.types import KIND_ORDER, NO_VECTORS, Recall

# Number of past memories from which ranking them would delay other requests on the event loop.
_LARGE_PAST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """A past instant, as it was known at another."""

    at: datetime
    """Instant of what was true (aware)."""
    known_at: datetime
    """Instant of what was known (aware)."""


def as_of(at: datetime | None, known_at: datetime | None, now: datetime) -> AsOf | None:
    """Return which past a caller means; None if it is the present.

    `at` alone means what is known today of that instant; `known_at` alone means what was known then to be true.

    Raises:
        BadRequestError: an instant has no time zone.
    """
    for name, instant in (("at", at), ("known_at", known_at)):
        if instant is not None and instant.tzinfo is None:
            raise BadRequestError(f"{name} is {instant.isoformat()}, it needs a time zone", param=name)
    if at is None and known_at is None:
        return None
    return AsOf(at=at or known_at or now, known_at=known_at or now)


async def recall_past(components: Components, runtime: Runtime, request: RecallRequest, then: AsOf) -> Recall:
    """Find the memories relevant to a query at a past instant, ranked as of then."""
    from toldonce.formation.recallable import rebuild_index_data

    request, subject = cleaned(request), request.subject
    queries, runtime = QueryBuilder(components), await runtime.for_subject(subject)
    request = replace(request, zone=request.zone or runtime.zone)
    embedder, store, clock = runtime.embedder, components.store, components.clock
    embedded = await queries.embed(request, embedder)
    started = clock.monotonic()
    memories = await store.memories.as_of(subject, KIND_ORDER, at=then.at, known_at=then.known_at)
    salt = (await store.snapshots.snapshot(subject, embedder.space, vectors=NO_VECTORS)).salt
    indexed = await rebuild_index_data(runtime, memories, vectors=not embedded.failure)
    items = [
        SnapshotItem(memory=memory, vectors=data.vectors, terms=data.terms)
        for memory, data in zip(memories, indexed, strict=True)
    ]
    query = await queries.query(request, embedded, [subject], then.at)
    ranking = await run_in_thread_if_large(
        len(items),
        lambda: rank_subjects(query, [build_snapshot(subject, items, salt=salt, dim=embedder.dim)], embedder.relevance),
        above=_LARGE_PAST,
    )
    shown = {memory.id: redact_quotation(memory) for memory in memories}
    recall = finalize(ranking, shown, count_tokens=components.counter.count)
    recall = omit(recall, await find_withheld(store, [item.memory for item in recall.items], request.rules))
    return replace(recall, warning=embedded.failure, took_ms=(clock.monotonic() - started) * 1000)
