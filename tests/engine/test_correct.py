"""`AsyncToldOnce.correct`: another memory takes the place of one, and what said the same does not come back."""

from datetime import timedelta

import pytest

from factories import ANA
from sample_chats import tell
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError, ChangedMemoryError, UnknownMemoryError
from toldonce.testing import FakeClock
from toldonce.types import Action, Memory, MemoryKind, MemoryState


async def test_a_fact_keeps_its_slot_with_the_corrected_value(engine: AsyncToldOnce) -> None:
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


# What a fact is formed of, the text that takes its place, and the slot of that; none: it is a note.
CORRECTED = (
    ("I live in Oslo.", "The user lives in Bergen now.", "location=Bergen"),
    ("I live in Oslo.", "I no longer live in Oslo.", ""),
    ("I live in Oslo.", "The user moved away and has no home.", ""),
    ("I'm allergic to peanuts.", "User is allergic to walnuts.", "allergy:walnuts=walnuts"),
)


@pytest.mark.parametrize(("said", "text", "slot"), CORRECTED)
async def test_the_text_of_a_correction_says_the_value(
    engine: AsyncToldOnce, clock: FakeClock, said: str, text: str, slot: str
) -> None:
    await tell(engine, said)
    await engine.form()
    [fact] = await engine.list(user=ANA, kinds=[MemoryKind.FACT])
    clock.advance(days=1)
    made = await engine.correct(fact.id, text, user=ANA, true_until=clock.now())
    assert (f"{made.key}={made.value}" if made.kind is MemoryKind.FACT else "") == slot
    assert (await engine.get(fact.id, user=ANA)).state is MemoryState.CLOSED
    [line] = [line for line in (await engine.history.get(made.id, user=ANA)).decisions if line.action is Action.REPLACE]
    await engine.history.undo(line.id, user=ANA)
    assert [memory.id for memory in await engine.list(user=ANA, kinds=[MemoryKind.FACT])] == [fact.id]


async def test_a_correction_is_a_replacement_that_can_be_undone(engine: AsyncToldOnce) -> None:
    tea = await engine.add("Ana likes green tea.", user=ANA, importance=0.9, type="preference")
    black = await engine.correct(tea.id, " Ana likes\nblack tea.", user=ANA)
    assert (black.text, black.importance, black.type) == ("Ana likes black tea.", 0.9, "preference")
    explained = await engine.history.explain(black.id, user=ANA)
    assert [memory.id for memory in explained.replaced] == [tea.id]
    [decision] = [line for line in explained.history.decisions if line.action is Action.REPLACE]
    await engine.history.undo(decision.id, user=ANA)
    assert [memory.id for memory in await engine.list(user=ANA)] == [tea.id]
    assert [item.memory.id for item in (await engine.search("green tea", user=ANA)).items] == [tea.id]


async def test_undoing_brings_back_what_said_the_same(engine: AsyncToldOnce) -> None:
    await tell(engine, "I am allergic to peanuts.")
    await engine.form()
    before = {memory.id for memory in await engine.list(user=ANA)}
    [fact] = [known for known in await engine.list(user=ANA) if known.kind is MemoryKind.FACT]
    new = await engine.correct(fact.id, "The user is allergic to walnuts.", user=ANA, value="walnuts")
    history = await engine.history.get(new.id, user=ANA)
    [decision] = [line for line in history.decisions if line.action is Action.REPLACE]
    await engine.history.undo(decision.id, user=ANA)
    assert {memory.id for memory in await engine.list(user=ANA)} == before


async def test_a_memory_that_changed_since_it_was_read_is_left(engine: AsyncToldOnce) -> None:
    tea = await engine.add("Ana likes green tea.", user=ANA)
    await engine.context("Do I like green tea?", user=ANA)  # a use is no change
    assert (await engine.forget(tea.id, user=ANA, unchanged=tea)).state is MemoryState.CLOSED
    for act in (
        engine.forget(tea.id, user=ANA, unchanged=tea),
        engine.correct(tea.id, "Ana likes milk.", user=ANA, unchanged=tea),
    ):
        with pytest.raises(ChangedMemoryError, match="read it again"):
            await act


async def test_what_cannot_be_corrected_says_why(engine: AsyncToldOnce) -> None:
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
    await tell(engine, "The harbour is 12 km from the station.")
    await engine.form()
    [turn] = await engine.list(user=ANA, kinds=[MemoryKind.TURN])
    with pytest.raises(BadRequestError, match="only what is listed is corrected, but for summaries"):
        await engine.correct(turn.id, "It rains.", user=ANA)


