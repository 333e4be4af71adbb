"""Taking back a decision, a source, a time: what leaves, what comes back, and what is refused."""

from datetime import timedelta

import pytest

from sample_chats import fact, slots, texts, user
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock
from toldonce.types import Action, Decision, MemoryKind, MemoryState

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


async def said(engine: AsyncToldOnce, text: str, chat: str, clock: FakeClock) -> str:
    """Say something in a chat an hour later and form it; return the conversation's id."""
    clock.advance(hours=1)
    recorded = await engine.record([user(text)], user="ana", conversation=chat)
    await engine.form()
    return recorded.conversation


async def line(engine: AsyncToldOnce, action: Action, words: str) -> Decision:
    [found] = [
        decision
        for decision in await engine.history.decisions(user="ana")
        if decision.action is action and words in decision.text
    ]
    return found


async def test_undoing_a_replacement_brings_back_what_it_replaced(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await said(engine, "I live in Rome.", "a", clock)
    before = await texts(engine, kinds=DISTILLED)
    await said(engine, "I moved to Oslo.", "b", clock)
    assert (await slots(engine))["location"] == "Oslo"
    replaced = [
        decision for decision in await engine.history.decisions(user="ana") if decision.action is Action.REPLACE
    ]
    undone = await engine.history.undo(replaced[0].id, user="ana")
    assert (await slots(engine))["location"] == "Rome"
    assert before <= await texts(engine, kinds=DISTILLED)
    assert [memory.text for memory in undone.leaving] == [replaced[0].text]
    rome = await fact(engine, "Rome")
    assert (rome.state, rome.valid_to, rome.closed_at) == (MemoryState.ACTIVE, None, None)


async def test_what_came_back_is_recalled_again(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await said(engine, "Hello.", "a", clock)
    note = await engine.add("Ana keeps bees on the roof.", user="ana")
    await engine.forget(note.id, user="ana")
    closing = await line(engine, Action.CLOSE, "bees")
    await engine.history.undo(closing.id, user="ana")
    found = await engine.search("bees on the roof", user="ana")
    hit = next(item for item in found.items if item.memory.id == note.id)
    assert hit.similarity > 0.5
    assert hit.word_share > 0.5


async def test_undoing_twice_is_refused_with_a_sentence(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await said(engine, "I live in Rome.", "a", clock)
    made = (await engine.history.decisions(user="ana"))[0]
    await engine.history.undo(made.id, user="ana")
    with pytest.raises(BadRequestError, match=f"decision {made.id} was undone already"):
        await engine.history.undo(made.id, user="ana")
    itself = next(decision for decision in await engine.history.decisions(user="ana") if decision.action is Action.UNDO)
    with pytest.raises(BadRequestError, match="is itself an undoing"):
        await engine.history.undo(itself.id, user="ana")


async def test_undoing_what_is_not_there_is_refused(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await said(engine, "I live in Rome.", "a", clock)
    made = (await engine.history.decisions(user="ana"))[0]
    with pytest.raises(BadRequestError, match="no decision"):
        await engine.history.undo(made.id, user="ben")
    with pytest.raises(BadRequestError, match="nothing of conversation"):
        await engine.history.undo_source(user="ana", conversation="01900000-0000-7000-8000-00000000000a")
    for wrong in ({}, {"seq": 1}):
        with pytest.raises(BadRequestError, match="either a conversation"):
            await engine.history.undo_source(user="ana", **wrong)  # type: ignore[arg-type]  # what a caller may get wrong


async def test_a_filled_slot_is_not_taken_back(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await said(engine, "I live in Rome.", "a", clock)
    middle = await said(engine, "I moved to Oslo. I play the tuba.", "b", clock)
    await said(engine, "I moved to Lima.", "c", clock)
    replaced = [
        decision for decision in await engine.history.decisions(user="ana") if decision.action is Action.REPLACE
    ]
    with pytest.raises(BadRequestError, match="nothing of decision"):
        await engine.history.undo(replaced[0].id, user="ana")
    await engine.history.undo_source(user="ana", conversation=middle)
    assert (await slots(engine))["location"] == "Lima"
    assert (await fact(engine, "Rome")).state is MemoryState.CLOSED


async def test_a_chain_of_one_source_is_taken_back_to_what_stood_before_it(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await said(engine, "I live in Rome.", "a", clock)
    await said(engine, "I moved to Oslo.", "b", clock)
    poisoned = await said(engine, "I moved to Lima.", "b", clock)
    await engine.history.undo_source(user="ana", conversation=poisoned)
    assert (await slots(engine))["location"] == "Rome"


async def test_what_was_said_elsewhere_too_stays_on_that(engine: AsyncToldOnce, clock: FakeClock) -> None:
    source = await said(engine, "I live in Rome.", "a", clock)
    other = await said(engine, "As I said, I live in Rome.", "b", clock)
    assert len((await fact(engine, "Rome")).evidence) == 2
    undone = await engine.history.undo_source(user="ana", conversation=source)
    rome = await fact(engine, "Rome")
    assert (rome.state, [source.conversation for source in rome.evidence]) == (MemoryState.ACTIVE, [other])
    assert rome.valid_from == rome.evidence[0].said_at
    assert rome.id in {memory.id for memory in undone.weakened}


async def test_everything_since_a_time_is_taken_back(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await said(engine, "I live in Rome. I like jazz.", "a", clock)
    before = await texts(engine)
    since = clock.now() + timedelta(minutes=1)
    await said(engine, "I moved to Oslo. I have a parrot named Pico.", "b", clock)
    await engine.add("Ana plays the cello.", user="ana")
    clock.advance(hours=1)
    await engine.history.undo_source(user="ana", since=since)
    assert await texts(engine) == before
    with pytest.raises(BadRequestError, match="nothing of what came since"):
        await engine.history.undo_source(user="ana", since=since)


async def test_a_dry_run_says_what_would_be_done_and_does_nothing(engine: AsyncToldOnce, clock: FakeClock) -> None:
    source = await said(engine, "I live in Rome.", "a", clock)
    before, log = await texts(engine), await engine.history.decisions(user="ana")
    plan = await engine.history.undo_source(user="ana", conversation=source, dry_run=True)
    assert plan.leaving
    assert (await texts(engine), await engine.history.decisions(user="ana")) == (before, log)


async def test_history_is_never_deleted_by_undoing(engine: AsyncToldOnce, clock: FakeClock) -> None:
    source = await said(engine, "I live in Rome.", "a", clock)
    log = await engine.history.decisions(user="ana")
    clock.advance(hours=1)
    await engine.history.undo_source(user="ana", conversation=source)
    after = await engine.history.decisions(user="ana")
    assert after[: len(log)] == log
    assert {message.action for message in after[len(log) :]} == {Action.UNDO}
    rome = await fact(engine, "Rome")
    assert (rome.state, rome.valid_to) == (MemoryState.CLOSED, rome.valid_from)
    assert len(await engine.conversations.messages(source, user="ana")) == 1
