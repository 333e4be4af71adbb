"""The access matrix: each route with each kind of sender is allowed, or refused in one exact way."""

import re
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import product
from typing import Any

import httpx
import jwt
import pytest
from pydantic import SecretStr

from keyed_server import ANA, KEYS, KeyedServer, keyed_server
from sample_chats import user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.api.v1 import OPERATIONS as RESOURCES
from toldonce.server.api.v1.operation import ResourceOperation
from toldonce.server.app import build_app
from toldonce.settings import Settings
from toldonce.types import Access, RequestScope, Subject

SECRET = "a-secret-of-sufficient-length-for-hs256"
CHAT = {"model": "toldonce/offline", "messages": [{"role": "user", "content": "My bird is the heron."}]}
TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
END = {"messages": [{"role": "user", "content": "My bird is the heron."}]}


@pytest.fixture
async def server(parts: Components, engine: AsyncToldOnce) -> AsyncIterator[KeyedServer]:
    async with keyed_server(engine) as opened:
        yield opened


NOT_AUTHENTICATED = ("none", "unknown", "revoked", "expired")
ANA_S = {"x_toldonce_user": "ana", "x_toldonce_tenant": "acme"}
# What is asked, as user ana of tenant acme: method, path, body, access, and whether a key of the app may ask it.
ROUTES: list[tuple[str, str, object, Access, bool]] = [
    ("POST", "/v1/chat/completions", CHAT, Access.READ, True),
    ("POST", "/u/ana/v1/chat/completions", CHAT, Access.READ, True),
    ("POST", "/api/memory", {"content": "My bird is the heron."}, Access.WRITE, False),
    ("GET", "/api/memory/stats", None, Access.READ, False),
    ("GET", "/api/memory/held", None, Access.READ, False),
    ("POST", "/v1/vectors/query", {"query": "bird", "limit": 3}, Access.READ, False),
    ("POST", "/api/sessions", {"id": "s1"}, Access.WRITE, False),
    ("GET", "/api/sessions/s0", None, Access.READ, False),
    ("GET", "/api/sessions/s0/memories", None, Access.READ, False),
    ("GET", "/api/characters/Kira/memories", None, Access.READ, False),
    ("POST", "/api/hook", {"event": "prompt", "conversation": "h0", "text": "I like tea."}, Access.WRITE, False),
    ("POST", "/apps", {"appId": "calendar"}, Access.WRITE, False),
    ("GET", "/apps/calendar/memories", None, Access.READ, True),
    ("DELETE", "/apps/calendar/memories", None, Access.WRITE, True),
    ("POST", "/conversations/c1/end", END, Access.WRITE, True),
    ("GET", "/conversations/c0/app", None, Access.READ, True),
    ("GET", "/api/conversations/c0/trace", None, Access.READ, True),
    ("POST", "/mcp", TOOLS, Access.READ, True),
]
MAY = ("ana reads", "ana", "any user", "tenant admin", "operator")


async def prepare(engine: AsyncToldOnce) -> None:
    scope = RequestScope(profile="session")
    await engine.conversations.open("s0", user=ANA, scope=scope)
    await engine.record(
        [user("Meetings are at nine.")],
        user=ANA,
        conversation="c0",
        scope=RequestScope(profile="app", app="calendar"),
    )


def expected(who: str, path: str, access: Access, for_apps: bool) -> set[int]:
    if who in NOT_AUTHENTICATED:
        return {401}
    if who == "other app" and "c0" in path:
        return {404}  # a conversation of another app is an unknown one
    if who == "app" or (who == "other app" and "/apps/" not in path):  # it chats in its own app
        return {200, 201, 202} if for_apps else {403}
    if who == "ana reads" and access is not Access.READ:
        return {403}
    return {200, 201, 202} if who in MAY else {403}


@pytest.mark.parametrize("who", [*NOT_AUTHENTICATED, *KEYS])
async def test_each_route_answers_each_sender_as_it_should(
    server: KeyedServer, engine: AsyncToldOnce, who: str
) -> None:
    await prepare(engine)
    for method, path, body, access, for_apps in ROUTES:
        answer = await server.ask(who, method, path, body, **ANA_S)
        assert answer.status_code in expected(who, path, access, for_apps), (who, method, path, answer.text)
        if answer.status_code == 401:
            assert answer.headers["www-authenticate"].startswith("Bearer")
        if answer.status_code in (401, 403):
            assert "heron" not in answer.text
            assert server.secrets[who] not in answer.text or not server.secrets[who]


def may_use(who: str, operation: ResourceOperation) -> bool:
    """Return whether a sender may use an operation on user ana of tenant acme, or on all subjects."""
    if who in ("tenant admin", "operator"):
        return True
    if "{subject}" not in operation.path:
        return operation.access is Access.READ and KEYS[who].tenant == "acme"  # the server's profiles
    if not KEYS[who].access.includes(operation.access):
        return False
    return who in MAY


