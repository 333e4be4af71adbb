"""A slot has the newest value told; what was said before stays quoted behind it; undone, the old one returns."""

import pytest

from sample_chats import slots, texts, user
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import Action, MemoryKind, RequestScope

FORMED = (MemoryKind.NOTE, MemoryKind.FACT)


async def tell(engine: AsyncToldOnce, clock: FakeClock, *said: str, profile: str = "default") -> None:
    """Say each sentence in a conversation of its own, a day apart, and form it."""
    for number, text in enumerate(said):
        clock.advance(days=1)
        await engine.record(
            [user(text)], user="ana", conversation=f"c{number} {text}", scope=RequestScope(profile=profile)
        )
        await engine.form()


@pytest.mark.parametrize(
    ("before", "change", "gone", "question"),
    [
        ("I work at Kestrel Foods.", "I work at Halden Labs now.", "Kestrel", "Where do I work?"),
        ("I live in Puebla with my mum.", "We moved to Brno.", "Puebla", "Where do I live with my mum?"),
        ("My name is Johanna.", "My name is Jo.", "Johanna", "What is my name?"),
        ("ich wohne in Ulm", "ich wohne jetzt in Halle", "Ulm", "Wo wohne ich?"),
        ("vivo en Bilbao", "nos mudamos a Cuenca", "Bilbao", "¿Dónde vivo, en Bilbao?"),
    ],
)
async def test_a_new_value_of_a_slot_takes_the_place_of_the_old_one(
    engine: AsyncToldOnce, clock: FakeClock, before: str, change: str, gone: str, question: str
) -> None:
    await tell(engine, clock, before)
    [key] = [fact.key for fact in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if gone in fact.value]
    await tell(engine, clock, change)
    held = await slots(engine)
    assert held[key]
    assert gone not in held[key]
    assert before in await texts(engine, kinds=(MemoryKind.TURN,)), "it was said"
    shown = (await engine.context(question, user="ana")).text
    assert change in shown
    assert before not in shown.partition(change)[0], "quoted behind what was said later, if at all"


@pytest.mark.parametrize(
    ("before", "other"),
    [
        ("I work at Kestrel Foods as a planner.", "My sister quit her job."),
        ("I work at Kestrel Foods as a planner.", "I might quit my job."),
        ("I work at Kestrel Foods as a planner.", "I left the party early."),
        ("I work at Kestrel Foods as a planner.", "I quit my second job."),
        ("I work at Kestrel Foods as a planner.", "I left Bellwether last week."),
        ("I live in Puebla.", "My brother moved to Lyon."),
        ("I live in Puebla.", "I haven't moved."),
        ("I live in Puebla.", "I moved the sofa."),
        ("My sister lives in Turin.", "I moved to Porto."),
        ("My wife works at Bosch.", "I quit my job."),
        ("I'm allergic to nuts.", "I quit my job and moved to Porto."),
        ("My name is Johanna.", "My colleague wants to be called Jo from now on."),
    ],
)
async def test_what_is_no_change_of_it_ends_nothing(
    engine: AsyncToldOnce, clock: FakeClock, before: str, other: str
) -> None:
    await tell(engine, clock, before)
    held = await texts(engine)
    await tell(engine, clock, other)
    assert held <= await texts(engine)


async def test_a_new_value_told_before_the_old_one_is_left_stays(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, clock, "I work at Kestrel Foods.", "I work at Halden Labs now. I left Kestrel last week.")
    assert (await slots(engine))["employer"] == "Halden Labs"


async def test_taking_the_change_back_brings_the_old_value_back(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, clock, "I live in Puebla with my mum.")
    before = await texts(engine, kinds=FORMED)
    await tell(engine, clock, "I moved to Brno.")
    assert (await slots(engine))["location"] == "Brno"
    [change] = [line for line in await engine.history.decisions(user="ana") if line.action is Action.REPLACE]
    await engine.history.undo(change.id, user="ana")
    assert await texts(engine, kinds=FORMED) == before
    assert (await slots(engine))["location"] == "Puebla"
