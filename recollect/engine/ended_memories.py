"""Closed memories in earlier prompts that the next prompt declares no longer true. Reads the store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recollect.concurrency import run_in_thread_if_large
from recollect.engine.retrieval import redact_quotation
from recollect.extraction.redaction import build_redaction
from recollect.formation.forgotten_words import is_forgotten
from recollect.prompt.repeats import DENIED, content_words
from recollect.store.store import Store
from recollect.types import (
    MAX_MEMORY_CHARACTERS,
    Action,
    Decision,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Subject,
    Withheld,
)

# Memories that are declared with one prompt, and closed ones that are looked up for it; more follow with the next.
MAX_ENDED, MAX_LOOKED_UP = 20, 200
# A memory that made room for others (`EVICT`, `FOLD`) or went into another (`MERGE`) may hold all the same.
_ENDING = frozenset({Action.CLOSE, Action.UNDO, Action.ABANDON, Action.REJECT})
# Quotations with more characters are searched for secrets in a thread.
_LARGE_TEXT = 2_000
# Characters of what ended in a quotation that are kept: more than any prompt shows of it, so that no secret is cut.
_MAX_STRETCHES = 1_000


async def find_ended(store: Store, subject: Subject, closed: Sequence[MemoryId]) -> list[Memory]:
    """Return what no longer holds of closed memories, with the words that say it; at most `MAX_ENDED`.

    Left out is what may hold all the same: what made room for others, was not used for long, is part of what replaced
    it, or was replaced by something that is forgotten. The number of statements does not depend on that of memories.

    Args:
        store: The store that has them.
        subject: Their owner.
        closed: Closed memories that are not forgotten, in the order in which they were shown.

    Returns:
        Facts and notes as they are; quotations with the stretches that no longer hold as their text.
    """
    closed = closed[-MAX_LOOKED_UP:]
    decisions = await read_decisions(store, subject, closed)
    ended = [
        memory for memory in await store.memories.get_many(subject, closed) if is_ended(memory, decisions[memory.id])
    ]
    quotations = [memory for memory in ended if memory.kind is MemoryKind.TURN]
    versions = await store.memories.from_same_messages(subject, [quotation.id for quotation in quotations])
    newer = await _replacing(store, subject, ended, decisions)
    declared: list[Memory] = []
    for memory in ended:
        if memory.kind is MemoryKind.TURN:
            statement = await _find_stretches(memory, versions)
        else:
            statement = memory if is_declared(memory, newer[memory.id]) else None
        if statement is not None:
            declared.append(statement)
        if len(declared) == MAX_ENDED:
            break
    return declared


async def read_decisions(
    store: Store, subject: Subject, memories: Sequence[MemoryId]
) -> dict[MemoryId, list[Decision]]:
    """Read the decisions about each of these memories, oldest first."""
    decisions: dict[MemoryId, list[Decision]] = {memory: [] for memory in memories}
    for decision in await store.decisions.of_many(subject, memories):
        for memory in {decision.memory_id, decision.target_id}:
            if memory in decisions:
                decisions[memory].append(decision)
    return decisions


def is_replaced(memory: MemoryId, decisions: Sequence[Decision]) -> bool:
    """Return whether another value took the place of a memory."""
    return any(decision.action is Action.REPLACE and decision.target_id == memory for decision in decisions)


def is_ended(memory: Memory, decisions: Sequence[Decision]) -> bool:
    """Return whether a memory was replaced, taken back, closed by what was said, or has expired by its date."""
    if memory.kind is MemoryKind.EPISODE:
        return False
    if is_replaced(memory.id, decisions):
        return True
    own = [decision for decision in decisions if decision.memory_id == memory.id]
    # Notes also expire without use; those that end with something else name it.
    expired = any(
        decision.action is Action.EXPIRE and (decision.target_id or memory.kind is MemoryKind.FACT) for decision in own
    )
    return expired or any(decision.action in _ENDING for decision in own)


def is_declared(ended: Memory, newer: Sequence[Memory] | None) -> bool:
    """Return whether a fact or note that ended is declared so.

    Args:
        ended: The fact or note.
        newer: What replaced it; None if that is forgotten.
    """
    if newer is None:
        return False
    if ended.kind is not MemoryKind.NOTE:
        return True
    words = content_words(ended.text)
    more = [known for memory in newer if words <= (known := content_words(memory.text))]
    return not any((DENIED in known) is (DENIED in words) for known in more)


async def _replacing(
    store: Store, subject: Subject, ended: Sequence[Memory], decisions: Mapping[MemoryId, Sequence[Decision]]
) -> dict[MemoryId, list[Memory] | None]:
    """Read what replaced each of these memories; None where that is forgotten."""
    ids = {
        memory.id: [
            MemoryId(decision.memory_id)
            for decision in decisions[memory.id]
            if decision.action is Action.REPLACE and decision.target_id == memory.id and decision.memory_id
        ]
        for memory in ended
    }
    wanted = list(dict.fromkeys(id_ for replacing in ids.values() for id_ in replacing))
    newer = {memory.id: memory for memory in await store.memories.get_many(subject, wanted)}
    closed = [memory for memory in newer.values() if memory.state is MemoryState.CLOSED]
    own = await read_decisions(store, subject, [memory.id for memory in closed])
    gone = {memory.id for memory in closed if is_forgotten(memory, own[memory.id])}
    return {
        memory: None if gone.intersection(replacing) else [newer[id_] for id_ in replacing if id_ in newer]
        for memory, replacing in ids.items()
    }


async def _find_stretches(quotation: Memory, versions: Sequence[Memory]) -> Memory | None:
    """Return a quotation of the stretches that its next version leaves out; None without a later one."""
    sources = {source.ref for source in quotation.evidence}
    later = [
        memory
        for memory in versions
        if memory.kind is MemoryKind.TURN
        and memory.id > quotation.id
        and any(source.ref in sources for source in memory.evidence)
    ]
    if not later:
        return None
    following = min(later, key=lambda memory: memory.id)
    return await run_in_thread_if_large(
        len(quotation.text), lambda: _stretches(quotation, following.detail.withheld), above=_LARGE_TEXT
    )


def _stretches(quotation: Memory, withheld: Sequence[Withheld]) -> Memory | None:
    """Return a quotation of these stretches without secrets; what it did not show is not among them."""
    secrets = tuple(Withheld(start=start, end=end) for start, end in build_redaction(quotation.text).secrets)
    shown = replace(quotation.detail, withheld=secrets).quoted(quotation.text)[:MAX_MEMORY_CHARACTERS]
    pieces = [shown[stretch.start : stretch.end].strip(" …") for stretch in withheld]
    text = " … ".join(piece for piece in pieces if piece)[:_MAX_STRETCHES]
    return redact_quotation(replace(quotation, text=text)) if text else None
