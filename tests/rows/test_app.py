"""A: a small memory for each app, kept by a sub-agent."""

import json
import logging
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import httpx
import pytest

from dashboard_client import dashboard_client
from own_profile import Answering, delete
from rows.scenes import APP, CALENDAR, PARAGRAPH, TALK, ended
from sample_chats import answer, assistant, note, request, user, with_model
from stores import DURABLE, new_store
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, CostPurpose, Identity, RequestScope, Subject

LATER = [
    ("I want the meeting with my accountant moved to Thursday.", "Moved to Thursday, at ten."),
    ("I need a reminder to water the tomatoes on the balcony.", "You will be reminded at seven."),
    ("I invited my brother Jonas to the concert in Bergen.", "Jonas is invited."),
]


async def test_a1_the_end_of_a_conversation_makes_one_paragraph_behind_the_call(parts: Components) -> None:
    engine = with_model(parts, ScriptedModel([PARAGRAPH]))
    await engine.conversations.end("c", user="ana", reason="closed", messages=TALK, scope=CALENDAR)
    assert await engine.apps.memories("calendar", user="ana") == [], "it is made behind the call"
    await engine.form()
    [one] = await engine.apps.memories("calendar", user="ana")
    assert (one.text, one.importance, one.number) == (PARAGRAPH["text"], 0.7, 1)
    assert one.detail.tags[:1] == ("dentist",)


async def test_a1_conversations_that_ended_before_the_feature_was_on_make_none(engine: AsyncToldOnce) -> None:
    await engine.record(TALK, user="ana", conversation="old", scope=RequestScope(profile="default"))
    await engine.conversations.end("old", user="ana", reason="closed")
    await engine.form()
    await ended(engine)
    known = await engine.apps.memories("calendar", user="ana")
    old = await engine.conversations.get("old", user="ana")
    assert {source.conversation for memory in known for source in memory.evidence} == {
        (await engine.conversations.get("c", user="ana")).id
    }
    assert old.end_reason == "closed"


async def test_a2_the_eleventh_starts_a_compaction_and_ten_are_left(parts: Components, clock: FakeClock) -> None:
    model = Answering(delete(3))
    engine = with_model(parts, model.model)
    for number in range(11):
        clock.advance(minutes=1)
        await engine.add(f"Ana moved meeting {number} to Monday.", user=APP, profile="app")
    assert model.asked == 1
    texts = [memory.text for memory in await engine.apps.memories("calendar", user="ana")]
    assert len(texts) == 10
    assert "Ana moved meeting 10 to Monday." in texts
    [gone] = [line for line in await engine.history.decisions(user=APP) if line.action is Action.EVICT]
    assert gone.text not in texts


