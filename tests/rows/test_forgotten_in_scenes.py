"""Apps and sessions: what is forgotten or deleted there stays so when the conversation goes on."""

import pytest

from rows.scenes import CALENDAR, SESSION
from sample_chats import assistant, user, with_model
from stores import DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind, RequestScope

TOLD = "My boyfriend Tom plays the drums in a band."


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def spoken(engine: AsyncToldOnce, clock: FakeClock, scope: RequestScope, conversation: str, *texts: str) -> None:
    said = [user(text) if place % 2 == 0 else assistant(text) for place, text in enumerate(texts)]
    await engine.record(said, user="ana", conversation=conversation, scope=scope)
    clock.advance(days=1)
    await engine.form()


async def held(engine: AsyncToldOnce, scope: RequestScope, conversation: str) -> str:
    mine = await engine.conversations.subject(user="ana", conversation=conversation, scope=scope)
    listed = await engine.list(user=mine, kinds=tuple(MemoryKind))
    context = await engine.context("Tom drums band cello", user="ana", conversation=conversation, scope=scope)
    return " ".join([*(memory.text for memory in listed), context.text])


async def test_a_paragraph_of_an_app_that_is_forgotten_stays_so_in_a_fork(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    scope = CALENDAR
    history = ("I play the cello in an orchestra.", "Lovely.", TOLD, "I see.")
    await spoken(engine, clock, scope, "one", *history)
    mine = await engine.conversations.subject(user="ana", conversation="one", scope=scope)
    meant = [
        memory
        for memory in await engine.list(user=mine, kinds=(MemoryKind.NOTE, MemoryKind.FACT))
        if "Tom" in memory.text
    ]
    assert meant
    for memory in meant:
        await engine.forget(memory.id, user=mine)
    assert "Tom" not in await held(engine, scope, "one")
    clock.advance(hours=1)
    await spoken(engine, clock, scope, "two", *history, "I keep bees in the garden.", "Sweet.")
    found = await held(engine, scope, "two")
    assert "Tom" not in found
    assert "bees" in found


async def test_a_deleted_memory_of_a_session_is_not_summed_up_again(parts: Components, clock: FakeClock) -> None:
    def summed(_system: str, asked: str) -> object:
        kept = [("fact", "Ana's boyfriend is Tom.")] if "Tom" in asked.rpartition("Messages")[2] else []
        return [{"type": kind, "content": text, "importance": 0.9} for kind, text in kept]

    model = ScriptedModel(summed)
    engine = with_model(parts, model)
    await spoken(engine, clock, SESSION, "s", TOLD, "I see.")
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    [memory] = [note for note in await engine.list(user=mine) if "Tom" in note.text]
    await engine.erase(memory.id, user=mine, keep_messages=True)
    clock.advance(hours=1)
    await spoken(engine, clock, SESSION, "s", "I play the cello in an orchestra.", "Lovely.")
    assert not [memory for memory in await engine.list(user=mine, closed=True) if "Tom" in memory.text]
