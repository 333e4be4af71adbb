"""Find memories in which a model put an older value of a fact into its own words. Reads the store.

A model writes a note where the rules write a fact: 'Mira takes 50 mg of it'. When it refuses the message with the news,
the rules read '75 mg now', and find no fact to replace.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.concurrency import run_in_thread_if_large
from recollect.extraction.rules.clause_facts import facts_of
from recollect.extraction.sentences import coarse_clauses, fold, sentences
from recollect.formation.runtime import Runtime
from recollect.formation.stale import content_words
from recollect.ids import id_text
from recollect.lazy_pattern import LazyPattern
from recollect.resolution.correction import adds_something
from recollect.resolution.slots import slot_mark, value_mark
from recollect.types import Candidate, Evidence, Memory, MemoryId, MemoryKind, SubjectSnapshot

# Memories that are looked at: the newest.
MAX_SEARCHED = 200
_FORMED = (MemoryKind.NOTE.number, MemoryKind.FACT.number)
# Who a memory begins with.
_NAMED = LazyPattern(r"(?P<name>(?!The\b|My\b|Our\b|A\b|An\b|In\b|On\b)[A-Z]\w{1,40}+)(?='s\b|\s)")
# Share of a memory's words that a clause has which the memory puts into other words.
_SHARED = 0.5


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
    runtime: Runtime,
    *,
    gone: frozenset[MemoryId],
) -> list[tuple[Memory, Evidence]]:
    """Find the memories whose own words give an older value of a slot that a message gives another one.

    Args:
        candidates: What the rules read.
        said: Their messages, by `seq`.
        hot: The subject's active memories.
        runtime: The store is read.
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
    memories = await runtime.memories(hot.subject, [id_ for id_ in ids if id_ not in gone])
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
                and all(_is_before(source, told.said) for source in memory.evidence)
            ):
                return told.said
    return None


def _is_before(one: Evidence, other: Evidence) -> bool:
    if one.conversation == other.conversation:
        return (one.said_at, one.seq) < (other.said_at, other.seq)
    return one.said_at < other.said_at


def clauses_behind(memory: Memory) -> list[str]:
    """Return the clauses of the user's own that a memory puts into other words, as models do.

    A quote may say more than its memory: a clause counts that has most of the memory's words.
    """
    content = content_words(of_the_user(memory))
    quotes = [said.quote for said in memory.evidence if said.role == "user" and said.quote]
    clauses = [clause.text for quote in quotes for piece in sentences(fold(quote)) for clause in coarse_clauses(piece)]
    return [text for text in clauses if len(content & content_words(text)) > len(content) * _SHARED]


def of_the_user(memory: Memory) -> str:
    """Return a memory's text with the user under that name: a model may call them by their own.

    A name is the user's where the words that it rests on do not have it: 'Mila uses Java' of 'I use Java'.
    """
    name = _NAMED.match(memory.text)
    quotes = [said.quote for said in memory.evidence]
    if not name or not all(quotes) or any(name["name"].lower() in quote.lower() for quote in quotes):
        return memory.text
    return f"The user{memory.text[name.end('name') :]}"
