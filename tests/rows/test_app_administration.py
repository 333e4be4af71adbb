"""A7: what administrators do to the memories of an app, over all its users."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from dashboard_client import dashboard_client
from own_profile import Answering, delete
from rows.scenes import APP, CALENDAR, PARAGRAPH, TALK, ended
from sample_chats import user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.protocols import ModelAnswer
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Subject


async def test_a7_a_memory_for_all_users_is_listed_and_purged_under_any_profile(
    engine: AsyncToldOnce, parts: Components, api: httpx.AsyncClient, tmp_path: Path
) -> None:
    (tmp_path / "kiosk.toml").write_text(
        'extends = "app"\ndescription = "One memory for all users."\n[subject]\nper_user = false\n', "utf-8"
    )
    common = AsyncToldOnce(replace(parts, profiles=ProfileRegistry(tmp_path)))
    await ended(common, "kiosk", replace(CALENDAR, profile="kiosk"))
    await ended(engine, "own")
    bens = await engine.conversations.subject(user="ben", scope=CALENDAR)
    await engine.add("Ben's choir sings on Sunday.", user=bens, profile="app")
    listed = (await api.get("/apps/calendar/memories")).json()["memories"]
    subjects = {memory.subject for memory in await engine.apps.memories("calendar", user="ana")}
    assert subjects == {APP, Subject("app", "calendar")}
    purged = (await api.delete("/apps/calendar", params={"purgeMemories": "true"})).json()
    assert purged == {"success": True, "deletedCount": len(listed)}
    assert [await engine.list(user=subject) for subject in subjects] == [[], []]
    assert (await api.get("/apps/calendar/memories")).json() == {"memories": []}
    assert (await api.delete("/apps/calendar/memories")).json() == {"success": True, "deletedCount": 0}
    assert await engine.list(user=bens), "another user's own are another's"


async def test_a7_a_purge_leaves_nothing_that_was_closed_compacted_or_held(
    parts: Components, clock: FakeClock, api: httpx.AsyncClient
) -> None:
    engine = with_model(parts, Answering(delete(3)).model)
    for number in range(11):
        clock.advance(minutes=1)
        await engine.add(f"Ana moved meeting {number} to Monday.", user=APP, profile="app")
    await engine.forget((await engine.apps.memories("calendar", user="ana"))[0].id, user=APP)
    assert len(await engine.list(user=APP, closed=True)) == 11
    purged = (await api.delete("/apps/calendar/memories")).json()
    assert purged == {"success": True, "deletedCount": 9}
    assert await engine.list(user=APP, closed=True) == []
    assert [line for line in await engine.history.decisions(user=APP) if "meeting" in line.text] == []


async def test_a7_without_a_key_a_request_that_names_no_user_is_the_administrators(
    engine: AsyncToldOnce, api: httpx.AsyncClient
) -> None:
    bens = await engine.conversations.subject(user="ben", scope=CALENDAR)
    for subject in (APP, bens):
        await engine.add("The choir sings on Sunday.", user=subject, profile="app")
        await engine.add("The rowing club meets at six.", user=subject, profile="app")
    del api.headers["x-toldonce-user"]

    listed = (await api.get("/apps/calendar/memories")).json()["memories"]
    assert sorted({row["subject"] for row in listed}) == [APP.text, bens.text]
    assert (await api.delete(f"/apps/calendar/memories/{listed[-1]['id']}")).json() == {"success": True}
    assert [row["id"] for row in (await api.get("/apps/calendar/memories")).json()["memories"]] == [
        row["id"] for row in listed[:-1]
    ]
    assert (await api.delete("/apps/calendar", params={"purgeMemories": "true"})).json()["deletedCount"] == 3
    assert (await api.delete("/apps/calendar")).status_code == 404
    acts = [line.action for line in await engine.keys.audit()]
    assert sorted(acts) == ["apps.remove", "memories.erase"]


class Interrupted(ScriptedModel):
    """A model during whose answer the app is purged."""

    api: httpx.AsyncClient

    async def answer(self, **asked: Any) -> ModelAnswer:
        """Purge at the first question, then answer."""
        if not self.calls:
            assert (await self.api.delete("/apps/calendar/memories")).json()["success"]
        return await super().answer(**asked)


async def test_a7_a_purge_ends_the_work_under_way(parts: Components, api: httpx.AsyncClient) -> None:
    model = Interrupted([PARAGRAPH, PARAGRAPH])
    model.api = api
    engine = with_model(parts, model)
    await engine.record(TALK, user="ana", conversation="open", scope=CALENDAR)
    await ended(engine)
    assert model.calls, "the model was at work"

    await engine.conversations.end("open", user="ana", reason="closed")
    await engine.form()
    assert await engine.apps.memories("calendar", user="ana") == []
    await ended(engine, "later")
    assert len(model.calls) == 2, "what is said afterwards is formed"


async def test_a1_a_conversation_does_not_become_another_apps_memory(api: httpx.AsyncClient) -> None:
    assert (await api.post("/conversations/c/end", json={"appId": "calendar", "messages": TALK})).status_code == 202
    for verb, body in (("end", {"appId": "mail"}), ("end", {"appId": "mail", "messages": TALK})):
        refused = await api.post(f"/conversations/c/{verb}", json=body)
        assert (refused.status_code, "calendar" in refused.json()["error"]["message"]) == (400, True)
    assert (await api.post("/conversations/c/save", headers={"x-toldonce-app": "mail"})).status_code == 400
    assert (await api.get("/apps/mail/memories")).json() == {"memories": []}


async def test_a11_only_shared_subjects_can_be_subscribed_to(api: httpx.AsyncClient) -> None:
    subscriptions = "/v1/subjects/me/subscriptions"
    for named in ("app:calendar", "user:ben", "global:"):
        refused = await api.post(subscriptions, json={"shared": named})
        assert (refused.status_code, "is not shared" in refused.json()["detail"]) == (400, True)
    assert (await api.get(subscriptions)).json() == {"subscriptions": []}


async def test_a9_apps_are_listed_over_http_and_on_the_dashboard(engine: AsyncToldOnce, api: httpx.AsyncClient) -> None:
    await engine.apps.register("mail", user="ana")
    await ended(engine)
    await engine.conversations.end("d", user="ben", reason="closed", messages=TALK, scope=CALENDAR)
    await engine.form()
    del api.headers["x-toldonce-user"]
    first = (await api.get("/v1/apps", params={"limit": 1})).json()
    [calendar] = first["apps"]
    known = await engine.apps.memories_of_all_users("calendar")
    assert (calendar["id"], calendar["users"], calendar["conversations"]) == ("calendar", 2, 2)
    assert calendar["memories"] == len(known.memories) == 2
    [mail] = (await api.get("/v1/apps", params={"cursor": first["next_cursor"]})).json()["apps"]
    assert (mail["id"], mail["memories"], mail["last_used_at"]) == ("mail", 0, None)
    async with dashboard_client(engine) as browser:
        page = await browser.open("/dashboard/apps")
    assert "two memories and two conversations of two users" in page


async def test_a10_formation_recall_and_purge_are_logged_with_app_and_conversation(
    engine: AsyncToldOnce, api: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="toldonce"):
        await ended(engine)
        asked = {"model": "m", "messages": [user("When is my dentist?")]}
        headers = {"x-toldonce-profile": "app", "x-toldonce-app": "calendar"}
        assert (await api.post("/v1/chat/completions", json=asked, headers=headers)).status_code == 200
        await api.delete("/apps/calendar/memories")
    talks = {talk.external_id: talk.id for talk in await engine.conversations.list(user="ana")}
    lines = {record.message: vars(record) for record in caplog.records}
    assert {name: lines[name]["app"] for name in ("memory_decision", "memory_recall", "memory_purge")} == dict.fromkeys(
        ("memory_decision", "memory_recall", "memory_purge"), "calendar"
    )
    assert lines["memory_decision"]["conversation"] == talks["c"]
    assert lines["memory_recall"]["conversation"] == talks[None]
    assert lines["memory_purge"]["conversations"] == [talks[None]], "what was still to be formed"
    assert "dentist" not in repr(lines)
