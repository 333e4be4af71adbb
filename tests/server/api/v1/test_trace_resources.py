"""Traces of requests under `/v1`. On every store; every answer is checked against the document."""

from typing import Any

import httpx

from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app
from toldonce.testing import FakeClock
from toldonce.types import Access, NewApiKey, Subject

ANA = "/v1/subjects/user:ana"


async def chat(api: httpx.AsyncClient, *said: str, user: str = "ana", tenant: str = "", session: str = "c1") -> None:
    messages = [{"role": "assistant" if place % 2 else "user", "content": text} for place, text in enumerate(said)]
    headers = {"x-toldonce-user": user, "x-toldonce-session": session}
    if tenant:
        headers["x-toldonce-tenant"] = tenant
    answer = await api.post(
        "/v1/chat/completions", json={"model": "toldonce/offline", "messages": messages}, headers=headers
    )
    assert answer.status_code == 200


async def listed(api: httpx.AsyncClient, path: str, **query: Any) -> dict[str, Any]:
    answer = await api.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_client_that_asks_again_gets_what_is_new(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    empty = await listed(api, "/v1/traces")
    assert empty["traces"] == []
    clock.advance(minutes=1)
    await chat(api, "What does Ana play?")
    first = await listed(api, "/v1/traces", after=empty["newest"])
    [trace] = first["traces"]
    assert (trace["subject"], trace["external_id"], trace["profile"]) == ("user:ana", "c1", "default")
    assert (trace["upstream"], trace["model"], trace["client"]) == ("built-in", "toldonce/offline", "chat")
    assert [item["subject"] for item in trace["injected"]] == ["user:ana"]
    assert trace["considered"] == 1
    assert trace["tokens"] > 0
    assert trace["took_ms"] >= 0
    # What was recorded a moment ago comes again, then no more.
    again = (await listed(api, "/v1/traces", after=first["newest"]))["traces"]
    assert [each["id"] for each in again] == [trace["id"]]
    clock.advance(minutes=1)
    settled = await listed(api, "/v1/traces", after=first["newest"])
    assert (await listed(api, "/v1/traces", after=settled["newest"]))["traces"] == []
    await chat(api, "What does Ana play?", "The cello.", "Does Ana play the violin?")
    later = await listed(api, f"{ANA}/traces", after=settled["newest"])
    assert len(later["traces"]) == 1


async def test_pages_of_traces_are_read_by_their_cursors(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    for number in range(5):
        clock.advance(minutes=1)
        await chat(api, f"What does Ana play? {number}", session=f"c{number}")
    found, cursor = [], None
    while True:
        page = await listed(api, f"{ANA}/traces", limit=2, **({"cursor": cursor} if cursor else {}))
        found += [trace["external_id"] for trace in page["traces"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == ["c4", "c3", "c2", "c1", "c0"]
    for query in ({"cursor": "x"}, {"after": "1.x"}, {"since": "2026-01-01T00:00:00Z"}):
        assert (await api.get("/v1/traces", params=query)).status_code == 400


async def test_one_request_shows_the_added_text_and_the_one_before(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    await chat(api, "What does Ana play?")
    await engine.add("Ana's dog is called Rex.", user="ana")
    clock.advance(minutes=1)
    [first] = (await listed(api, f"{ANA}/traces"))["traces"]
    answer = (await api.get(f"{ANA}/conversations/c1/messages")).json()["messages"][1]["text"]
    await chat(api, "What does Ana play?", answer, "What is the dog called?")
    second = (await listed(api, f"{ANA}/traces"))["traces"][0]
    shown = await listed(api, f"{ANA}/conversations/c1/traces/{second['id']}")
    before = await listed(api, f"{ANA}/conversations/{first['conversation']}/traces/{first['id']}")
    assert shown["trace"]["id"] == second["id"]
    assert "Rex" in shown["added"]["recalled"]
    assert shown["previous"] == before["added"]
    assert "cello" in before["added"]["recalled"]
    assert before["previous"] is None
    assert {memory["text"] for memory in before["memories"]} >= {"Ana plays the cello."}
    missing = await api.get(f"{ANA}/conversations/c1/traces/{first['id'][:-1]}x")
    assert (missing.status_code, missing.json()["type"]) == (404, "/docs#unknown-trace")


async def test_a_tenants_administrator_sees_its_own_requests(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    for tenant in ("acme", "bolt"):
        await engine.add("The shelf holds boxes.", user=Subject("user", "ana", tenant))
        await chat(api, "What does the shelf hold?", tenant=tenant)
    assert len((await listed(api, "/v1/traces"))["traces"]) == 2
    assert len((await listed(api, "/v1/traces", tenant="bolt"))["traces"]) == 1
    _, secret = await engine.keys.create(NewApiKey(name="acme", access=Access.ADMIN, tenant="acme"))
    transport = httpx.ASGITransport(app=build_app(engine))
    headers = {"authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        [own] = (await listed(client, "/v1/traces"))["traces"]
        assert (own["subject"], own["reads"][0]) == ("user:ana", "user:ana")
        assert (await client.get("/v1/traces", params={"tenant": "bolt"})).status_code == 403
        assert (await client.get(f"{ANA}/conversations/c1/traces/{own['id']}")).status_code == 200
