"""Recall and listings of the past: what was true at an instant, as it was known at another. Reads the store.

What was closed has left the arrays that recall computes on. They are laid out anew for each such read: the subject's
rows of that state are read, their terms counted and their texts embedded again, some 0.1 ms a memory with the built-in
embedder. Nothing of it is kept, and recall of the present is not touched.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.concurrency import run_in_thread_if_large
from recollect.engine.components import Components
from recollect.engine.query_builder import QueryBuilder, cleaned
from recollect.engine.retrieval import redact_quotation
from recollect.errors import BadRequestError
from recollect.formation.recallable import rebuild_index_data
from recollect.formation.runtime import Runtime
from recollect.recall.as_of import SnapshotItem, build_snapshot
from recollect.recall.query import RecallRequest
from recollect.recall.recall import finalize, rank_subjects
from recollect.types import KIND_ORDER, NO_VECTORS, Recall

# Past this many memories laying out and ranking takes long enough to be felt by other requests on the loop.
_LARGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """Which past is meant."""

    at: datetime
    """What was true then."""
    known_at: datetime
    """What was known then."""


def as_of(at: datetime | None, known_at: datetime | None, now: datetime) -> AsOf | None:
    """Read which past is meant; None where it is the present.

    With `at` alone, what is known of it today; with `known_at` alone, what was held to be true then.

    Raises:
        BadRequestError: an instant has no time zone.
    """
    for name, instant in (("at", at), ("known_at", known_at)):
        if instant is not None and instant.tzinfo is None:
            raise BadRequestError(f"{name} is {instant.isoformat()}, it needs a time zone", param=name)
    if at is None and known_at is None:
        return None
    return AsOf(at=at or known_at or now, known_at=known_at or now)


async def recall_past(parts: Components, tools: Runtime, request: RecallRequest, then: AsOf) -> Recall:
    """Find the memories that bore on a query then, ranked as of then."""
    request, subject = cleaned(request), request.subject
    queries, tools = QueryBuilder(parts), await tools.for_subject(subject)
    embedder = tools.embedder
    embedded = await queries.embed(request, embedder)
    started = parts.clock.monotonic()
    memories = await parts.store.memories.as_of(subject, KIND_ORDER, at=then.at, known_at=then.known_at)
    salt = (await parts.store.snapshots.snapshot(subject, embedder.space, vectors=NO_VECTORS)).salt
    made = await rebuild_index_data(tools, memories, vectors=not embedded.failure)
    items = [
        SnapshotItem(memory=memory, vectors=one.vectors, terms=one.terms)
        for memory, one in zip(memories, made, strict=True)
    ]
    query = await queries.query(request, embedded, [subject], then.at)
    ranking = await run_in_thread_if_large(
        len(items),
        lambda: rank_subjects(query, [build_snapshot(subject, items, salt=salt, dim=embedder.dim)], embedder.relevance),
        above=_LARGE,
    )
    found = finalize(
        ranking, {memory.id: redact_quotation(memory) for memory in memories}, count_tokens=parts.counter.count
    )
    return replace(found, warning=embedded.failure, took_ms=(parts.clock.monotonic() - started) * 1000)
