"""Each user may make so many requests a minute, whichever credential they come with."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from keyed_server import KeyedServer, keyed_server
from toldonce.engine import AsyncToldOnce, Components

CHAT = {"model": "toldonce/offline", "messages": [{"role": "user", "content": "My bird is the heron."}]}


@pytest.fixture
async def server(parts: Components) -> AsyncIterator[KeyedServer]:
    settings = parts.settings.model_copy(update={"max_user_requests_per_minute": 2})
    async with keyed_server(AsyncToldOnce(replace(parts, settings=settings))) as opened:
        yield opened


async def statuses(server: KeyedServer, who: str, path: str = "/api/memory/stats", **headers: str) -> list[int]:
    return [(await server.ask(who, "GET", path, **headers)).status_code for _ in range(3)]


async def test_users_of_one_key_are_counted_apart(server: KeyedServer) -> None:
    assert await statuses(server, "any user", x_toldonce_user="cem") == [200, 200, 429]
    assert await statuses(server, "any user", "/u/dan/api/memory/stats") == [200, 200, 429]
    assert await statuses(server, "any user", x_toldonce_user="eve", x_toldonce_memory="off") == [400, 400, 429]


async def test_a_user_is_counted_over_all_credentials(server: KeyedServer) -> None:
    assert await statuses(server, "ana") == [200, 200, 429]
    for who, headers in (("ana reads", {}), ("any user", {"x_toldonce_user": "ana"})):
        assert await statuses(server, who, **headers) == [429] * 3
    assert await statuses(server, "other tenant") == [200, 200, 429], "another person of that name"
    assert await statuses(server, "tenant admin", "/v1/keys") == [200] * 3, "who names no user is none"


async def test_a_refusal_says_when_to_try_again(server: KeyedServer) -> None:
    await statuses(server, "bob")
    refused = await server.ask("bob", "POST", "/v1/chat/completions", CHAT)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "30")
    assert "2 requests a minute" in refused.json()["error"]["message"]
    problem = await server.ask("bob", "GET", "/v1/subjects/me")
    assert (problem.status_code, problem.headers["content-type"]) == (429, "application/problem+json")
    assert (await server.ask("bob", "GET", "/livez")).status_code == 200
    assert (await server.ask("bob", "GET", "/api/memory/stats", x_toldonce_user="ana")).status_code == 429


async def test_a_request_without_a_valid_credential_counts_for_no_one(server: KeyedServer) -> None:
    assert await statuses(server, "unknown", x_toldonce_user="ana") == [401] * 3
    assert await statuses(server, "ana") == [200, 200, 429]


async def test_by_default_users_have_no_limit(engine: AsyncToldOnce) -> None:
    async with keyed_server(engine) as opened:
        assert await statuses(opened, "ana") == [200] * 3
