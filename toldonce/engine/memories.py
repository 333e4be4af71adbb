"""Read, search and list memories, now or as of a past instant. Reads the store, embeds.

Recall of the past cannot use the snapshots, which hold active memories only. It reads the memories of that instant,
counts their terms and embeds their texts, 1 to 2 ms a memory with the built-in embedder, and keeps nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from toldonce.concurrency import run_in_thread_if_large
from toldonce.engine.arguments import read_choice, read_kinds
from toldonce.engine.components import Components
from toldonce.engine.query_builder import QueryBuilder, cleaned
from toldonce.engine.results import ListOf
from toldonce.engine.retrieval import record_uses, redact_quotation, redact_quotations
from toldonce.engine.steps import Steps
from toldonce.engine.withheld import find_withheld, omit
from toldonce.errors import BadRequestError, ChangedMemoryError, UnknownConversationError, UnknownMemoryError
from toldonce.formation.runtime import Runtime
from toldonce.profiles.destinations import DestinationRule
from toldonce.recall.as_of import SnapshotItem, build_snapshot
from toldonce.recall.finalize import finalize
from toldonce.recall.query import RecallRequest
from toldonce.recall.recall import rank_subjects
from toldonce.time_zones import require_zone
from toldonce.types import (
    ANY_TRAITS,
    KIND_ORDER,
    NO_VECTORS,
    ConversationId,
    Destination,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryOrder,
    MemoryTraits,
    Recall,
    Subject,
    is_same_but_for_uses,
)

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


MAX_RESULTS = 200
"""Maximum number of memories of one search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """Which memories of a subject to list."""

    kinds: Sequence[MemoryKind] | None
    """None: notes, facts, episodes, and the quotations that are kept."""
    closed: bool = False
    """Closed ones as well."""
    after: str | None = None
    """Id of the last memory of the page before; None lists from the newest on."""
    tag: str = ""
    """Empty: any tag or none."""
    order: MemoryOrder = MemoryOrder.NEWEST
    limit: int = 100
    destination: Destination | None = None
    """What the profile keeps from it is left out; None: nothing is."""
    where: MemoryTraits = ANY_TRAITS
    """What they have in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search; see `AsyncToldOnce.search`."""

    limit: int
    profile: str | None = None
    destination: Destination | None = None
    explain: bool = False
    time_zone: str | None = None


