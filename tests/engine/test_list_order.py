"""Lists of memories have the order that is asked for, page by page, with every filter."""

from dataclasses import replace

import pytest

from factories import decision, memory
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock
from toldonce.types import NO_DETAIL, AddMemory, Memory, MemoryDetail, MemoryKind, MemoryOrder, NewNote, Subject

WEIGHTS = (0.3, 0.9, 0.5, 0.9, 0.1, 0.5)
SUBJECTS = ("apples", "violins", "mountains", "rivers", "bicycles", "candles")


async def filled(engine: AsyncToldOnce, clock: FakeClock) -> list[Memory]:
    """Store some notes, of which two were used at different times; return them oldest first."""
    notes = [NewNote(f"Ana owns {name}.", weight) for name, weight in zip(SUBJECTS, WEIGHTS, strict=True)]
    await engine.bulk.add(notes[:4], user="ana")
    clock.advance(minutes=1)
    await engine.bulk.add(notes[4:], user="ana")
    for query, times in (("candles", 1), ("violins", 2)):
        for _ in range(times):
            clock.advance(minutes=1)
            await engine.context(query, user="ana")
    return sorted(await engine.list(user="ana"), key=lambda memory: memory.id)


def expected(memories: list[Memory], order: MemoryOrder) -> list[str]:
    """Order them by plain means: Python's sort keeps equal ones as they are, the newest first."""
    if order is MemoryOrder.OLDEST:
        return [known.id for known in memories]
    newest = memories[::-1]
    if order is MemoryOrder.IMPORTANCE:
        newest.sort(key=lambda memory: -memory.importance)
    elif order is MemoryOrder.USES:
        newest.sort(key=lambda memory: -memory.uses)
    elif order is MemoryOrder.LAST_USED:
        newest.sort(key=lambda memory: 0.0 if memory.last_used_at is None else -memory.last_used_at.timestamp())
    return [known.id for known in newest]


@pytest.mark.parametrize("order", MemoryOrder)
async def test_pages_in_each_order_have_each_memory_once(
    engine: AsyncToldOnce, clock: FakeClock, order: MemoryOrder
) -> None:
    memories = await filled(engine, clock)
    assert len({memory.uses for memory in memories}) > 1
    wanted = expected(memories, order)
    assert [known.id for known in await engine.list(user="ana", order=order)] == wanted
    for size in (1, 4):
        found: list[str] = []
        while page := await engine.list(user="ana", order=order, limit=size, after=found[-1] if found else None):
            found += [known.id for known in page]
        assert found == wanted
    past = await engine.list(user="ana", order=order, at=clock.now())
    assert [known.id for known in past] == wanted
    rest = await engine.list(user="ana", order=order, at=clock.now(), after=wanted[2])
    assert [known.id for known in rest] == wanted[3:]


@pytest.mark.parametrize("order", MemoryOrder)
async def test_an_order_goes_with_the_filters(engine: AsyncToldOnce, clock: FakeClock, order: MemoryOrder) -> None:
    memories = await filled(engine, clock)
    closed = await engine.forget(memories[1].id, user="ana")
    assert closed.id not in {known.id for known in await engine.list(user="ana", order=order)}
    assert closed.id in {known.id for known in await engine.list(user="ana", order=order, closed=True)}
    assert await engine.list(user="ana", order=order, kinds=[MemoryKind.FACT]) == []
    assert await engine.list(user="ben", order=order) == []
    assert await engine.list(user="ana", order=order, tag="pair:kira+marcus") == []


@pytest.mark.parametrize("order", MemoryOrder)
async def test_an_order_goes_with_a_tag(engine: AsyncToldOnce, parts: Components, order: MemoryOrder) -> None:
    kira, marcus = Subject("character", "ana/kira"), MemoryDetail(tags=("pair:kira+marcus",))
    for number, weight in enumerate(WEIGHTS):
        for text, detail in ((f"Marcus broke window {number}.", marcus), (f"Eve mended roof {number}.", NO_DETAIL)):
            known = replace(memory(text, subject=kira, clock=parts.clock), importance=weight, detail=detail)
            await parts.store.memories.apply(kira, [AddMemory(memory=known)], [decision(known, clock=parts.clock)])
    tagged = await engine.list(user=kira, tag="pair:kira+marcus")
    wanted = expected(sorted(tagged, key=lambda known: known.id), order)
    assert len(wanted) == len(WEIGHTS)
    ordered = await engine.list(user=kira, tag="pair:kira+marcus", order=order)
    assert [known.id for known in ordered] == wanted
    rest = await engine.list(user=kira, tag="pair:kira+marcus", order=order, after=wanted[1])
    assert [known.id for known in rest] == wanted[2:]


async def test_a_page_after_a_memory_that_is_gone_is_empty(engine: AsyncToldOnce, clock: FakeClock) -> None:
    memories = await filled(engine, clock)
    await engine.erase(memories[0].id, user="ana")
    assert await engine.list(user="ana", order=MemoryOrder.IMPORTANCE, after=memories[0].id) == []
    assert len(await engine.list(user="ana", order=MemoryOrder.OLDEST, after=memories[0].id)) == 5
