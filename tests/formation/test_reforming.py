"""Reading a conversation again with another extractor closes what the old one made and the new one does not."""

from recollect.engine import AsyncRecollect, Components
from recollect.testing import ScriptedModel
from recollect.types import Action, MemoryKind, MemoryState
from sample_chats import answer, fact, slot, slots, user, with_model

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


async def formed_by_rules(engine: AsyncRecollect, *texts: str, chat: str = "one") -> None:
    for text in texts:
        await engine.record([user(text)], user="ana", conversation=chat)
    await engine.form()


async def test_what_the_new_extractor_does_not_make_again_is_closed_with_the_reason(
    engine: AsyncRecollect, parts: Components
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
    line = (await engine.history(peanuts.id, user="ana")).decisions[-1]
    assert line.action is Action.ABANDON
    assert line.reason == "rules-2 made it; model-1:scripted, which reads the conversation now, does not"


async def test_other_conversations_and_what_was_added_by_hand_stay(engine: AsyncRecollect, parts: Components) -> None:
    await formed_by_rules(engine, "I like chess.", chat="other")
    await formed_by_rules(engine, "I am allergic to peanuts.")
    by_hand = await engine.add("Ana plays the cello.", user="ana")
    switched = with_model(parts, ScriptedModel([answer()]))
    await switched.record([user("I have a cat named Tom.")], user="ana", conversation="one")
    await switched.form()
    assert await slots(engine) == {"like:chess": "chess"}
    assert (await engine.get(by_hand.id, user="ana")).state is MemoryState.ACTIVE


async def test_what_rests_on_another_conversation_too_stays(engine: AsyncRecollect, parts: Components) -> None:
    await formed_by_rules(engine, "I am allergic to peanuts.", chat="other")
    await formed_by_rules(engine, "As I said, I am allergic to peanuts.")
    switched = with_model(parts, ScriptedModel([answer()]))
    await switched.record([user("I have a cat named Tom.")], user="ana", conversation="one")
    await switched.form()
    assert "allergy:peanuts" in await slots(engine)


async def test_nothing_is_closed_before_the_whole_conversation_was_read(
    engine: AsyncRecollect, parts: Components
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
    assert [one.state for one in await engine.list(user="ana", kinds=DISTILLED)] == []
