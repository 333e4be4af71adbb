"""A7, A1, A9: apps, their memories by number, and the ends of their conversations over HTTP."""

from collections.abc import AsyncIterator

import httpx
import pytest

from append_only import ScriptedChat
from sample_chats import assistant, user
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app
from toldonce.types import Identity

TALK = [
    user("I need a calendar entry for my dentist on 12 May at nine, please."),
    assistant("Done: dentist on 12 May at nine. I chose the blue calendar because it is your private one."),
]


@pytest.fixture
async def api(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=build_app(engine))
    named = {"x-toldonce-user": "local"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=named) as client:
        yield client


async def ended(api: httpx.AsyncClient, engine: AsyncToldOnce, conversation: str = "c1", app: str = "calendar") -> None:
    body = {"reason": "window closed", "appId": app, "messages": TALK}
    answer = await api.post(f"/conversations/{conversation}/end", json=body)
    assert answer.status_code == 202
    assert answer.json()["reason"] == "window closed"
    await engine.form()


async def test_a1_ending_a_conversation_makes_a_memory_of_it(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    assert (await api.get("/apps/calendar/memories")).json() == {"memories": []}
    await ended(api, engine)
    listed = (await api.get("/apps/calendar/memories")).json()["memories"]
    assert listed
    assert all(set(memory) == {"id", "content", "createdAt", "updatedAt"} for memory in listed)
    assert sorted(memory["id"] for memory in listed) == list(range(1, len(listed) + 1))
    assert (await api.get("/conversations/c1/app")).json() == {"conversationId": "c1", "appId": "calendar"}


async def test_a7_memories_are_deleted_by_their_number_and_all_at_once(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    await ended(api, engine)
    await ended(api, engine, "c2")
    first, *rest = (await api.get("/apps/calendar/memories")).json()["memories"]
    assert (await api.delete(f"/apps/calendar/memories/{first['id']}")).json() == {"success": True}
    assert (await api.delete(f"/apps/calendar/memories/{first['id']}")).status_code == 404
    assert (await api.get("/apps/calendar/memories")).json()["memories"] == rest
    gone = (await api.delete("/apps/calendar/memories")).json()
    assert gone == {"success": True, "deletedCount": len(rest)}
    assert (await api.get("/apps/calendar/memories")).json() == {"memories": []}


@pytest.mark.parametrize("number", ["0", "99", "-1", "x", "9" * 40, "\u0661"])
async def test_a7_an_unknown_number_is_404(api: httpx.AsyncClient, engine: AsyncToldOnce, number: str) -> None:
    await ended(api, engine)
    assert (await api.delete(f"/apps/calendar/memories/{number}")).status_code == 404


async def test_a9_memories_outlive_the_uninstalled_app_unless_purged(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    assert (await api.post("/apps", json={"appId": "calendar"})).status_code == 201
    await ended(api, engine)
    kept = (await api.get("/apps/calendar/memories")).json()
    assert (await api.delete("/apps/calendar")).json() == {"success": True, "deletedCount": 0}
    assert (await api.get("/apps/calendar/memories")).json() == kept
    assert (await api.post("/apps", json={"appId": "calendar"})).status_code == 201
    purged = (await api.delete("/apps/calendar", params={"purgeMemories": "true"})).json()
    assert purged == {"success": True, "deletedCount": len(kept["memories"])}
    assert (await api.get("/apps/calendar/memories")).json() == {"memories": []}
    assert (await api.delete("/apps/never")).status_code == 404
    assert (await api.delete("/apps/calendar", params={"purgeMemories": "maybe"})).status_code == 400


async def test_a9_another_app_and_another_user_see_nothing(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    await ended(api, engine)
    nothing: dict[str, object] = {"memories": []}
    assert (await api.get("/apps/notes/memories")).json() == nothing
    assert (await api.get("/apps/calendar/memories", headers={"x-toldonce-user": "ben"})).json() == nothing
    assert (await api.get("/conversations/c1/app", headers={"x-toldonce-user": "ben"})).status_code == 404


async def test_an_unknown_conversation_can_be_neither_ended_nor_saved(api: httpx.AsyncClient) -> None:
    for path in ("/conversations/gone/end", "/conversations/gone/save"):
        assert (await api.post(path)).status_code == 404
    assert (await api.post("/conversations/c/end", json={"reason": ""})).status_code == 400


async def test_a_trace_says_what_memory_did_for_each_request(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    await engine.add("The user is allergic to peanuts.")
    named = Identity(subject=engine.subject(None), conversation="c1")
    chat = ScriptedChat(engine, named)
    await chat.ask("May I eat peanuts?", "Better not eat anything you are allergic to.")
    await chat.ask("Really no peanuts?", "No.")
    await engine.turns.close()
    trace = (await api.get("/api/conversations/c1/trace")).json()
    assert trace["conversationId"] == "c1"
    second, first = trace["prompts"]
    assert (first["seq"], first["prefix"], first["replayed"]) == (2, "new", 0)
    assert [memory["content"] for memory in first["memories"]] == ["The user is allergic to peanuts."]
    assert first["memories"][0]["used"] is not None
    assert first["memories"][0]["state"] == "active"
    assert first["tokens"] > 0
    assert (second["seq"], second["prefix"], second["replayed"], second["memories"]) == (4, "kept", 1, [])
    assert second["omitted"], "what was shown already"
    assert all(set(memory) == {"id", "reason"} for memory in second["omitted"])
    assert len((await api.get("/api/conversations/c1/trace?limit=1")).json()["prompts"]) == 1
    assert (await api.get("/api/conversations/c1/trace?limit=0")).status_code == 400
    assert (await api.get("/api/conversations/unknown/trace")).status_code == 404
    await engine.forget(first["memories"][0]["id"])
    [forgotten] = (await api.get("/api/conversations/c1/trace")).json()["prompts"][1]["memories"]
    assert (forgotten["state"], forgotten["content"]) == ("closed", "")
