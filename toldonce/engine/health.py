"""`memory.health`: what of a subject may need a look, as lists. Reads the store, compares in a thread."""

from datetime import datetime, timedelta
from itertools import groupby

import numpy as np

from toldonce.engine.components import Components
from toldonce.engine.memories import parse_memory_id
from toldonce.engine.retrieval import redact_quotations
from toldonce.engine.steps import Steps
from toldonce.errors import BadRequestError, StoreUnavailableError
from toldonce.formation.runtime import Runtime
from toldonce.ids import id_bytes, id_text
from toldonce.maintenance.near_pairs import NearPair, NearPairs
from toldonce.maintenance.pace import Pace, PausedError
from toldonce.types import Memory, MemoryId, MemoryPair, NearDuplicates, Subject, SubjectSnapshot

MAX_COMPARISONS = 5_000_000
"""Comparisons of notes for one page: a fraction of a second. The next page goes on from there."""
# Notes paired with each note, the most similar.
_NEIGHBOURS = 3
# How long ago a memory may have taken another one's place and still be listed.
_RECENT = timedelta(days=30)
_LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"


class HealthService:
    """Memories that may need a look. Lists change nothing."""

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._store = components.store
        self._steps = steps

    async def never_recalled(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[Memory]:
        """List active memories stored at least 30 days ago that no prompt has used, newest first.

        Args:
            user: User or subject whose memories to list.
            after: Id of the last memory of the page before; None lists from the newest on.
            limit: Maximum number of memories to return.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        subject, last = self._components.subject(user), parse_memory_id(after) if after else None
        return await self._store.health.never_recalled(subject, after=last, limit=limit)

    async def idle(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[Memory]:
        """List active notes that were neither stored nor used in the last 90 days, newest first.

        Args:
            user: User or subject whose memories to list.
            after: Id of the last memory of the page before; None lists from the newest on.
            limit: Maximum number of memories to return.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        subject, last = self._components.subject(user), parse_memory_id(after) if after else None
        return await self._store.health.idle(subject, after=last, limit=limit)

    async def replaced(
        self, *, user: str | Subject | None = None, before: tuple[datetime, str] | None = None, limit: int = 100
    ) -> list[MemoryPair]:
        """List which memories took the place of contradicting ones in the last 30 days, newest first.

        Args:
            user: User or subject whose memories to list.
            before: `at` and `decision` of the last pair of the page before; None begins with the newest.
            limit: Maximum number of pairs to return. A pair of which a memory was erased is left out.
        """
        subject, now = self._components.subject(user), self._components.clock.now()
        last = before or (now, _LAST_ID)
        return await self._store.health.replaced(subject, since=now - _RECENT, before=last, limit=limit)

    async def held_conflicts(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[MemoryPair]:
        """List facts that wait for review, each with the active fact of its slot, oldest first.

        Args:
            user: User or subject whose memories to list.
            after: Id of the last held fact of the page before; None lists from the oldest on.
            limit: Maximum number of pairs to return.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        subject, last = self._components.subject(user), parse_memory_id(after) if after else None
        return await self._store.health.held_conflicts(subject, after=last, limit=limit)

    async def near_duplicates(
        self,
        *,
        user: str | Subject | None = None,
        min_similarity: float = 0.8,
        after: str | None = None,
        limit: int = 100,
    ) -> NearDuplicates:
        """List notes that say nearly the same, each with up to three older ones.

        The worker merges notes that say the same once a day: what is listed was not merged yet, or its rules keep
        it apart, as for another number or name. A page makes at most some 5 million comparisons; a large memory
        takes several pages, of which one may be empty although there are more.

        Args:
            user: User or subject whose notes to compare.
            min_similarity: Calibrated similarity, 0 to 1, from which a pair is listed.
            after: `after` of the page before; None compares from the oldest note on.
            limit: Maximum number of pairs to return.

        Raises:
            BadRequestError: `min_similarity` is not between 0 and 1, or `limit` is less than 1.
            UnknownMemoryError: `after` is not an id.
            StoreUnavailableError: the engine was closed meanwhile.
        """
        if not 0 <= min_similarity <= 1:
            raise BadRequestError(f"min_similarity is {min_similarity}, it goes from 0 to 1", param="min_similarity")
        if limit < 1:
            raise BadRequestError(f"limit is {limit}, it is at least 1", param="limit")
        subject = self._components.subject(user)
        last = None if after is None else id_bytes(parse_memory_id(after))
        runtime = await self._steps.runtime.for_subject(subject)
        snapshot = await self._store.snapshots.snapshot(subject, runtime.embedder.space)
        pace = Pace(self._steps.closing.is_set)
        try:
            search = await pace.apart(lambda: NearPairs(snapshot, since=None, limit=_NEIGHBOURS, after=last))
            found = await _Comparison(search, runtime, pace).run(min_similarity, limit)
        except PausedError:
            raise StoreUnavailableError("the engine is being closed") from None
        return await self._read(subject, snapshot, found)

    async def _read(self, subject: Subject, snapshot: SubjectSnapshot, found: "_Found") -> NearDuplicates:
        ids = {place: MemoryId(id_text(snapshot.ids[place])) for pair in found.pairs for place in pair[:2]}
        read = await redact_quotations(await self._store.memories.get_many(subject, list(dict.fromkeys(ids.values()))))
        return NearDuplicates(
            pairs=tuple(
                MemoryPair(newer=read[ids[pair.newer]], older=read[ids[pair.older]], similarity=pair.cosine)
                for pair in found.pairs
                if ids[pair.newer] in read and ids[pair.older] in read
            ),
            compared=found.compared,
            after=None if found.last is None else id_text(snapshot.ids[found.last]),
        )


class _Found:
    """Pairs of one page, with similarities in place of cosines."""

    def __init__(self) -> None:
        self.pairs: list[NearPair] = []
        self.compared = 0
        self.last: int | None = None
        """Place of the last note whose pairs are all here; None: of all notes."""


class _Comparison:
    """Compares notes until a page is full, enough was compared, or all were."""

    def __init__(self, search: NearPairs, runtime: Runtime, pace: Pace) -> None:
        self._search, self._runtime, self._pace = search, runtime, pace

    async def run(self, min_similarity: float, limit: int) -> _Found:
        found, search, began = _Found(), self._search, self._search.compared
        while not search.done and len(found.pairs) < limit and found.compared < MAX_COMPARISONS:
            block = await self._pace.apart(lambda: self._near(min_similarity))
            found.compared = search.compared - began
            for newer, pairs in groupby(block, key=lambda pair: pair.newer):
                of_note = list(pairs)[:limit]
                if len(found.pairs) + len(of_note) > limit:
                    found.last = found.pairs[-1].newer  # the next page begins with this note
                    return found
                found.pairs += of_note
                found.last = newer
        found.last = None if search.done else search.last
        return found

    def _near(self, min_similarity: float) -> list[NearPair]:
        """Return the pairs of the next block that are similar enough, by the newer note."""
        pairs = self._search.next_block(self._pace.breathe)
        if not pairs:
            return []
        cosines = np.array([pair.cosine for pair in pairs], dtype=np.float32)
        similar = self._runtime.embedder.relevance(cosines).tolist()
        kept = [
            NearPair(pair.older, pair.newer, float(similarity))
            for pair, similarity in zip(pairs, similar, strict=True)
            if similarity >= min_similarity
        ]
        return sorted(kept, key=lambda pair: (pair.newer, -pair.cosine, pair.older))
