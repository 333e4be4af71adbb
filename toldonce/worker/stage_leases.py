"""Leases of a worker on stages that follow one another: each commit takes the next one. Writes the store."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

from toldonce.clock import Clock
from toldonce.store.store import Store
from toldonce.types import FormationKey, FormationResult, Lease, LeaseRequest


class StageLeases:
    """Takes leases and commits with them; a lease that was taken ahead is handed out once."""

    def __init__(self, store: Store, clock: Clock, *, lease_s: float) -> None:
        self._store = store
        self._clock = clock
        self._lease_s = lease_s
        self._following: dict[FormationKey, FormationKey] = {}
        self._ahead: dict[FormationKey, Lease] = {}

    @asynccontextmanager
    async def in_order(self, keys: Sequence[FormationKey]) -> AsyncIterator[None]:
        """Let the commit of each stage take the lease on the next; give back a lease that is not used.

        Args:
            keys: Stages of one conversation that write to the same subject.
        """
        self._following.update(pairwise(keys))
        try:
            yield
        finally:
            unused = [ahead for key in keys if (ahead := self._ahead.pop(key, None)) is not None]
            for key in keys:
                self._following.pop(key, None)
            for ahead in unused:  # nothing was tried: the attempt does not count
                now = self._clock.now()
                await self._store.formations.release(ahead, error=None, retry_at=now, now=now)

    async def take(self, key: FormationKey) -> Lease | None:
        """Lease a formation as `FormationRepository.lease` does, unless that was done ahead."""
        ahead = self._ahead.pop(key, None)
        if ahead is not None and ahead.until > self._clock.now():
            return ahead
        # Another worker may have taken one that expired.
        return await self._store.formations.lease(key, now=self._clock.now(), lease_s=self._lease_s)

    async def commit(self, lease: Lease, result: FormationResult) -> None:
        """Commit as `FormationRepository.commit` does, and lease the next stage in the same write."""
        following = self._following.get(lease.key)
        if following is None:
            await self._store.formations.commit(lease, result, now=self._clock.now())
            return
        wanted = LeaseRequest(key=following, now=self._clock.now(), lease_s=self._lease_s)
        ahead = await self._store.formations.commit_and_lease(lease, result, wanted)
        if ahead is not None:
            self._ahead[following] = ahead
