"""A7: what administrators do to the memories of an app, over all its users."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from own_profile import Answering, delete
from recollect.engine import AsyncRecollect, Components
from recollect.profiles.registry import ProfileRegistry
from recollect.providers.protocols import ModelAnswer
from recollect.testing import FakeClock, ScriptedModel
from recollect.types import Subject
from rows.scenes import APP, CALENDAR, PARAGRAPH, TALK, ended
from sample_chats import with_model


async def test_a7_a_memory_for_all_users_is_listed_and_purged_under_any_profile(
    engine: AsyncRecollect, parts: Components, api: httpx.AsyncClient, tmp_path: Path
) -> None:
    (tmp_path / "kiosk.toml").write_text(
        'extends = "app"\ndescription = "One memory for all users."\n[subject]\nper_user = false\n', "utf-8"
    )
    common = AsyncRecollect(replace(parts, profiles=ProfileRegistry(tmp_path)))
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
    engine: AsyncRecollect, api: httpx.AsyncClient
) -> None:
    bens = await engine.conversations.subject(user="ben", scope=CALENDAR)
    for subject in (APP, bens):
        await engine.add("The choir sings on Sunday.", user=subject, profile="app")
        await engine.add("The rowing club meets at six.", user=subject, profile="app")
    del api.headers["x-recollect-user"]

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
    assert (await api.post("/conversations/c/save", headers={"x-recollect-app": "mail"})).status_code == 400
    assert (await api.get("/apps/mail/memories")).json() == {"memories": []}