async def test_each_operation_of_the_api_checks_its_sender(server: KeyedServer) -> None:
    """Who may use it gets beyond the check of access, to that of the body or to an unknown id."""
    unknown = str(uuid.UUID(int=7))
    for who, operation in product((*NOT_AUTHENTICATED, *KEYS), RESOURCES):
        path = re.sub(r"{(\w+)}", lambda name: "user:ana" if name[1] == "subject" else unknown, operation.path)
        tenant = {} if who == "operator" and "{subject}" not in operation.path else {"x_toldonce_tenant": "acme"}
        answer = await server.ask(who, operation.method, path, **tenant)
        seen = (who, operation.method, path, answer.status_code, answer.text)
        if who in NOT_AUTHENTICATED:
            assert answer.status_code == 401, seen
        elif may_use(who, operation):
            assert answer.status_code not in (401, 405, 500), seen
            assert answer.status_code != 403 or who == "tenant admin", seen
        else:
            assert answer.status_code == 403, seen


async def test_a_refused_request_stores_nothing(server: KeyedServer, engine: AsyncToldOnce) -> None:
    before = await engine.admin.subjects()
    for who in (*NOT_AUTHENTICATED, "bob", "other tenant", "ana reads"):
        for method, path, body, access, _ in ROUTES:
            if access is Access.WRITE or who != "ana reads":
                await server.ask(who, method, path, body, **ANA_S)
        await engine.form()
        assert await engine.admin.subjects() == before == [], who


async def test_metrics_are_the_operators(server: KeyedServer) -> None:
    for who in (*NOT_AUTHENTICATED, *KEYS):
        wanted = 401 if who in NOT_AUTHENTICATED else 200 if who == "operator" else 403
        assert (await server.ask(who, "GET", "/metrics")).status_code == wanted, who


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
async def test_everyone_may_ask_whether_the_server_is_alive(server: KeyedServer, path: str) -> None:
    for who in (*NOT_AUTHENTICATED, *KEYS):
        answer = await server.ask(who, "GET", path)
        assert answer.status_code == 200
        assert ("worker" in answer.json()) == (who == "operator" and path == "/healthz")


async def test_a7_an_administrator_reads_and_purges_an_app_over_all_users(
    server: KeyedServer, engine: AsyncToldOnce
) -> None:
    subjects = ["@acme/app:ana/calendar", "@acme/app:bob/calendar", "@acme/app:calendar"]
    others = ["@bolt/app:ana/calendar", "app:ana/calendar", "@acme/app:ana/notes"]
    for name in (*subjects, *others):
        await engine.add(f"A meeting of {name}.", user=Subject.parse(name))
    listed = (await server.ask("tenant admin", "GET", "/apps/calendar/memories")).json()
    assert [memory["subject"] for memory in listed["memories"]] == subjects
    assert listed["next"] is None
    page = (await server.ask("tenant admin", "GET", "/apps/calendar/memories?limit=1")).json()
    rest = (await server.ask("tenant admin", "GET", f"/apps/calendar/memories?after={page['next']}")).json()
    assert page["memories"] + rest["memories"] == listed["memories"]
    assert (await server.ask("any user", "GET", "/apps/calendar/memories")).status_code == 403
    purged = await server.ask("tenant admin", "DELETE", "/apps/calendar/memories")
    assert purged.json() == {"success": True, "deletedCount": 3}
    for name in subjects:
        assert await engine.list(user=Subject.parse(name)) == []
    for name in others:
        assert len(await engine.list(user=Subject.parse(name))) == 1
    [entry] = await engine.keys.audit(limit=1)
    assert (entry.action, entry.tenant, entry.count) == ("apps.purge", "acme", 3)


NARROWING = [
    ("ana", {"x_toldonce_user": "bob"}),
    ("ana", {"x_openwebui_user_id": "bob"}),
    ("ana", {"x_toldonce_tenant": "bolt"}),
    ("any user", {"x_toldonce_user": "ana", "x_openwebui_user_id": "bob"}),
    ("any user", {"x_toldonce_user": "ana", "x_toldonce_tenant": "bolt"}),
    ("any user", {"x_toldonce_user": "ana", "x_toldonce_tenant": "@"}),
    ("app", {"x_toldonce_user": "ana", "x_toldonce_app": "notes"}),
    ("app", {"x_toldonce_user": "ana", "x_toldonce_profile": "user"}),
    ("app", {"x_toldonce_user": "ana", "x_toldonce_profile": "default"}),
    ("ana reads", {"x_toldonce_memory": "record"}),
    ("ana", {"x_openwebui_user_jwt": "not.a.token"}),
    ("ana", {"x_toldonce_key": "rk_b"}),
]