async def test_a5_the_ten_latest_stand_in_a_system_message_that_names_the_app(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for number in range(10):
        clock.advance(days=1)
        await engine.add(f"Ana moved meeting {number} to Monday.", user=APP, profile="app")
    found = await engine.context("Anything new?", user="ana", scope=CALENDAR)
    rows = [line for line in found.text.splitlines() if "[Created: " in line]
    assert "Memories of the app calendar" in found.text
    assert len(rows) == 10
    assert rows[0] == "1. [Created: 2026-01-11] Ana moved meeting 9 to Monday."


async def test_a6_ten_memories_of_two_hundred_characters_all_stand_in_the_block(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for number in range(12):
        clock.advance(days=1)
        text = f"Meeting {number:02} of the choir was moved <to> 月曜日; Mia brings the scores. "
        await engine.add((text * 5)[:200].rstrip().ljust(200, "."), user=APP, profile="app")
    found = await engine.context("Anything new?", user="ana", scope=CALENDAR)
    rows = [line for line in found.text.splitlines() if "[Created: " in line]
    assert [row.partition("] ")[2][8:10] for row in rows] == [f"{number:02}" for number in range(11, 1, -1)]
    assert all(len(item.memory.text) == 200 for item in found.items)


async def test_a1_the_shipped_profile_offers_the_tool_that_ends_a_conversation(engine: AsyncToldOnce) -> None:
    asked = request(user("That is all, thank you."))
    prepared = await engine.turns.prepare(asked, Identity(subject=Subject("user", "ana"), scope=CALENDAR))
    [tool] = json.loads(prepared.body)["tools"]
    assert tool["function"]["name"] == "end_conversation"
    other = Identity(subject=Subject("user", "ana"), scope=RequestScope(profile="default"))
    assert "tools" not in json.loads((await engine.turns.prepare(asked, other)).body)


@pytest.mark.parametrize("kind", DURABLE)
async def test_a9_memories_survive_a_restart_and_the_apps_uninstall(
    kind: str, parts: Components, clock: FakeClock, tmp_path: Path
) -> None:
    first = replace(parts, store=await new_store(kind, tmp_path, clock))
    async with AsyncToldOnce(first) as engine:
        await engine.apps.register("calendar", user="ana")
        await ended(engine)
        known = await engine.apps.memories("calendar", user="ana")
    async with AsyncToldOnce(replace(parts, store=await new_store(kind, tmp_path, clock))) as again:
        assert await again.apps.memories("calendar", user="ana") == known != []
        assert await again.apps.memories("notes", user="ana") == []
        assert await again.apps.remove("calendar", user="ana") == 0
        assert await again.apps.memories("calendar", user="ana") == known
        assert await again.apps.remove("calendar", user="ana", purge=True) == len(known)
        assert await again.apps.memories("calendar", user="ana") == []


async def test_a10_creations_compactions_and_energy_are_counted_and_steps_logged(
    parts: Components,
    clock: FakeClock,
    api: httpx.AsyncClient,
    engine: AsyncToldOnce,
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = Answering(delete(3))
    working = AsyncToldOnce(replace(parts, model=model.model))
    with caplog.at_level(logging.INFO, logger="toldonce"):
        for number in range(10):
            clock.advance(minutes=1)
            await working.add(f"Ana moved meeting {number} to Monday.", user=APP, profile="app")
        await working.add("Ana moved meeting 10 to Monday.", user=APP, profile="app")
        await ended(engine, "d", replace(CALENDAR, app="notes"))
    counted = dict(
        line.rsplit(" ", 1) for line in (await api.get("/metrics")).text.splitlines() if not line.startswith("#")
    )
    assert float(counted["app_memory_compactions_total"]) == 1
    assert float(counted["app_memory_created_total"]) == len(await engine.apps.memories("notes", user="ana"))
    assert float(counted["app_memory_energy_total"]) > 0
    assert float(counted["app_memory_utilization"]) == 1
    assert "app_context_injection_rate" in counted
    today = (await engine.admin.energy(user=APP, profile="app")).today
    assert today[CostPurpose.COMPACT].calls == 1, "compactions of one app this day"
    events = [record.message for record in caplog.records]
    assert "memory_compaction" in events
    assert "memory_decision" in events
    assert "meeting" not in repr([vars(record) for record in caplog.records])


async def test_a11_an_apps_memories_are_scored_searchable_and_exported_as_json(
    parts: Components, api: httpx.AsyncClient
) -> None:
    engine = with_model(parts, ScriptedModel([PARAGRAPH]))
    await ended(engine)
    await engine.add("Ana likes boats.", user=APP, importance=0.2, profile="app")
    [boats, dentist] = await engine.apps.memories("calendar", user="ana")
    assert (dentist.importance, boats.importance) == (0.7, 0.2)
    by_words = (await engine.search("dentist", user=APP, profile="default")).items
    assert [(item.memory.id, item.word_share > 0) for item in by_words[:1]] == [(dentist.id, True)]
    by_meaning = await engine.vectors.nearest(query="boats that Ana likes", user=APP)
    assert by_meaning[0].memory.id == boats.id
    exported = (await api.get("/apps/calendar/memories")).json()
    assert [row["content"] for row in exported["memories"]] == [boats.text, dentist.text]
    assert all(set(row) == {"id", "content", "createdAt", "updatedAt"} for row in exported["memories"])


async def test_a11_keyword_search_under_the_profile_finds_the_word_and_not_the_latest(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for text in ("The dentist is Dr Berg.", "The choir sings on Sunday.", "The boat was painted green."):
        clock.advance(days=1)
        await engine.add(text, user=APP, profile="app")
    for word, wanted in (("dentist", "The dentist"), ("choir", "The choir"), ("boat", "The boat")):
        found = (await engine.search(word, user=APP, profile="app")).items
        assert found[0].memory.text.startswith(wanted)
        assert found[0].word_share > 0
    block = await engine.context("Who is the dentist?", user="ana", scope=CALENDAR)
    assert [item.memory.text[:8] for item in block.items] == ["The boat", "The choi", "The dent"]


async def test_a11_shared_memories_reach_the_prompt_of_their_readers_apps_alone(engine: AsyncToldOnce) -> None:
    team = Subject("shared", "team")
    await engine.add("The office is closed on Friday.", user=team)
    await engine.add("Ana's dentist is Dr Berg.", user=APP, profile="app")
    assert "office" not in (await engine.context("Anything new?", user="ana", scope=CALENDAR)).text
    await engine.shared.subscribe(team, user="ana")
    for app in ("calendar", "notes"):
        assert "office" in (await engine.context("Anything new?", user="ana", scope=replace(CALENDAR, app=app))).text
    assert "office" not in (await engine.context("Anything new?", user="ben", scope=CALENDAR)).text
    await engine.shared.unsubscribe(team, user="ana")
    assert "office" not in (await engine.context("Anything new?", user="ana", scope=CALENDAR)).text


async def test_a11_memories_are_shared_with_another_app_and_are_otherwise_per_user(
    engine: AsyncToldOnce, parts: Components, tmp_path: Path
) -> None:
    await ended(engine)
    [one, *_] = await engine.apps.memories("calendar", user="ana")
    notes = await engine.conversations.subject(user="ana", scope=replace(CALENDAR, app="notes"))
    await engine.shared.link(one.id, to=notes, user=APP)
    assert [shared.id for shared in await engine.apps.memories("notes", user="ana")] == [one.id]
    assert await engine.apps.memories("calendar", user="ben") == []
    (tmp_path / "app.toml").write_text(
        'extends = "app"\ndescription = "One memory for all users."\n[subject]\nper_user = false\n', "utf-8"
    )
    common = AsyncToldOnce(replace(parts, profiles=ProfileRegistry(tmp_path)))
    await ended(common, "e")
    mine, bens = [await common.apps.memories("calendar", user=who) for who in ("ana", "ben")]
    assert mine == bens != []


async def test_a11_what_a_model_says_is_checked_against_the_words_it_rests_on(parts: Components) -> None:
    invented = {**PARAGRAPH, "text": "Ana bought a yacht in Monaco for two million."}
    engine = with_model(parts, ScriptedModel([invented]))
    await ended(engine)
    assert await engine.apps.memories("calendar", user="ana") == []
    [refused] = [line for line in await engine.history.decisions(user=APP) if line.action is Action.IGNORE]
    assert (refused.text, refused.reason) == (invented["text"], "says what is not in the conversation")

    told = answer(
        note("The user's dentist is Dr Berg.", "my dentist is Dr Berg"),
        note("The user's dentist is Dr Lie.", "my dentist is Dr Lie"),
    )
    engine = with_model(parts, ScriptedModel([told]))
    await engine.record([user("By the way, my dentist is Dr Berg.")], user="ana", scope=RequestScope(profile="default"))
    await engine.form()
    assert [memory.text for memory in await engine.list(user="ana")] == ["The user's dentist is Dr Berg."]


@pytest.mark.timing
async def test_a12_hundreds_of_memories_across_apps_are_made_and_read_in_time(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for app in range(30):
        subject = await engine.conversations.subject(user="ana", scope=RequestScope(profile="app", app=f"app {app}"))
        for number in range(10):
            await engine.add(f"Ana moved meeting {number} of app {app} to Monday.", user=subject, profile="app")
    began = perf_counter()
    await ended(engine)
    assert perf_counter() - began < 5
    assert await engine.apps.memories("calendar", user="ana")
    took = []
    for app in range(30):
        clock.advance(seconds=1)
        began = perf_counter()
        found = await engine.context("What is new?", user="ana", scope=RequestScope(profile="app", app=f"app {app}"))
        took.append(perf_counter() - began)
        assert len(found.items) == 10
        assert {item.memory.text.partition(" of ")[2] for item in found.items} == {f"app {app} to Monday."}
    assert sorted(took)[len(took) // 2] < 0.1


async def test_a1_a_resumed_conversation_makes_a_memory_of_what_came_since(
    engine: AsyncToldOnce,
) -> None:
    await ended(engine)
    for place, (asked, said) in enumerate(LATER):
        more = [user(asked), assistant(said)]
        await engine.conversations.end("c", user="ana", reason="closed", messages=more, scope=CALENDAR)
        await engine.form()
        newest, *before = await engine.apps.memories("calendar", user="ana")
        assert asked.split()[-1] in newest.text
        assert {source.seq for source in newest.evidence} <= {2 * place + 3, 2 * place + 4}, (
            "what came since, and no more"
        )
        assert len(before) == place + 1
    assert await engine.admin.formations(parked=True) == []


async def test_a1_a_conversation_resumed_after_half_an_hour_makes_another_memory(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for place, (asked, said) in enumerate(LATER):
        await engine.record([user(asked), assistant(said)], user="ana", conversation="c", scope=CALENDAR)
        clock.advance(minutes=29)
        await engine.form()
        assert len(await engine.apps.memories("calendar", user="ana")) == place
        clock.advance(minutes=2)
        await engine.form()
        assert len(await engine.apps.memories("calendar", user="ana")) == place + 1
    assert await engine.admin.formations(parked=True) == []


async def test_a1_a_model_is_asked_for_a_paragraph_on_the_new_messages_alone(parts: Components) -> None:
    more = {"text": "Ana moved the meeting with the plumber to Friday at noon.", "messages": [1], "importance": 5}
    model = ScriptedModel([PARAGRAPH, more])
    engine = with_model(parts, model)
    await ended(engine)
    said = [user("Please move the meeting with the plumber to Friday at noon."), assistant("Moved.")]
    await engine.conversations.end("c", user="ana", reason="closed", messages=said, scope=CALENDAR)
    await engine.form()
    known = await engine.apps.memories("calendar", user="ana")
    assert [memory.text for memory in known] == [more["text"], PARAGRAPH["text"]]
    assert [[source.seq for source in memory.evidence] for memory in known] == [[3], [1, 2]]
    assert "plumber" in model.calls[1].user


async def test_a11_the_dashboard_shows_an_apps_memories_and_statistics(engine: AsyncToldOnce) -> None:
    await engine.apps.register("calendar", user="ana")
    await engine.add("Ana's dentist is Dr Berg.", user=APP, profile="app")
    async with dashboard_client(engine) as browser:
        assert "calendar" in await browser.open("/dashboard/apps")
        assert "Ana&#39;s dentist is Dr Berg." in await browser.open("/dashboard/apps/calendar")
        assert "Ana&#39;s dentist is Dr Berg." in await browser.open("/dashboard/subjects/app%3Aana%2Fcalendar")
        shown = await browser.read("/dashboard/subjects/app%3Aana%2Fcalendar/statistics")
    assert shown["page"] == "statistics"
    assert "note" in json.dumps(shown)


@pytest.mark.parametrize(
    "sent",
    [
        {"messages": TALK},
        {
            "conversationId": "c/1 ü",
            "conversationSummary": "A dentist's appointment was made.",
            "userMessages": [TALK[0]["content"]],
            "assistantMessages": [TALK[1]["content"]],
        },
        {"userMessages": [TALK[0]["content"]]},
    ],
    ids=["messages", "by speaker", "user alone"],
)
async def test_a1_a_conversation_is_handed_over_with_its_end(
    engine: AsyncToldOnce, api: httpx.AsyncClient, sent: dict[str, object]
) -> None:
    end = "/conversations/c%2F1%20%C3%BC/end"
    count = "/apps/calendar/memories/count"
    assert (await api.get(count)).json() == {"count": 0}
    done = await api.post(end, json={"appId": "calendar", "reason": "closed", **sent})
    assert (done.status_code, done.json()["id"]) == (202, "c/1 ü")
    await engine.form()
    [memory] = (await api.get("/apps/calendar/memories")).json()["memories"]
    assert "dentist" in memory["content"]
    assert (await api.get(count)).json() == {"count": 1}
    assert await engine.apps.count("calendar", user="ana") == 1
    del api.headers["x-toldonce-user"]
    assert (await api.get(count)).json() == {"count": 1}, "an administrator counts for all users"


async def test_a1_a_conversation_is_handed_over_in_one_way(api: httpx.AsyncClient) -> None:
    both = {"appId": "calendar", "messages": TALK, "userMessages": ["I need a dentist."]}
    for sent, wrong in ((both, "messages"), ({"conversationId": "d"}, "conversationId")):
        refused = await api.post("/conversations/c/end", json=sent)
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, wrong)
