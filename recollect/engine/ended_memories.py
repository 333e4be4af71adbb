"""What prompts declare no longer true of the closed memories that earlier ones show. Reads the store."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.engine.retrieval import redact_quotation
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
    Withheld,
)

# A memory that made room for others (`EVICT`, `FOLD`) or went into another (`MERGE`) may hold all the same.
_ENDING = frozenset({Action.CLOSE, Action.UNDO, Action.ABANDON, Action.REJECT})


def is_replaced(memory: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether another value took the place of a memory."""
    return any(line.action is Action.REPLACE and line.target_id == memory.id for line in lines)


async def find_ended(store: Store, memory: Memory, lines: Sequence[Decision]) -> Memory | None:
    """Return what no longer holds of a closed memory, with the words that say it.

    Args:
        store: The store that has it.
        memory: A memory that was closed, but not forgotten.
        lines: The decisions about it.

    Returns:
        A fact or note as it is; a quotation with the stretches that no longer hold as its text. None if the memory may
        hold all the same: it made room for others, was not used for long, or is part of what replaced it.
    """
    if memory.kind is MemoryKind.EPISODE or not _is_ended(memory, lines):
        return None
    if memory.kind is MemoryKind.TURN:
        return await _find_stretches(store, memory)
    if memory.kind is MemoryKind.NOTE and await _is_refined(store, memory, lines):
        return None
    return memory


def _is_ended(memory: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether a memory was replaced, taken back, closed by what was said, or has expired by its date."""
    if is_replaced(memory, lines):
        return True
    own = [line for line in lines if line.memory_id == memory.id]
    # Notes also expire without use; those that end with something else name it.
    expired = any(line.action is Action.EXPIRE and (line.target_id or memory.kind is MemoryKind.FACT) for line in own)
    return expired or any(line.action in _ENDING for line in own)


async def _is_refined(store: Store, note: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether what replaced a note says all that the note says."""
    ids = [line.memory_id for line in lines if line.action is Action.REPLACE and line.target_id == note.id]
    newer = await store.memories.get_many(note.subject, [MemoryId(id_) for id_ in ids if id_]) if ids else []
    said = content_words(note.text)
    more = [words for memory in newer if said <= (words := content_words(memory.text))]
    return any((DENIED in words) is (DENIED in said) for words in more)


async def _find_stretches(store: Store, quotation: Memory) -> Memory | None:
    """Return a quotation of the stretches that its newer version leaves out; all of it if there is no newer one."""
    source = quotation.evidence[0] if quotation.evidence else None
    if source is None:
        return None
    formed = await store.memories.from_source(quotation.subject, source.conversation, seq=source.seq)
    newer = [
        memory
        for memory in formed
        if memory.kind is MemoryKind.TURN and memory.state is MemoryState.ACTIVE and memory.id > quotation.id
    ]
    if newer:
        stretches = _read_stretches(quotation, newer[-1].detail.withheld)
        quotation = replace(quotation, text=" … ".join(stretches))
    return redact_quotation(quotation) if quotation.text.strip() else None


def _read_stretches(quotation: Memory, withheld: Sequence[Withheld]) -> list[str]:
    """Return the words of a quotation that are withheld now; what it did not show is not among them."""
    shown = quotation.text[:MAX_MEMORY_CHARACTERS]
    found = [shown[stretch.start : stretch.end].strip(" …") for stretch in withheld]
    return [words for words in found if words]
