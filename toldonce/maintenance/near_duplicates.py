"""Merge notes that say the same, by the rules by which new ones are resolved. Uses the store.

A subject's notes are compared block by block and merged in small commits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import numpy as np

from toldonce.maintenance.commit import BATCH_SIZE, PAGE, Commits, Plan, id_at
from toldonce.maintenance.near_pairs import NearPair, NearPairs
from toldonce.maintenance.pace import Pace
from toldonce.maintenance.retention import last_met
from toldonce.profiles.policies import Profile, ResolvePolicy
from toldonce.resolution.compare import alike, never_merge, same, says_more
from toldonce.resolution.prefilter import PatternTable, pattern_of
from toldonce.text import bare
from toldonce.types import Action, Memory, MemoryId, MemoryKind, StrengthenMemory, SubjectSnapshot

# Something that happened is no other way of saying what held.
_EVENTS = frozenset({"event", "plan"})
# Pairs of each note from which patterns are made of the texts; with fewer it takes longer than comparing these.
_MIN_PAIRS_EACH = 3
_PLAIN = Profile(name="", description="")


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two notes that say the same: which stays, which goes into it, and how it is known."""

    kept: Memory
    closed: Memory
    reason: str


def plan_merge(one: Memory, other: Memory, similarity: float, policy: ResolvePolicy) -> DuplicatePair | None:
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
        return DuplicatePair(kept=older, closed=newer, reason=f"says the same ({how})")
    if last_met(newer) >= last_met(older):
        return DuplicatePair(kept=newer, closed=older, reason=f"the newer one says the same and more ({how})")
    return None  # what an older statement has beyond a newer one is worth a memory of its own


def restates(note: Memory, fact: Memory) -> bool:
    """Whether a note says in words what a fact holds: same source, same value, and nothing that happened."""
    sources = {source.ref for source in fact.evidence}
    return (
        note.kind is MemoryKind.NOTE
        and fact.kind is MemoryKind.FACT
        and bool(fact.value)
        and note.type not in _EVENTS
        and bare(fact.value) in bare(note.text)
        and any(source.ref in sources for source in note.evidence)
    )


