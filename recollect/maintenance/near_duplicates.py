"""Which notes say the same and are kept once, by the rules by which new ones are resolved. Pure."""

from dataclasses import dataclass

from recollect.maintenance.retention import last_met
from recollect.profiles.policies import ResolvePolicy
from recollect.resolution.compare import alike, never_merge, same, says_more
from recollect.text import bare
from recollect.types import Memory, MemoryKind

# Something that happened is no other way of saying what held.
_EVENTS = frozenset({"event", "plan"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two notes that say the same: which stays, which goes into it, and how it is known."""

    kept: Memory
    gone: Memory
    reason: str


def merging(one: Memory, other: Memory, similarity: float, policy: ResolvePolicy) -> DuplicatePair | None:
    """Say whether two notes are one; None where both stay.

    The older one is kept, unless the newer says the same and more. Notes that differ in a negation, a number, a date, a
    name or an antonym stay two however similar they are, and so do words of two speakers.
    """
    older, newer = sorted((one, other), key=lambda memory: (memory.known_from, memory.id))
    if older.kind is not MemoryKind.NOTE or newer.kind is not MemoryKind.NOTE or older.speaker != newer.speaker:
        return None
    if same(older.text, newer.text):
        how: str | None = "the same words"
    elif older.detail.summary or newer.detail.summary:
        return None  # records of two moments stay two, however alike they are worded
    else:
        how = alike(newer.text, older.text, policy, similarity)
    if how is None or never_merge(newer.text, older.text) is not None:
        return None
    if not says_more(newer.text, older.text):
        return DuplicatePair(kept=older, gone=newer, reason=f"says the same ({how})")
    if last_met(newer) >= last_met(older):
        return DuplicatePair(kept=newer, gone=older, reason=f"the newer one says the same and more ({how})")
    return None  # what an older statement has beyond a newer one is worth a memory of its own


def restates(note: Memory, fact: Memory) -> bool:
    """Whether a note says in words what a fact holds: same source, same value, and nothing that happened."""
    sources = {(source.conversation, source.seq) for source in fact.evidence}
    return (
        note.kind is MemoryKind.NOTE
        and fact.kind is MemoryKind.FACT
        and bool(fact.value)
        and note.type not in _EVENTS
        and bare(fact.value) in bare(note.text)
        and any((source.conversation, source.seq) in sources for source in note.evidence)
    )
