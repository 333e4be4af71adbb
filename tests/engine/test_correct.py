"""`AsyncRecollect.correct`: another memory takes the place of one, and what said the same does not come back."""

import pytest

from factories import ANA
from recollect.engine import AsyncRecollect
from recollect.errors import BadRequestError, ChangedMemoryError, UnknownMemoryError
from recollect.types import Action, MemoryKind, MemoryState
from sample_chats import tell


async def test_a_fact_keeps_its_slot_with_the_corrected_value(engine: AsyncRecollect) -> None:
    await tell(engine, "I live in Oslo.")
    await engine.form()
    [home] = [fact for fact in await engine.list(user=ANA) if fact.key == "location"]
    bergen = await engine.correct(home.id, "The user lives in Bergen.", user=ANA, value="Bergen")
    assert (bergen.kind, bergen.key, bergen.value, bergen.category) == (
        MemoryKind.FACT,
        "location",
        "Bergen",
        home.category,
    )
    assert (await engine.get(home.id, user=ANA)).state is MemoryState.CLOSED
    context = await engine.context("Where do I live?", user=ANA)
    assert "Bergen" in context.text
    assert "Oslo" not in context.text


async def test_a_correction_is_a_replacement_that_can_be_undone(engine: AsyncRecollect) -> None:
    tea = await engine.add("Ana likes green tea.", user=ANA, importance=0.9, type="preference")
    black = await engine.correct(tea.id, " Ana likes\nblack tea.", user=ANA)
    assert (black.text, black.importance, black.type) == ("Ana likes black tea.", 0.9, "preference")
    explained = await engine.history.explain(black.id, user=ANA)
    assert [memory.id for memory in explained.replaced] == [tea.id]
    [decision] = [line for line in explained.history.decisions if line.action is Action.REPLACE]
    await engine.history.undo(decision.id, user=ANA)
    assert [memory.id for memory in await engine.list(user=ANA)] == [tea.id]
    assert [item.memory.id for item in (await engine.search("green tea", user=ANA)).items] == [tea.id]


async def test_undoing_brings_back_what_said_the_same(engine: AsyncRecollect) -> None:
    await tell(engine, "I am allergic to peanuts.")
    await engine.form()
    before = {memory.id for memory in await engine.list(user=ANA)}
    [fact] = [known for known in await engine.list(user=ANA) if known.kind is MemoryKind.FACT]
    new = await engine.correct(fact.id, "The user is allergic to walnuts.", user=ANA, value="walnuts")
    history = await engine.history.get(new.id, user=ANA)
    [decision] = [line for line in history.decisions if line.action is Action.REPLACE]
    await engine.history.undo(decision.id, user=ANA)
    assert {memory.id for memory in await engine.list(user=ANA)} == before


async def test_a_memory_that_changed_since_it_was_read_is_left(engine: AsyncRecollect) -> None:
    tea = await engine.add("Ana likes green tea.", user=ANA)
    await engine.context("Do I like green tea?", user=ANA)  # a use is no change
    assert (await engine.forget(tea.id, user=ANA, unchanged=tea)).state is MemoryState.CLOSED
    for act in (
        engine.forget(tea.id, user=ANA, unchanged=tea),
        engine.correct(tea.id, "Ana likes milk.", user=ANA, unchanged=tea),
    ):
        with pytest.raises(ChangedMemoryError, match="read it again"):
            await act


async def test_what_cannot_be_corrected_says_why(engine: AsyncRecollect) -> None:
    tea = await engine.add("Ana likes green tea.", user=ANA)
    with pytest.raises(BadRequestError, match="a note, which has no value"):
        await engine.correct(tea.id, "Ana likes milk.", user=ANA, value="milk")
    with pytest.raises(BadRequestError, match="the text is empty"):
        await engine.correct(tea.id, " ", user=ANA)
    with pytest.raises(UnknownMemoryError):
        await engine.correct(tea.id, "Ana likes milk.", user="ben")
    await engine.forget(tea.id, user=ANA)
    with pytest.raises(BadRequestError, match="only what is active"):
        await engine.correct(tea.id, "Ana likes milk.", user=ANA)
    await tell(engine, "The weather is nice today, is it not?")
    await engine.form()
    [turn] = await engine.list(user=ANA, kinds=[MemoryKind.TURN])
    with pytest.raises(BadRequestError, match="only notes and facts"):
        await engine.correct(turn.id, "It rains.", user=ANA)
