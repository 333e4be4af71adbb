"""Maintain subjects: close what is over, merge duplicates, make the rest fit, on a schedule. Uses the store.

All of it goes in small commits and short computations, so that live requests are served meanwhile. Told to stop, it
stops within a second, also in the middle of a subject with a hundred thousand memories, and goes on from there.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from toldonce.clock import EPOCH
from toldonce.errors import StoreUnavailableError, ToldOnceError
from toldonce.formation.runtime import Runtime
from toldonce.maintenance.commit import BATCH_SIZE, Commits, Plan
from toldonce.maintenance.near_duplicates import Duplicates
from toldonce.maintenance.pace import Pace, PausedError
from toldonce.maintenance.reembed import DROPPED
from toldonce.maintenance.retention import NO_AGE, Expiry, ages, ending, last_met
from toldonce.maintenance.surplus import Surplus
from toldonce.profiles.policies import AgePolicy
from toldonce.resolution.plans import PlannedChange, begun, change_of
from toldonce.resolution.slots import value_mark
from toldonce.store.executor import MAX_PAGE_SIZE
from toldonce.text import terms
from toldonce.types import (
    Action,
    AddMemory,
    Decision,
    MaintenanceLease,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
)

_NOTE = MemoryKind.NOTE.number

"""A message, by its conversation and `seq`."""
logger = logging.getLogger(__name__)
# Subjects tended before the worker looks for live turns' work and rests: a backlog of all users goes by in the
# background, some of them a second.
SUBJECT_BATCH_SIZE = 8
# How long other processes wait for one that died during a sweep; also the wait until a failed sweep is tried again.
LEASE_S = 300.0
# How long an insertion waits for its turn to be recorded: an answer that never came leaves one, and so does a kill.
UNRECORDED_KEPT = timedelta(days=7)
# Longest time that tending goes on before the worker looks for live turns of other processes.
MAX_PORTION_S = 1.0
# How often keys of requests are deleted that are too old to be sent again.
PRUNE_EVERY = timedelta(hours=1)


async def maintain_subject(
    runtime: Runtime, subject: Subject, *, dry_run: bool = False, stop: Callable[[], bool] = lambda: False
) -> list[Decision]:
    """Maintain a subject, in small commits that each check that nothing changed meanwhile.

    Args:
        runtime: Store, embedder, clock and profiles. No language model is asked.
        subject: Whose memories.
        dry_run: Change nothing, and say what would be.
        stop: Asked every few milliseconds.

    Returns:
        The decisions, in order.

    Raises:
        StaleSubjectError: the subject kept changing; what was committed until then stays.
        StoreUnavailableError: it was told to stop; what was committed until then stays.
    """
    care = Care(runtime, subject, dry_run=dry_run)
    if not await care.run(stop):
        raise StoreUnavailableError(f"{subject.text} is tended no further: the database is being closed")
    return care.decisions


class Care:
    """One tending of one subject. It can be stopped and run again until it is done."""

    def __init__(
        self, runtime: Runtime, subject: Subject, *, since: datetime | None = None, dry_run: bool = False
    ) -> None:
        """Prepare; nothing is read before `run`. Notes stored before `since` were compared already; None: none were."""
        self.subject = subject
        self._commits = Commits(runtime, subject, dry_run=dry_run)
        self._duplicates = Duplicates(self._commits, since)
        steps = [self._begin_what_was_planned, self._end_what_is_over, self._end_what_aged]
        steps += [self._duplicates.run, Surplus(self._commits).run]
        self._steps = steps if dry_run else [*steps, self._drop_other_vectors, self._drop_unrecorded_insertions]
        self._aged_after: MemoryId | None = None

    @property
    def decisions(self) -> list[Decision]:
        """What was decided so far, in order."""
        return self._commits.decisions

    @property
    def reached(self) -> datetime | None:
        """The time before which all notes were compared with one another; None where that is not known."""
        return self._duplicates.reached

    async def run(self, stop: Callable[[], bool]) -> bool:
        """Go on until all is done, or `stop` says so; return whether all is done.

        Raises:
            StaleSubjectError: the subject kept changing; what was committed until then stays.
        """
        pace = Pace(stop)
        try:
            while self._steps:
                await self._steps[0](pace)
                del self._steps[0]
        except PausedError:
            return False
        return True

    async def _begin_what_was_planned(self, pace: Pace) -> None:
        """Let coming changes whose day is here begin or end what they say; what they replace ends on that day."""
        commits = self._commits
        store, clock = commits.runtime.store, commits.runtime.clock

        async def next_one() -> Plan:
            plan = commits.plan()
            read = commits.left(await store.maintenance.begun(self.subject, clock.now(), limit=MAX_PAGE_SIZE))
            planned = min((each for each in read if change_of(each)), key=lambda each: each.valid_from, default=None)
            change = change_of(planned) if planned else None
            if planned is None or change is None:
                return plan
            plan.close(planned, planned.valid_from)
            held = await self._ended_by(planned, change)
            for known in held:
                if last_met(replace(known, last_used_at=None)) >= planned.valid_from:
                    why = "its day has come, and another value was stated since"
                    plan.decide(planned, Action.EXPIRE, why, target=known)
                    return plan
            new = None if change.is_end else begun(planned, change, clock)
            for known in held:
                plan.close(known, planned.valid_from)
                plan.decide(known, Action.CLOSE, "the day of a coming change has come", target=new or planned)
            plan.decide(planned, Action.EXPIRE, "its day has come", target=new)
            if new is not None:
                plan.changes.append(await self._stored(new))
                plan.decide(new, Action.ADD, "its day has come")
            return plan

        while await commits.commit(next_one):
            pace.check()

    async def _ended_by(self, planned: Memory, change: PlannedChange) -> list[Memory]:
        """Return what holds and ends on the day of a coming change."""
        store = self._commits.runtime.store
        ending = await store.memories.in_slot(self.subject, planned.category, change.slot) if change.slot else None
        if ending and change.is_end and value_mark(ending.value) != value_mark(planned.value):
            ending = None
        named = await self._commits.read([change.names] if change.names else [])
        return [*([ending] if ending else []), *named]

    async def _stored(self, new: Memory) -> AddMemory:
        """Return a memory to be added, a note with its vector."""
        if new.kind is MemoryKind.FACT:
            return AddMemory(memory=new, terms=terms(new.text))
        runtime = self._commits.runtime = await self._commits.runtime.for_subject(self.subject)
        [vector] = await runtime.embedder.embed([new.text])
        is_empty = not vector.any()
        return AddMemory(
            memory=new,
            space="" if is_empty else runtime.embedder.space,
            vectors=() if is_empty else (vector,),
            terms=terms(new.text),
        )

    async def _end_what_is_over(self, pace: Pace) -> None:
        """Close what has a last day that has passed."""
        commits = self._commits

        async def over() -> Plan:
            now = commits.runtime.clock.now()
            most = min(MAX_PAGE_SIZE, BATCH_SIZE + len(commits.closed_ids))
            read = commits.left(await commits.runtime.store.maintenance.expired(self.subject, now, limit=most))
            endings = [expiry for memory in read if (expiry := ending(memory, NO_AGE, now))]
            return self._ended(endings[:BATCH_SIZE])

        while await commits.commit(over):
            pace.check()

    async def _end_what_aged(self, pace: Pace) -> None:
        """Close notes that were neither said nor used for too long, and those that have worn off."""
        commits = self._commits
        names = await commits.runtime.store.maintenance.profiles_of(self.subject)
        if not any(ages(profile.age) for name in names if (profile := commits.profile(name))):
            return
        while page := await commits.page((MemoryKind.NOTE,), self._aged_after):
            pace.check()
            ids = [expiry.memory.id for expiry in self._aged(commits.left(page))]
            for start in range(0, len(ids), BATCH_SIZE):

                async def aged(portion: Sequence[MemoryId] = ids[start : start + BATCH_SIZE]) -> Plan:
                    return self._ended(self._aged(await commits.read(portion)))

                await commits.commit(aged)
            self._aged_after = page[-1].id

    def _aged(self, memories: Iterable[Memory]) -> list[Expiry]:
        now = self._commits.runtime.clock.now()
        return [expiry for memory in memories if (expiry := ending(memory, self._age_of(memory), now))]

    async def _drop_other_vectors(self, pace: Pace) -> None:
        """Drop the vectors of spaces that are over."""
        while await self._commits.runtime.store.embeddings.drop_other_vectors(self.subject, limit=DROPPED):
            pace.check()

    async def _drop_unrecorded_insertions(self, pace: Pace) -> None:
        """Drop what was inserted into prompts whose turns were never recorded, after a week."""
        before = self._commits.runtime.clock.now() - UNRECORDED_KEPT
        while await self._commits.runtime.store.insertions.prune(self.subject, before, limit=BATCH_SIZE):
            pace.check()

    def _ended(self, endings: Sequence[Expiry]) -> Plan:
        plan = self._commits.plan()
        for end in endings:
            plan.close(end.memory, end.valid_to)
            plan.decide(end.memory, Action.EXPIRE, end.reason)
        return plan

    def _age_of(self, memory: Memory) -> AgePolicy:
        profile = self._commits.profile(memory.profile)
        return profile.age if profile else NO_AGE


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnderWay:
    """A subject whose sweep is under way."""

    care: Care
    lease: MaintenanceLease
    began: datetime


class SweepSchedule:
    """Says whose turn it is, and tends."""

    def __init__(self, runtime: Runtime, every_s: float) -> None:
        """Tend each subject once in `every_s` seconds; 0: never."""
        self._runtime = runtime
        self._every = timedelta(seconds=every_s)
        self._pruned_at = EPOCH
        self._under_way: _UnderWay | None = None

    async def portion(self, stop: Callable[[], bool]) -> bool:
        """Tend a few of the subjects whose turn it is, or go on with a large one; return whether that one needs more.

        Args:
            stop: Asked every few milliseconds; where it says so, the rest waits for the next time.

        Raises:
            StoreUnavailableError: the database does not answer.
        """
        if not self._every:
            return False
        clock = self._runtime.clock
        end = clock.monotonic() + MAX_PORTION_S

        def pause() -> bool:
            return stop() or clock.monotonic() >= end

        if not await self._go_on(pause):
            return True
        store, now = self._runtime.store, clock.now()
        if now - self._pruned_at >= PRUNE_EVERY:
            self._pruned_at = now
            await store.idempotency.prune(now)
        for subject in await store.maintenance.due(before=now - self._every, now=now, limit=SUBJECT_BATCH_SIZE):
            if pause():
                break
            lease = await store.maintenance.lease(subject, before=now - self._every, now=now, lease_s=LEASE_S)
            if lease is not None:
                care = Care(self._runtime, subject, since=lease.last)
                self._under_way = _UnderWay(care=care, lease=lease, began=now)
                if not await self._go_on(pause):
                    return True
        return False

    async def close(self) -> None:
        """Note how far the subject under way was tended, so that another process goes on from there."""
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            await self._runtime.store.maintenance.finish(under_way.lease, self._reached(under_way), whole=False)

    async def _go_on(self, pause: Callable[[], bool]) -> bool:
        """Go on with the subject under way; return whether none is any more."""
        under_way = self._under_way
        if under_way is None:
            return True
        store, now = self._runtime.store, self._runtime.clock.now()
        until = now + timedelta(seconds=LEASE_S)
        try:
            if not await store.maintenance.advance(under_way.lease, self._reached(under_way), until=until):
                logger.info("tending was taken over")
            elif not await under_way.care.run(pause):
                return False
            else:
                await store.maintenance.finish(under_way.lease, under_way.began)
        except StoreUnavailableError:
            raise
        except ToldOnceError as error:
            # The lease runs out by itself, and then the subject has its turn again.
            logger.warning("tending failed", extra={"error": type(error).__name__})
        self._under_way = None
        if under_way.care.decisions:
            logger.info("tended", extra={"closed": len(under_way.care.decisions)})
        return True

    def _reached(self, under_way: _UnderWay) -> datetime:
        """Return the time before which all was tended: what was compared, of the rest what was before this tending."""
        before = under_way.lease.last or EPOCH
        reached = under_way.care.reached
        return before if reached is None else min(max(before, reached), under_way.began)
