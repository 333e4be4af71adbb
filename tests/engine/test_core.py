"""The library: the story, histories, recording, and what it says to what it cannot take."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, RESTAURANT, answer, assistant, fact, slot, slots, tell, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError, BadSettingError, BadSubjectError, UnknownMemoryError
from toldonce.settings import Settings
from toldonce.testing import NEW_YEAR, FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind, MemoryState, Subject


async def test_the_story_by_rules(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO, assistant("Noted."))
    assert await slots(engine) == {"allergy:peanuts": "peanuts", "location": "Oslo"}
    found = await engine.search(RESTAURANT, user="ana")
    assert found.items[0].memory.text == 'The user said: "I\'m allergic to peanuts"'
    assert found.items[0].reasons
    oslo = await fact(engine, "Oslo")
    assert oslo.valid_from == datetime(2025, 5, 1, tzinfo=UTC), "May, seen from January 2026"


async def test_the_story_by_a_model(engine: AsyncToldOnce, parts: Components) -> None:
    data = answer(
        slot("constraint/allergy", "peanuts", "allergic to peanuts", importance=0.9),
        slot("identity/city", "Oslo", "moved from Rome to Oslo", valid_from="2025-05-01"),
    )
    formed = with_model(parts, ScriptedModel([data]))
    await tell(formed, PEANUTS_AND_OSLO, assistant("Noted."))
    assert await slots(engine) == {"allergy:peanuts": "peanuts", "location": "Oslo"}
    found = await engine.search(RESTAURANT, user="ana")
    assert "peanuts" in found.items[0].memory.text


async def test_a_store_opened_again_still_knows(tmp_path: Path, clock: FakeClock) -> None:
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'kept.sqlite3'}")
    async with await AsyncToldOnce.open(settings, clock=clock) as first:
        await tell(first, PEANUTS_AND_OSLO)
    async with await AsyncToldOnce.open(settings, clock=clock) as second:
        assert (await second.search(RESTAURANT, user="ana")).items[0].memory.value == "peanuts"


# ---- histories


async def test_a_history_shows_the_chain_with_its_reasons(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for said in ("I live in Rome.", "I moved to Oslo.", "I moved to Bergen."):
        await tell(engine, said)
        clock.advance(days=30)
    oslo = await engine.history.get((await fact(engine, "Oslo")).id, user="ana")
    assert oslo.memory.state is MemoryState.CLOSED
    assert {memory.value: memory.state for memory in oslo.related if memory.kind is MemoryKind.FACT} == {
        "Rome": MemoryState.CLOSED,
        "Bergen": MemoryState.ACTIVE,
    }
    replaced = (Action.REPLACE, "a newer value of the same slot")
    assert [(line.action, line.reason) for line in oslo.decisions] == [replaced, replaced]
    assert [message.text for message in oslo.sources] == ["I moved to Oslo."]
    rome, bergen = [(await fact(engine, value)) for value in ("Rome", "Bergen")]
    assert rome.valid_to == oslo.memory.valid_from
    assert oslo.memory.valid_to == bergen.valid_from
    assert bergen.valid_to is None


async def test_only_the_newest_of_a_chain_is_recalled(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for said in ("I live in Rome.", "I moved to Oslo.", "I moved to Bergen."):
        await tell(engine, said)
        clock.advance(days=30)
    found = await engine.search("Where do I live?", user="ana")
    facts = [item.memory.value for item in found.items if item.memory.kind is MemoryKind.FACT]
    assert facts == ["Bergen"]


async def test_u7_an_older_value_that_arrives_late_does_not_replace_a_newer_one(engine: AsyncToldOnce) -> None:
    await engine.record([user("I live in Oslo.")], user="ana", said_at=NEW_YEAR)
    await engine.form()
    await engine.record([user("I live in Rome.")], user="ana", said_at=NEW_YEAR - timedelta(days=400))
    await engine.form()
    assert await slots(engine) == {"location": "Oslo"}
    rome = await fact(engine, "Rome")
    assert rome.state is MemoryState.CLOSED


async def test_the_history_of_a_quotation_names_its_message(engine: AsyncToldOnce) -> None:
    await tell(engine, "I bought a tagine in Fez.")
    [quotation] = await engine.list(user="ana", kinds=(MemoryKind.TURN,))
    assert [message.text for message in (await engine.history.get(quotation.id, user="ana")).sources] == [
        quotation.text
    ]


# ---- recording


async def test_recording_the_same_history_again_logs_only_what_is_new(engine: AsyncToldOnce) -> None:
    said = [user("I live in Oslo."), assistant("Nice.")]
    first = await engine.record(said, user="ana")
    again = await engine.record(said, user="ana")
    more = await engine.record([*said, user("I like tea.")], user="ana")
    assert (first.appended, first.reply_seq) == ((1, 2), 2)
    assert again.appended == ()
    assert more.appended == (3,)
    assert first.conversation == again.conversation == more.conversation


async def test_a_named_conversation_takes_new_messages_alone(engine: AsyncToldOnce) -> None:
    one = await engine.record([user("I live in Oslo.")], user="ana", conversation="mine")
    two = await engine.record([user("I like tea.")], user="ana", conversation="mine")
    assert one.conversation == two.conversation
    assert [message.text for message in await engine.conversations.messages(one.conversation, user="ana")] == [
        "I live in Oslo.",
        "I like tea.",
    ]


async def test_what_was_said_long_ago_keeps_its_date(engine: AsyncToldOnce) -> None:
    long_ago = datetime(2020, 5, 3, tzinfo=UTC)
    await engine.record([user("I moved to Oslo yesterday.")], user="ana", said_at=long_ago)
    await engine.form()
    assert (await fact(engine, "Oslo")).valid_from == long_ago - timedelta(days=1)


async def test_the_users_time_zone_says_which_day_yesterday_was(parts: Components, clock: FakeClock) -> None:
    clock.set(datetime(2026, 5, 3, 22, 30, tzinfo=UTC))
    settings = Settings(database_url="sqlite:///:memory:", time_zone="Europe/Oslo")
    async with AsyncToldOnce(replace(parts, settings=settings)) as engine:
        await tell(engine, "I moved to Oslo yesterday.")
        oslo = await fact(engine, "Oslo")
    assert oslo.valid_from == datetime(2026, 5, 2, 22, 0, tzinfo=UTC), "midnight of the third in Oslo"


@pytest.mark.parametrize(
    ("messages", "part"),
    [
        ([], "empty"),
        ([{"role": "system", "content": "Be brief."}], "system messages alone"),
        ([{"content": "Hi"}], "role"),
        (["Hi"], "not an object"),
        ([{"role": "user", "content": {1, 2}}], "JSON"),
    ],
)
async def test_messages_that_cannot_be_logged_are_refused(
    engine: AsyncToldOnce, messages: list[Mapping[str, Any]], part: str
) -> None:
    with pytest.raises(BadRequestError, match=part):
        await engine.record(messages, user="ana")
    assert await engine.conversations.list(user="ana") == []


# ---- looking


@pytest.mark.parametrize("limit", [0, 201, -1])
async def test_a_search_takes_one_to_two_hundred(engine: AsyncToldOnce, limit: int) -> None:
    with pytest.raises(BadRequestError, match=f"limit is {limit}"):
        await engine.search("tea", user="ana", limit=limit)


@pytest.mark.parametrize("query", ["", " ", "\x00", "\ud800", "?!", "a" * 100_000, "last May"])
async def test_a_search_takes_any_text(engine: AsyncToldOnce, query: str) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    found = await engine.search(query, user="ana", limit=3)
    assert len(found) <= 3
    assert list(found) == [*found.items]
    assert all(found[place] is item for place, item in enumerate(found))


async def test_a_list_goes_on_behind_its_last_id(engine: AsyncToldOnce, clock: FakeClock) -> None:
    kept = []
    for place in range(5):
        kept.append((await engine.add(f"The book number {place} is read.", user="ana")).id)
        clock.advance(seconds=1)
    first = await engine.list(user="ana", limit=2)
    rest = await engine.list(user="ana", after=first[-1].id, limit=10)
    assert [memory.id for memory in (*first, *rest)] == kept[::-1]


async def test_a_listing_from_behind_no_id_is_refused(engine: AsyncToldOnce) -> None:
    with pytest.raises(UnknownMemoryError):
        await engine.list(user="ana", after="not an id")


async def test_without_a_name_the_default_user_is_meant(engine: AsyncToldOnce) -> None:
    await engine.add("I like tea.")
    assert [memory.text for memory in await engine.list(user="local")] == ["I like tea."]
    assert engine.subject(None) == Subject("user", "local")
    assert await engine.admin.subjects() == [Subject("user", "local")]


@pytest.mark.parametrize("name", ["\x00", "a\nb", "x" * 600, "\ud800"])
async def test_a_name_that_cannot_be_a_user_is_refused(engine: AsyncToldOnce, name: str) -> None:
    with pytest.raises(BadSubjectError):
        await engine.add("I like tea.", user=name)


async def test_the_operator_sees_counts_that_add_up(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO, assistant("Noted."))
    stats = await engine.admin.stats(check=True)
    listed = await engine.list(user="ana", kinds=tuple(MemoryKind))
    assert (stats.subjects, stats.conversations, stats.messages) == (1, 1, 2)
    assert stats.memories == len(listed)
    assert (stats.formations_due, stats.formations_parked, stats.problems) == (0, 0, ())
    await engine.admin.ping()


@pytest.mark.near_only(reason="the server has its own workers")
async def test_a_running_worker_forms_what_is_recorded_and_form_waits_for_it(engine: AsyncToldOnce) -> None:
    working = asyncio.create_task(engine.admin.run_worker())
    await engine.record([user(PEANUTS_AND_OSLO)], user="ana")
    await engine.form()
    assert (await slots(engine))["location"] == "Oslo"
    engine.admin.stop_worker()
    await asyncio.wait_for(working, PATIENCE_S)
    assert engine.admin.worker_counters.formed == 2
    assert engine.admin.worker_counters.failed == 0


@pytest.mark.near_only(reason="the server has its own workers")
async def test_a_worker_that_was_told_to_stop_leaves_forming_by_hand_possible(engine: AsyncToldOnce) -> None:
    engine.admin.stop_worker()
    await engine.record([{"role": "user", "content": "I live in Oslo."}], user="ana")
    assert await engine.form() > 0


async def test_a_profile_that_is_not_there_is_refused_at_the_start() -> None:
    with pytest.raises(
        BadSettingError, match=r"TOLDONCE_PROFILE='missing': no such profile; there are: app, .*default"
    ):
        await AsyncToldOnce.open(Settings(database_url="sqlite:///:memory:", profile="missing"))
