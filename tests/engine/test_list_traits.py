"""Lists of memories of one class, category, conversation or time, page by page; by library and over a connection."""

from datetime import timedelta

import pytest

from sample_chats import PEANUTS_AND_OSLO, user
from stores import SEALED, STORES
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.testing import FakeClock
from toldonce.types import Memory, MemoryKind, MemoryOrder, MemoryTraits, NewNote

NAMES = ("apples", "violins", "mountains", "rivers", "bicycles", "candles", "ladders")


@pytest.fixture(params=(*STORES, *SEALED))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def filled(engine: AsyncToldOnce, clock: FakeClock) -> list[Memory]:
    """Store notes of two classes, one a minute, and facts of a conversation; return all, oldest first."""
    for number, name in enumerate(NAMES):
        await engine.bulk.add([NewNote(f"Ana owns {name}.", 0.5, "thing" if number % 2 else "wish")], user="ana")
        clock.advance(minutes=1)
    await engine.record([user(PEANUTS_AND_OSLO)], user="ana", conversation="c1")
    await engine.form()
    return sorted(await engine.list(user="ana"), key=lambda memory: memory.id)


@pytest.mark.parametrize("order", MemoryOrder)
async def test_pages_of_a_filtered_list_have_each_memory_once(
    engine: AsyncToldOnce, clock: FakeClock, order: MemoryOrder
) -> None:
    every = await filled(engine, clock)
    chat = await engine.conversations.get("c1", user="ana")
    middle = every[0].known_from + timedelta(minutes=3)
    for where in (
        MemoryTraits(type="wish"),
        MemoryTraits(category="identity"),
        MemoryTraits(conversation="c1"),
        MemoryTraits(conversation=chat.id),
        MemoryTraits(since=middle),
        MemoryTraits(until=middle),
        MemoryTraits(type="thing", since=middle),
    ):
        named = MemoryTraits() if where.conversation is None else MemoryTraits(conversation=chat.id)
        traits = where if where.conversation is None else named
        wanted = {memory.id for memory in every if traits.fits(memory)}
        assert 0 < len(wanted) < len(every)
        found: list[str] = []
        while page := await engine.list(
            user="ana", order=order, limit=2, after=found[-1] if found else None, where=where
        ):
            found += [memory.id for memory in page]
        assert len(found) == len(wanted)
        assert set(found) == wanted
        past = await engine.list(user="ana", order=order, at=clock.now(), where=where)
        assert {memory.id for memory in past} == wanted
        if order is MemoryOrder.OLDEST:
            assert found == sorted(found)
        if order is MemoryOrder.NEWEST:
            assert found == sorted(found, reverse=True)


async def test_quotations_of_a_conversation_are_listed_when_asked_for(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await filled(engine, clock)
    quoted = await engine.list(user="ana", kinds=(MemoryKind.TURN,), where=MemoryTraits(conversation="c1"))
    assert [memory.text for memory in quoted] == [PEANUTS_AND_OSLO]


async def test_nothing_fits_an_unknown_class_and_unknown_conversations_are_refused(engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana", type="wish")
    for where in (MemoryTraits(type="Wish"), MemoryTraits(type="' OR 1=1"), MemoryTraits(category="wish")):
        assert await engine.list(user="ana", where=where) == []
    with pytest.raises(UnknownConversationError):
        await engine.list(user="ana", where=MemoryTraits(conversation="nothing"))


@pytest.mark.near_only(reason="the client writes instants with their zone")
async def test_a_time_without_a_zone_is_refused(engine: AsyncToldOnce, clock: FakeClock) -> None:
    with pytest.raises(BadRequestError, match="time zone"):
        await engine.list(user="ana", where=MemoryTraits(since=clock.now().replace(tzinfo=None)))
