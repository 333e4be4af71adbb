"""What was injected is never formed from again: memory does not feed on itself."""

import json

import pytest

from sample_chats import (
    ALL_KINDS,
    PEANUTS_AND_OSLO,
    RESTAURANT,
    asks,
    assistant,
    request,
    tell,
    texts,
    user,
    with_model,
)
from soak import SOAK
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import InjectionMode, MemoryKind

ROUNDS = 50 if SOAK else 4
MUCH = f"{PEANUTS_AND_OSLO} I like green tea. My sister Eva runs a restaurant in Lima."


async def block_for(engine: AsyncToldOnce, question: str, mode: InjectionMode = "user_prefix") -> str:
    """Return the last user message as the model sees it: the block, and the question behind it."""
    prepared = await engine.turns.prepare(request(user(question)), asks("ana"), mode=mode)
    assert prepared.injected > 0
    content: str = json.loads(prepared.body)["messages"][-1]["content"]
    return content


async def test_many_rounds_of_quoting_the_block_back_add_no_memory(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, MUCH)
    before = await engine.list(user="ana", kinds=ALL_KINDS)
    blocks = set()
    for _ in range(ROUNDS):
        quoted = await block_for(engine, RESTAURANT)
        blocks.add(quoted)
        await tell(engine, quoted)
        clock.advance(hours=1)
    assert await engine.list(user="ana", kinds=ALL_KINDS) == before
    assert len(blocks) == 1, "what is recalled does not drift either"


async def test_many_answers_that_repeat_the_block_add_no_note_and_no_fact(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await tell(engine, MUCH)
    kinds = (MemoryKind.NOTE, MemoryKind.FACT)
    before = await engine.list(user="ana", kinds=kinds)
    for _ in range(ROUNDS):
        quoted = await block_for(engine, RESTAURANT)
        await tell(engine, user(RESTAURANT), assistant(f"As you told me: {quoted}"))
        clock.advance(hours=1)
    assert await engine.list(user="ana", kinds=kinds) == before


async def test_the_words_beside_a_pasted_block_are_the_users_own(engine: AsyncToldOnce) -> None:
    await tell(engine, MUCH)
    await tell(engine, f"{await block_for(engine, RESTAURANT)}\n\nMy cat is called Miso.")
    assert any("Miso" in text for text in await texts(engine, kinds=(MemoryKind.NOTE, MemoryKind.FACT)))
    quotations = await engine.search("Miso", user="ana")
    assert not any("toldonce-memory" in item.memory.text for item in quotations.items)


@pytest.mark.parametrize("cut", ["head", "tail"])
async def test_a_block_pasted_by_halves_is_no_statement_either(engine: AsyncToldOnce, cut: str) -> None:
    await tell(engine, MUCH)
    before = await engine.list(user="ana", kinds=ALL_KINDS)
    quoted = (await block_for(engine, RESTAURANT)).removesuffix(RESTAURANT).strip()
    tag = quoted.index(">") + 1
    await tell(engine, quoted[tag:] if cut == "head" else quoted[: quoted.rindex("<")])
    assert await engine.list(user="ana", kinds=ALL_KINDS) == before


async def test_a_model_is_not_shown_the_block_as_the_users_words(engine: AsyncToldOnce, parts: Components) -> None:
    await engine.add("At a restaurant the user avoids soup.", user="ana")
    model = ScriptedModel(lambda system, asked: {"memories": []})
    await tell(with_model(parts, model), f"{await block_for(engine, RESTAURANT)}\n\nI play the cello in Oslo.")
    [call] = model.calls
    shown = call.user.partition("Messages:")[2]
    assert "cello" in shown
    assert "soup" not in shown


async def test_what_the_proxy_adds_is_not_in_its_own_log(engine: AsyncToldOnce) -> None:
    await tell(engine, MUCH)
    asked = request(user(RESTAURANT))
    turn = await engine.turns.prepare(asked, asks("ana"), mode="user_prefix")
    recorded = await engine.turns.finish(asked, asks("ana"), Reply(text="Nuts.", complete=True), turn)
    assert recorded is not None
    logged = await engine.conversations.messages(recorded.conversation, user="ana")
    assert not any("toldonce-memory" in message.text for message in logged)
