"""T: session window, episodes, structured facts."""

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest

from formation.test_thousand_turns import said
from rows.scenes import DEFAULT, DIMS, TIERED
from sample_chats import assistant, user
from server.asgi import JSON, Call, ScriptedBackend, chat, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.server.chat_completions import ChatProxy
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
# Beside a machine that has other things to do; alone it takes some 5 ms.
MAX_ADDED_S = 0.5


async def talked(engine: AsyncToldOnce, turns: int, *, start: int = 0, form_each: bool = False) -> None:
    for turn in range(start, start + turns):
        messages = [user(said(turn)), assistant(f"Noted: {turn}.")]
        await engine.record(messages, user="ana", conversation="c", scope=TIERED)
        if form_each:
            await engine.form()
    await engine.form()


async def passed(engine: AsyncToldOnce, text: str, memory: str) -> ScriptedBackend:
    """Send one message with that mode of memory; return what upstream was asked."""
    way = ScriptedBackend([(200, JSON, [whole("Noted.")])])
    call = Call(chat(text), {"x-toldonce-memory": memory, "x-toldonce-profile": "tiered"})
    proxy = ChatProxy(OPENAI_CHAT, engine, way, POLICY)
    await proxy(call.scope(), call.receive(), call.send())
    await proxy.close()
    await engine.form()
    return way


async def test_t1_t3_the_window_has_ten_to_nineteen_turns_and_no_turn_is_twice(
    engine: AsyncToldOnce,
) -> None:
    held = set()
    for turn in range(31):
        await talked(engine, 1, start=turn, form_each=True)
        window = await engine.conversations.window("c", user="ana", scope=TIERED)
        turns = len(window) // 2
        assert turn >= 19 or turns == turn + 1
        held |= {turns} if turn >= 19 else set()
        episodes = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
        seqs = [source.seq for episode in episodes for source in episode.evidence] + [message.seq for message in window]
        assert sorted(seqs) == list(range(1, 2 * (turn + 1) + 1))
    assert held == set(range(10, 20))


