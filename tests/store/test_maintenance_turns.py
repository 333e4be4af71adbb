"""What tending reads and writes: subjects due, expired memories, profiles in use, evidence taken over."""

from dataclasses import replace
from datetime import timedelta

import pytest

from factories import ANA, BEN, SPACE, add, evidence, memory
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    CloseMemory,
    ConversationId,
    MaintenanceLease,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    Subject,
)

CONVERSATION = ConversationId("0198c0de-0000-7000-8000-00000000000a")
DAY = timedelta(days=1)


async def take(store: Store, clock: FakeClock, subject: Subject = ANA) -> MaintenanceLease | None:
    return await store.maintenance.lease(subject, before=clock.now() - DAY, now=clock.now(), lease_s=300)


async def whose_turn(store: Store, clock: FakeClock) -> list[Subject]:
    return await store.maintenance.due(before=clock.now() - DAY, now=clock.now())


async def test_each_subject_has_its_turn_once_a_day_and_with_one_process(store: Store, clock: FakeClock) -> None:
    for subject in (ANA, BEN):
        await store.memories.apply(subject, [add(memory("Tea.", subject=subject, clock=clock))], [])
    assert set(await whose_turn(store, clock)) == {ANA, BEN}

    lease = await take(store, clock)
    assert lease is not None
    assert lease.last is None
    assert await take(store, clock) is None, "another process holds it"
    assert await whose_turn(store, clock) == [BEN]
    await store.maintenance.finish(lease, clock.now())
    assert await take(store, clock) is None, "it was tended today"

    clock.advance(days=1)
    assert await whose_turn(store, clock) == [BEN, ANA], "who waits longest comes first"
    again = await take(store, clock)
    assert again is not None
    assert again.last == clock.now() - DAY


async def test_a_lease_of_a_process_that_died_runs_out_and_then_counts_for_nothing(
    store: Store, clock: FakeClock
) -> None:
    await store.memories.apply(ANA, [add(memory("Tea.", clock=clock))], [])
    dead = await take(store, clock)
    assert dead is not None
    clock.advance(seconds=301)
    alive = await take(store, clock)
    assert alive is not None
    await store.maintenance.finish(dead, clock.now())
    clock.advance(seconds=301)
    assert await take(store, clock) is not None, "what the dead one notes frees nothing and stamps nothing"


async def test_a_clock_that_ran_ahead_postpones_no_subject(store: Store, clock: FakeClock) -> None:
    await store.memories.apply(ANA, [add(memory("Tea.", clock=clock))], [])
    today = clock.now()
    clock.set(today + 400 * DAY)
    ahead = await take(store, clock)
    assert ahead is not None
    await store.maintenance.finish(ahead, clock.now())
    clock.set(today)
    assert await whose_turn(store, clock) == [ANA]
    lease = await take(store, clock)
    assert lease is not None
    assert lease.last is None


async def test_a_subject_without_memories_is_not_tended(store: Store, clock: FakeClock) -> None:
    assert await whose_turn(store, clock) == []
    assert await take(store, clock) is None
    assert await store.maintenance.profiles_of(ANA) == set()
    assert await store.maintenance.expired(ANA, clock.now()) == []


async def test_expired_memories_are_read_oldest_end_first_without_quotations(store: Store, clock: FakeClock) -> None:
    ends = {
        "over": memory("The user is in Rome.", clock=clock),
        "long over": memory("The user is in Oslo.", clock=clock),
        "to come": memory("The user is in Lima.", clock=clock),
        "never": memory("The user likes tea.", clock=clock),
        "turn": memory("I am in Rome.", clock=clock, kind=MemoryKind.TURN),
        "closed": memory("The user is in Quito.", clock=clock),
    }
    now = clock.now() + DAY
    after = {"over": now, "long over": now - DAY, "to come": now + DAY, "turn": now, "closed": now}
    await store.memories.apply(ANA, [add(replace(row, valid_to=after.get(name))) for name, row in ends.items()], [])
    await store.memories.apply(ANA, [CloseMemory(id=ends["closed"].id, valid_to=now, closed_at=now)], [])
    assert {row.id for row in await store.maintenance.expired(ANA, now)} == {ends["over"].id, ends["long over"].id}
    assert [row.id for row in await store.maintenance.expired(ANA, now, limit=1)] == [ends["long over"].id]
    assert await store.maintenance.expired(BEN, now) == []


async def test_profiles_are_those_of_notes_and_facts_closed_ones_too(store: Store, clock: FakeClock) -> None:
    notes = [replace(memory(f"Note {name}.", clock=clock), profile=name) for name in ("session", "app", "app")]
    turn = replace(memory("Said.", clock=clock, kind=MemoryKind.TURN), profile="default")
    await store.memories.apply(ANA, [add(row) for row in (*notes, turn)], [])
    assert await store.maintenance.profiles_of(ANA) == {"session", "app"}
    await store.memories.apply(ANA, [CloseMemory(id=notes[0].id, valid_to=clock.now(), closed_at=clock.now())], [])
    assert await store.maintenance.profiles_of(ANA) == {"session", "app"}, (
        "room must not grow when its last memory goes"
    )


@pytest.mark.parametrize("how", ["added", "strengthened"])
async def test_evidence_is_taken_over_once_each_and_recall_sees_its_sources(
    store: Store, clock: FakeClock, how: str
) -> None:
    first = memory("The user likes tea.", clock=clock, sources=[evidence(CONVERSATION, 1, quote="tea")])
    second = memory(
        "The user likes tea!",
        clock=clock,
        sources=[evidence(CONVERSATION, 1, quote="tea"), evidence(CONVERSATION, 3, quote="tea")],
    )
    both = memory("The user likes tea.", clock=clock)
    await store.memories.apply(ANA, [add(first), add(second)], [])
    if how == "added":
        kept = both
        closes = [CloseMemory(id=row.id, valid_to=clock.now(), closed_at=clock.now()) for row in (first, second)]
        await store.memories.apply(ANA, [*closes, replace(add(both), inherits=(first.id, second.id))], [])
    else:
        kept = first
        closing = CloseMemory(id=second.id, valid_to=clock.now(), closed_at=clock.now())
        await store.memories.apply(
            ANA, [StrengthenMemory(id=first.id, importance=0.5, inherits=(second.id,)), closing], []
        )

    [read] = await store.memories.get_many(ANA, [kept.id])
    assert [source.seq for source in read.evidence] == [1, 3]
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    assert len(snapshot) == 1
    assert len(snapshot.source_key) == 2
    assert snapshot.roles.tolist() == [1], "the user's own words"
    [closed] = await store.memories.get_many(ANA, [second.id])
    assert closed.state is MemoryState.CLOSED
    assert [source.seq for source in closed.evidence] == [1, 3], "the history keeps its own"