class MemoryService:
    """Reads memories of one subject at a time."""

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._store = components.store
        self._steps = steps

    async def search(
        self,
        query: str,
        subject: Subject,
        wanted: SearchOptions,
        *,
        at: datetime | None,
        known_at: datetime | None,
    ) -> Recall:
        """Recall by the profile's policy, from the present or from a past state.

        Raises:
            BadRequestError: the limit is out of range, an instant has no time zone, or `time_zone` is none.
        """
        request = self._request(query, subject, wanted.limit, wanted.profile)
        zone = require_zone(wanted.time_zone, "time_zone") if wanted.time_zone else None
        request = replace(request, explain=wanted.explain, zone=zone)
        if wanted.destination is not None:
            request = replace(request, rules=self._components.rules_against(wanted.destination, wanted.profile))
        then = as_of(at, known_at, self._components.clock.now())
        if then is not None:
            return await recall_past(self._components, self._steps.runtime, request, then)
        found = await self._steps.retriever.recall(request)
        if self._counts_as_use(subject, wanted.profile):
            await record_uses(self._components, found)
        return found

    def search_now(self, query: str, subject: Subject, *, limit: int, profile: str | None) -> Recall | None:
        """Recall from the present in the calling thread, which may be any; None if that takes an event loop.

        Raises:
            BadRequestError: the limit is out of range.
        """
        if self._counts_as_use(subject, profile):
            return None
        return self._steps.retriever.recall_now(self._request(query, subject, limit, profile))

    def _counts_as_use(self, subject: Subject, profile: str | None) -> bool:
        """Return whether what a search returns counts as used: in sessions, as applications retrieve by searching."""
        return "session" in (subject.kind, self._components.profile(profile).subject.kind)

    def _request(self, query: str, subject: Subject, limit: int, profile: str | None) -> RecallRequest:
        if not isinstance(query, str):
            raise BadRequestError(f"the query is {type(query).__name__}, not a string", param="query")
        require_limit(limit)
        chosen = self._components.profile(profile)
        return RecallRequest(
            text=query,
            subject=subject,
            policy=chosen.recall,
            limit=limit,
            half_life_days=chosen.age.half_life_days,
            cold_start=chosen.subject.cold_start,
        )

    async def list(
        self, subject: Subject, wanted: ListRequest, *, at: datetime | None = None, known_at: datetime | None = None
    ) -> ListOf[Memory]:
        """List memories, by default newest first.

        Raises:
            UnknownMemoryError: `after` is not an id.
            BadRequestError: an instant has no time zone.
        """
        rules = () if wanted.destination is None else self._components.rules_against(wanted.destination)
        wanted = replace(wanted, where=await self._resolved(subject, wanted.where))
        listed = await self._list(subject, wanted, at, known_at)
        kept = await self._allowed(listed, rules)
        while len(kept) < wanted.limit == len(listed):
            wanted = replace(wanted, after=listed[-1].id)
            listed = await self._list(subject, wanted, at, known_at)
            kept += await self._allowed(listed, rules)
        return kept[: wanted.limit]

    async def _resolved(self, subject: Subject, where: MemoryTraits) -> MemoryTraits:
        """Check what memories are to have in common, and name the conversation by ToldOnce's id.

        Raises:
            BadRequestError: an instant has no time zone.
            UnknownConversationError: there is no such conversation of the subject, or of one that it is within.
        """
        for name, instant in (("since", where.since), ("until", where.until)):
            if instant is not None and instant.tzinfo is None:
                raise BadRequestError(f"{name} is {instant.isoformat()}, it needs a time zone", param=name)
        if where.conversation is None:
            return where
        conversations = self._store.conversations
        for home in (subject, *subject.owners):
            known = await conversations.get(home, external_id=where.conversation)
            known = known or await conversations.get(home, id=ConversationId(where.conversation))
            if known is not None:
                return replace(where, conversation=known.id)
        raise UnknownConversationError(where.conversation)

    async def _allowed(self, memories: ListOf[Memory], rules: Sequence[DestinationRule]) -> ListOf[Memory]:
        withheld = await find_withheld(self._store, memories, rules)
        return [memory for memory in memories if memory.id not in withheld]

    async def _list(
        self, subject: Subject, wanted: ListRequest, at: datetime | None, known_at: datetime | None
    ) -> ListOf[Memory]:
        position = parse_memory_id(wanted.after) if wanted.after else None
        order, kinds = read_choice(MemoryOrder, wanted.order, "order"), read_kinds(wanted.kinds)
        then = as_of(at, known_at, self._components.clock.now())
        await self._store.memories.flush_uses(subject)
        if then is None:
            listed = await self._store.memories.list(
                subject,
                kinds=kinds,
                closed=wanted.closed,
                after=position,
                tag=wanted.tag,
                order=order,
                limit=wanted.limit,
                where=wanted.where,
            )
            return await shown_memories(listed)
        past = await self._store.memories.as_of(subject, kinds, at=then.at, known_at=then.known_at)
        matching = [
            memory
            for memory in past
            if (not wanted.tag or wanted.tag in memory.detail.tags) and wanted.where.fits(memory)
        ]
        matching = _after(order.sorted(matching), order, position)
        return await shown_memories(matching[: wanted.limit])

    async def get(self, memory_id: str, subject: Subject) -> Memory:
        """Read one memory of any state.

        Raises:
            UnknownMemoryError: the subject has no memory with this id.
        """
        wanted = [parse_memory_id(memory_id)]
        await self._store.memories.flush_uses(subject)
        memories = await self._store.memories.get_many(subject, wanted)
        if not memories:
            raise UnknownMemoryError(memory_id)
        return (await shown_memories(memories))[0]

    async def get_unchanged(self, memory_id: str, subject: Subject, unchanged: Memory | None) -> Memory:
        """Read one memory, which must be as the caller read it, apart from its uses; None skips that check.

        Raises:
            UnknownMemoryError: the subject has no memory with this id.
            ChangedMemoryError: it has changed.
        """
        memory = await self.get(memory_id, subject)
        if unchanged is not None and not is_same_but_for_uses(memory, unchanged):
            raise ChangedMemoryError(memory_id)
        return memory


def _after(memories: list[Memory], order: MemoryOrder, last: MemoryId | None) -> list[Memory]:
    """Return those that come after the memory `last`; in an order by time it need not be among them."""
    if last is None:
        return memories
    if order is MemoryOrder.NEWEST:
        return [memory for memory in memories if memory.id < last]
    if order is MemoryOrder.OLDEST:
        return [memory for memory in memories if memory.id > last]
    places = [place for place, memory in enumerate(memories, 1) if memory.id == last]
    return memories[places[0] :] if places else []


def require_limit(limit: int) -> None:
    """Check the number of memories a search is to return.

    Raises:
        BadRequestError: it is not between 1 and `MAX_RESULTS`.
    """
    if not 1 <= limit <= MAX_RESULTS:
        raise BadRequestError(f"limit is {limit}, it goes from 1 to {MAX_RESULTS}", param="limit")


def parse_memory_id(text: str) -> MemoryId:
    """Parse a memory's id as a user typed it.

    Raises:
        UnknownMemoryError: the text is not an id, so no memory has it.
    """
    try:
        return MemoryId(str(UUID(text)))
    except ValueError:
        raise UnknownMemoryError(text) from None


async def shown_memories(memories: Sequence[Memory]) -> list[Memory]:
    """Return memories as they are shown, in their order: quotations without secrets and others' words."""
    shown = await redact_quotations(memories)
    return [shown[memory.id] for memory in memories]
