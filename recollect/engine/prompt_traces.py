"""Traces of prompts: what memory did for the requests of a conversation, with what may still be shown of it. Reads the
store."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.engine.results import PromptTrace
from recollect.engine.retrieval import redact_quotations
from recollect.store.store import Store
from recollect.types import (
    NO_DETAIL,
    Conversation,
    InjectionRecord,
    Memory,
    MemoryId,
    MemoryState,
    Subject,
)


async def read_traces(store: Store, conversation: Conversation, limit: int) -> list[PromptTrace]:
    """Read the traces of a conversation, newest first.

    A memory has its present state. It is left out if its owner is no longer read, and has no words if it was forgotten.
    """
    await store.memories.flush_uses(conversation.subject)
    records = await store.conversations.injections(conversation.subject, conversation=conversation.id, limit=limit)
    read: list[Memory] = []
    for owner, ids in (await _wanted(store, conversation.subject, records)).items():
        await store.memories.flush_uses(owner)
        read += await _shown(store, owner, await store.memories.get_many(owner, list(ids)))
    shown = await redact_quotations(read)
    return [
        PromptTrace(record=record, memories=tuple(shown[id_] for _, id_, _ in record.items if id_ in shown))
        for record in records
    ]


async def _wanted(
    store: Store, home: Subject, records: Sequence[InjectionRecord]
) -> dict[Subject, dict[MemoryId, None]]:
    """Return the memories of the records by owner, without owners that the home no longer reads."""
    wanted: dict[Subject, dict[MemoryId, None]] = {}
    for record in records:
        for owner, memory, _ in record.items:
            wanted.setdefault(owner, {})[memory] = None
    user = next((subject for subject in (home, *home.owners) if subject.kind == "user"), None)
    read = {home, *home.owners, home.everyone}
    if user is not None and any(owner.kind == "shared" for owner in wanted):
        read.update((await store.apps.subscriptions(user))[1])
    return {owner: ids for owner, ids in wanted.items() if owner in read or home in owner.owners}


async def _shown(store: Store, owner: Subject, memories: Sequence[Memory]) -> list[Memory]:
    """Return memories of one owner as they may be shown: without words if they were forgotten."""
    closed = [memory.id for memory in memories if memory.state is MemoryState.CLOSED]
    if not closed:
        return list(memories)
    from recollect.engine.ended_memories import read_decisions
    from recollect.formation.forgotten_words import is_forgotten

    decisions = await read_decisions(store, owner, closed)
    return [
        replace(memory, text="", key="", value="", evidence=(), detail=NO_DETAIL)
        if memory.id in decisions and is_forgotten(memory, decisions[memory.id])
        else memory
        for memory in memories
    ]
