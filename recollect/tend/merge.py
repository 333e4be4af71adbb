"""Which notes say the same and are kept once, by the rules by which new ones are resolved. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from recollect.clock import to_micros
from recollect.profiles.model import ResolvePolicy
from recollect.resolve.compare import never_merge, same, says_more
from recollect.resolve.decide import alike
from recollect.tend.room import last_met
from recollect.text import bare
from recollect.types import KIND_ORDER, Hot, Memory, MemoryKind

# Notes farther apart than this cosine are not compared letter by letter: it is well below what two spellings of one
# sentence have for any embedder.
NEAR = 0.7
# Notes weighed at once: a product of 64 by 10,000 vectors takes some milliseconds.
_BLOCK = 64
_NOTE = KIND_ORDER.index(MemoryKind.NOTE)
# Something that happened is no other way of saying what held.
_EVENTS = frozenset({"event", "plan"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """Two notes that say the same: which stays, which goes into it, and how it is known."""

    kept: Memory
    gone: Memory
    reason: str


def merging(one: Memory, other: Memory, similarity: float, policy: ResolvePolicy) -> Merging | None:
    """Say whether two notes are one; None where both stay.

    The older one is kept, unless the newer says the same and more. Notes that differ in a negation, a number, a date, a
    name or an antonym stay two however similar they are, and so do words of two speakers.
    """
    older, newer = sorted((one, other), key=lambda memory: (memory.known_from, memory.id))
    if older.kind is not MemoryKind.NOTE or newer.kind is not MemoryKind.NOTE or older.speaker != newer.speaker:
        return None
    how = "the same words" if same(older.text, newer.text) else alike(newer.text, older.text, policy, similarity)
    if how is None or never_merge(newer.text, older.text) is not None:
        return None
    if not says_more(newer.text, older.text):
        return Merging(kept=older, gone=newer, reason=f"says the same ({how})")
    if last_met(newer) >= last_met(older):
        return Merging(kept=newer, gone=older, reason=f"the newer one says the same and more ({how})")
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


def near_pairs(hot: Hot, *, since: datetime | None, most: int) -> list[tuple[int, int, float]]:
    """Find the pairs of notes that are near in meaning, nearest first.

    Args:
        hot: A subject's active memories.
        since: Only pairs of which one was stored since then; None: all.
        most: Neighbours weighed for each note.

    Returns:
        Places in `hot`, the lower first, with their cosine.
    """
    rows = np.flatnonzero(hot.kinds[hot.vector_of] == _NOTE) if len(hot.vectors) else np.zeros(0, dtype=np.intp)
    owners, vectors = hot.vector_of[rows], hot.vectors[rows]
    start = 0 if since is None else to_micros(since) // 1000
    fresh = np.array([_millis(hot.ids[owner]) >= start for owner in owners], dtype=bool)
    best: dict[tuple[int, int], float] = {}
    for row, column in _blocks(vectors, np.flatnonzero(fresh)):
        column[owners == owners[row]] = -1.0
        places = np.flatnonzero(column >= NEAR)  # few: sorting all of a large memory's would cost a millisecond a note
        for near in places[np.argsort(-column[places], kind="stable")][:most]:
            pair = (int(min(owners[row], owners[near])), int(max(owners[row], owners[near])))
            best[pair] = max(best.get(pair, -1.0), float(column[near]))
    return [(one, other, cosine) for (one, other), cosine in sorted(best.items(), key=lambda item: (-item[1], item[0]))]


def _blocks(
    vectors: npt.NDArray[np.float32], rows: npt.NDArray[np.intp]
) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    """Yield each row with its cosines to all vectors."""
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        cosines = vectors[block] @ vectors.T
        yield from zip(block.tolist(), cosines, strict=True)


def _millis(id_: bytes) -> int:
    """Return when an id was made: a UUIDv7 begins with its milliseconds."""
    return int.from_bytes(id_[:6], "big")
