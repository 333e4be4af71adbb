"""Room is made in the commit that needs it, and never by failing."""

import asyncio
import random
from datetime import timedelta
from pathlib import Path

import pytest

from own_profile import (
    OWN,
    Answering,
    decided,
    delete,
    edit,
    held,
    held_texts,
    numbered,
    tell_each,
    unexplained,
    with_profile,
)
from sample_chats import answer, note, slot, user
from soak import SOAK, whole_only
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError, ModelError
from toldonce.maintenance.capacity import session_of
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryState, RequestScope, Subject

FIVE = '[capacity]\nmax_memories = 5\npolicy = "lowest_value"'
TEN = '[capacity]\nmax_memories = 10\npolicy = "compact"\nmax_characters = 200'
SESSION = Subject("session", "ana/one")
APP = Subject("app", "ana/calendar")


async def test_s6_a_session_holds_fifty_and_never_fails(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for place, text in enumerate(numbered(60), start=1):
        clock.advance(minutes=1)
        added = await engine.add(text, user=SESSION, profile="session", importance=0.9 if place <= 5 else 0.5)
        assert added.state is MemoryState.ACTIVE, "what was just added stays"
        assert len(await held(engine, SESSION)) == min(place, 50)
    evicted = await decided(engine, SESSION, Action.EVICT)
    assert [line.text for line in evicted] == numbered(10, start=6), "the important ones stay, of the others the newest"
    assert await unexplained(engine, SESSION) == []


@pytest.mark.parametrize(("subject", "profile", "room"), [(SESSION, "session", 50), (APP, "app", 10)])
async def test_s6_a3_a_clock_that_goes_back_evicts_nothing_new(
    engine: AsyncToldOnce, clock: FakeClock, subject: Subject, profile: str, room: int
) -> None:
    texts = numbered(room + 3)
    for place, text in enumerate(texts):
        clock.advance(minutes=1)
        if place == room:
            clock.set(clock.now() - timedelta(hours=5))
        await engine.add(text, user=subject, profile=profile, importance=0.5)
    assert await held_texts(engine, subject) == texts[3:]


async def test_s6_a_session_that_is_formed_holds_fifty(engine: AsyncToldOnce) -> None:
    scope = RequestScope(profile="session")
    for start in range(0, 60, 20):
        said = [
            user(f"I own {number} boats and my sister Kira{number} lives in Oslo.")
            for number in range(start, start + 20)
        ]
        await engine.record(said, user="ana", conversation="one", scope=scope)
        await engine.form()
        assert len(await held(engine, SESSION)) <= 50
    assert len(await held(engine, SESSION)) == 50
    assert await decided(engine, SESSION, Action.EVICT)
    assert not [status for status in await engine.admin.formations() if status.parked or status.due_at]


async def test_one_batch_may_bring_more_than_there_is_room_for(parts: Components, tmp_path: Path) -> None:
    items = [note(f"The user owns boat {n}.", "boats", importance=n / 20) for n in range(1, 13)]
    model = ScriptedModel([answer(*items)])
    engine = with_profile(parts, tmp_path, FIVE, model=model)
    await engine.record([user("I own twelve boats.")], user="ana")
    await engine.form()
    assert set(await held_texts(engine, "ana")) == {f"The user owns boat {n}." for n in range(8, 13)}
    assert len(await decided(engine, "ana", Action.EVICT)) <= 7
    assert await unexplained(engine, "ana") == []


async def test_current_facts_outlive_notes(parts: Components, tmp_path: Path) -> None:
    clock_bound = slot("identity/name", "Ana", "My name is Ana", importance=0.6)
    model = Answering()
    engine = with_profile(parts, tmp_path, FIVE, model=ScriptedModel([answer(clock_bound)]))
    await engine.record([user("My name is Ana.")], user="ana", conversation="one")
    await engine.form()
    engine = with_profile(parts, tmp_path, FIVE, model=model.model)
    await tell_each(engine, *numbered(7))
    assert await held_texts(engine, "ana") == ["The user's name is Ana.", *numbered(4, start=4)]


async def test_quotations_and_what_is_held_take_no_room(parts: Components, tmp_path: Path) -> None:
    engine = with_profile(parts, tmp_path, f"{FIVE}\n[form]\nturns = true", model=Answering().model)
    await tell_each(engine, *numbered(5))
    assert len(await held(engine, "ana")) == 5
    assert await decided(engine, "ana", Action.EVICT) == []


async def test_a_subject_has_the_tightest_room_of_the_profiles_it_was_formed_under(
    parts: Components, tmp_path: Path
) -> None:
    engine = with_profile(parts, tmp_path, FIVE)
    await engine.add("Kept under the tight profile.", user="ana", profile=OWN)
    for text in numbered(8):
        await engine.add(text, user="ana", profile="default")
    assert len(await held(engine, "ana")) == 5
    for text in numbered(8):
        await engine.add(text, user="ben", profile="default")
    assert len(await held(engine, "ben")) == 8


async def test_memories_added_by_hand_have_the_apps_room_before_any_formation(
    engine: AsyncToldOnce,
) -> None:
    for text in numbered(12):
        await engine.add(text, user=APP)
    assert await held_texts(engine, APP) == numbered(10, start=3)
    assert {line.reason for line in await decided(engine, APP, Action.EVICT)} == {
        "the oldest of 11; there is room for 10; no model is set to choose"
    }


async def test_twenty_at_once_leave_no_more_than_there_is_room_for(parts: Components, tmp_path: Path) -> None:
    engine = with_profile(parts, tmp_path, FIVE)
    await asyncio.gather(*(engine.add(text, user="ana") for text in numbered(20)))
    assert len(await held(engine, "ana")) == 5
    assert await unexplained(engine, "ana") == []


# ---- length


async def test_a6_what_is_formed_is_about_as_long_as_the_profile_says(parts: Components, tmp_path: Path) -> None:
    long = "The user owns a boat. " + "It is a long blue boat with three masts. " * 8
    model = ScriptedModel([answer(note(long.strip(), "boat"))])
    engine = with_profile(parts, tmp_path, TEN, model=model)
    await engine.record([user("I own a boat.")], user="ana")
    await engine.form()
    [kept] = await held(engine, "ana")
    assert 100 <= len(kept.text) <= 200
    assert kept.text.endswith("three masts.")


async def test_a6_what_a_person_adds_is_refused_beyond_twice_the_length(engine: AsyncToldOnce) -> None:
    assert await engine.add("x" * 400, user=APP, profile="app")
    with pytest.raises(BadRequestError, match="401 characters, a memory of profile app at most 400"):
        await engine.add("x" * 401, user=APP, profile="app")
    assert await engine.add("x" * 401, user="ana")


# ---- always


@pytest.mark.parametrize(
    ("policy", "seed"),
    [
        pytest.param(policy, seed, marks=whole_only if seed else ())
        for policy in ("lowest_value", "fifo", "compact")
        for seed in range(4)
    ],
)
async def test_s6_room_is_kept_after_each_commit_and_each_end_is_explained(
    parts: Components, tmp_path: Path, clock: FakeClock, policy: str, seed: int
) -> None:
    luck = random.Random(seed)
    verdicts = [
        delete(luck.randint(0, 7)),
        edit(luck.randint(1, 6), "My box 1 holds the kettle."),
        ModelError("away"),
        None,
    ]

    def answered(system: str, said: str) -> object:
        if "full" in system:
            return luck.choice(verdicts)
        texts = luck.sample(numbered(40), luck.randint(0, 4))
        return answer(*(note(text, "box", importance=luck.random()) for text in texts))

    toml = f'[capacity]\nmax_memories = 6\npolicy = "{policy}"'
    engine = with_profile(parts, tmp_path, toml, model=ScriptedModel(answered))
    for step in range(40 if SOAK else 20):
        clock.advance(hours=luck.randint(0, 40))
        match luck.randrange(4):
            case 0:
                await engine.add(luck.choice(numbered(40)), user="ana", importance=luck.random())
            case 1 if known := await held(engine, "ana"):
                await engine.forget(luck.choice(known).id, user="ana")
            case _:
                await engine.record([user(f"I moved the box {step}.")], user="ana", conversation="one")
                await engine.form()
        assert len(await held(engine, "ana")) <= 6
        assert await unexplained(engine, "ana") == []
    assert await decided(engine, "ana", Action.EVICT, Action.FOLD)
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_s6_a_sessions_own_setting_bounds_forming_adding_and_tending(
    engine: AsyncToldOnce,
) -> None:
    scope = RequestScope(profile="session")
    for conversation, most in (("few", 3), ("many", 60)):
        await engine.conversations.open(conversation, user="ana", scope=scope, options={"max-per-session": most})
        session = await engine.conversations.subject(user="ana", conversation=conversation, scope=scope)
        assert session_of(session) == (Subject("user", "ana"), conversation)
        for text in numbered(most + 2):
            await engine.add(text, user=session, profile="session")
        assert len(await held(engine, session)) == most
        assert (await engine.admin.maintain(user=session)).decisions == ()
        said = [user(f"I own {number} boats and my sister Kira{number} lives in Oslo.") for number in range(5)]
        await engine.record(said, user="ana", conversation=conversation, scope=scope)
        await engine.form()
        assert len(await held(engine, session)) == most
