"""Counts over time: of one subject, of a tenant, of all; in whole hours and days."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from factories import ANA, BEN, add, decision, due, evidence, memory, recall_record, turn
from toldonce.errors import BadRequestError
from toldonce.ids import new_id
from toldonce.profiles.policies import BudgetPolicy
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    MAX_BUCKETS,
    Action,
    BucketSize,
    CloseMemory,
    ConversationId,
    CostPurpose,
    MemoryKind,
    MemoryState,
    Reservation,
    StatisticsSpan,
    Subject,
)

ACME = Subject("user", "ana", "acme")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def span(clock: FakeClock, size: BucketSize = BucketSize.DAY, *, back: timedelta = 3 * DAY) -> StatisticsSpan:
    return StatisticsSpan.of(now=clock.now(), size=size, since=clock.now() - back)


async def fill(store: Store, clock: FakeClock, *subjects: Subject) -> None:
    """Store a note and a fact two days ago, close the note today, and add another; each with a decision."""
    olds = {}
    for subject in subjects:
        old = olds[subject] = memory("old", clock=clock, subject=subject)
        fact = memory("Oslo", slot="identity/city", clock=clock, subject=subject)
        lines = [decision(old, clock=clock), decision(fact, clock=clock)]
        await store.memories.apply(subject, [add(old), add(fact, vector=None)], lines)
    clock.advance(days=2)
    for subject, old in olds.items():
        new, now = memory("new", clock=clock, subject=subject), clock.now()
        closed = CloseMemory(id=old.id, valid_to=now, closed_at=now)
        lines = [decision(new, Action.REPLACE, clock=clock, target=old.id)]
        await store.memories.apply(subject, [closed, add(new)], lines)


async def test_memories_are_counted_by_kind_state_and_age(store: Store, clock: FakeClock) -> None:
    await fill(store, clock, ANA)
    found = await store.admin.subject_statistics(ANA, span(clock))

    assert {(count.kind, count.state, count.max_age_days): count.count for count in found.memories} == {
        (MemoryKind.NOTE, MemoryState.ACTIVE, 1): 1,
        (MemoryKind.NOTE, MemoryState.CLOSED, 7): 1,
        (MemoryKind.FACT, MemoryState.ACTIVE, 7): 1,
    }
    clock.advance(days=400)
    later = await store.admin.subject_statistics(ANA, span(clock))
    assert {count.max_age_days for count in later.memories} == {None}


async def test_buckets_have_what_was_stored_and_decided_then(store: Store, clock: FakeClock) -> None:
    await fill(store, clock, ANA)
    found = await store.admin.subject_statistics(ANA, span(clock))

    assert [bucket.begins for bucket in found.buckets] == [found.span.since + number * DAY for number in range(4)]
    assert [dict(bucket.stored) for bucket in found.buckets] == [
        {},
        {MemoryKind.NOTE: 1, MemoryKind.FACT: 1},
        {},
        {MemoryKind.NOTE: 1},
    ]
    assert [dict(bucket.decisions) for bucket in found.buckets] == [{}, {"add": 2}, {}, {"replace": 1}]
    by_hour = await store.admin.subject_statistics(ANA, span(clock, BucketSize.HOUR, back=HOUR))
    assert [dict(bucket.stored) for bucket in by_hour.buckets] == [{}, {MemoryKind.NOTE: 1}]


async def test_a_memory_is_counted_when_it_was_said_in_the_readers_day(store: Store, clock: FakeClock) -> None:
    """The clocks of Oslo go forward on 29 March: that day has 23 hours, and 28 March ends at 23:00 UTC."""
    imported = datetime(2026, 3, 31, 12, tzinfo=UTC)
    clock.advance(seconds=(imported - clock.now()).total_seconds())
    for said_at in ("2026-03-28T22:50:00Z", "2026-03-28T23:10:00Z", "2026-03-29T21:50:00Z"):
        said = replace(evidence(ConversationId(new_id(clock)), 1), said_at=datetime.fromisoformat(said_at))
        note = memory(f"said at {said_at}", clock=clock, sources=[said])
        await store.memories.apply(ANA, [add(note)], [decision(note, clock=clock)])
    since = imported - 3 * DAY

    def span_of(zone: str) -> StatisticsSpan:
        return StatisticsSpan.of(now=clock.now(), size=BucketSize.DAY, since=since, zone=zone)

    oslo = await store.admin.subject_statistics(ANA, span_of("Europe/Oslo"))
    utc = await store.admin.statistics(span_of("UTC"))

    assert [bucket.begins.isoformat()[5:16] for bucket in oslo.buckets] == [
        *("03-27T23:00", "03-28T23:00", "03-29T22:00", "03-30T22:00")
    ]
    counted = [[bucket.said.get(MemoryKind.NOTE, 0) for bucket in found.buckets] for found in (oslo, utc)]
    assert counted == [[1, 2, 0, 0], [2, 1, 0, 0]]
    assert [sum(bucket.stored.values()) for bucket in oslo.buckets] == [0, 0, 0, 3]
    assert oslo.buckets[-1].decisions == {"add": 3}
    with pytest.raises(BadRequestError, match="no time zone"):
        span_of("Nowhere/Town")


async def test_prompts_are_counted_with_their_tokens_and_prefixes(store: Store, clock: FakeClock) -> None:
    known = memory("known", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    for number, prefix in enumerate(("new", "kept", "kept", "changed", "")):
        clock.advance(minutes=1)
        record = replace(
            recall_record((ANA, known.id, 0.5), at=clock.now()), id=new_id(clock), prefix=prefix, replayed=number
        )
        await store.conversations.record(turn("a", "b", external_id=f"c{number}", said_at=clock.now(), recall=record))
    [*_, today] = (await store.admin.subject_statistics(ANA, span(clock))).buckets

    assert (today.prompts, today.tokens, today.replayed) == (5, 60, 10)
    assert (today.kept_prefixes, today.broken_prefixes) == (2, 1)


async def test_spending_is_listed_by_day_and_purpose(store: Store, clock: FakeClock) -> None:
    async def book(subject: Subject, purpose: CostPurpose) -> None:
        booked = Reservation(id=new_id(clock), purpose=purpose, units=1.5, tokens=100, at=clock.now())
        await store.budgets.reserve(subject, booked, BudgetPolicy())

    await book(ANA, CostPurpose.CREATE)
    clock.advance(days=1)
    await book(ANA, CostPurpose.JUDGE)
    await book(BEN, CostPurpose.JUDGE)
    own = await store.admin.subject_statistics(ANA, span(clock))
    assert [(line.purpose, line.cost.calls, line.cost.units, line.cost.tokens) for line in own.spending] == [
        (CostPurpose.CREATE, 1, 1.5, 100),
        (CostPurpose.JUDGE, 1, 1.5, 100),
    ]
    assert own.spending[1].day - own.spending[0].day == DAY
    every = await store.admin.statistics(span(clock))
    assert [(line.purpose, line.cost.calls) for line in every.spending] == [
        (CostPurpose.CREATE, 1),
        (CostPurpose.JUDGE, 2),
    ]


async def test_formations_are_counted_by_what_they_wait_for(store: Store, clock: FakeClock) -> None:
    work = [due(due_at=clock.now()), due(stage="index", due_at=clock.now() + HOUR)]
    await store.conversations.record(turn("a", "b", formations=work))
    found = (await store.admin.subject_statistics(ANA, span(clock))).formations
    assert (found.due, found.waiting, found.parked) == (1, 1, 0)
    [key] = await store.formations.due(clock.now())
    lease = await store.formations.lease(key, now=clock.now(), lease_s=6)
    assert lease is not None
    await store.formations.release(lease, error="no model", retry_at=None, now=clock.now())
    found = (await store.admin.statistics(span(clock))).formations
    assert (found.due, found.waiting, found.parked) == (0, 1, 1)


async def test_a_tenant_is_counted_without_the_others(store: Store, clock: FakeClock) -> None:
    await fill(store, clock, ANA, BEN, ACME)

    async def stored(tenant: str | None) -> list[int]:
        found = await store.admin.statistics(span(clock), tenant=tenant)
        assert sum(count.count for count in found.memories) == 3 * {None: 3, "": 2, "acme": 1, "bolt": 0}[tenant]
        return [sum(bucket.stored.values()) for bucket in found.buckets]

    assert [await stored(tenant) for tenant in (None, "", "acme", "bolt")] == [
        [0, 6, 0, 3],
        [0, 4, 0, 2],
        [0, 2, 0, 1],
        [0, 0, 0, 0],
    ]


async def test_an_unknown_subject_has_empty_buckets(store: Store, clock: FakeClock) -> None:
    found = await store.admin.subject_statistics(ANA, span(clock))
    assert (found.memories, found.spending, len(found.buckets)) == ((), (), 4)
    assert not any(bucket.prompts or bucket.stored or bucket.decisions for bucket in found.buckets)


@pytest.mark.parametrize(
    ("since", "until"),
    [
        (timedelta(0), timedelta(0)),
        (-DAY, -2 * DAY),
        (-(MAX_BUCKETS + 1) * DAY, timedelta(0)),
    ],
)
def test_intervals_that_cannot_be_counted_are_refused(clock: FakeClock, since: timedelta, until: timedelta) -> None:
    begin = datetime.combine(clock.now().date(), datetime.min.time(), tzinfo=clock.now().tzinfo)
    with pytest.raises(BadRequestError, match="interval"):
        StatisticsSpan.of(now=clock.now(), size=BucketSize.DAY, since=begin + since, until=begin + until)
    with pytest.raises(BadRequestError, match="time zone"):
        StatisticsSpan.of(now=clock.now(), size=BucketSize.DAY, since=begin.replace(tzinfo=None))


async def test_what_may_need_a_look_is_counted(store: Store, clock: FakeClock) -> None:
    used, unused = memory("used", clock=clock), memory("unused", clock=clock)
    held = replace(memory("held", clock=clock), state=MemoryState.HELD)
    fact = memory("Oslo", slot="identity/city", clock=clock)
    await store.memories.apply(ANA, [add(used), add(unused), add(held, vector=None), add(fact, vector=None)], [])
    fresh = await store.admin.health(ANA)
    assert (fresh.memories, fresh.held, fresh.never_recalled, fresh.idle) == (3, 1, 0, 0)
    clock.advance(days=91)
    await store.memories.record_uses(ANA, [used.id], clock.now())
    await store.memories.apply(BEN, [add(memory("another's", clock=clock, subject=BEN))], [])
    old = await store.admin.health(ANA)
    assert (old.memories, old.held, old.never_recalled, old.idle) == (3, 1, 2, 1)
    assert old.formations.parked == 0
