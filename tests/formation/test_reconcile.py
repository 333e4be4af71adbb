"""Edits and a new extractor close what no longer has a source, with the reason."""

import pytest

from sample_chats import answer, assistant, fact, slot, slots, tell, texts, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind, MemoryState

OPENING = (user("Hello there."), assistant("Hello to you."))
DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


async def test_an_edit_closes_the_notes_and_facts_of_the_old_wording(engine: AsyncToldOnce) -> None:
    await tell(engine, *OPENING, "I live in Rome.")
    await tell(engine, *OPENING, "I play the cello.")
    assert "location" not in await slots(engine)
    assert not any("Rome" in text for text in await texts(engine))
    rome = await fact(engine, "Rome")
    assert rome.state is MemoryState.CLOSED
    [_, abandoned] = (await engine.history.get(rome.id, user="ana")).decisions
    assert (abandoned.action, abandoned.reason) == (Action.ABANDON, "the message it rests on was edited")


async def test_an_edit_to_another_value_leaves_the_new_one_alone(engine: AsyncToldOnce) -> None:
    await tell(engine, *OPENING, "I live in Rome.")
    await tell(engine, *OPENING, "I live in Oslo.")
    assert (await slots(engine))["location"] == "Oslo"
    oslo = await fact(engine, "Oslo")
    [made] = (await engine.history.get(oslo.id, user="ana")).decisions
    assert made.action is Action.ADD, "what was taken back was never true: there is nothing to replace"


@pytest.mark.parametrize("edited", ["I live in Rome and I work as a nurse!", "I live in Rome. I work as a nurse."])
async def test_an_edit_that_says_the_same_again_keeps_it_known(engine: AsyncToldOnce, edited: str) -> None:
    await tell(engine, *OPENING, "I live in Rome and I work as a nurse.")
    before = await slots(engine)
    assert set(before.values()) == {"Rome", "nurse"}
    await tell(engine, *OPENING, edited)
    assert await slots(engine) == before
    assert any("I live in Rome" in text for text in await texts(engine, kinds=DISTILLED))


async def test_what_was_said_elsewhere_too_outlives_the_edit(engine: AsyncToldOnce) -> None:
    await tell(engine, *OPENING, "I live in Rome.")
    await tell(engine, "By the way, I live in Rome.")
    rome = await fact(engine, "Rome")
    assert len(rome.evidence) == 2
    await tell(engine, *OPENING, "I play the cello.")
    assert (await slots(engine))["location"] == "Rome"


async def test_an_edit_touches_no_other_conversation(engine: AsyncToldOnce) -> None:
    await tell(engine, "I am allergic to peanuts.")
    await tell(engine, *OPENING, "I live in Rome.")
    await tell(engine, *OPENING, "I play the cello.")
    assert (await slots(engine))["allergy:peanuts"] == "peanuts"


async def test_an_edit_of_an_early_message_takes_back_all_that_followed_it(engine: AsyncToldOnce) -> None:
    await tell(engine, *OPENING, "I live in Rome.", assistant("Nice."), "I am allergic to peanuts.")
    await tell(engine, *OPENING, "I play the cello.")
    kept = await slots(engine)
    assert "location" not in kept
    assert "allergy:peanuts" not in kept


async def test_a_regenerated_answer_takes_nothing_back(engine: AsyncToldOnce) -> None:
    await tell(engine, *OPENING, "I live in Rome.", assistant("A fine city."))
    await tell(engine, *OPENING, "I live in Rome.", assistant("A great city."))
    assert (await slots(engine))["location"] == "Rome"
    assert not [line for line in await engine.history.decisions(user="ana") if line.action is Action.ABANDON]


async def test_a_memory_kept_by_hand_rests_on_no_message(engine: AsyncToldOnce) -> None:
    kept = await engine.add("I live in Rome.", user="ana")
    await tell(engine, *OPENING, "I live in Rome.")
    await tell(engine, *OPENING, "I play the cello.")
    assert (await engine.get(kept.id, user="ana")).state is MemoryState.ACTIVE


async def test_an_edit_back_to_the_first_wording_brings_its_memories_back(engine: AsyncToldOnce) -> None:
    for city in ("Rome", "Oslo", "Rome"):
        await tell(engine, *OPENING, f"I live in {city}.")
    assert (await slots(engine))["location"] == "Rome"


