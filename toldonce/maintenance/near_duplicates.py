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
from toldonce.profiles.policies import Profile, ResolvePolicy
from toldonce.resolution.relation import same, says_same, words_key
from toldonce.text import hash64
from toldonce.types import Action, Memory, MemoryId, MemoryKind, StrengthenMemory, SubjectSnapshot

_PLAIN = Profile(name="", description="")


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two notes that say the same: which stays, which goes into it, and how it is known."""

    kept: Memory
    closed: Memory
    reason: str


def plan_merge(one: Memory, other: Memory, similarity: float, policy: ResolvePolicy) -> DuplicatePair | None:
    """Say whether two notes are one; None where both stay.

    The older one is kept. Notes that differ in a word stay two however similar, and so do those of two speakers.
    """
    older, newer = sorted((one, other), key=lambda memory: (memory.known_from, memory.id))
    if older.kind is not MemoryKind.NOTE or newer.kind is not MemoryKind.NOTE or older.speaker != newer.speaker:
        return None
    if (older.detail.summary or newer.detail.summary) and not same(older.text, newer.text):
        return None  # records of two moments stay two, however alike they are worded
    how = says_same(newer.text, older.text, policy, similarity)
    return DuplicatePair(kept=older, closed=newer, reason=f"says the same ({how})") if how else None


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
        self._keys: dict[int, int] = {}
        """Hashes of the notes' words, by their places in the snapshot."""

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
        self._snapshot = None  # its arrays may be large
        self._keys = {}

    async def _possible(self, snapshot: SubjectSnapshot, pairs: list[NearPair], pace: Pace) -> list[NearPair]:
        """Leave out pairs of other words: where many notes are of one kind, each is near to many others."""
        unknown = list({place for pair in pairs for place in pair[:2]} - self._keys.keys())
        for start in range(0, len(unknown), PAGE):
            pace.check()
            places = {id_at(snapshot, place): place for place in unknown[start : start + PAGE]}
            memories = await self._commits.runtime.store.memories.get_many(snapshot.subject, list(places))
            self._keys |= await pace.apart(partial(_keys_of, memories, places, pace))
        keys = self._keys
        return await pace.apart(lambda: [pair for pair in pairs if keys.get(pair.older) == keys.get(pair.newer)])

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


def _keys_of(memories: Sequence[Memory], places: Mapping[MemoryId, int], pace: Pace) -> dict[int, int]:
    keys: dict[int, int] = {}
    for memory in memories:
        pace.breathe()
        keys[places[memory.id]] = hash64("words", words_key(memory.text))
    return keys


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
