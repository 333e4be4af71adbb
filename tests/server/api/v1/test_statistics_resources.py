"""Counts over time under `/v1`. On every store; every answer is checked against the document."""

import httpx

from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app
from toldonce.testing import FakeClock
from toldonce.types import Access, NewApiKey, Subject

ANA = "/v1/subjects/user:ana/statistics"


async def test_a_subject_is_counted_by_day_and_hour(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    clock.advance(days=2)
    await engine.add("Ana plays the violin.", user="ana")
    found = (await api.get(ANA)).json()
    assert len(found["buckets"]) == 30
    assert [bucket["stored"] for bucket in found["buckets"][-3:]] == [{"note": 1}, {}, {"note": 1}]
    assert [bucket["decisions"] for bucket in found["buckets"][-3:]] == [{"add": 1}, {}, {"add": 1}]
    assert found["memories"] == [
        {"kind": "note", "state": "active", "max_age_days": 1, "count": 1},
        {"kind": "note", "state": "active", "max_age_days": 7, "count": 1},
    ]
    assert found["process"] is None
    hours = (await api.get(ANA, params={"bucket": "hour", "from": "2026-01-02T22:30:00Z"})).json()
    assert (hours["begins"], hours["ends"]) == ("2026-01-02T22:00:00Z", "2026-01-03T01:00:00Z")
    assert [bucket["stored"] for bucket in hours["buckets"]] == [{}, {}, {"note": 1}]


async def test_intervals_that_are_too_long_or_empty_are_refused(api: httpx.AsyncClient) -> None:
    for query in (
        {"from": "2020-01-01T00:00:00Z"},
        {"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"},
        {"bucket": "week"},
        {"since": "2026-01-01T00:00:00Z"},
    ):
        answer = await api.get(ANA, params=query)
        assert (answer.status_code, answer.json()["type"]) == (400, "/docs#bad-request"), query


async def test_the_operator_counts_everything_and_a_tenants_administrator_its_own(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    for name in ("user:ana", "@acme/user:ana", "@acme/user:bob", "@bolt/user:ana"):
        await engine.add(f"The shelf of {name} holds boxes.", user=Subject.parse(name))
    chat = {"model": "toldonce/offline", "messages": [{"role": "user", "content": "Where are the boxes?"}]}
    assert (await api.post("/v1/chat/completions", json=chat)).status_code == 200
    every = (await api.get("/v1/statistics")).json()
    assert sum(count["count"] for count in every["memories"]) == 4
    assert every["process"]["recalls"] == 1
    assert every["process"]["recall_p95_s"] > 0
    acme = (await api.get("/v1/statistics", params={"tenant": "acme"})).json()
    assert sum(count["count"] for count in acme["memories"]) == 2
    key = NewApiKey(name="acme", access=Access.ADMIN, tenant="acme")
    _, secret = await engine.keys.create(key)
    transport = httpx.ASGITransport(app=build_app(engine))
    headers = {"authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        own = (await client.get("/v1/statistics")).json()
        other = await client.get("/v1/statistics", params={"tenant": "bolt"})
    assert sum(count["count"] for count in own["memories"]) == 2
    assert own["process"] is None
    assert other.status_code == 403