async def test_t1_the_window_is_the_users_across_conversations(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for number in range(24):
        messages = [user(f"Turn {number}."), assistant(f"Noted: {number}.")]
        await engine.record(messages, user="ana", conversation=f"c{number // 3}", scope=TIERED)
        clock.advance(hours=1)
    await engine.record([user("Mine."), assistant("Yes.")], user="ben", conversation="b", scope=TIERED)
    await engine.record([user("Elsewhere.")], user="ana", conversation="d", scope=DEFAULT)
    await engine.form()
    window = await engine.conversations.window("c7", user="ana", scope=TIERED)
    assert [message.text for message in window if message.role == "user"] == [
        f"Turn {number}." for number in range(10, 24)
    ], "the ten turns before it are in an episode"
    written = await engine.prompt("And then?", conversation="new", user="ana", scope=TIERED)
    said = [message["content"] for message in written if message["role"] == "user"]
    assert said == [*(f"Turn {number}." for number in range(10, 24)), "And then?"]


async def test_t1_a_setting_keeps_a_window_for_each_conversation(parts: Components, tmp_path: Path) -> None:
    (tmp_path / "tiered.toml").write_text(
        'extends = "tiered"\ndescription = "Apart."\n[episodes]\nwindow_of = "conversation"\n', "utf-8"
    )
    engine = AsyncToldOnce(replace(parts, profiles=ProfileRegistry(tmp_path)))
    for name in ("c", "d"):
        await engine.record([user(f"Said in {name}.")], user="ana", conversation=name, scope=TIERED)
    assert [message.text for message in await engine.conversations.window("d", user="ana", scope=TIERED)] == [
        "Said in d."
    ]


@pytest.mark.parametrize("dim", DIMS)
async def test_t2_t7_an_episode_is_embedded_and_found_by_its_distance(engine: AsyncToldOnce, dim: int) -> None:
    await talked(engine, 20)
    [episode] = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
    assert (episode.detail.first_turn, episode.detail.last_turn) == (1, 10)
    near = await engine.vectors.nearest(query=episode.text, user="ana")
    assert near[0].memory.id == episode.id, f"at {dim} numbers"
    assert near[0].similarity > 0.99
    found = await engine.context(episode.text, user="ana", conversation="other", scope=TIERED)
    assert episode.id in {item.memory.id for item in found.items}
    asked = "Which walk leads from the harbour of Lima to the market hall?"
    [distant, *_] = await engine.vectors.nearest(query=asked, user="ana")
    assert (distant.memory.id, 0 < distant.similarity < 0.6) == (episode.id, True)
    far = await engine.context(asked, user="ana", conversation="other", scope=TIERED)
    assert {item.memory.kind for item in far.items} == {MemoryKind.FACT}


async def test_t4_t5_t6_facts_have_category_and_key_and_yield_to_equal_confidence(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for text in ("I live in Rome.", "We discussed the budget.", "I'm allergic to peanuts.", "I live in Oslo."):
        await engine.record([user(text)], user="ana", conversation="c", scope=TIERED)
        await engine.form()
        clock.advance(days=1)
    facts = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
    assert {(fact.category, fact.key, fact.value) for fact in facts} == {
        ("identity", "location", "Oslo"),
        ("constraint", "allergy:peanuts", "peanuts"),
    }
    history = await engine.list(user="ana", kinds=(MemoryKind.FACT,), closed=True)
    assert sorted(fact.value for fact in history if fact.key == "location") == ["Oslo", "Rome"]
    assert await engine.list(user="ana", kinds=(MemoryKind.NOTE,)) == []


class Teller:
    """A user, and a model that reads each of their statements as the fact that the test names."""

    def __init__(self, parts: Components) -> None:
        self._answer: object = None
        self.engine = AsyncToldOnce(replace(parts, model=ScriptedModel(lambda *_: self._answer)))

    async def states(self, key: str, value: str, *, confidence: float = 1.0) -> None:
        said = f"Just so you know, I say {value} for that."
        fact = {"category": "preference", "key": key, "value": value, "confidence": confidence, "importance": 0.8}
        self._answer = {"memories": [fact | {"message": None, "quote": said, "updates": None}]}
        await self.engine.record([user(said)], user="ana", conversation="c", scope=TIERED)
        await self.engine.form()

    async def held(self) -> dict[str, str]:
        return await held(self.engine)


async def held(engine: AsyncToldOnce) -> dict[str, str]:
    return {fact.key: fact.value for fact in await engine.list(user="ana", kinds=(MemoryKind.FACT,))}


async def test_t5_code_style_availability_and_workflows_are_facts_without_a_model(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for text in (
        "I use tabs, 4 wide.",
        "Keep lines under 100.",
        "We name functions in snake_case.",
        "I'm free on weekday mornings.",
        "Don't schedule anything before 10.",
        "I deploy on Fridays after the tests pass.",
        "We review PRs in pairs.",
        "My brother deploys on Mondays.",
        "If I worked nights, I'd sleep all day.",
        "Should I review my notes every evening?",
        "I'm busy tomorrow.",
        "Write a parser for ini files. Keep lines under 60.",
    ):
        await engine.record([user(text)], user="ana", conversation="c", scope=TIERED)
        await engine.form()
        clock.advance(hours=1)
    assert await held(engine) == {
        "indentation": "tabs, 4 wide",
        "line_length": "100",
        "naming_convention": "snake_case",
        "availability:mornings": "free on weekday mornings",
        "availability:earliest": "Don't schedule anything before 10",
        "workflow:deploy": "deploy on Fridays after the tests pass",
        "workflow:review": "review PRs in pairs",
    }


async def test_t4_a_key_of_any_name_holds_one_value_and_its_synonyms_are_the_same_key(
    parts: Components, clock: FakeClock
) -> None:
    teller = Teller(parts)
    for key, value in (
        ("coffee_order", "latte"),
        ("Coffee Order", "mocha"),
        ("coffeeOrder", "flat white"),
        ("favourite_colour", "teal"),
        ("favorite color", "maroon"),
        ("preferred_colour", "amber"),
        ("timezone", "CET"),
        ("tz", "GMT"),
        ("city", "Rome"),
        ("current location", "Oslo"),
    ):
        await teller.states(key, value)
        clock.advance(days=1)
    active = await teller.held()
    assert active == {"coffee_order": "flat white", "favorite_color": "amber", "time_zone": "GMT", "location": "Oslo"}
    history = await teller.engine.list(user="ana", kinds=(MemoryKind.FACT,), closed=True)
    assert len(history) == 10, "the old versions are kept"


async def test_t4_a_key_declared_to_hold_several_values_carries_the_value(parts: Components) -> None:
    teller = Teller(parts)
    for key, value in (("allergies", "peanuts"), ("food_allergy", "shellfish"), ("allergy", "Peanuts")):
        await teller.states(key, value)
    assert await teller.held() == {"allergy:peanuts": "peanuts", "allergy:shellfish": "shellfish"}


async def test_t6_what_is_less_sure_overwrites_nothing_and_what_is_as_sure_does(
    parts: Components, clock: FakeClock
) -> None:
    teller = Teller(parts)
    await teller.states("coffee_order", "latte", confidence=0.9)
    clock.advance(days=1)
    await teller.states("coffee order", "mocha", confidence=0.7)
    assert await teller.held() == {"coffee_order": "latte"}
    clock.advance(days=1)
    await teller.states("coffee_order", "espresso", confidence=0.9)
    assert await teller.held() == {"coffee_order": "espresso"}


async def test_t8_profile_recent_context_and_a_request_for_consistency_come_first(
    engine: AsyncToldOnce,
) -> None:
    await talked(engine, 20)
    [episode] = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
    assert len(episode.text) > 150
    found = await engine.context(episode.text, user="ana", conversation="other", scope=TIERED)
    [line] = [line for line in found.text.splitlines() if line.startswith("- turns 1-10: ")]
    assert len(line.removeprefix("- turns 1-10: ")) <= 151, "150 characters, and a sign that there is more"
    assert found.text.index("- location: Oslo") < found.text.index(line)
    assert found.text.count("Answer consistently") == 2
    written = await engine.prompt("What may I eat?", conversation="c", user="ana", scope=TIERED)
    assert "- location: Oslo" in written[0]["content"]
    assert [message["content"] for message in written[-3:]] == [said(19), "Noted: 19.", "What may I eat?"]


async def test_t9_recall_can_be_on_or_off_for_one_request_while_both_are_kept(engine: AsyncToldOnce) -> None:
    await passed(engine, "I live in Oslo.", "on")
    on = await passed(engine, "I'm allergic to peanuts.", "active")
    assert b"Oslo" in on.asked[0].body
    off = await passed(engine, "I work as a nurse.", "record")
    assert b"Oslo" not in off.asked[0].body
    assert {memory.value for memory in await engine.list(user="ana")} == {"Oslo", "peanuts", "nurse"}
    neither = await passed(engine, "I speak Norwegian.", "off")
    assert b"Oslo" not in neither.asked[0].body
    assert len(await engine.list(user="ana")) == 3


@pytest.mark.timing
async def test_t10_a_hundred_turns_make_about_fifteen_facts_at_little_cost(engine: AsyncToldOnce) -> None:
    await talked(engine, 100)
    facts = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
    assert 12 <= len(facts) <= 18
    episodes = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
    assert len(episodes) == 9, "twenty turns, of which ten stay"
    took = []
    for turn in range(20):
        began = perf_counter()
        await engine.context(said(turn), user="ana", conversation="c", scope=TIERED)
        await engine.record([user(f"{said(turn)} {turn}")], user="ana", conversation="d", scope=TIERED)
        took.append(perf_counter() - began)
    assert sorted(took)[len(took) // 2] < MAX_ADDED_S
