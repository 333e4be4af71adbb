"""U10: vector search over HTTP."""

from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.app import build_app

QUERY = "/v1/vectors/query"


def client(engine: AsyncToldOnce) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=build_app(engine)), base_url="http://localhost")


@pytest.fixture
async def api(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    for who, text in (("ana", "Ana plays the cello."), ("ana", "Ana lives in Oslo."), ("ben", "Ben plays the cello.")):
        await engine.add(text, user=who)
    async with client(engine) as opened:
        yield opened


async def test_u10_the_nearest_memories_of_one_user_come_best_first(api: httpx.AsyncClient) -> None:
    found = (await api.post(QUERY, json={"query": "who plays the cello?", "userId": "ana", "limit": 2})).json()
    first, second = found["matches"]
    assert first["metadata"]["content"] == "Ana plays the cello."
    assert set(first["metadata"]) == {"content", "type", "created_at"}
    assert first["metadata"]["type"] == "memory"
    assert first["score"] > second["score"]


async def test_u10_a_vector_of_ones_own_is_taken(api: httpx.AsyncClient, parts: Components) -> None:
    [vector] = (await parts.embedder.embed(["Ana lives in Oslo."])).tolist()
    found = (await api.post(QUERY, json={"vector": [3 * x for x in vector], "userId": "ana", "limit": 1})).json()
    assert [match["metadata"]["content"] for match in found["matches"]] == ["Ana lives in Oslo."]


async def test_u10_without_a_user_it_is_the_caller_and_strictly_refused(parts: Components) -> None:
    strict = replace(parts, settings=parts.settings.model_copy(update={"strict_vectors": True}))
    for given, status in ((parts, 200), (strict, 400)):
        async with client(AsyncToldOnce(given)) as api:
            answer = await api.post(QUERY, json={"query": "cello"})
            assert answer.status_code == status
    assert "TOLDONCE_STRICT_VECTORS" in answer.json()["error"]["message"]


async def test_u15_no_header_opens_another_users_vectors(api: httpx.AsyncClient) -> None:
    answer = await api.post(QUERY, json={"query": "cello", "userId": "ben"}, headers={"x-toldonce-user": "ana"})
    assert answer.status_code == 403
    assert "Ben" not in answer.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "either query or vector"),
        ({"query": "x", "vector": [1.0]}, "either query or vector"),
        ({"vector": [1.0, 2.0]}, "has 2 numbers, those of words-64 have 64"),
        ({"vector": [0.0] * 64}, "no direction"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 201}, "limit"),
        ({"query": "x", "limit": "10"}, "limit"),
        ({"query": "x", "limit": 2**63}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
    ],
)
async def test_u10_a_query_out_of_range_is_refused(api: httpx.AsyncClient, body: dict[str, object], said: str) -> None:
    answer = await api.post(QUERY, json=body)
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]
