"""Evict what exceeds a subject's capacity: ranked once, closed in small commits, even if it is a hundred thousand."""

from collections.abc import Sequence

from toldonce.clock import EPOCH
from toldonce.maintenance.capacity import COUNTED_KINDS, PlannedCommit, capacity_for, counted_places
from toldonce.maintenance.commit import BATCH_SIZE, Commits, Plan
from toldonce.maintenance.pace import Pace
from toldonce.maintenance.retention import Capacity, Occupant, leave, weigh_occupant
from toldonce.types import Action, MemoryId


class Surplus:
    """Closes what is too much. It can be stopped and run again until it is done."""

    def __init__(self, commits: Commits) -> None:
        self._commits = commits
        self._room: Capacity | None = None
        self._now = EPOCH
        self._count = 0
        self._over = 0
        self._version = 0
        self._ranked: list[Occupant] = []

    async def run(self, pace: Pace) -> None:
        """Rank, unless that was done, and close.

        Raises:
            PausedError: it was told to stop.
            StaleSubjectError: the subject kept changing.
        """
        if self._room is None:
            await self._rank(pace)
        while self._over > 0 and self._ranked and self._room is not None:
            pace.check()
            room, portion = self._room, self._ranked[-BATCH_SIZE:][::-1]

            async def evicted(room: Capacity = room, portion: Sequence[Occupant] = portion) -> Plan:
                return await self._evicted(room, portion)

            known = len(self._commits.closed_ids)
            if await self._commits.commit(evicted):
                self._over -= len(self._commits.closed_ids) - known
                self._version = self._commits.version
            del self._ranked[-BATCH_SIZE:]

    async def _rank(self, pace: Pace) -> None:
        """Rank all that takes up room, page by page, where there is too much of it."""
        self._version, count = await self._counted()
        room = await capacity_for(
            PlannedCommit(subject=self._commits.subject, snapshot=await self._commits.snapshot()),
            count,
            self._commits.runtime,
        )
        if room is None or count <= room.policy.max_memories:
            return
        self._now = now = self._commits.runtime.clock.now()
        oldest = room.policy.policy != "lowest_value"
        ranked: list[Occupant] = []
        after: MemoryId | None = None
        while page := await self._commits.page(COUNTED_KINDS, after):
            pace.check()
            ranked += [weigh_occupant(memory, room, now, oldest=oldest) for memory in self._commits.left(page)]
            after = page[-1].id
        self._count = len(ranked)
        self._over = over = max(0, len(ranked) - room.policy.max_memories)
        # The first to go are last in the list, where they are taken off.
        self._ranked = await pace.apart(lambda: sorted(ranked)[:over][::-1])
        self._room = room

    async def _evicted(self, room: Capacity, portion: Sequence[Occupant]) -> Plan:
        """Close the first of what is too much, unless it was used, or there is less of it, since it was ranked."""
        commits, plan = self._commits, self._commits.plan()
        if not commits.dry_run and self._version != await commits.runtime.store.memories.version(commits.subject):
            self._version, count = await self._counted()
            self._over = count - room.policy.max_memories
        read = {memory.id: memory for memory in await commits.read([ranked.id for ranked in portion])}
        for ranked in portion:
            memory = read.get(ranked.id)
            if memory is None or len(plan.decisions) >= self._over:
                continue
            if weigh_occupant(memory, room, self._now, oldest=ranked.oldest) == ranked:
                plan.close(memory, self._now)
                reason = leave(ranked, self._count, room).reason
                plan.decide(memory, Action.EVICT, reason)
        return plan

    async def _counted(self) -> tuple[int, int]:
        """Return the subject's version, and how many of its memories take up room."""
        snapshot = await self._commits.snapshot()
        return snapshot.version, len(counted_places(snapshot))
