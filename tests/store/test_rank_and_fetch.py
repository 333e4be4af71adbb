"""The one read of a recall: the outcome of the ranking, and the current state of the memories it chose."""

import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import ANA, BEN, SPACE, add, evidence, memory
from soak import fuzzed
from toldonce.errors import StoreUnavailableError
from toldonce.ids import id_text, new_id
from toldonce.profiles.policies import BudgetPolicy
from toldonce.store.executor import Rank
from toldonce.store.factory import open_store
from toldonce.store.sql.recall.rank_and_fetch import MAX_READ_ON_LOOP, MAX_WEIGHED_ON_LOOP
from toldonce.store.sql.recall.snapshot import MIN_MERGED
from toldonce.store.sqlite.inline_reader import CAUTION_S, SLOW_S
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import CloseMemory, ConversationId, Memory, MemoryId, StrengthenMemory, Subject, SubjectSnapshot

Wanted = Mapping[Subject, Sequence[MemoryId]]


def everything(snapshots: Sequence[SubjectSnapshot]) -> tuple[Wanted, list[int]]:
    """Want all memories, newest first; tell how many each subject has."""
    return {
        snapshot.subject: [MemoryId(id_text(id_)) for id_ in reversed(snapshot.ids)] for snapshot in snapshots
    }, list(map(len, snapshots))


async def chosen(store: Store, *subjects: Subject) -> list[Memory]:
    return (await store.snapshots.rank_and_fetch(dict.fromkeys(subjects or (ANA,), SPACE), everything))[1]


def close(known: Memory, clock: FakeClock) -> CloseMemory:
    return CloseMemory(id=known.id, valid_to=clock.now(), closed_at=clock.now())


@pytest.fixture
async def both(url: str, clock: FakeClock) -> AsyncIterator[tuple[Store, Store]]:
    """Two that opened the same file, as two processes do."""
    ours, theirs = [await open_store(url, clock=clock) for _ in range(2)]
    yield ours, theirs
    await ours.close()
    await theirs.close()


async def test_ranked_memories_come_in_order_with_the_outcome_of_the_ranking(store: Store, clock: FakeClock) -> None:
    one, two, three = (memory(text, clock=clock) for text in ("one", "two", "three"))
    await store.memories.apply(ANA, [add(one), add(two), add(three)], [])
    unknown = [MemoryId("nonsense"), MemoryId(new_id(clock)), MemoryId(one.id.upper())]
    for _ in range(3):
        outcome, found = await store.snapshots.rank_and_fetch(
            {ANA: SPACE}, lambda snapshots: ({ANA: [three.id, *unknown, one.id]}, "why")
        )
        assert (outcome, found) == ("why", [three, one])
        assert await store.snapshots.rank_and_fetch({ANA: SPACE}, everything) == ([3], [three, two, one])


async def test_subjects_are_ranked_together_and_keep_their_own(store: Store, clock: FakeClock) -> None:
    ours = memory("Ana", clock=clock)
    theirs = replace(ours, subject=BEN, text="Ben")
    await store.memories.apply(ANA, [add(ours)], [])
    more = memory("more", subject=BEN, clock=clock)
    await store.memories.apply(BEN, [add(theirs), add(more)], [])
    nobody = Subject("user", "nobody")
    for _ in range(2):
        assert await store.snapshots.rank_and_fetch(dict.fromkeys((BEN, nobody, ANA), SPACE), everything) == (
            [2, 0, 1],
            [more, theirs, ours],
        )
        assert await store.snapshots.rank_and_fetch({ANA: SPACE}, lambda _: ({ANA: [more.id, ours.id]}, 0)) == (
            0,
            [ours],
        )
        assert await store.snapshots.rank_and_fetch(
            {nobody: SPACE}, lambda _: ({ANA: [ours.id], BEN: [ours.id]}, 0)
        ) == (0, [])


async def test_what_another_process_changes_shows_in_the_next_recall(
    both: tuple[Store, Store], clock: FakeClock
) -> None:
    ours, theirs = both
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    await theirs.memories.apply(ANA, [add(one), add(two)], [])
    for _ in range(2):
        assert await chosen(ours) == [two, one]
    source = evidence(ConversationId(new_id(clock)), 1)
    await theirs.memories.apply(ANA, [StrengthenMemory(id=one.id, importance=0.9, evidence=(source,))], [])
    assert await chosen(ours) == [two, replace(one, importance=0.9, evidence=(source,))]
    await theirs.memories.apply(ANA, [close(two, clock)], [])
    assert [known.text for known in await chosen(ours)] == ["one"]


async def test_a_closed_memory_is_chosen_no_more(store: Store, clock: FakeClock) -> None:
    rome, oslo = (memory(text, slot="identity/location", clock=clock) for text in ("Rome", "Oslo"))
    await store.memories.apply(ANA, [add(rome)], [])
    assert await chosen(store) == [rome]
    await store.memories.apply(ANA, [close(rome, clock), add(oslo)], [])
    assert await chosen(store) == [oslo]
    await store.memories.apply(ANA, [close(oslo, clock)], [])
    assert await chosen(store) == []


