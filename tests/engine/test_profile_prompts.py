"""What each profile puts into a prompt: which memories, in which order, in which words, and where."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factories import decision, memory
from sample_chats import assistant, request, user, written
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce, Components, PreparedTurn
from toldonce.errors import BadRequestError
from toldonce.extraction.own_text.own_words import own_words
from toldonce.profiles.registry import ProfileRegistry
from toldonce.prompt.render import block_ids
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.text import terms
from toldonce.types import (
    AddMemory,
    Identity,
    Memory,
    MemoryDetail,
    MemoryKind,
    RequestScope,
    Subject,
)

ANA = Subject("user", "ana")
SESSION = RequestScope(profile="session")
KIRA = RequestScope(profile="character", characters=("Kira", "Marcus"))
CALENDAR = RequestScope(profile="app", app="calendar")
SYSTEM = {"role": "system", "content": "You are a waiter."}
TEA = "Which tea shall we drink?"


async def keep(parts: Components, subject: Subject, text: str, *, slot: str = "", **more: Any) -> Memory:
    """Keep a memory as a formation would, with its vector."""
    known = replace(memory(text, subject=subject, clock=parts.clock, slot=slot), **more)
    vector = (await parts.embedder.embed([text]))[0]
    vectors = () if known.kind is MemoryKind.FACT else (vector,)
    space = parts.embedder.space if vectors else ""
    added = AddMemory(memory=known, space=space, vectors=vectors, terms=dict(terms(text)))
    await parts.store.memories.apply(subject, [added], [decision(known, clock=parts.clock)])
    return known


async def whose(engine: AsyncToldOnce, scope: RequestScope) -> Subject:
    return await engine.conversations.subject(user="ana", conversation="c", scope=scope)


async def turn(engine: AsyncToldOnce, scope: RequestScope, *messages: Mapping[str, Any]) -> PreparedTurn:
    return await engine.turns.prepare(request(*messages), Identity(subject=ANA, scope=scope, conversation="c"))


def sent(prepared: PreparedTurn) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = json.loads(prepared.body)["messages"]
    return messages


def rows(content: str) -> list[str]:
    return [line for line in content.split("\n") if re.match(r"- |\d+\. ", line)]


def order(text: str, *parts: str) -> bool:
    places = [text.index(part) for part in parts]
    return places == sorted(places)


async def test_s8_s9_system_prompt_memories_summary_recent_messages_current_message(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    mine = await whose(engine, SESSION)
    await keep(parts, mine, "The user drinks green tea.", type="preference", importance=0.9)
    for first, text in ((1, "They greeted."), (11, "They spoke of boats.")):
        clock.advance(minutes=1)
        detail = MemoryDetail(first_turn=first, last_turn=first + 9)
        await keep(parts, mine, text, kind=MemoryKind.EPISODE, detail=detail)
    messages = sent(await turn(engine, SESSION, SYSTEM, user("Hi"), assistant("Hello"), user(TEA)))

    assert [message["role"] for message in messages] == ["system", "system", "user", "assistant", "user"]
    assert [messages[place]["content"] for place in (0, 2, 3, 4)] == ["You are a waiter.", "Hi", "Hello", TEA]
    block = messages[1]["content"]
    assert "- [PREFERENCE] The user drinks green tea. (importance: 0.9)" in block
    assert order(block, "green tea", "Summary of the chat", "turns 1-10: They greeted.", "turns 11-20: They spoke")


async def test_s7_at_most_five_memories_of_this_session_and_their_use_is_noted(
    engine: AsyncToldOnce, parts: Components
) -> None:
    mine = await whose(engine, SESSION)
    for number in range(8):
        await keep(parts, mine, f"Tea number {number} is green.")
    other = await engine.conversations.subject(user="ana", conversation="other", scope=SESSION)
    await keep(parts, other, "Tea of another session.")
    found = await engine.context(TEA, user="ana", conversation="c", scope=SESSION)

    assert len(found.items) == len(rows(found.text)) == 5
    assert "another" not in found.text
    await written(engine)
    used = [known for known in await engine.list(user=mine) if known.last_used_at]
    assert {known.id for known in used} == {item.memory.id for item in found.items}


async def test_s7_looking_alone_is_no_use(engine: AsyncToldOnce, parts: Components) -> None:
    known = await keep(parts, await whose(engine, SESSION), "The user drinks green tea.")
    assert (await engine.context(TEA, user="ana", conversation="c", scope=SESSION, use=False)).items
    assert (await engine.get(known.id, user=known.subject)).last_used_at is None


async def test_c9_a_character_remembers_what_is_near_within_count_and_tokens(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    kira = await whose(engine, KIRA)
    detail = MemoryDetail(summary="Green tea, please.", source_context="Kira with Marcus", tags=("pair:kira+marcus",))
    await keep(parts, kira, "drink tea", type="DISCOVERY", importance=0.8, detail=detail)
    clock.advance(days=2)
    prepared = await turn(engine, KIRA, SYSTEM, user("drink tea"))

    [system, last] = sent(prepared)
    assert last == user("drink tea")
    inside = system["content"].partition("<memories>\n")[2].partition("\n</memories>")[0]
    assert inside.split("\n") == [
        "1. [DISCOVERY, importance=8, 2 days ago]",
        "   Summary: Green tea, please.",
        "   Context: Kira with Marcus",
    ]


async def test_c4_count_then_tokens(engine: AsyncToldOnce, parts: Components) -> None:
    kira = await whose(engine, KIRA)
    for number in range(9):
        await keep(parts, kira, f"drink tea cup {number}", importance=0.1 + number / 20)
    five = await turn(engine, KIRA, user("drink tea"))
    assert [round(item.memory.importance * 20) for item in five.items] == [10, 9, 8, 7, 6]
    assert five.record is not None

    settings = Settings(database_url="sqlite:///:memory:", recall_tokens=five.record.tokens - 1)
    four = await turn(AsyncToldOnce(replace(parts, settings=settings)), KIRA, user("drink tea"))
    assert [round(item.memory.importance * 20) for item in four.items] == [10, 9, 8, 7]
    assert four.record is not None
    assert four.record.tokens < five.record.tokens


async def test_c3_the_newest_of_the_same_pair_join_and_others_do_not(engine: AsyncToldOnce, parts: Components) -> None:
    kira = await whose(engine, KIRA)
    pair, other = MemoryDetail(tags=("pair:kira+marcus",)), MemoryDetail(tags=("pair:kira+eve",))
    for number in range(6):
        await keep(parts, kira, f"Marcus broke window {number}.", detail=pair)
    for number in range(6):
        await keep(parts, kira, f"Eve mended roof {number}.", detail=other)
    texts = {item.memory.text for item in (await turn(engine, KIRA, user(TEA))).items}

    assert texts == {f"Marcus broke window {number}." for number in range(1, 6)}
    listed = await engine.list(user=kira, tag="pair:kira+eve", limit=2)
    assert [known.text for known in listed] == ["Eve mended roof 5.", "Eve mended roof 4."]
    behind = await engine.list(user=kira, tag="pair:kira+eve", after=listed[-1].id)
    assert len(behind) == 4
    assert await engine.list(user="ana", tag="pair:kira+eve") == []


async def test_c2_what_was_said_before_helps_to_find_and_the_message_weighs_most(
    parts: Components, tmp_path: Path
) -> None:
    (tmp_path / "character.toml").write_text(
        'extends = "character"\ndescription = "Near."\n[recall]\nsimilarity = 0.3\nrecent = 0\n', "utf-8"
    )
    async with AsyncToldOnce(replace(parts, profiles=ProfileRegistry(tmp_path))) as engine:
        kira = await whose(engine, KIRA)
        await keep(parts, kira, "The old lighthouse keeper vanished.")
        await keep(parts, kira, "Honey cake recipe of grandmother.")
        before = [user("Tell me of the old lighthouse keeper."), assistant("The lighthouse keeper vanished.")]

        follow_up = await turn(engine, KIRA, *before, user("And then?"))
        assert [item.memory.text for item in follow_up.items] == ["The old lighthouse keeper vanished."]
        changed = await turn(engine, KIRA, *before, user("Give me the honey cake recipe."))
        assert changed.items[0].memory.text.startswith("Honey cake")
        assert (await turn(engine, KIRA, user("And then?"))).items == ()


async def test_c5_a_profile_places_its_memory_and_overrides_the_setting(parts: Components) -> None:
    settings = Settings(database_url="sqlite:///:memory:", injection="user_prefix")
    async with AsyncToldOnce(replace(parts, settings=settings)) as engine:
        await keep(parts, ANA, "The user drinks green tea.")
        by_setting = sent(await turn(engine, RequestScope(), SYSTEM, user("drink tea")))
        assert by_setting[0] == SYSTEM
        by_profile = sent(await turn(engine, RequestScope(profile="user"), SYSTEM, user("user drinks green tea")))
        assert by_profile[0]["content"].startswith("You are a waiter.\n\n<toldonce-memory")
        refused = await engine.turns.prepare(
            request(SYSTEM, user("user drinks green tea")),
            Identity(subject=ANA, scope=RequestScope(profile="user")),
            mode="user_prefix",
        )
        assert sent(refused)[0] == SYSTEM


async def test_a5_a6_the_ten_latest_of_the_app_within_two_thousand_characters(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    mine = await whose(engine, CALENDAR)
    for number in range(12):
        clock.advance(days=1)
        await keep(parts, mine, f"Meeting {number} was moved. " + "It went on and on. " * 8)
    messages = sent(await turn(engine, CALENDAR, SYSTEM, user("Something else entirely?")))

    block = messages[1]["content"]
    assert messages[1]["role"] == "system"
    assert "Memories of the app calendar" in block
    lines = rows(block)
    assert sum(len(line.partition("] ")[2]) for line in lines) <= 2000
    assert lines[0].startswith("1. [Created: 2026-01-13] Meeting 11 was moved.")
    assert lines[1].startswith("2. [Created: 2026-01-12] Meeting 10")
    assert len(lines) == 10


async def test_a5_ten_at_most(engine: AsyncToldOnce, parts: Components) -> None:
    mine = await whose(engine, CALENDAR)
    for number in range(12):
        await keep(parts, mine, f"Meeting {number}.")
    found = await engine.context("Anything", user="ana", scope=CALENDAR)
    assert [item.memory.text for item in found.items] == [f"Meeting {number}." for number in range(11, 1, -1)]


async def test_u2_the_nearest_above_the_threshold_go_into_the_system_prompt(
    engine: AsyncToldOnce, parts: Components
) -> None:
    for number in range(12):
        await keep(parts, ANA, f"green tea {'cup ' * (number % 2)}")
    far = await keep(parts, ANA, "green boats sail")
    prepared = await turn(engine, RequestScope(profile="user"), SYSTEM, user("green tea"))

    [system, last] = sent(prepared)
    assert "relevant to what the user asks now" in system["content"]
    assert last == user("green tea")
    assert far.id not in {item.memory.id for item in prepared.items}
    assert all(item.similarity >= 0.8 for item in prepared.items)
    assert prepared.items


async def test_t7_t8_facts_first_then_three_near_episodes_then_recent_messages(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    tiered = RequestScope(profile="tiered")
    await keep(parts, ANA, "Oslo", slot="identity/location", importance=0.5)
    await keep(parts, ANA, "cats", slot="preference/pet", importance=0.4)
    for number in range(5):
        clock.advance(minutes=1)
        detail = MemoryDetail(first_turn=1 + 10 * number, last_turn=10 + 10 * number)
        await keep(parts, ANA, f"sail boats, sail boats number {number}", kind=MemoryKind.EPISODE, detail=detail)
    await keep(parts, ANA, "Bees and honey.", kind=MemoryKind.EPISODE, detail=MemoryDetail(first_turn=51, last_turn=60))
    prepared = await turn(engine, tiered, SYSTEM, user("Hi"), assistant("Hello"), user("sail boats"))

    [system, *recent] = sent(prepared)
    assert recent == [user("Hi"), assistant("Hello"), user("sail boats")]
    content = system["content"]
    assert order(
        content, "You are a waiter.", "user profile", "- location: Oslo", "recent context", "- turns 1-10: sail"
    )
    assert [item.memory.kind for item in prepared.items] == [MemoryKind.FACT] + 3 * [MemoryKind.EPISODE]
    assert "cats" not in content
    assert "Bees" not in content
    assert "Answer consistently" in content
    elsewhere = sent(await turn(engine, tiered, SYSTEM, user("Something else?")))[0]["content"]
    assert block_ids(elsewhere) == block_ids(content)[:1]


@pytest.mark.parametrize(
    "scope", [SESSION, KIRA, CALENDAR, RequestScope(profile="user"), RequestScope(profile="tiered")]
)
async def test_injected_memory_is_recorded_unchanged_and_never_extracted_again(
    engine: AsyncToldOnce, parts: Components, scope: RequestScope
) -> None:
    mine = await whose(engine, scope)
    await keep(parts, mine, "I live in Oslo", importance=0.9)
    prepared = await turn(engine, scope, SYSTEM, user("I live in Oslo?"))

    body = "\n".join(message["content"] for message in sent(prepared))
    assert prepared.injected == 1
    assert prepared.record is not None
    assert prepared.record.block_hash.split("+") == block_ids(body)
    assert "I live in Oslo\n" not in own_words(body)
    again = request(*sent(prepared))
    asker = Identity(subject=ANA, scope=scope, conversation="c")
    await engine.turns.finish(again, asker, Reply(text="Yes.", complete=True), prepared)
    await engine.form()
    assert len(await engine.list(user=mine)) == 1


@pytest.mark.parametrize("tokens", [0, 80, 130, 200, 400])
@pytest.mark.parametrize(
    "scope", [SESSION, KIRA, CALENDAR, RequestScope(profile="user"), RequestScope(profile="tiered")]
)
async def test_no_template_exceeds_the_budget_of_tokens(parts: Components, scope: RequestScope, tokens: int) -> None:
    settings = Settings(database_url="sqlite:///:memory:", recall_tokens=tokens)
    async with AsyncToldOnce(replace(parts, settings=settings)) as engine:
        mine = await whose(engine, scope)
        for number in range(8):
            await keep(parts, mine, f"drink tea {number}", importance=0.9)
            await keep(parts, mine, f"tea {number}", slot=f"preference/tea:{number}", importance=0.9)
        found = await engine.context("drink tea", user="ana", conversation="c", scope=scope)
        assert found.tokens <= tokens
        assert parts.counter.count(found.text) <= tokens + 1  # what joins two blocks
        assert bool(found.items) == bool(found.text)
        assert bool(found.items) or tokens < 130


async def test_a_context_omits_what_the_chat_says_and_names_missing_scope(
    engine: AsyncToldOnce,
) -> None:
    said: Sequence[Mapping[str, Any]] = [user("I live in Oslo."), assistant("Nice.")]
    await engine.record(said, user="ana")
    await engine.form()
    assert "Oslo" in (await engine.context("Where do I live?", user="ana")).text
    assert (await engine.context("Where do I live?", user="ana", messages=said)).text == ""
    with pytest.raises(BadRequestError, match="profile app: no app"):
        await engine.context("x", user="ana", scope=RequestScope(profile="app"))
    with pytest.raises(BadRequestError, match="JSON"):
        await engine.context("x", user="ana", messages=[{"role": "user", "content": object()}])


async def test_u13_what_was_not_used_for_a_half_life_weighs_half_in_a_search_too(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await keep(parts, ANA, "green tea")
    [fresh] = (await engine.search("green tea", user="ana", profile="user")).items
    clock.advance(days=90)
    [faded] = (await engine.search("green tea", user="ana", profile="user")).items
    assert faded.score == pytest.approx(fresh.score / 2, abs=1e-5)
