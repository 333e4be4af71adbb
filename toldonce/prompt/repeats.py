"""Leave out notes and quotations that say nothing beyond a fact that is shown. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from toldonce.lazy_pattern import LazyPattern
from toldonce.prompt.sentences import key_name
from toldonce.text import stem, words
from toldonce.text.slot_owner import slot_owner
from toldonce.text.source_marks import words_said
from toldonce.types import Memory, MemoryId, MemoryKind, OmittedMemory, Recall, RecalledMemory

SAME_AS_A_FACT = "the same as a fact that is shown"
# A longer text says more than a fact; only shorter ones are compared.
_MAX_CHARACTERS = 300
_MAX_WORDS = 10
# Words that say nothing by themselves. "Was", "had" and "no" are not among them: they change what is said.
_EMPTY = frozenset(
    """a an the i i'm im i've my mine me myself we we're our us he he's she she's they they're it it's his her
    their user user's users you your am is are be been being has have having do does to of in at on for with
    from by as and or also too really very quite just so well oh hi hello hey please now currently actually btw
    that this which who called named s""".split()
)
_SAME = {
    "coeliac": "celiac", "mum": "mother", "mom": "mother", "dad": "father", "favourite": "favorite", "colour": "color",
}  # fmt: skip
# 'Hates' is stronger: that is more than 'does not like'.
_DENIED_LIKE = frozenset({"dislike", "dislikes"})
_DENIALS = frozenset({"not", "no", "never", "cannot", "without"})
DENIED = "not"
"""The content word of any denial."""
# The speaker as the one it is about: 'I', 'we', or 'The user' at the head.
_SPEAKER = "@speaker"
_OF_SPEAKER = LazyPattern(r"\b(?:i|i'm|im|i've|we|we're|we've)\b|^the user\b(?!'s)", re.IGNORECASE)
# Facts whose value is about another person.
_OF_OTHERS = "household_health"


def without_repeats(recall: Recall, facts: Collection[MemoryId] | None = None) -> tuple[Recall, frozenset[MemoryId]]:
    """Leave out notes and quotations whose words say nothing beyond a fact of the recall.

    A fact that follows its repetition takes the repetition's place.

    Args:
        recall: The memories, most important first.
        facts: The facts to compare with; None: all of the recall.

    Returns:
        The recall with the others among `left_out`; and the ids of the facts that they repeat.
    """
    short = [item.memory for item in recall.items if _is_short(item.memory)]
    known = _known(recall.items, facts) if short else {}
    repeated = {memory.id: same for memory in short if (same := _repeated(memory, known))}
    if not repeated:
        return recall, frozenset()
    by_id = {item.memory.id: item for item in recall.items}
    kept: dict[MemoryId, RecalledMemory] = {}
    for item in recall.items:
        for taken in repeated.get(item.memory.id, (item.memory.id,)):
            kept.setdefault(taken, by_id[taken])
    omitted = tuple(OmittedMemory(id=memory_id, reason=SAME_AS_A_FACT) for memory_id in repeated)
    shown = replace(recall, items=tuple(kept.values()), left_out=recall.left_out + omitted)
    return shown, frozenset(fact for same in repeated.values() for fact in same)


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that say something; `not` for any denial.

    >>> sorted(content_words("I don't eat gluten")), content_words("The user does not eat gluten.") == content_words(
    ...     "the user doesn't eat gluten")
    (['eat', 'gluten', 'not'], True)
    """
    found: set[str] = set()
    for word in words(text):
        if word.endswith("n't") or word in _DENIALS:
            found.add(DENIED)
        elif word in _DENIED_LIKE:
            found |= {DENIED, "like"}
        elif word not in _EMPTY:
            plain = _SAME.get(word, word.removesuffix("'s"))
            # A past tense says less than a present one: 'lived' is not 'lives'.
            found.add(plain if plain.endswith("ed") else stem(plain))
    return frozenset(found)


def _known(
    items: Sequence[RecalledMemory], facts: Collection[MemoryId] | None
) -> Mapping[tuple[MemoryId, ...], AbstractSet[str]]:
    """Return the words of each fact, and of all facts of a slot with several values: 'peanuts and shellfish'."""
    known: dict[tuple[MemoryId, ...], AbstractSet[str]] = {}
    of_slot: dict[str, list[tuple[MemoryId, AbstractSet[str]]]] = {}
    for memory in (item.memory for item in items):
        if memory.kind is not MemoryKind.FACT or (facts is not None and memory.id not in facts):
            continue
        found = content_words(words_said(memory.text) or memory.text)
        name = key_name(memory.key)
        if name != _OF_OTHERS and not slot_owner(memory.speaker):
            found |= {_SPEAKER}
            of_slot.setdefault(name, []).append((memory.id, found))
        known[memory.id,] = found
    for several in of_slot.values():
        if len(several) > 1:
            known[tuple(memory_id for memory_id, _ in several)] = frozenset().union(*(found for _, found in several))
    return known


def _is_short(memory: Memory) -> bool:
    """Return whether a note or quotation is a statement short enough to repeat a fact."""
    if (
        memory.kind not in (MemoryKind.NOTE, MemoryKind.TURN)
        or len(memory.text) > _MAX_CHARACTERS
        or "?" in memory.text
    ):
        return False
    return sum(word not in _EMPTY for word in words(memory.text)) <= _MAX_WORDS


def _repeated(memory: Memory, known: Mapping[tuple[MemoryId, ...], AbstractSet[str]]) -> tuple[MemoryId, ...]:
    """Return the facts that say all that a note or quotation says; empty if it says more."""
    text = words_said(memory.text) or memory.text
    said = content_words(text)
    if not said - {DENIED}:
        return ()
    if _OF_SPEAKER.search(text):
        if memory.kind is MemoryKind.TURN and any(source.role != "user" for source in memory.evidence):
            return ()
        said |= {_SPEAKER}
    return next((facts for facts, fact in known.items() if said <= fact and (DENIED in said) == (DENIED in fact)), ())
