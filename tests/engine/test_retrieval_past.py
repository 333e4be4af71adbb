"""Reading the past: what was true then, and what was known then."""

from datetime import datetime, timedelta

import pytest

from sample_chats import tell, user
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, MemoryState

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


async def cities(engine: AsyncToldOnce, at: datetime | None = None, known_at: datetime | None = None) -> set[str]:
    found = await engine.list(user="ana", kinds=(MemoryKind.FACT,), at=at, known_at=known_at)
    return {memory.value for memory in found}


async def story(engine: AsyncToldOnce, clock: FakeClock) -> tuple[datetime, datetime]:
    """Live in Rome, and ten days later move to Oslo; return an instant in each."""
    await tell(engine, "I live in Rome.")
    in_rome = clock.now() + timedelta(days=5)
    clock.advance(days=10)
    await tell(engine, "I moved to Oslo.")
    clock.advance(days=10)
    return in_rome, clock.now()


async def test_what_was_true_then_is_listed_though_it_is_closed(engine: AsyncToldOnce, clock: FakeClock) -> None:
    in_rome, now = await story(engine, clock)
    assert await cities(engine) == {"Oslo"}
    assert await cities(engine, at=in_rome) == {"Rome"}
    assert await cities(engine, at=now) == {"Oslo"}
    assert await cities(engine, at=in_rome - timedelta(days=30)) == set()


async def test_what_was_known_then_is_another_axis(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    early = clock.now() + timedelta(days=1)
    clock.advance(days=10)
    # Said today, true since long ago: learnt late.
    said = clock.now() - timedelta(days=40)
    await engine.record([user("I am allergic to peanuts.")], user="ana", said_at=said)
    await engine.form()
    assert await cities(engine, at=early) == {"Rome", "peanuts"}
    assert await cities(engine, at=early, known_at=early) == {"Rome"}
    assert await cities(engine, known_at=early) == {"Rome"}


async def test_an_end_that_was_not_known_yet_does_not_count(engine: AsyncToldOnce, clock: FakeClock) -> None:
    in_rome, now = await story(engine, clock)
    assert await cities(engine, at=now, known_at=in_rome) == {"Rome"}
    [rome] = await engine.list(user="ana", kinds=(MemoryKind.FACT,), at=now, known_at=in_rome)
    assert (rome.state, rome.valid_to, rome.closed_at) == (MemoryState.ACTIVE, None, None)


async def test_a_search_of_the_past_ranks_what_held_then(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.add("Ana keeps two goats behind the barn.", user="ana")
    [goats] = await engine.list(user="ana")
    then = clock.now() + timedelta(hours=1)
    clock.advance(days=1)
    await engine.forget(goats.id, user="ana")
    await engine.add("Ana keeps bees behind the barn.", user="ana")
    clock.advance(days=1)
    now = await engine.search("what does Ana keep behind the barn", user="ana")
    past = await engine.search("what does Ana keep behind the barn", user="ana", at=then)
    assert [item.memory.text for item in now.items] == ["Ana keeps bees behind the barn."]
    assert [item.memory.id for item in past.items] == [goats.id]
    assert past.items[0].similarity > 0.5
    assert past.items[0].word_share > 0.5
    assert past.considered == 1


async def test_a_search_of_the_present_as_of_now_finds_the_same_in_the_same_order(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await tell(engine, "I live in Rome. I like jazz. My sister keeps bees. I am allergic to peanuts.")
    clock.advance(hours=1)
    now = await engine.search("what does the user like", user="ana")
    then = await engine.search("what does the user like", user="ana", at=clock.now())
    assert [(item.memory.id, round(item.score, 4)) for item in then.items] == [
        (item.memory.id, round(item.score, 4)) for item in now.items
    ]
    assert now.items


async def test_reading_the_past_changes_nothing_in_the_present(engine: AsyncToldOnce, clock: FakeClock) -> None:
    in_rome, _ = await story(engine, clock)
    before = await engine.search("where does the user live", user="ana")
    await engine.search("where does the user live", user="ana", at=in_rome)
    after = await engine.search("where does the user live", user="ana")
    assert [item.memory for item in after.items] == [item.memory for item in before.items]
    assert after.considered == before.considered


async def test_what_an_edit_took_back_was_never_true(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, user("Hello."), {"role": "assistant", "content": "Hello to you."}, "I live in Rome.")
    then = clock.now()
    clock.advance(days=1)
    await tell(engine, user("Hello."), {"role": "assistant", "content": "Hello to you."}, "I play the cello.")
    assert "Rome" not in await cities(engine, at=then)
    assert "Rome" in await cities(engine, at=then, known_at=then)


async def test_an_instant_without_a_time_zone_is_refused(engine: AsyncToldOnce) -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001  # what a caller may get wrong
    with pytest.raises(BadRequestError, match="needs a time zone"):
        await engine.search("rome", user="ana", at=naive)
    with pytest.raises(BadRequestError, match="needs a time zone"):
        await engine.list(user="ana", known_at=naive)


async def test_nobody_elses_past_is_read(engine: AsyncToldOnce, clock: FakeClock) -> None:
    in_rome, _ = await story(engine, clock)
    assert await engine.list(user="ben", at=in_rome) == []
    assert (await engine.search("rome", user="ben", at=in_rome)).items == ()