async def test_what_an_abandoned_memory_had_replaced_comes_back(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    before = await texts(engine, kinds=DISTILLED)
    clock.advance(days=1)
    await tell(engine, *OPENING, "I live in Oslo.")
    clock.advance(days=1)
    assert (await slots(engine))["location"] == "Oslo"
    await tell(engine, *OPENING, "I play the cello.")
    assert (await slots(engine))["location"] == "Rome"
    assert before <= await texts(engine, kinds=DISTILLED)
    rome = await fact(engine, "Rome")
    line = (await engine.history.get(rome.id, user="ana")).decisions[-1]
    assert (line.action, line.memory_id) == (Action.UNDO, rome.id)


async def test_what_comes_back_is_replaced_by_what_the_edit_says(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    clock.advance(days=1)
    await tell(engine, *OPENING, "I live in Oslo.")
    clock.advance(days=1)
    await tell(engine, *OPENING, "I live in Lima.")
    assert (await slots(engine))["location"] == "Lima"
    rome, lima = await fact(engine, "Rome"), await fact(engine, "Lima")
    assert rome.state is MemoryState.CLOSED
    made = (await engine.history.get(lima.id, user="ana")).decisions[0]
    assert (made.action, made.target_id) == (Action.REPLACE, rome.id)


async def test_an_edit_that_says_the_first_value_again_strengthens_what_comes_back(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await tell(engine, "I live in Rome.")
    clock.advance(days=1)
    await tell(engine, *OPENING, "I live in Oslo.")
    clock.advance(days=1)
    await tell(engine, *OPENING, "I still live in Rome.")
    rome = await fact(engine, "Rome")
    assert (rome.state, len(rome.evidence)) == (MemoryState.ACTIVE, 2)


async def formed_by_rules(engine: AsyncToldOnce, *texts: str, chat: str = "one") -> None:
    for text in texts:
        await engine.record([user(text)], user="ana", conversation=chat)
    await engine.form()


async def test_what_the_new_extractor_does_not_make_again_is_closed_with_the_reason(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await formed_by_rules(engine, "I live in Oslo.", "I am allergic to peanuts.")
    assert set(await slots(engine)) == {"location", "allergy:peanuts"}
    model = ScriptedModel([answer(slot("identity/location", "Oslo", "I live in Oslo", message=1))])
    switched = with_model(parts, model)
    await switched.record([user("I have a cat named Tom.")], user="ana", conversation="one")
    await switched.form()
    assert await slots(engine) == {"location": "Oslo"}
    assert (await fact(engine, "Oslo")).version == "model-1:scripted"
    peanuts = await fact(engine, "peanuts")
    assert peanuts.state is MemoryState.CLOSED
    line = (await engine.history.get(peanuts.id, user="ana")).decisions[-1]
    assert line.action is Action.ABANDON
    assert line.reason == "rules-4 made it; model-1:scripted, which reads the conversation now, does not"


async def test_other_conversations_and_what_was_added_by_hand_stay(engine: AsyncToldOnce, parts: Components) -> None:
    await formed_by_rules(engine, "I work as a nurse.", chat="other")
    await formed_by_rules(engine, "I am allergic to peanuts.")
    by_hand = await engine.add("Ana plays the cello.", user="ana")
    switched = with_model(parts, ScriptedModel([answer()]))
    await switched.record([user("I have a cat named Tom.")], user="ana", conversation="one")
    await switched.form()
    assert await slots(engine) == {"job": "nurse"}
    assert (await engine.get(by_hand.id, user="ana")).state is MemoryState.ACTIVE


async def test_what_rests_on_another_conversation_too_stays(engine: AsyncToldOnce, parts: Components) -> None:
    await formed_by_rules(engine, "I am allergic to peanuts.", chat="other")
    await formed_by_rules(engine, "As I said, I am allergic to peanuts.")
    switched = with_model(parts, ScriptedModel([answer()]))
    await switched.record([user("I have a cat named Tom.")], user="ana", conversation="one")
    await switched.form()
    assert "allergy:peanuts" in await slots(engine)


async def test_nothing_is_closed_before_the_whole_conversation_was_read(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await formed_by_rules(engine, *["I am allergic to peanuts.", *[f"I went to shop number {n}." for n in range(9)]])
    seen: list[bool] = []

    class Looking(ScriptedModel):
        async def answer(self, **asked):  # type: ignore[no-untyped-def]  # as the model's
            seen.append("allergy:peanuts" in await slots(engine))
            return await super().answer(**asked)

    switched = with_model(parts, Looking(lambda system, user: answer()))
    await switched.record([user("I have a cat named Tom.")], user="ana", conversation="one")
    await switched.form()
    assert seen == [True, True], "two batches"
    assert "allergy:peanuts" not in await slots(engine)
    assert [memory.state for memory in await engine.list(user="ana", kinds=DISTILLED)] == []
