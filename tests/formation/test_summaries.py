"""What is to be forgotten leaves the episodes, too: the sentence goes, the turns stay summed up."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from chats import Chat, ranges, tiered_parts
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock
from toldonce.types import Action, Memory, MemoryKind

EPISODE = (MemoryKind.EPISODE,)
FILLING = [f"I visited town number {number}." for number in range(22)]


@pytest.fixture
async def tiered(parts: Components) -> AsyncIterator[AsyncToldOnce]:
    async with AsyncToldOnce(tiered_parts(parts)) as opened:
        yield opened


async def episodes(engine: AsyncToldOnce, *, closed: bool = False) -> list[Memory]:
    listed = await engine.list(user="ana", kinds=EPISODE, closed=closed, limit=1000)
    return sorted(listed, key=lambda one: (one.detail.first_turn, one.id))


async def told(engine: AsyncToldOnce, *first: str) -> Chat:
    chat = Chat(engine)
    await chat.say_all([*first, *FILLING])
    await engine.form()
    return chat


async def test_t3_a_forgotten_topic_leaves_the_episode_and_its_turns_stay_summed_up(tiered: AsyncToldOnce) -> None:
    chat = await told(tiered, "My bankruptcy was in court.", "I keep bees on the roof.")
    [before] = await episodes(tiered)
    assert "bankruptcy" in before.text

    await chat.say("Please forget about my bankruptcy.")
    await tiered.form()

    [after] = await episodes(tiered)
    assert "bankruptcy" not in after.text
    assert "bees on the roof" in after.text
    assert after.text.startswith("The user: ")
    assert (after.detail, after.evidence) == (replace(before.detail, chain_turns=0), before.evidence)
    lines = await tiered.history.decisions(user="ana")
    assert (Action.CLOSE, before.id) in {(line.action, line.memory_id) for line in lines}
    found = await tiered.search("bankruptcy in court", user="ana")
    assert not [item for item in found.items if "bankruptcy" in item.memory.text]
    assert "bankruptcy" not in await tiered.conversations.summary("chat", user="ana")


async def test_t3_the_conversation_continues_after_a_shortened_episode(tiered: AsyncToldOnce) -> None:
    chat = await told(tiered, "My bankruptcy was in court.")
    await chat.say("Please forget about my bankruptcy.")
    await tiered.form()
    await chat.say_all(f"I read book number {number}." for number in range(20))
    await tiered.form()

    found = await episodes(tiered)
    assert ranges(found) == [(10 * place + 1, 10 * place + 10) for place in range(len(found))]
    assert len(found) > 2
    assert not [memory for memory in found if "bankruptcy" in memory.text]


async def test_i6_what_was_forgotten_before_its_summary_is_in_none_and_no_prompt(tiered: AsyncToldOnce) -> None:
    chat = Chat(tiered)
    await chat.say_all(
        ["My bankruptcy was in court.", "I keep bees on the roof.", "Please forget about my bankruptcy."]
    )
    await tiered.form()
    prompt = await tiered.prompt("How are things?", conversation="chat", user="ana")
    assert not [message for message in prompt if "bankruptcy" in message["content"]]
    assert [message for message in prompt if "bees on the roof" in message["content"]]

    await chat.say_all(FILLING)
    await tiered.form()

    [episode] = [memory for memory in await episodes(tiered) if memory.detail.first_turn == 1]
    assert "bankruptcy" not in episode.text
    assert "bees on the roof" in episode.text


async def test_t1_the_window_of_another_conversation_holds_nothing_forgotten(
    tiered: AsyncToldOnce, clock: FakeClock
) -> None:
    first, second = Chat(tiered), Chat(tiered, conversation="other")
    await first.say_all(["My bankruptcy was in court.", "I keep bees on the roof."])
    clock.advance(minutes=5)
    await second.say("Please forget about my bankruptcy.")
    await tiered.form()

    for conversation in ("chat", "other", "third"):
        prompt = await tiered.prompt("How are things?", conversation=conversation, user="ana")
        assert not [message for message in prompt if "bankruptcy" in message["content"]]


async def test_everything_forgotten_leaves_an_episode_without_words(tiered: AsyncToldOnce) -> None:
    chat = await told(tiered, "My bankruptcy was in court.")
    await chat.say("Please forget everything you know about me.")
    await tiered.form()

    assert not [memory for memory in await episodes(tiered) if "town" in memory.text or "court" in memory.text]
