"""Memories that a profile's rules keep from a destination. Reads the store.

What rests on the same words as a memory that is kept back is kept back as well: a quotation, a summary, or a note
beside a fact, whatever they are called themselves.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from toldonce.concurrency import run_in_thread_if_large
from toldonce.profiles.destinations import DestinationRule
from toldonce.store.store import Store
from toldonce.types import ConversationId, Evidence, Memory, MemoryId, MemoryKind, OmittedMemory, Recall, Subject

if TYPE_CHECKING:
    from toldonce.formation.recent_messages import Recent

WITHHELD = "the profile keeps it from this destination"
"""Reason in the record of a prompt."""
# Characters of memories from which searching them for words is done in a thread.
_LARGE_TEXT = 20_000
# What quotes its source; quotations and summaries have whole messages.
_FORMED = frozenset({MemoryKind.NOTE, MemoryKind.FACT})


async def find_withheld(
    store: Store, memories: Sequence[Memory], rules: Sequence[DestinationRule]
) -> frozenset[MemoryId]:
    """Return which memories some rules are about.

    Args:
        store: Where the memories are.
        memories: Of any subjects, with their texts.
        rules: Those against the destination; see `rules_against`.
    """
    found: set[MemoryId] = set()
    for rule in rules:
        found |= await _withheld_by(rule, store, [memory for memory in memories if memory.id not in found])
    return frozenset(found)


async def _withheld_by(rule: DestinationRule, store: Store, memories: Sequence[Memory]) -> set[MemoryId]:
    found = {memory.id for memory in await _matching(memories, [rule])}
    others = [memory for memory in memories if memory.evidence and memory.id not in found and not rule.excepts(memory)]
    for subject in dict.fromkeys(memory.subject for memory in others):
        own = [memory for memory in others if memory.subject == subject]
        beside = await store.memories.from_same_messages(subject, [memory.id for memory in own])
        formed = await _matching([memory for memory in beside if memory.kind in _FORMED], [rule])
        quotes: dict[tuple[ConversationId, int], set[str]] = {}
        for source in (source for memory in formed for source in memory.evidence):
            quotes.setdefault((source.conversation, source.seq), set()).add(source.quote)
        found |= {memory.id for memory in own if any(_overlaps(source, quotes) for source in memory.evidence)}
    return found


async def without_withheld(
    store: Store, subject: Subject, recent: "Sequence[Recent]", rules: Sequence[DestinationRule]
) -> "list[Recent]":
    """Return recent messages without those that some rules are about.

    Args:
        store: Where the memories formed of them are.
        subject: Whose memories these are.
        recent: The messages.
        rules: Those against the destination.
    """
    if not rules:
        return list(recent)
    kept: list[Recent] = []
    for words in recent:
        said = words.message
        quotation = Memory(
            id=MemoryId(""),
            subject=subject,
            kind=MemoryKind.TURN,
            text=words.text,
            valid_from=said.said_at,
            known_from=said.said_at,
        )
        formed = await store.memories.from_source(subject, said.conversation, seq=said.seq)
        noted = [memory for memory in formed if memory.kind in _FORMED]
        if not await _matching([quotation, *noted], rules):
            kept.append(words)
    return kept


def omit(recall: Recall, withheld: frozenset[MemoryId]) -> Recall:
    """Move memories from what a recall shows to what it left out."""
    if not withheld:
        return recall
    reasons = tuple(OmittedMemory(id=memory, reason=WITHHELD) for memory in sorted(withheld))
    left = tuple(omitted for omitted in recall.left_out if omitted.id not in withheld)
    items = tuple(item for item in recall.items if item.memory.id not in withheld)
    return replace(recall, items=items, left_out=reasons + left)


async def _matching(memories: Sequence[Memory], rules: Sequence[DestinationRule]) -> list[Memory]:
    size = sum(len(memory.text) for memory in memories)
    return await run_in_thread_if_large(
        size,
        lambda: [memory for memory in memories if any(rule.matches(memory) for rule in rules)],
        above=_LARGE_TEXT,
    )


def _overlaps(source: Evidence, quotes: Mapping[tuple[ConversationId, int], Set[str]]) -> bool:
    """Return whether a source has words that are quoted; one without a quote has its whole message."""
    found = quotes.get((source.conversation, source.seq), ())
    return any(not quote or not source.quote or quote in source.quote or source.quote in quote for quote in found)
