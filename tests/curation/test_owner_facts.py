"""What agents note of the owner of a memory, however they name them, is of one person, and the latest leads."""

import tomllib
from pathlib import Path

import pytest

from factories import ANA
from sample_chats import tell
from stores import DIALECTS
from tables import check_each
from toldonce.curation.owner_facts import stated_slot
from toldonce.engine import AsyncToldOnce
from toldonce.reading.owner_voice import owners_statement
from toldonce.testing import FakeClock
from toldonce.types import Action, MemoryState

ROWS = tomllib.loads((Path(__file__).parent / "owners_statements.toml").read_text("utf-8"))
# What is noted one after another, and the texts that hold in the end; "chat: " begins what the user says themselves.
NOTED: tuple[tuple[list[str], list[str]], ...] = (
    (["User lives in Oslo.", "The owner lives in Bergen."], ["The owner lives in Bergen."]),
    (["My name is Ana.", "Ana lives in Oslo.", "User moved to Bonn."], ["User moved to Bonn.", "My name is Ana."]),
    (
        ["User is allergic to nuts.", "the user is allergic to nuts", "I'm allergic to nuts."],
        ["User is allergic to nuts."],
    ),
    (["User rows at dawn.", "The user rows at dawn"], ["User rows at dawn."]),
    (["chat: I live in Oslo.", "The user lives in Bergen."], ["The user lives in Bergen."]),
    (["The user lives in Oslo.", "chat: I moved to Bergen."], ['The user said: "I moved to Bergen."']),
    (
        ["The user has a cat named Miau.", "The user's cat Miau died."],
        ["The user's cat Miau died.", "The user has a cat named Miau."],
    ),
    (
        ["I am allergic to nuts.", "User has a severe allergy to nuts."],
        ["User has a severe allergy to nuts.", "I am allergic to nuts."],
    ),
    (
        ["Я живу в Осло.", "Пользователь живёт в Осло с женой."],
        ["Пользователь живёт в Осло с женой.", "Я живу в Осло."],
    ),
    (["chat: I live in Oslo.", "The user currently lives in Oslo."], ['The user said: "I live in Oslo."']),
    (["Ana lives in Oslo.", "User lives in Bergen."], ["User lives in Bergen.", "Ana lives in Oslo."]),  # who is Ana?
)


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@check_each(("text", "stated"), [row for rows in ROWS.values() for row in rows])
def test_a_note_states_the_slot_that_its_owner_would(text: str, stated: str) -> None:
    slot = stated_slot(owners_statement(text, ["Ana"]).text)
    assert (f"{slot.key}={slot.value}" if slot else "") == stated


async def note(engine: AsyncToldOnce, clock: FakeClock, said: list[str]) -> None:
    for text in said:
        if text.startswith("chat: "):
            await tell(engine, text.removeprefix("chat: "))
            await engine.form()
        else:
            await engine.agent_notes.remember(text, user=ANA)
        clock.advance(days=1)


async def test_all_names_of_the_owner_are_one_owner(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for number, (said, holds) in enumerate(NOTED):
        await engine.agent_notes.remember("It rains.", user=ANA)
        await note(engine, clock, said)
        listed = await engine.list(user=ANA)
        assert [memory.text for memory in listed][:-1] == holds, said
        for memory in listed:
            await engine.forget(memory.id, user=ANA, reason=f"row {number} is over")


async def test_the_newer_value_can_be_taken_back(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await note(engine, clock, ["User lives in Oslo.", "The user lives in Bergen."])
    [bergen] = await engine.list(user=ANA)
    [line] = [
        line for line in (await engine.history.get(bergen.id, user=ANA)).decisions if line.action is Action.REPLACE
    ]
    assert line.reason == "an agent asked to remember it: a newer value of the same slot"
    await engine.history.undo(line.id, user=ANA)
    assert [memory.text for memory in await engine.list(user=ANA)] == ["User lives in Oslo."]


async def test_what_was_said_long_ago_does_not_replace_what_holds(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await note(engine, clock, ["User lives in Oslo."])
    old = await engine.agent_notes.remember("The user lives in Rome.", user=ANA, said_at=clock.now().replace(year=2001))
    assert old.state is MemoryState.CLOSED
    assert [memory.text for memory in await engine.list(user=ANA)] == ["User lives in Oslo."]


async def test_a_later_note_leads_the_prompt(engine: AsyncToldOnce, clock: FakeClock) -> None:
    older, newer = "The user's backend runs on MongoDB.", "The user switched the backend to Postgres."
    await note(engine, clock, [older, newer])
    asked = await engine.context("Which database does my backend run on?", user=ANA)
    assert [item.memory.text for item in asked.items] == [newer, older]
