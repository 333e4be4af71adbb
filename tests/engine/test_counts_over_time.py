"""Counts over time, through the library and over a connection."""

from datetime import timedelta

from sample_chats import PEANUTS_AND_OSLO, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.ids import new_id
from toldonce.profiles.policies import BudgetPolicy
from toldonce.testing import FakeClock
from toldonce.types import BucketSize, Cost, CostPurpose, MemoryKind, MemoryState, Reservation, Subject


async def test_a_user_and_everything_are_counted_alike(
    parts: Components, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await engine.record([user(PEANUTS_AND_OSLO)], user="ana", conversation="c1")
    await engine.form()
    booked = Reservation(id=new_id(clock), purpose=CostPurpose.JUDGE, units=0.5, tokens=70, at=clock.now())
    await parts.store.budgets.reserve(Subject("user", "ana"), booked, BudgetPolicy())
    clock.advance(hours=1)
    since = clock.now() - timedelta(hours=1)
    own = await engine.admin.subject_statistics(user="ana", since=since, bucket=BucketSize.HOUR)
    every = await engine.admin.statistics(since=since, bucket=BucketSize.HOUR)
    assert own == every
    assert (own.span.size, own.span.count) == (BucketSize.HOUR, 2)
    kinds = {count.kind for count in own.memories if count.state is MemoryState.ACTIVE}
    assert {MemoryKind.FACT, MemoryKind.TURN} <= kinds
    first, second = own.buckets
    assert sum(first.stored.values()) == sum(count.count for count in own.memories)
    assert first.decisions["add"] >= 2
    assert not second.stored
    assert [(line.purpose, line.cost) for line in own.spending] == [
        (CostPurpose.JUDGE, Cost(calls=1, units=0.5, tokens=70))
    ]


async def test_what_may_need_a_look_is_counted(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    clock.advance(days=100)
    found = await engine.admin.health(user="ana")
    assert (found.memories, found.held, found.never_recalled, found.idle) == (1, 0, 1, 1)