async def test_headers_only_narrow_what_a_key_allows(server: KeyedServer, engine: AsyncToldOnce) -> None:
    for who, headers in NARROWING:
        answer = await server.ask(who, "POST", "/v1/chat/completions", CHAT, **headers)
        assert answer.status_code == 403, (who, headers, answer.text)
        assert await engine.admin.subjects() == [], (who, headers)


async def test_a_body_names_no_other_user(server: KeyedServer, engine: AsyncToldOnce) -> None:
    query = {"query": "bird", "limit": 3, "userId": "bob"}
    assert (await server.ask("ana", "POST", "/v1/vectors/query", query)).status_code == 403
    assert (await server.ask("ana", "POST", "/v1/chat/completions", {**CHAT, "user": "bob"})).status_code == 200
    await engine.form()
    assert {subject.text for subject in await engine.admin.subjects()} == {"@acme/user:ana"}


async def test_a_key_for_any_user_without_a_name_remembers_nothing(server: KeyedServer, engine: AsyncToldOnce) -> None:
    answer = await server.ask("any user", "POST", "/v1/chat/completions", CHAT)
    assert (answer.status_code, answer.headers["x-toldonce-memory"]) == (200, "anonymous")
    named = await server.ask("any user", "POST", "/v1/chat/completions", {**CHAT, "user": "bob"})
    assert named.headers["x-toldonce-memory"] != "anonymous"
    await engine.form()
    assert {subject.text for subject in await engine.admin.subjects()} == {"@acme/user:bob"}


async def test_a_reading_key_recalls_and_records_nothing(server: KeyedServer, engine: AsyncToldOnce) -> None:
    await engine.add("My bird is the heron.", user=ANA)
    answer = await server.ask("ana reads", "POST", "/v1/chat/completions", CHAT)
    assert answer.status_code == 200
    assert answer.json()["memories"]
    assert await engine.conversations.list(user=ANA) == []


async def test_limits_of_a_key_are_kept(server: KeyedServer, engine: AsyncToldOnce) -> None:
    from toldonce.types import KeyLimits

    small = replace(KEYS["ana"], limits=KeyLimits(requests_per_minute=2, body_bytes=1000))
    _, server.secrets["small"] = await engine.keys.create(small)
    too_long = {**CHAT, "messages": [{"role": "user", "content": "a" * 1000}]}
    assert (await server.ask("small", "POST", "/v1/chat/completions", too_long)).status_code == 413
    assert (await server.ask("small", "POST", "/v1/chat/completions", CHAT)).status_code == 200
    refused = await server.ask("small", "POST", "/v1/chat/completions", CHAT)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 30
    assert (await server.ask("ana", "POST", "/v1/chat/completions", CHAT)).status_code == 200


def signed(engine: AsyncToldOnce, **changed: Any) -> str:
    now = int(engine.clock.now().timestamp())
    claims = {"iss": "open-webui", "sub": "ana", "iat": now, "exp": now + 300, **changed}
    return jwt.encode(claims, SECRET, algorithm="HS256")


async def test_open_webui_names_its_user_by_signature(parts: Components) -> None:
    settings = Settings(database_url=parts.settings.database_url, host="0.0.0.0", jwt_secret=SecretStr(SECRET))
    engine = AsyncToldOnce(replace(parts, settings=settings))
    app = build_app(engine)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
        headers = {"x-openwebui-user-jwt": signed(engine)}
        assert (await client.get("/api/memory/stats", headers=headers)).json()["userId"] == "ana"
        assert (await client.get("/metrics", headers=headers)).status_code == 403
        assert (await client.get("/metrics")).status_code == 403
        assert (await client.get("/api/memory/stats")).status_code == 403
        forged = {"x-openwebui-user-jwt": signed(engine, exp=1)}
        assert (await client.get("/api/memory/stats", headers=forged)).status_code == 401
        _, secret = await engine.keys.create(replace(KEYS["any user"], tenant=""))
        beside = {**headers, "authorization": f"Bearer {secret}"}
        assert (await client.get("/api/memory/stats", headers=beside)).json()["userId"] == "ana"
        plain = {"x-openwebui-user-id": "ana", "authorization": f"Bearer {secret}"}
        assert (await client.get("/api/memory/stats", headers=plain)).status_code == 403


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({}, 200),
        ({"auth": "required"}, 401),
        ({"host": "0.0.0.0"}, 401),
        ({"host": "0.0.0.0", "auth": "off"}, 200),
    ],
    ids=str,
)
async def test_without_keys_the_address_decides(parts: Components, settings: dict[str, Any], status: int) -> None:
    chosen = Settings(database_url=parts.settings.database_url, **settings)
    app = build_app(AsyncToldOnce(replace(parts, settings=chosen)))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
        assert (await client.get("/api/memory/stats")).status_code == status
        assert (await client.get("/metrics")).status_code == status
        assert (await client.get("/healthz")).status_code == 200