async def test_a_use_counts_at_once_in_what_is_chosen(store: Store, clock: FakeClock) -> None:
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    await store.memories.apply(ANA, [add(one), add(two)], [])
    await store.snapshots.snapshot(ANA, SPACE)
    later = clock.now() + timedelta(days=1)
    await store.memories.record_uses(
        ANA, [one.id], later
    )  # cached as numbers, not yet as a memory; the file learns of it later
    assert await chosen(store) == [two, replace(one, uses=1, last_used_at=later)]
    await store.memories.record_uses(ANA, [two.id, one.id, two.id], clock.now())
    await store.memories.record_uses(BEN, [one.id], later)
    used = [replace(two, uses=2, last_used_at=clock.now()), replace(one, uses=2, last_used_at=later)]
    assert await chosen(store) == used
    await store.budgets.status(
        ANA, BudgetPolicy(), now=clock.now()
    )  # told behind the uses before it: they are written by now
    more = memory("three", clock=clock)
    await store.memories.apply(ANA, [add(more)], [])
    assert await chosen(store) == [more, *used]
    assert await store.memories.get_many(ANA, [two.id, one.id]) == used


async def test_a_closed_store_chooses_nothing(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    await store.memories.apply(ANA, [add(memory("one", clock=clock))], [])
    for _ in range(2):
        assert len(await chosen(store)) == 1
    await store.close()
    with pytest.raises(StoreUnavailableError, match="closed"):
        await chosen(store)


@given(data=st.data())
@fuzzed(25)
async def test_cached_memories_always_equal_a_fresh_read(data: st.DataObject) -> None:
    """Two stores change one subject; each time the cached recall is the one that a store without a cache makes."""
    clock = FakeClock()
    many = data.draw(st.sampled_from((3, MIN_MERGED + 2)))
    store = await open_store("sqlite:///:memory:", clock=clock)
    try:
        known = [memory(f"number {number}", clock=clock) for number in range(many + 12)]
        await store.memories.apply(ANA, [add(row) for row in known[:many]], [])
        for new in known[many:]:
            place = data.draw(st.integers(0, len(known) - 1))
            match data.draw(st.sampled_from(("add", "close", "strengthen", "use"))):
                case "add":
                    await store.memories.apply(ANA, [add(new)], [])
                case "close" if known[place].id in {row.id for row in await chosen(store)}:
                    await store.memories.apply(ANA, [close(known[place], clock)], [])
                case "strengthen" if known[place].id in {row.id for row in await chosen(store)}:
                    source = evidence(ConversationId(new_id(clock)), place)
                    await store.memories.apply(
                        ANA, [StrengthenMemory(id=known[place].id, importance=0.9, evidence=(source,))], []
                    )
                case _:
                    await store.memories.record_uses(ANA, [known[place].id], clock.now())
                    await store.memories.apply(
                        BEN, [add(memory("x", subject=BEN, clock=clock))], []
                    )  # the uses are written
            clock.advance(seconds=1)
            cached = await chosen(store)
            assert cached == await store.memories.get_many(ANA, [row.id for row in cached])
    finally:
        await store.close()


def threads_seen() -> tuple[list[str], Rank[None]]:
    """Note the thread that ranking runs in."""
    seen: list[str] = []

    def rank(snapshots: Sequence[SubjectSnapshot]) -> tuple[Wanted, None]:
        seen.append(threading.current_thread().name)
        return {}, None

    return seen, rank


async def test_small_subjects_are_read_on_the_loop_and_large_ones_are_not(url: str, clock: FakeClock) -> None:
    here = threading.current_thread().name
    store = await open_store(url, clock=clock)
    seen, rank = threads_seen()
    sizes = {Subject("user", f"u{size}"): size for size in (1, MAX_READ_ON_LOOP, MAX_READ_ON_LOOP + 1)}
    for who, size in sizes.items():
        await store.memories.apply(who, [add(memory("x", subject=who, clock=clock)) for _ in range(size)], [])
    for who in (BEN, *sizes):
        await store.snapshots.rank_and_fetch({who: SPACE}, rank)
    assert [name == here for name in seen] == [False, True, True, False], "the first one tells how quick the disk is"
    await store.snapshots.rank_and_fetch(dict.fromkeys(sizes, SPACE), rank)
    assert seen[-1] == here, "once read, the large one is small enough to be weighed here"
    giant = Subject("user", "giant")
    plain = [add(memory("x", subject=giant, clock=clock), vector=None) for _ in range(MAX_WEIGHED_ON_LOOP + 1)]
    await store.memories.apply(giant, plain, [])
    for _ in range(2):
        await store.snapshots.rank_and_fetch({giant: SPACE}, rank)
        assert seen[-1] != here
    await store.close()


async def test_a_slow_disk_sends_reading_to_the_threads_for_a_while(url: str, clock: FakeClock) -> None:
    here = threading.current_thread().name
    store = await open_store(url, clock=clock)
    seen, rank = threads_seen()

    def slowly(snapshots: Sequence[SubjectSnapshot]) -> tuple[Wanted, None]:
        clock.advance(seconds=2 * SLOW_S)
        return rank(snapshots)

    async def on_loop(how: Rank[None]) -> bool:
        await store.snapshots.rank_and_fetch({ANA: SPACE}, how)
        return seen[-1] == here

    assert [await on_loop(rank), await on_loop(rank), await on_loop(slowly), await on_loop(rank)] == [0, 1, 1, 0]
    clock.advance(seconds=CAUTION_S / 2)
    assert not await on_loop(slowly), "and that was slow again"
    clock.advance(seconds=CAUTION_S / 2)
    assert not await on_loop(rank)
    clock.advance(seconds=CAUTION_S / 2)
    assert await on_loop(rank)
    await store.close()


async def test_an_error_in_ranking_reaches_the_caller_and_leaves_the_store_whole(
    store: Store, clock: FakeClock
) -> None:
    known = memory("one", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])

    def fail(snapshots: Sequence[SubjectSnapshot]) -> tuple[Wanted, None]:
        raise ZeroDivisionError

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await store.snapshots.rank_and_fetch({ANA: SPACE}, fail)
        assert await chosen(store) == [known]
