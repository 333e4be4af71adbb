"""Traces of prompts: what memory did for the requests of a conversation, with what may still be shown of it. Reads the
store."""

from collections.abc import Collection, Sequence, Set
from dataclasses import replace

from toldonce.engine.components import Components
from toldonce.engine.results import ListOf, PromptTrace, TraceDetail
from toldonce.engine.retrieval import redact_quotations
from toldonce.errors import UnknownConversationError, UnknownTraceError
from toldonce.store.store import Store
from toldonce.types import (
    NO_DETAIL,
    Action,
    BlockState,
    Conversation,
    ConversationId,
    Decision,
    InjectionRecord,
    LedgerBlock,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    PromptBlock,
    RequestTrace,
    Subject,
    TracePlace,
)


async def read_traces(store: Store, conversation: Conversation, limit: int) -> list[PromptTrace]:
    """Read the traces of a conversation, newest first.

    A memory has its present state. It is left out if its owner is no longer read, and has no words if it was forgotten.
    """
    await store.memories.flush_uses(conversation.subject)
    traces = await store.traces.within(conversation.subject, conversation.id, limit=limit)
    records = [trace.record for trace in traces]
    shown = await shown_memories(store, conversation.subject, records)
    return [
        PromptTrace(record=record, memories=tuple(shown[id_] for _, id_, _ in record.items if id_ in shown))
        for record in records
    ]


async def read_detail(store: Store, trace: RequestTrace) -> TraceDetail:
    """Read one request in full: its memories as they are now, and the texts that its prompt had."""
    record, home = trace.record, trace.home
    shown = await shown_memories(store, home, [record])
    found = (
        []
        if record.seq is None
        else await store.traces.blocks(home, trace.conversation, seq=record.seq, until=record.at)
    )
    added, previous, replayed = _blocks_of(record, found)
    owners = {owner for each in found for owner, _ in each.items}
    read = await readable(store, home, owners)

    def joined(blocks: Sequence[LedgerBlock]) -> PromptBlock | None:
        return _joined([_shown_block(each, read) for each in blocks])

    return TraceDetail(
        trace=trace,
        memories=tuple(shown[id_] for _, id_, _ in record.items if id_ in shown),
        added=joined(added),
        previous=joined(previous),
        replayed=tuple(
            block
            for each in (sorted(replayed, key=lambda each: each.depth) if record.replayed else ())
            if (block := _shown_block(each, read)).state is not BlockState.KEPT or block.standing or block.recalled
        ),
    )


def _blocks_of(
    record: InjectionRecord, found: Sequence[LedgerBlock]
) -> tuple[list[LedgerBlock], list[LedgerBlock], list[LedgerBlock]]:
    """Return what a prompt added, what the turn before had added, and all that was repeated.

    An answer that is asked for again adds nothing of its own: its prompt has what the question got the first time.
    """
    if not found:
        return [], [], []
    newest = found[0]
    added = [each for each in found if (each.thread, each.block.at) == (newest.thread, newest.block.at)]
    earlier = [each for each in found if each.thread == newest.thread and each.block.at < newest.block.at]
    previous = [each for each in earlier if each.block.at == earlier[0].block.at]
    return added, previous, earlier


def _shown_block(found: LedgerBlock, read: Set[Subject]) -> PromptBlock:
    """Return a block as it may be shown."""
    if all(owner in read for owner, _ in found.items):
        return found.block
    return replace(found.block, standing="", recalled="", state=BlockState.HIDDEN)


def _joined(blocks: Sequence[PromptBlock]) -> PromptBlock | None:
    """Return the rows of one prompt as one block: the profile block may be kept apart from the turn's text."""
    if not blocks:
        return None
    states = {block.state for block in blocks}
    worst = next(state for state in (BlockState.HIDDEN, BlockState.ERASED, BlockState.KEPT) if state in states)
    return PromptBlock(
        at=blocks[0].at,
        seq=blocks[0].seq,
        standing="".join(block.standing for block in blocks),
        recalled="".join(block.recalled for block in blocks),
        state=worst,
    )


async def shown_memories(store: Store, home: Subject, records: Sequence[InjectionRecord]) -> dict[MemoryId, Memory]:
    """Read the injected memories of some requests of a home as they may be shown."""
    wanted: dict[Subject, dict[MemoryId, None]] = {}
    for record in records:
        for owner, memory, _ in record.items:
            wanted.setdefault(owner, {})[memory] = None
    allowed = await readable(store, home, wanted)
    read: list[Memory] = []
    for owner, ids in wanted.items():
        if owner in allowed:
            await store.memories.flush_uses(owner)
            read += await _shown(store, owner, await store.memories.get_many(owner, list(ids)))
    return await redact_quotations(read)


