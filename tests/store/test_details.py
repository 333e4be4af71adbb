"""What few memories have beside their words, and the numbers of an app's."""

from dataclasses import replace

from factories import ANA, add, decision, memory
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import MemoryDetail, Subject


async def test_rare_details_of_memories_are_read_back(store: Store, clock: FakeClock) -> None:
    detail = MemoryDetail(
        summary="peanuts", source_uri="toldonce://x/1", tags=("pair:kira+marcus",), first_turn=1, last_turn=9
    )
    known = replace(memory("Ana is allergic to peanuts.", clock=clock), detail=detail)
    await store.memories.apply(ANA, [add(known)], [decision(known)])
    assert (await store.memories.get_many(ANA, [known.id]))[0].detail == detail


async def test_a4_an_apps_memories_are_numbered_one_after_the_other(store: Store, clock: FakeClock) -> None:
    found: list[int] = []
    for app in (Subject("app", "calendar"), Subject("app", "notes")):
        known = [memory(f"Memory {n}.", subject=app, clock=clock) for n in (1, 2)]
        await store.memories.apply(app, [add(row) for row in known], [])
        first, second = (row.number for row in await store.memories.get_many(app, [row.id for row in known]))
        assert second == first + 1
        found += [first, second]
    assert found[:2] == [1, 2]
    assert len(set(found)) == len(found)