async def test_what_was_wrong_is_not_in_the_past_and_what_is_right_is(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Oslo.")
    await engine.form()
    then = clock.now() + timedelta(days=1)
    clock.advance(days=10)
    [home] = [fact for fact in await engine.list(user=ANA) if fact.key == "location"]
    bergen = await engine.correct(home.id, "The user lives in Bergen.", user=ANA, value="Bergen")
    wrong = await engine.get(home.id, user=ANA)
    assert (wrong.valid_to, bergen.valid_from) == (wrong.valid_from, wrong.valid_from)
    for now in (then, clock.now()):
        past = [memory.text for memory in await engine.list(user=ANA, kinds=list(MemoryKind), at=now)]
        assert past == ["The user lives in Bergen."]
        found = await engine.search("Where does the user live?", user=ANA, at=now)
        assert [item.memory.id for item in found.items] == [bergen.id]
    believed = await engine.list(user=ANA, kinds=(MemoryKind.FACT,), at=then, known_at=then)
    assert [memory.value for memory in believed] == ["Oslo"]


async def test_what_is_no_longer_true_was_true_until_then(engine: AsyncToldOnce, clock: FakeClock) -> None:
    dog = await engine.add("Ana has a dog.", user=ANA)
    clock.advance(days=10)
    gone = clock.now()
    clock.advance(days=10)
    cat = await engine.correct(dog.id, "Ana has a cat.", user=ANA, true_until=gone)
    assert (cat.valid_from, (await engine.get(dog.id, user=ANA)).valid_to) == (gone, gone)
    texts = [
        [memory.text for memory in await engine.list(user=ANA, at=gone + timedelta(days=days))] for days in (-1, 0, 1)
    ]
    assert texts == [["Ana has a dog."], ["Ana has a cat."], ["Ana has a cat."]]
    [decision] = [
        line for line in (await engine.history.get(cat.id, user=ANA)).decisions if line.action is Action.REPLACE
    ]
    assert decision.reason.startswith("no longer true")


@pytest.mark.parametrize(("days", "reason"), [(None, "was wrong"), (5, "no longer true")])
async def test_nothing_needs_to_take_its_place(
    days: int | None, reason: str, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await tell(engine, "I am allergic to peanuts.")
    await engine.form()
    before = await engine.list(user=ANA, kinds=list(MemoryKind))
    started = clock.now()
    clock.advance(days=10)
    [fact] = [known for known in before if known.kind is MemoryKind.FACT]
    end = None if days is None else started + timedelta(days=days)
    closed = await engine.correct(fact.id, user=ANA, true_until=end)
    assert (closed.id, closed.state, closed.valid_to) == (fact.id, MemoryState.CLOSED, end or fact.valid_from)
    assert await engine.list(user=ANA, kinds=list(MemoryKind)) == []
    in_between = [
        memory.kind for memory in await engine.list(user=ANA, kinds=list(MemoryKind), at=started + timedelta(days=1))
    ]
    assert (MemoryKind.FACT in in_between) is (days is not None)
    lines = (await engine.history.get(fact.id, user=ANA)).decisions
    [decision] = [line for line in lines if line.action is Action.CLOSE and line.memory_id == fact.id]
    assert decision.reason.startswith(reason)
    await engine.history.undo(decision.id, user=ANA)
    assert fact.id in {memory.id for memory in await engine.list(user=ANA)}
    assert (await engine.get(fact.id, user=ANA)).valid_to is None


async def test_an_end_must_lie_in_the_memorys_life(engine: AsyncToldOnce, clock: FakeClock) -> None:
    dog = await engine.add("Ana has a dog.", user=ANA)
    with pytest.raises(BadRequestError, match="still to come"):
        await engine.correct(dog.id, user=ANA, true_until=clock.now() + timedelta(days=1))
    with pytest.raises(BadRequestError, match="wrong from the beginning"):
        await engine.correct(dog.id, user=ANA, true_until=clock.now() - timedelta(days=1))
    with pytest.raises(BadRequestError, match="needs a time zone"):
        await engine.correct(dog.id, user=ANA, true_until=clock.now().replace(tzinfo=None))
    with pytest.raises(BadRequestError, match="needs the text"):
        await engine.correct((await _fact(engine)).id, user=ANA, value="Oslo")
    assert (await engine.get(dog.id, user=ANA)).state is MemoryState.ACTIVE


async def _fact(engine: AsyncToldOnce) -> Memory:
    await tell(engine, "I live in Oslo.")
    await engine.form()
    return next(fact for fact in await engine.list(user=ANA) if fact.kind is MemoryKind.FACT)


async def test_forgetting_keeps_its_reason_and_no_secret(engine: AsyncToldOnce) -> None:
    tea = await engine.add("Ana likes green tea.", user=ANA)
    secret = "sk-proj-" + "a1B2" * 12
    await engine.forget(tea.id, user=ANA, reason=f" she\nasked, with {secret}")
    reason = (await engine.history.get(tea.id, user=ANA)).decisions[-1].reason
    assert reason.startswith("forgotten by hand: she asked, with ")
    assert secret not in reason
    with pytest.raises(BadRequestError, match="the reason has 501 characters"):
        await engine.forget(tea.id, user=ANA, reason="x" * 501)
