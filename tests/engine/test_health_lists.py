"""Lists of what may need a look, through the library and over a connection, on every store."""

from dataclasses import replace
from datetime import timedelta

import pytest

from factories import ANA, memory
from sample_chats import tell
from stores import SEALED, STORES
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine import health as health_module
from toldonce.errors import BadRequestError, UnknownMemoryError
from toldonce.testing import FakeClock
from toldonce.types import AddMemory, MemoryState, NewNote


@pytest.fixture(params=(*STORES, *SEALED))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_never_recalled_and_idle_memories_are_listed_as_counted(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.bulk.add([NewNote(f"Ana owns {name}.", 0.5) for name in ("apples", "violins", "candles")], user="ana")
    await engine.context("violins", user="ana")
    clock.advance(days=31)
    await engine.add("Ana plays the cello.", user="ana")
    counts = await engine.admin.health(user="ana")
    never = [known.text for known in await engine.health.never_recalled(user="ana")]
    assert len(never) == counts.never_recalled > 0
    assert "Ana plays the cello." not in never
    assert await engine.health.idle(user="ana") == []
    clock.advance(days=60)
    counts = await engine.admin.health(user="ana")
    idle = await engine.health.idle(user="ana")
    assert len(idle) == counts.idle == 3
    found: list[str] = []
    while page := await engine.health.idle(user="ana", after=found[-1] if found else None, limit=2):
        found += [known.id for known in page]
    assert found == [known.id for known in idle]
    first = await engine.health.never_recalled(user="ana", limit=1)
    rest = await engine.health.never_recalled(user="ana", after=first[0].id)
    assert [*first, *rest] == await engine.health.never_recalled(user="ana")


async def test_what_took_the_place_of_what_is_listed_with_its_decision(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for city in ("Rome", "Oslo", "Bergen"):
        await tell(engine, f"I live in {city}.")
        clock.advance(days=1)
    pairs = await engine.health.replaced(user="ana")
    facts = [(pair.newer.value, pair.older.value) for pair in pairs if pair.newer.value]
    assert facts == [("Bergen", "Oslo"), ("Oslo", "Rome")]
    newest = pairs[0]
    assert newest.at is not None
    assert newest.decision is not None
    assert newest.older.state is MemoryState.CLOSED
    assert newest.reason
    paged = await engine.health.replaced(user="ana", limit=1)
    assert paged == pairs[:1]
    assert await engine.health.replaced(user="ana", before=(newest.at, newest.decision)) == pairs[1:]
    clock.advance(days=40)
    assert await engine.health.replaced(user="ana") == []


async def test_a_held_fact_is_listed_with_the_active_one_of_its_slot(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await tell(engine, "I live in Oslo.")
    [oslo] = [known for known in await engine.list(user="ana") if known.value == "Oslo"]
    slot = f"{oslo.category}/{oslo.key}"
    held = replace(memory("Rome", clock=clock, slot=slot), state=MemoryState.HELD)
    other = replace(memory("Rex", clock=clock, slot="pet/name"), state=MemoryState.HELD)
    await parts.store.memories.apply(ANA, [AddMemory(memory=held), AddMemory(memory=other)], [])
    [pair] = await engine.health.held_conflicts(user="ana")
    assert (pair.newer.id, pair.older.id) == (held.id, oslo.id)
    assert await engine.health.held_conflicts(user="ana", after=held.id) == []


async def test_near_duplicates_are_listed_page_by_page(engine: AsyncToldOnce, clock: FakeClock) -> None:
    texts = [f"Ana keeps {number} red bicycles in the garage." for number in (2, 3, 4)]
    for text in (*texts, "The choir meets on Mondays.", "Bread needs flour and water."):
        await engine.bulk.add([NewNote(text, 0.5)], user="ana")
        clock.advance(minutes=1)
    found = await engine.health.near_duplicates(user="ana", min_similarity=0.5)
    pairs = [(pair.newer.text, pair.older.text) for pair in found.pairs]
    assert pairs
    assert {text for pair in pairs for text in pair} == set(texts)
    assert all(pair.similarity is not None and pair.similarity >= 0.5 for pair in found.pairs)
    assert (found.compared, found.after) == (10, None)
    paged, after = [], None
    while True:
        page = await engine.health.near_duplicates(user="ana", min_similarity=0.5, limit=1, after=after)
        assert len(page.pairs) <= 1
        paged += [pair.newer.text for pair in page.pairs]
        after = page.after
        if after is None:
            break
    assert paged == [texts[1], texts[2]]
    assert (await engine.health.near_duplicates(user="ana", min_similarity=1.0)).compared == 10


@pytest.mark.near_only(reason="the bound of the server's process is set here")
async def test_a_comparison_that_is_cut_goes_on_with_the_next_page(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toldonce.maintenance import near_pairs

    monkeypatch.setattr(health_module, "MAX_COMPARISONS", 100)
    monkeypatch.setattr(near_pairs, "_MAX_BLOCK_ROWS", 8)
    notes = [NewNote(f"Box {number} holds item {number * 7}.", 0.5) for number in range(60)]
    await engine.bulk.add(notes, user="ana")
    compared, after, pages = 0, None, 0
    while True:
        page = await engine.health.near_duplicates(user="ana", after=after, limit=1000)
        compared, after, pages = compared + page.compared, page.after, pages + 1
        if after is None:
            break
    assert pages > 5
    assert compared == 60 * 59 // 2


async def test_nothing_is_listed_of_an_unknown_subject_and_bad_values_are_refused(engine: AsyncToldOnce) -> None:
    for listed in (engine.health.never_recalled, engine.health.idle, engine.health.replaced):
        assert await listed(user="nobody") == []
    assert await engine.health.held_conflicts(user="nobody") == []
    found = await engine.health.near_duplicates(user="nobody")
    assert (found.pairs, found.compared, found.after) == ((), 0, None)
    with pytest.raises(BadRequestError, match="min_similarity"):
        await engine.health.near_duplicates(user="ana", min_similarity=1.5)
    with pytest.raises(UnknownMemoryError):
        await engine.health.idle(user="ana", after="nothing")


async def test_lists_leave_out_what_is_closed(engine: AsyncToldOnce, clock: FakeClock) -> None:
    note = await engine.add("Ana owns a kite.", user="ana")
    clock.advance(days=91)
    assert [known.id for known in await engine.health.idle(user="ana")] == [note.id]
    await engine.forget(note.id, user="ana")
    assert await engine.health.idle(user="ana") == []
    assert await engine.health.never_recalled(user="ana") == []
    assert clock.now() - note.known_from == timedelta(days=91)
