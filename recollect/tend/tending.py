"""Tend one subject: end what is over, merge what says the same, make what is left fit. Reads and writes the store."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

import numpy as np

from recollect.errors import StaleSubjectError, UnknownProfileError
from recollect.ids import id_text, new_id
from recollect.profiles.model import AgePolicy, Profile
from recollect.store.paging import MOST
from recollect.tend.age import NO_AGE, Ending, ages, ending
from recollect.tend.making_room import Planned, shrink
from recollect.tend.merge import merging, near_pairs, restates
from recollect.tend.reembed import drop_others
from recollect.text import source_key
from recollect.types import (
    KIND_ORDER,
    NO_VECTORS,
    Action,
    Change,
    CloseMemory,
    Decision,
    Hot,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    Subject,
    closed_by,
)
from recollect.work.tools import Tools

T = TypeVar("T")

# Memories read, or closed, in one go: a commit of 200 takes some 20 ms, and live turns go between them.
PORTION = 200
_STALE_TRIES = 20
_NOTE = KIND_ORDER.index(MemoryKind.NOTE)


@dataclass(slots=True, kw_only=True)
class _Plan:
    """What one commit is to change."""

    changes: list[Change] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)


async def tend_subject(
    tools: Tools, subject: Subject, *, since: datetime | None = None, dry_run: bool = False
) -> list[Decision]:
    """Tend a subject, in small commits of which each checks that nothing changed meanwhile.

    Args:
        tools: Store, embedder, clock and profiles. No language model is asked.
        subject: Whose memories.
        since: Notes stored before were compared with one another already; None compares all.
        dry_run: Change nothing, and say what would be.

    Returns:
        The decisions, in order.

    Raises:
        StaleSubjectError: the subject kept changing; what was committed until then stands.
    """
    care = _Care(tools, subject, dry_run=dry_run)
    await care.end_what_is_over()
    await care.end_what_aged()
    await care.merge(since)
    await care.fit()
    if not dry_run:
        await drop_others(tools, subject)
    return care.decisions


class _Care:
    """One tending of one subject."""

    def __init__(self, tools: Tools, subject: Subject, *, dry_run: bool) -> None:
        self._tools = tools
        self._subject = subject
        self._dry_run = dry_run
        self._gone: set[MemoryId] = set()
        self.decisions: list[Decision] = []

    async def end_what_is_over(self) -> None:
        """Close what has a last day that has passed, notes that restate such a fact with it."""

        async def over(hot: Hot) -> _Plan:
            now = self._tools.clock.now()
            most = min(MOST, PORTION + len(self._gone))
            found = await self._tools.store.ended(self._subject, now, limit=most)
            endings = [one for memory in self._left(found) if (one := ending(memory, NO_AGE, now))]
            return await self._ended(hot, endings[:PORTION])

        while await self._commit(over):
            pass

    async def end_what_aged(self) -> None:
        """Close notes that nobody said or used for too long, and those that have worn off."""
        names = await self._tools.store.profiles_of(self._subject)
        if not any(ages(profile.age) for name in names if (profile := self._profile(name))):
            return
        for ids in _portions(await self._notes()):

            async def aged(hot: Hot, ids: Sequence[MemoryId] = ids) -> _Plan:
                now = self._tools.clock.now()
                read = self._left(await self._tools.store.memories(self._subject, ids))
                found = [ending(memory, self._age_of(memory), now) for memory in read]
                return await self._ended(hot, [one for one in found if one])

            await self._commit(aged)

    async def merge(self, since: datetime | None) -> None:
        """Keep notes once that say the same."""
        self._tools = await self._tools.of(self._subject)
        hot = await self._tools.store.hot(self._subject, self._tools.embedder.space)
        policy = (self._profile("default") or Profile(name="", description="")).resolve
        pairs = await asyncio.to_thread(near_pairs, hot, since=since, most=policy.neighbours)
        cosines = np.array([cosine for *_, cosine in pairs], dtype=np.float32)
        similar = self._tools.embedder.relevance(cosines).tolist() if pairs else []
        named = [(_id(hot, one), _id(hot, other), value) for (one, other, _), value in zip(pairs, similar, strict=True)]
        for portion in _portions(named):

            async def merged(hot: Hot, portion: Sequence[tuple[MemoryId, MemoryId, float]] = portion) -> _Plan:
                del hot  # the commit checks its version
                return await self._merged(portion)

            while await self._commit(merged):
                pass

    async def fit(self) -> None:
        """Close what a subject has no room for."""

        async def fitted(hot: Hot) -> _Plan:
            now = self._tools.clock.now()
            gone = [CloseMemory(id=id_, valid_to=now, closed_at=now) for id_ in self._gone] if self._dry_run else []
            planned = Planned(subject=self._subject, hot=hot, changes=gone)
            changes, decisions = await shrink(planned, self._tools, most_closed=PORTION)
            return _Plan(changes=changes, decisions=decisions)

        while await self._commit(fitted):
            pass

    async def _commit(self, make: Callable[[Hot], Awaitable[_Plan]]) -> bool:
        """Plan and apply, anew where the subject changed meanwhile; False where nothing was to be done."""
        for _ in range(_STALE_TRIES):
            hot = await self._hot()
            plan = await make(hot)
            if not plan.decisions:
                return False
            if not self._dry_run:
                try:
                    await self._tools.store.apply(
                        self._subject, plan.changes, plan.decisions, subject_version=hot.version
                    )
                except StaleSubjectError:
                    continue
            self._gone |= {gone for decision in plan.decisions if (gone := closed_by(decision))}
            self.decisions += plan.decisions
            return True
        raise StaleSubjectError(f"{self._subject.text} kept changing while it was tended; try again")

    async def _ended(self, hot: Hot, endings: Sequence[Ending]) -> _Plan:
        plan = _Plan()
        facts = [one for one in endings if one.memory.kind is MemoryKind.FACT]
        closing = {one.memory.id for one in endings}
        for one in endings:
            self._close(plan, one.memory, one.valid_to)
            self._decide(plan, Action.EXPIRE, (one.memory.id, None), (one.reason, one.memory.text, one.memory.profile))
        for note in await self._sharing_sources(hot, [one.memory for one in facts]):
            fact = next((one for one in facts if restates(note, one.memory)), None)
            if fact and note.id not in closing:
                self._close(plan, note, fact.valid_to)
                said = ("restates what ended", note.text, note.profile)
                self._decide(plan, Action.EXPIRE, (note.id, fact.memory.id), said)
        return plan

    async def _sharing_sources(self, hot: Hot, facts: Sequence[Memory]) -> list[Memory]:
        keys = {source_key(source.conversation, source.seq) for fact in facts for source in fact.evidence}
        if not keys:
            return []
        touched = np.flatnonzero(np.isin(hot.source_key, np.array(list(keys), dtype=np.int64)))
        owners = np.unique(np.searchsorted(hot.source_start, touched, side="right") - 1)
        ids = [_id(hot, int(owner)) for owner in owners if hot.kinds[owner] == _NOTE]
        return self._left(await self._tools.store.memories(self._subject, ids[:PORTION]))

    async def _merged(self, pairs: Sequence[tuple[MemoryId, MemoryId, float]]) -> _Plan:
        ids = list(dict.fromkeys(id_ for one, other, _ in pairs for id_ in (one, other)))
        known = {memory.id: memory for memory in self._left(await self._tools.store.memories(self._subject, ids))}
        plan = _Plan()
        touched: set[MemoryId] = set()
        for one, other, similarity in pairs:
            if one not in known or other not in known or touched & {one, other}:
                continue
            profile = self._profile(known[one].profile) or Profile(name="", description="")
            found = merging(known[one], known[other], similarity, profile.resolve)
            if found is None:
                continue
            # Each takes part once a commit: what it became by one merge is weighed anew for the next.
            touched |= {one, other}
            importance = max(found.kept.importance, found.gone.importance)
            plan.changes.append(StrengthenMemory(id=found.kept.id, importance=importance, inherits=(found.gone.id,)))
            self._close(plan, found.gone, self._tools.clock.now())
            said = (found.reason, found.gone.text, found.kept.profile)
            self._decide(plan, Action.MERGE, (found.kept.id, found.gone.id), said)
        return plan

    def _close(self, plan: _Plan, memory: Memory, valid_to: datetime) -> None:
        now = self._tools.clock.now()
        plan.changes.append(CloseMemory(id=memory.id, valid_to=max(valid_to, memory.valid_from), closed_at=now))

    def _decide(
        self, plan: _Plan, action: Action, touched: tuple[MemoryId, MemoryId | None], said: tuple[str, str, str]
    ) -> None:
        reason, text, profile = said
        plan.decisions.append(
            Decision(
                id=new_id(self._tools.clock),
                subject=self._subject,
                at=self._tools.clock.now(),
                action=action,
                memory_id=touched[0],
                target_id=touched[1],
                reason=reason,
                text=text,
                profile=profile,
            )
        )

    def _left(self, memories: Sequence[Memory]) -> list[Memory]:
        return [one for one in memories if one.state is MemoryState.ACTIVE and one.id not in self._gone]

    async def _hot(self) -> Hot:
        self._tools = await self._tools.of(self._subject)
        return await self._tools.store.hot(self._subject, self._tools.embedder.space, sought=NO_VECTORS)

    async def _notes(self) -> list[MemoryId]:
        hot = await self._hot()
        return [_id(hot, place) for place in np.flatnonzero(hot.kinds == _NOTE).tolist()]

    def _profile(self, name: str) -> Profile | None:
        try:
            return self._tools.profiles.get(name)
        except UnknownProfileError:  # it is not on the shelf any more, and rules nothing
            return None

    def _age_of(self, memory: Memory) -> AgePolicy:
        profile = self._profile(memory.profile)
        return profile.age if profile else NO_AGE


def _portions(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + PORTION] for start in range(0, len(items), PORTION))


def _id(hot: Hot, place: int) -> MemoryId:
    return MemoryId(id_text(hot.ids[place]))
