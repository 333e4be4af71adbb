"""Which standing facts a prompt has if not all of them fit, and what becomes of the others."""

from pathlib import Path

import pytest

from append_only import ScriptedChat
from own_profile import with_profile
from sample_chats import slots, tell
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components, PreparedTurn
from toldonce.types import MemoryKind

CATS = """jazz chess tea skiing pottery opera climbing sailing baking origami tennis karate rugby judo yoga poetry
cinema ballet fishing archery cycling surfing rowing sushi pizza curry ramen tofu mango papaya cherries
apples""".split()
# A block of some five facts; without quotations, which say what the facts say.
SMALL = "[recall]\nprofile_tokens = 200\nturns = false\n"


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def tell_much(engine: AsyncToldOnce) -> None:
    """Form more facts than fit, one of them on health."""
    await tell(engine, "I have a peanut allergy.", *[f"My cat is called {thing.title()}." for thing in CATS])
    assert len(await slots(engine)) > len(CATS)


def after(turn: PreparedTurn, text: str) -> str:
    """Return what a prompt has after the newest message."""
    return turn.body.decode().rpartition(text)[2]


async def test_the_profile_block_keeps_its_limit_and_health(parts: Components, tmp_path: Path) -> None:
    engine = with_profile(parts, tmp_path, SMALL)
    await tell_much(engine)

    context = await engine.context("Good morning, what is new in the world?", user="ana")

    assert "have a peanut allergy" in context.text
    assert context.profile_tokens <= 200
    shown = {item.memory.id for item in context.items if item.standing}
    assert 2 < len(shown) < len(CATS)
    [nuts] = [item.memory.id for item in context.items if "peanut" in item.memory.text]
    left = {omitted.id: omitted.reason for omitted in context.left_out}
    facts = {memory.id for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,))}
    assert facts - shown == left.keys() & facts
    assert {left[fact].partition(":")[0] for fact in facts - shown} <= {
        "no room in the profile block",
        f"says the same as {nuts}",
    }


async def test_the_default_block_has_room_for_14_short_facts(engine: AsyncToldOnce) -> None:
    await tell(engine, "I have a peanut allergy.", *[f"My cat is called {thing.title()}." for thing in CATS[:12]])

    context = await engine.context("Good morning, what is new in the world?", user="ana")

    assert sum(item.standing for item in context.items) == len(await slots(engine)) == 13
    assert context.profile_tokens <= 600
    assert not [omitted for omitted in context.left_out if "no room" in omitted.reason]


async def test_a_fact_without_room_comes_with_the_message_it_bears_on(parts: Components, tmp_path: Path) -> None:
    engine = with_profile(parts, tmp_path, SMALL)
    await tell_much(engine)
    chat = ScriptedChat(engine)
    first = await chat.ask("Good morning, how are you?", "Fine.")
    assert "have a peanut allergy" in first.body.decode()
    assert "My cat is called Jazz" not in first.body.decode()

    question = "Is Jazz a hungry cat?"
    second = await chat.ask(question, "Coltrane.")

    assert "My cat is called Jazz" in after(second, question)
    assert "My cat" not in after(second, question).replace("My cat is called Jazz", "")
    assert "New since" not in after(second, question)
    assert second.record is not None
    assert any("profile block" in omitted.reason for omitted in second.record.omitted)
    third = await chat.ask("Is Jazz an old cat, too?", "None.")
    assert "My cat is called Jazz" not in after(third, "Is Jazz an old"), "an earlier prompt shows it"
    assert chat.problems == []


async def test_a_new_fact_on_health_is_told_in_the_newest_message(parts: Components, tmp_path: Path) -> None:
    engine = with_profile(parts, tmp_path, SMALL)
    await tell_much(engine)
    chat = ScriptedChat(engine)
    await chat.ask("Good morning, how are you?", "Fine.")
    await tell(engine, "I am allergic to shellfish.")

    question = "What could I do tonight?"
    second = await chat.ask(question, "Cook.")

    assert "I am allergic to shellfish." in after(second, question).partition("New since")[2]
    assert "My cat" not in after(second, question)
    assert chat.problems == []