class Duplicates:
    """Merges near-duplicates. It can be stopped and run again until it is done."""

    def __init__(self, commits: Commits, since: datetime | None) -> None:
        """Prepare; nothing is read before `run`. Notes stored before `since` were compared already; None: none were."""
        self._commits = commits
        self._since = since
        self._snapshot: SubjectSnapshot | None = None
        self._near: NearPairs | None = None
        self._found: list[NearPair] = []
        """Near pairs of the last block."""
        self._pairs: list[NearPair] = []
        """Those of them that may be merged and are not settled yet."""
        self._patterns: PatternTable | None = None

    @property
    def reached(self) -> datetime | None:
        """The time before which all notes were compared with one another; None where that is not known."""
        return None if self._near is None else self._near.reached

    async def run(self, pace: Pace) -> None:
        """Compare and merge.

        Raises:
            PausedError: it was told to stop.
            StaleSubjectError: the subject kept changing.
        """
        if self._near is None or self._snapshot is None:
            self._snapshot = snapshot = await self._commits.snapshot(vectors=True)
            limit = (self._commits.profile("default") or _PLAIN).resolve.neighbours
            self._near = await pace.apart(lambda: NearPairs(snapshot, since=self._since, limit=limit))
        near = self._near
        while self._found or self._pairs or not near.done:
            if not self._pairs:
                self._found = self._found or await pace.apart(lambda: near.next_block(pace.breathe))
                self._pairs = await self._possible(self._snapshot, self._found, pace)
                self._found = []
            while self._pairs:
                pace.check()
                await self._merge(near, self._snapshot, self._pairs[:BATCH_SIZE], pace)
                del self._pairs[:BATCH_SIZE]
            near.settle()
        self._snapshot = self._patterns = None  # their arrays may be large

    async def _possible(self, snapshot: SubjectSnapshot, pairs: list[NearPair], pace: Pace) -> list[NearPair]:
        """Leave out pairs that must never be merged, as far as patterns of their texts tell.

        Where many notes are of one kind, each is near to many others, and comparing two texts takes milliseconds.
        """
        if await pace.apart(lambda: len(pairs) < _MIN_PAIRS_EACH * len({pair.newer for pair in pairs})):
            return pairs
        if self._patterns is None:
            self._patterns = await pace.apart(lambda: PatternTable(len(snapshot.ids)))
        patterns = self._patterns
        unknown = await pace.apart(lambda: _without_pattern(patterns, pairs))
        for start in range(0, len(unknown), PAGE):
            pace.check()
            places = {id_at(snapshot, place): place for place in unknown[start : start + PAGE]}
            memories = await self._commits.runtime.store.memories.get_many(snapshot.subject, list(places))
            await pace.apart(partial(_put_patterns, patterns, memories, places, pace))
        return await pace.apart(lambda: _without_apart(patterns, pairs, pace))

    async def _merge(self, near: NearPairs, snapshot: SubjectSnapshot, pairs: Sequence[NearPair], pace: Pace) -> None:
        places = {place for pair in pairs for place in (pair.older, pair.newer)}
        ids = {place: id_at(snapshot, place) for place in places}

        async def merged() -> Plan:
            return await self._merged(pairs, ids, pace)

        if await self._commits.commit(merged):
            closed = [place for place, id_ in ids.items() if id_ in self._commits.closed_ids]
            await pace.apart(lambda: near.drop(closed))

    async def _merged(self, pairs: Sequence[NearPair], ids: Mapping[int, MemoryId], pace: Pace) -> Plan:
        commits, plan = self._commits, self._commits.plan()
        known = {memory.id: memory for memory in await commits.read(list(ids.values()))}
        names = {memory.profile for memory in known.values()}
        policies = {name: (commits.profile(name) or _PLAIN).resolve for name in names}
        cosines = np.array([pair.cosine for pair in pairs], dtype=np.float32)
        similar = commits.runtime.embedder.relevance(cosines).tolist()
        similar_pairs = [
            _SimilarPair(older=ids[pair.older], newer=ids[pair.newer], similarity=similarity)
            for pair, similarity in zip(pairs, similar, strict=True)
        ]
        for merged in await pace.apart(lambda: _merge_pairs(similar_pairs, known, policies, pace)):
            kept, closed = merged.kept, merged.closed
            plan.changes.append(StrengthenMemory(id=kept.id, importance=kept.importance, inherits=(closed.id,)))
            plan.close(closed, commits.runtime.clock.now())
            plan.decide(kept, Action.MERGE, merged.reason, target=closed, text=closed.text)
        return plan


def _without_pattern(patterns: PatternTable, pairs: Sequence[NearPair]) -> list[int]:
    return [place for place in {place for pair in pairs for place in pair[:2]} if not patterns.is_known[place]]


def _put_patterns(
    patterns: PatternTable, memories: Sequence[Memory], places: Mapping[MemoryId, int], pace: Pace
) -> None:
    for memory in memories:
        pace.breathe()
        patterns.put(places[memory.id], pattern_of(memory.text))


def _without_apart(patterns: PatternTable, pairs: Sequence[NearPair], pace: Pace) -> list[NearPair]:
    left: list[NearPair] = []
    for start in range(0, len(pairs), PAGE):
        pace.breathe()
        some = pairs[start : start + PAGE]
        apart = patterns.apart([pair.older for pair in some], [pair.newer for pair in some])
        left += [pair for pair, is_apart in zip(some, apart.tolist(), strict=True) if not is_apart]
    return left


@dataclass(frozen=True, slots=True, kw_only=True)
class _SimilarPair:
    """Two notes and how similar their meanings are."""

    older: MemoryId
    newer: MemoryId
    similarity: float


def _merge_pairs(
    pairs: Sequence[_SimilarPair],
    known: dict[MemoryId, Memory],
    policies: Mapping[str, ResolvePolicy],
    pace: Pace,
) -> list[DuplicatePair]:
    """Merge pair after pair; each is weighed against what the merges before it made of its two notes."""
    merges: list[DuplicatePair] = []
    for pair in pairs:
        pace.breathe()
        older, newer = known.get(pair.older), known.get(pair.newer)
        if older is None or newer is None:
            continue
        merged = plan_merge(older, newer, pair.similarity, policies[older.profile])
        if merged is not None:
            kept, closed = merged.kept, known.pop(merged.closed.id)
            importance = max(kept.importance, closed.importance)
            kept = replace(kept, importance=importance, evidence=(*kept.evidence, *closed.evidence))
            known[kept.id] = kept
            merges.append(replace(merged, kept=kept))
    return merges
