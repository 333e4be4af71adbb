"""Uses and hits are written in batches, and what reads them can let them be written first."""

import asyncio
from dataclasses import replace

import pytest

from factories import ANA, BEN, add, memory, recall_record, turn
from toldonce.errors import StoreUnavailableError
from toldonce.store.executor import flush_counts
from toldonce.store.sql.jobs import PendingWrites
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import Memory, MemoryOrder


async def stored(store: Store, clock: FakeClock, count: int) -> list[Memory]:
    memories = [memory(f"note {number}", clock=clock) for number in range(count)]
    await store.memories.apply(ANA, [add(known) for known in memories], [])
    return memories


async def test_a_list_has_the_uses_that_were_recorded_before(store: Store, clock: FakeClock) -> None:
    one, two = await stored(store, clock, 2)
    for expected in (1, 2, 3):
        await store.memories.record_uses(ANA, [one.id], clock.now())
        await store.memories.flush_uses(ANA)
        listed = await store.memories.list(ANA, order=MemoryOrder.USES)
        assert listed == [replace(one, uses=expected, last_used_at=clock.now()), two]
        assert await store.memories.get_many(ANA, [one.id]) == listed[:1]


async def test_what_is_counted_of_others_is_not_waited_for(store: Store, clock: FakeClock) -> None:
    [one] = await stored(store, clock, 1)
    await asyncio.gather(*(store.memories.record_uses(ANA, [one.id], clock.now()) for _ in range(5)))
    await store.memories.flush_uses(BEN)
    await store.memories.flush_uses()
    assert (await store.memories.get_many(ANA, [one.id]))[0].uses == 5


async def test_a_write_happens_after_the_uses_recorded_before(store: Store, clock: FakeClock) -> None:
    [one] = await stored(store, clock, 1)
    await store.memories.record_uses(ANA, [one.id], clock.now())
    await store.memories.apply(ANA, [add(memory("another", clock=clock))], [])
    assert (await store.memories.get_many(ANA, [one.id]))[0].uses == 1


async def test_the_hits_recorded_before_are_in_the_totals(store: Store, clock: FakeClock) -> None:
    [one] = await stored(store, clock, 1)
    recalled = recall_record((ANA, one.id, 0.9), at=clock.now())
    await store.conversations.record(turn("Where?", "There.", recall=recalled))
    await store.conversations.record_hits(ANA, recalled, [one.id])
    totals = await store.admin.subject_totals(ANA)
    assert (totals.recalled, totals.hits) == (1, 1)


async def test_a_closed_store_does_not_hold_up_who_waits_for_counts(store: Store, clock: FakeClock) -> None:
    [one] = await stored(store, clock, 1)
    await store.memories.record_uses(ANA, [one.id], clock.now())
    await store.close()
    await store.memories.flush_uses(ANA)
    with pytest.raises(StoreUnavailableError):
        await store.memories.record_uses(ANA, [one.id], clock.now())
    await store.memories.flush_uses(ANA)


async def test_a_busy_database_is_waited_for_a_second_at_most(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toldonce.store.executor.MAX_FLUSH_S", 0.01)
    executor = store.memories._executor

    async def never(*_subjects: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(executor, "flush", never)
    await flush_counts(executor, ANA)


def test_pending_writes_are_known_by_subject_until_all_are_done() -> None:
    pending = PendingWrites()
    pending.add([1, 2])
    pending.add([2])
    pending.add([])
    assert (pending.has([1]), pending.has([2]), pending.has([3]), pending.has()) == (True, True, False, True)
    pending.remove([1, 2])
    assert (pending.has([1]), pending.has([2])) == (False, True)
    pending.remove([2])
    assert (pending.has([2]), pending.has()) == (False, True)
    pending.remove([])
    assert not pending.has()
