"""`memory.health` without asyncio. Made by tools/make_sync.py from engine/health.py."""

from __future__ import annotations

from datetime import datetime

from toldonce.engine.background import BackgroundEngine
from toldonce.types import Memory, MemoryPair, NearDuplicates, Subject


class BlockingHealthService:
    """Memories that may need a look. Lists change nothing."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def never_recalled(
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
        return self._engine.run(self._engine.core.health.never_recalled(user=user, after=after, limit=limit))

    def idle(self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100) -> list[Memory]:
        """List active notes that were neither stored nor used in the last 90 days, newest first.

        Args:
            user: User or subject whose memories to list.
            after: Id of the last memory of the page before; None lists from the newest on.
            limit: Maximum number of memories to return.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        return self._engine.run(self._engine.core.health.idle(user=user, after=after, limit=limit))

    def replaced(
        self, *, user: str | Subject | None = None, before: tuple[datetime, str] | None = None, limit: int = 100
    ) -> list[MemoryPair]:
        """List which memories took the place of contradicting ones in the last 30 days, newest first.

        Args:
            user: User or subject whose memories to list.
            before: `at` and `decision` of the last pair of the page before; None begins with the newest.
            limit: Maximum number of pairs to return. A pair of which a memory was erased is left out.
        """
        return self._engine.run(self._engine.core.health.replaced(user=user, before=before, limit=limit))

    def held_conflicts(
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
        return self._engine.run(self._engine.core.health.held_conflicts(user=user, after=after, limit=limit))

    def near_duplicates(
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
        return self._engine.run(
            self._engine.core.health.near_duplicates(user=user, min_similarity=min_similarity, after=after, limit=limit)
        )
