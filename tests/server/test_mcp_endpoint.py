"""/mcp on a server: who may use whose memory, what is refused before the protocol, and where a token is to be had."""

from collections.abc import Mapping
from dataclasses import replace

import httpx
import pytest

from keyed_server import ANA, KeyedServer, keyed_server
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.app import build_app
from toldonce.types import MemoryState, Subject

ACCEPT = {"accept": "application/json, text/event-stream"}
READING = ["recall_memory", "list_memories"]


@pytest.fixture
async def server(engine: AsyncToldOnce) -> object:
    async with keyed_server(engine) as opened:
        yield opened


def request(method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def call(name: str, **arguments: object) -> dict[str, object]:
    return request("tools/call", name=name, arguments=arguments)


async def tools_of(server: KeyedServer, who: str, **headers: str) -> list[str]:
    answer = await server.ask(who, "POST", "/mcp", request("tools/list"), **ACCEPT, **headers)
    assert answer.status_code == 200, answer.text
    return [tool["name"] for tool in answer.json()["result"]["tools"]]


async def test_a_key_sees_the_tools_that_it_may_use(server: KeyedServer) -> None:
    assert await tools_of(server, "ana reads") == READING
    assert len(await tools_of(server, "ana")) == 5
    assert await tools_of(server, "ana", x_toldonce_memory="read") == READING


async def test_a_key_writes_to_its_own_user(server: KeyedServer, engine: AsyncToldOnce) -> None:
    kept = await server.ask("ana", "POST", "/mcp", call("remember", text="Ana rows."), **ACCEPT)
    assert kept.json()["result"]["isError"] is False
    assert [memory.text for memory in await engine.list(user=ANA)] == ["Ana rows."]
    short = kept.json()["result"]["structuredContent"]["id"]
    for who in ("bob", "other tenant"):
        named = {} if who == "bob" else {"x_toldonce_user": "ana"}
        found = await server.ask(who, "POST", "/mcp", call("recall_memory", query="rows"), **ACCEPT, **named)
        assert "Ana rows." not in found.text
        done = await server.ask(who, "POST", "/mcp", call("forget_memory", id=short), **ACCEPT, **named)
        assert done.json()["result"]["isError"] is True
    refused = await server.ask("ana reads", "POST", "/mcp", call("forget_memory", id=short), **ACCEPT)
    assert "may only read" in refused.json()["result"]["content"][0]["text"]
    [memory] = await engine.list(user=ANA)
    assert memory.state is MemoryState.ACTIVE


async def test_a_key_of_an_app_has_the_apps_memory_alone(server: KeyedServer, engine: AsyncToldOnce) -> None:
    await engine.add("Ana rows.", user=ANA)
    headers = {**ACCEPT, "x_toldonce_user": "ana"}
    await server.ask("app", "POST", "/mcp", call("remember", text="Ana meets Bob at nine."), **headers)
    found = (await server.ask("app", "POST", "/mcp", call("list_memories"), **headers)).text
    assert ("Ana meets Bob" in found, "Ana rows" in found) == (True, False)
    assert [memory.text for memory in await engine.list(user=Subject("app", "ana/calendar", "acme"))] == [
        "Ana meets Bob at nine."
    ]
    everyone = (await server.ask("app", "POST", "/mcp", call("list_memories"), **ACCEPT)).text
    assert "Ana" not in everyone


async def test_an_app_named_by_a_header_is_read_beside_the_user(server: KeyedServer, engine: AsyncToldOnce) -> None:
    await engine.add("Ana rows.", user=ANA)
    headers = {**ACCEPT, "x_toldonce_app": "shop"}
    await server.ask("ana", "POST", "/mcp", call("remember", text="The shop uses tabs."), **headers)
    found = (await server.ask("ana", "POST", "/mcp", call("list_memories"), **headers)).text
    assert ("uses tabs" in found, "Ana rows" in found) == (True, True)
    assert [memory.text for memory in await engine.list(user=ANA)] == ["Ana rows."]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"host": "evil.example"}, 403),
        ({"x_toldonce_user": "bob"}, 403),
        ({"x_toldonce_memory": "off"}, 400),
    ],
)
async def test_what_may_not_be_asked_is_refused(server: KeyedServer, headers: Mapping[str, str], status: int) -> None:
    answer = await server.ask("ana", "POST", "/mcp", request("tools/list"), **ACCEPT, **headers)
    assert answer.status_code == status, answer.text
    assert "recall_memory" not in answer.text


async def test_a_key_of_many_users_must_name_one(server: KeyedServer) -> None:
    refused = await server.ask("operator", "POST", "/mcp", request("tools/list"), **ACCEPT)
    assert (refused.status_code, "names no user" in refused.text) == (400, True)
    named = {"x_toldonce_user": "ana", "x_toldonce_tenant": "acme"}
    assert len(await tools_of(server, "operator", **named)) == 5


async def test_bodies_that_are_too_large_or_too_deep_are_refused(server: KeyedServer, engine: AsyncToldOnce) -> None:
    deep: object = []
    for _ in range(500):
        deep = [deep]
    assert (await server.ask("ana", "POST", "/mcp", deep, **ACCEPT)).status_code == 400
    large = call("remember", text="x" * engine.settings.max_body_bytes)
    assert (await server.ask("ana", "POST", "/mcp", large, **ACCEPT)).status_code == 413
    for method in ("GET", "DELETE", "PUT"):
        assert (await server.ask("ana", method, "/mcp")).status_code == 405


async def test_nothing_names_a_provider_that_is_not_there(server: KeyedServer) -> None:
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        assert (await server.ask("none", "GET", path)).status_code == 404
    refused = await server.ask("none", "POST", "/mcp", request("tools/list"), **ACCEPT)
    assert (refused.status_code, "resource_metadata" in refused.headers["www-authenticate"]) == (401, False)


async def test_a_client_without_a_token_learns_where_to_get_one(parts: Components) -> None:
    issuer = "https://id.example"
    settings = parts.settings.model_copy(
        update={"jwt_issuer": issuer, "jwt_audience": "toldonce", "jwt_jwks_url": "https://id.example/keys"}
    )
    app = build_app(AsyncToldOnce(replace(parts, settings=settings)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost:8765") as client:
        refused = await client.post("/mcp", json=request("tools/list"))
        assert refused.status_code == 401
        page = "http://localhost:8765/.well-known/oauth-protected-resource/mcp"
        assert refused.headers["www-authenticate"].endswith(f'resource_metadata="{page}"')
        said = (await client.get(page)).json()
        assert (said["resource"], said["authorization_servers"]) == ("http://localhost:8765/mcp", [issuer])
        elsewhere = await client.get("/metrics")
        assert "resource_metadata" not in elsewhere.headers["www-authenticate"]
        behind = await client.get("/.well-known/oauth-protected-resource", headers={"x-forwarded-proto": "https"})
        assert behind.json()["resource"] == "https://localhost:8765/mcp"