async def readable(store: Store, home: Subject, owners: Collection[Subject]) -> frozenset[Subject]:
    """Return those of some owners of memories that a home reads now."""
    user = next((subject for subject in (home, *home.owners) if subject.kind == "user"), None)
    read = {home, *home.owners, home.everyone}
    if user is not None and any(owner.kind == "shared" for owner in owners):
        read.update((await store.apps.subscriptions(user))[1])
    return frozenset(owner for owner in owners if owner in read or home in owner.owners)


async def _shown(store: Store, owner: Subject, memories: Sequence[Memory]) -> list[Memory]:
    """Return memories of one owner as they may be shown: without words if they were forgotten."""
    closed = [memory.id for memory in memories if memory.state is MemoryState.CLOSED]
    if not closed:
        return list(memories)
    from toldonce.engine.shown_memories import read_decisions

    decisions = await read_decisions(store, owner, closed)
    return [
        replace(memory, text="", key="", value="", evidence=(), detail=NO_DETAIL)
        if memory.id in decisions and _is_hidden(memory, decisions[memory.id])
        else memory
        for memory in memories
    ]


def _is_hidden(memory: Memory, decisions: Sequence[Decision]) -> bool:
    """Return whether a closed memory was forgotten; a quotation or summary is closed for no other reason."""
    from toldonce.formation.forgotten_words import is_forgotten

    if memory.kind in (MemoryKind.FACT, MemoryKind.NOTE):
        return is_forgotten(memory, decisions)
    return any(line.memory_id == memory.id and line.action is Action.CLOSE for line in decisions)


class TraceService:
    """Traces of recorded requests, in the order in which their turns were stored."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._store = components.store

    async def list(
        self,
        *,
        user: str | Subject | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of one user, newest first.

        A page costs the same however many requests there are. Memories are ids: `get` reads them.

        Args:
            user: User or subject whose conversations they are in.
            before: `place` of the last one of the page before; None begins with the newest.
            after: Only requests recorded after this place, for a client that asks again; None goes back to the first.
            limit: Maximum number of requests to return.

        Returns:
            One trace for each recorded request for which there was a memory to consider, or whose recall failed. What
            is of a shared subject that the user no longer reads is left out of `record.items`.
        """
        subject = self._components.subject(user)
        found = await self._store.traces.list(subject, before=before, after=after, limit=limit)
        owners = {owner for trace in found for owner, _, _ in trace.record.items}
        read = await readable(self._store, subject, owners)
        return [trace if owners <= read else _without_others(trace, read) for trace in found]

    async def list_all(
        self,
        *,
        tenant: str | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of all users, newest first, for operators.

        Args:
            tenant: Only requests of this tenant's subjects, or of those without one if it is empty; None lists all.
            before: As in `list`.
            after: As in `list`.
            limit: Maximum number of requests to return.
        """
        return await self._store.traces.list_all(tenant=tenant, before=before, after=after, limit=limit)

    async def get(self, conversation: str, trace: str, *, user: str | Subject | None = None) -> TraceDetail:
        """Show one request in full: its memories, and what its prompt had from memory, as the model saw it.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            trace: Id of the request's record: `RequestTrace.record.id`.
            user: User who has the conversation.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            UnknownTraceError: the conversation has no request with this id, or memory had nothing to do with it.
        """
        subject = self._components.subject(user)
        conversations = self._store.conversations
        known = await conversations.get(subject, external_id=conversation)
        known = known or await conversations.get(subject, id=ConversationId(conversation))
        if known is None:
            raise UnknownConversationError(conversation)
        found = await self._store.traces.within(known.subject, known.id, id=trace, limit=1)
        if not found:
            raise UnknownTraceError(f"no request {trace[:80]!r} in this conversation; its trace lists the ids")
        return await read_detail(self._store, found[0])


def _without_others(trace: RequestTrace, read: Set[Subject]) -> RequestTrace:
    """Return a trace without the memories of subjects that are not read any more."""
    items = tuple(item for item in trace.record.items if item[0] in read)
    return replace(trace, record=replace(trace.record, items=items))
