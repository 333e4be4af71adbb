"""Close memories of a model that put an older value of a fact into words of their own. Reads the store.

A model writes a note where the rules write a fact: 'Mira takes 50 mg of it'. When it refuses the message with the news,
the rules read '75 mg now', and find no fact to replace.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.rules.facts import facts_of
from recollect.formation.paraphrase import clauses_behind
from recollect.formation.runtime import Runtime
from recollect.ids import id_text
from recollect.resolution.claim import adds_something
from recollect.resolution.slots import slot_mark, value_mark
from recollect.types import KIND_ORDER, Candidate, Evidence, Memory, MemoryId, MemoryKind, SubjectSnapshot

# Memories that are looked at: the newest.
MAX_SEARCHED = 200
_FORMED = (KIND_ORDER.index(MemoryKind.NOTE), KIND_ORDER.index(MemoryKind.FACT))


@dataclass(frozen=True, slots=True, kw_only=True)
class _News:
    """What a message says of a slot now."""

    value: str
    """Mark of the value; empty where it says that there is none any more."""
    said: Evidence


async def restated(
    candidates: Sequence[Candidate],
    said: Mapping[int, Evidence],
    hot: SubjectSnapshot,
    tools: Runtime,
    *,
    gone: frozenset[MemoryId],
) -> list[tuple[Memory, Evidence]]:
    """Find the memories whose own words give an older value of a slot that a message gives another one.

    Args:
        candidates: What the rules read.
        said: Their messages, by `seq`.
        hot: The subject's active memories.
        tools: The store is read.
        gone: Memories that the same commit closes already.

    Returns:
        Each memory, with the message that says otherwise.
    """
    news = {
        slot_mark(fact.key, fact.value): _News(value="" if fact.ends else value_mark(fact.value), said=said[fact.seq])
        for fact in candidates
        if fact.kind is MemoryKind.FACT
        and fact.key
        and fact.value
        and fact.seq in said
        and not adds_something(fact.quote)
    }
    if not news:
        return []
    formed = [place for place in range(len(hot)) if hot.kinds[place] in _FORMED][-MAX_SEARCHED:]
    ids = [MemoryId(id_text(hot.ids[place])) for place in formed]
    memories = await tools.store.memories(hot.subject, [id_ for id_ in ids if id_ not in gone])
    found = await run_in_thread_if_large(
        len(memories), lambda: [_displaced(memory, news) for memory in memories], above=0
    )
    return [(memory, until) for memory, until in zip(memories, found, strict=True) if until]


def _displaced(memory: Memory, news: Mapping[str, _News]) -> Evidence | None:
    """Return the message that gives a slot another value than the words of a memory do; None where none does."""
    for clause in clauses_behind(memory):
        for fact in facts_of(clause, ()):
            told = news.get(slot_mark(fact.key, fact.value))
            if (
                told
                and value_mark(fact.value) != told.value
                and all(_is_before(one, told.said) for one in memory.evidence)
            ):
                return told.said
    return None


def _is_before(one: Evidence, other: Evidence) -> bool:
    if one.conversation == other.conversation:
        return (one.said_at, one.seq) < (other.said_at, other.seq)
    return one.said_at < other.said_at
