"""What has changed in a life is asserted no more, by whatever words it was told; taken back, the old value returns."""

import pytest

from recollect.engine import AsyncRecollect
from recollect.testing import FakeClock
from recollect.types import Action, MemoryKind, RequestScope
from sample_chats import slots, texts, user

FORMED = (MemoryKind.NOTE, MemoryKind.FACT)


async def tell(engine: AsyncRecollect, clock: FakeClock, *said: str, profile: str = "default") -> None:
    """Say each sentence in a conversation of its own, a day apart, and form it."""
    for number, text in enumerate(said):
        clock.advance(days=1)
        await engine.record(
            [user(text)], user="ana", conversation=f"c{number} {text}", scope=RequestScope(profile=profile)
        )
        await engine.form()


@pytest.mark.parametrize(
    ("before", "change", "gone"),
    [
        ("I work at Kestrel Foods as a planner.", "Handed in my notice today.", "Kestrel"),
        ("I work at Kestrel Foods as a planner.", "I left Kestrel last week.", "Kestrel"),
        ("I'm a dental nurse in Hull.", "from 1 August i'm a tram driver", "dental nurse"),
        ("I'm a translator.", "big news: i've quit the agency", "translator"),
        ("I study chemistry in Graz.", "I've switched to law this term.", "chemistry"),
        (
            "I live in Puebla with my mum.",
            "moved again lol, now i'm in Brno, the uni has a second campus here",
            "Puebla",
        ),
        ("I live alone in Galway.", "Big step: I moved in with my boyfriend Cathal in Limerick.", "Galway"),
        ("my full name is Ngozi Eze", "we did it!! i'm Ngozi Balogun now, officially", "Eze"),
        ("My name is Johanna.", "please call me Jo from now on", "Johanna"),
        ("I'm single.", "I'm engaged to Petra now.", "single"),
    ],
)
async def test_the_old_value_is_asserted_no_more(
    engine: AsyncRecollect, clock: FakeClock, before: str, change: str, gone: str
) -> None:
    await tell(engine, clock, before)
    assert any(gone in text for text in await texts(engine, kinds=FORMED))
    await tell(engine, clock, change)
    held = await texts(engine, kinds=FORMED)
    assert not any(gone in text and "left" not in text for text in held)
    assert held, "the change itself is kept"
    shown = await engine.search(before, user="ana")
    assert not any(gone in hit.memory.text and "left" not in hit.memory.text for hit in shown.items), "nor quoted"


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
    engine: AsyncRecollect, clock: FakeClock, before: str, other: str
) -> None:
    await tell(engine, clock, before)
    held = await texts(engine, kinds=FORMED)
    await tell(engine, clock, other)
    assert held <= await texts(engine, kinds=FORMED)


@pytest.mark.parametrize(
    ("before", "change", "gone"),
    [
        ("My anatomy exam is on 12 March.", "they postponed it, it's on the 21st now", "12 March"),
        ("I'm flying to Lisbon on 3 April.", "My trip to Lisbon was postponed.", "3 April"),
        ("I have a job interview on 9 March.", "the actual interview got moved to the 16th btw", "9 March"),
        ("My favourite colour is burnt orange.", "scratch the orange, i'm back to navy blue", "orange"),
    ],
)
async def test_a_plan_that_moved_and_a_taste_that_passed_are_asserted_no_more(
    engine: AsyncRecollect, clock: FakeClock, before: str, change: str, gone: str
) -> None:
    await tell(engine, clock, before)
    [old] = [text for text in await texts(engine, kinds=(MemoryKind.NOTE,)) if gone in text]
    await tell(engine, clock, change)
    assert old not in await texts(engine, kinds=FORMED)


async def test_it_means_no_plan_where_two_are_ahead(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, clock, "My anatomy exam is on 12 March.", "I'm flying to Lisbon on 3 April.")
    held = await texts(engine, kinds=FORMED)
    await tell(engine, clock, "they postponed it")
    assert held <= await texts(engine, kinds=FORMED)


async def test_a_new_value_told_before_the_old_one_is_left_stays(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, clock, "I work at Kestrel Foods.", "I work at Halden Labs now. I left Kestrel last week.")
    assert (await slots(engine))["employer"] == "Halden Labs"


async def test_a_quotation_that_no_memory_was_formed_of_is_cut_as_well(
    engine: AsyncRecollect, clock: FakeClock
) -> None:
    await tell(engine, clock, "what is a good pan, we're both living in Puebla after all, for a tiny kitchen stove?")
    await tell(engine, clock, "We moved to Brno.")
    shown = await engine.search("where do we live, Puebla?", user="ana")
    assert not any("Puebla" in hit.memory.text for hit in shown.items)


async def test_taking_the_change_back_brings_the_old_value_back(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, clock, "I work at Kestrel Foods as a planner.")
    before = await texts(engine, kinds=FORMED)
    await tell(engine, clock, "Handed in my notice today.")
    [change] = [line for line in await engine.history.decisions(user="ana") if line.action is Action.REPLACE]
    assert "changed: job" in change.reason
    undone = await engine.history.undo(change.id, user="ana")
    assert await texts(engine, kinds=FORMED) == before
    assert any(memory.memory.kind is MemoryKind.TURN for memory in undone.returning), "and so does the quotation"


async def test_a_profile_without_facts_ends_its_notes_as_well(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, clock, "I live in Leeds.", "I moved to Bath last week.", profile="user")
    assert not any("Leeds" in text for text in await texts(engine, kinds=FORMED))
