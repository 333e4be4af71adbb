"""Forged, contradictory and misspelled credentials: each is refused, and nothing is stored or shown."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator

import httpx
import jwt
import pytest

from keyed_server import ANA, KeyedServer, keyed_server
from toldonce.engine import AsyncToldOnce
from toldonce.types import Subject

Headers = list[tuple[bytes, bytes]]
SECRET_WORD = "heron"
CHAT = {"model": "toldonce/offline", "messages": [{"role": "user", "content": "I live in Oslo."}]}
ROUTES = [
    ("POST", "/v1/chat/completions", CHAT),
    ("POST", "/u/ana/v1/chat/completions", CHAT),
    ("GET", "/v1/models", None),
    ("POST", "/v1/embeddings", {"input": "x", "model": "y"}),
    ("GET", "/metrics", None),
    ("GET", "/api/memory/stats", None),
    ("POST", "/api/memory", {"content": "I live in Oslo."}),
    ("POST", "/v1/vectors/query", {"query": "bird"}),
    ("GET", "/apps/calendar/memories", None),
    ("POST", "/conversations/c1/end", {"messages": CHAT["messages"]}),
    ("GET", "/v1/subjects/user:ana/memories", None),
    ("POST", "/v1/subjects/user:ana/search", {"query": "bird"}),
    ("DELETE", "/v1/subjects/user:ana", None),
    ("POST", "/v1/keys", {"name": "mine", "access": "admin"}),
    ("GET", "/v1/audit", None),
    ("GET", "/nowhere", None),
    ("HEAD", "/v1/subjects/user:ana/memories", None),
    ("OPTIONS", "/v1/subjects/user:ana/memories", None),
    ("POST", "/", None),
]


@pytest.fixture
async def server(engine: AsyncToldOnce) -> AsyncIterator[KeyedServer]:
    async with keyed_server(engine) as opened:
        await engine.add(f"My bird is the {SECRET_WORD}.", user=ANA)
        await engine.add(f"My bird is the {SECRET_WORD}.", user=Subject("user", "ana"))
        yield opened


def part(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


CLAIMS = {"iss": "open-webui", "sub": "ana", "exp": 4_000_000_000, "iat": 0}
UNSIGNED = f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(CLAIMS)}."
SYMMETRIC = jwt.encode(CLAIMS, "a-guessed-secret-of-sufficient-length", algorithm="HS256")


def forged(key: str) -> dict[str, Headers]:
    """Return credentials that are none, made from a valid key."""
    bare, random = key.encode(), key.removeprefix("rk_")
    bearer = b"authorization"
    return {
        "nothing": [],
        "empty header": [(bearer, b"")],
        "no token": [(bearer, b"Bearer")],
        "empty key": [(b"x-toldonce-key", b"")],
        "prefix alone": [(bearer, b"Bearer rk_")],
        "last character changed": [(bearer, b"Bearer " + bare[:-1] + (b"A" if bare[-1:] != b"A" else b"B"))],
        "cut": [(bearer, b"Bearer " + bare[:-1])],
        "longer": [(bearer, b"Bearer " + bare + b"A")],
        "twice in one": [(bearer, b"Bearer " + bare + b", Bearer " + bare)],
        "other case": [(bearer, b"Bearer " + key.swapcase().encode())],
        "prefix in capitals": [(bearer, f"Bearer RK_{random}".encode())],
        "without prefix": [(bearer, f"Bearer {random}".encode())],
        "space within": [(bearer, b"Bearer " + bare[:20] + b" " + bare[20:])],
        "tab before": [(bearer, b"Bearer\t" + bare)],
        "no-break space": [(bearer, "Bearer\u00a0".encode() + bare)],
        "zero-width space": [(bearer, b"Bearer " + bare + "\u200b".encode())],
        "Cyrillic look-alike": [(bearer, f"Bearer r\u043a_{random}".encode())],
        "full-width look-alike": [(bearer, f"Bearer \uff52\uff4b\uff3f{random}".encode())],
        "percent-encoded": [(bearer, f"Bearer rk%5F{random}".encode())],
        "quoted": [(bearer, b'Bearer "' + bare + b'"')],
        "basic": [(bearer, b"Basic " + b64encode(b"ana:" + bare))],
        "digest": [(bearer, b"Digest username=ana, response=" + bare)],
        "NUL at the end": [(bearer, b"Bearer " + bare + b"\x00")],
        "binary": [(bearer, b"Bearer rk_" + bytes(range(128, 256)))],
        "very long": [(bearer, b"Bearer rk_" + b"a" * 100_000)],
        "hash in place of the key": [(bearer, b"Bearer rk_" + b"0" * 64)],
        "SQL": [(bearer, b"Bearer rk_' OR '1'='1")],
        "cookie": [(b"cookie", b"authorization=" + bare + b"; x-toldonce-key=" + bare)],
        "header of a proxy": [(b"proxy-authorization", b"Bearer " + bare)],
        "forwarded": [(b"x-forwarded-authorization", b"Bearer " + bare), (b"x-forwarded-for", b"127.0.0.1")],
        "said to be local": [(b"x-real-ip", b"127.0.0.1"), (b"forwarded", b"for=127.0.0.1"), (b"host", b"localhost")],
        "underscores": [(b"x_toldonce_key", bare)],
        "named user": [(b"x-toldonce-user", b"ana"), (b"x-toldonce-tenant", b"acme")],
        "Open WebUI's user": [(b"x-openwebui-user-id", b"ana"), (b"x-openwebui-user-role", b"admin")],
        "unsigned JWT": [(bearer, f"Bearer {UNSIGNED}".encode())],
        "unsigned JWT as key": [(b"x-toldonce-key", UNSIGNED.encode())],
        "unsigned JWT of Open WebUI": [(b"x-openwebui-user-jwt", UNSIGNED.encode())],
        "JWT by a guessed secret": [(b"x-openwebui-user-jwt", SYMMETRIC.encode())],
        "key as JWT of Open WebUI": [(b"x-openwebui-user-jwt", bare)],
    }


def contradictory(key: str, other: str) -> dict[str, Headers]:
    """Return credentials of two senders at once."""
    mine, theirs = (b"authorization", b"Bearer " + key.encode()), other.encode()
    return {
        "two": [mine, (b"authorization", b"Bearer " + theirs)],
        "the same twice": [mine, mine],
        "beside": [mine, (b"x-toldonce-key", theirs)],
        "beside, unknown": [mine, (b"x-toldonce-key", b"rk_unknown")],
        "beside, empty": [mine, (b"x-toldonce-key", b"")],
        "as provider's": [mine, (b"x-api-key", theirs)],
        "both of providers": [(b"api-key", key.encode()), (b"x-api-key", theirs)],
    }


async def ask(server: KeyedServer, method: str, path: str, body: object, headers: Headers) -> httpx.Response:
    content = None if body is None else json.dumps(body).encode()
    kind = [(b"content-type", b"application/json")] if content else []
    return await server.client.request(method, path, content=content, headers=[*headers, *kind])


async def kept(engine: AsyncToldOnce) -> object:
    await engine.form()
    subjects = await engine.admin.subjects()
    keys = [key.id for key in await engine.keys.list()]
    return [(subject.text, len(await engine.list(user=subject, closed=True))) for subject in subjects], keys


async def test_a_forged_credential_opens_no_route(server: KeyedServer, engine: AsyncToldOnce) -> None:
    before = await kept(engine)
    for why, headers in forged(server.secrets["ana"]).items():
        for method, path, body in ROUTES:
            answer = await ask(server, method, path, body, headers)
            assert answer.status_code == 401, (why, path, answer.status_code, answer.text)
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert answer.headers.get_list("x-content-type-options") == ["nosniff"]
            assert SECRET_WORD not in answer.text
            assert server.secrets["ana"] not in answer.text
        assert await kept(engine) == before, why


async def test_two_credentials_are_none(server: KeyedServer, engine: AsyncToldOnce) -> None:
    before = await kept(engine)
    for why, headers in contradictory(server.secrets["ana"], server.secrets["operator"]).items():
        for method, path, body in ROUTES:
            answer = await ask(server, method, path, body, headers)
            assert answer.status_code == 403, (why, path, answer.text)
            assert "rk_" not in answer.text
            assert SECRET_WORD not in answer.text
        assert await kept(engine) == before, why


async def test_a_key_in_the_url_is_none(server: KeyedServer, engine: AsyncToldOnce) -> None:
    key = server.secrets["operator"]
    for name in ("key", "api_key", "access_token", "token", "x-toldonce-key", "authorization"):
        for path in ("/v1/subjects/user:ana/memories", "/metrics", "/v1/models", "/api/memory/stats"):
            assert (await server.client.get(f"{path}?{name}={key}")).status_code == 401
    assert (await server.client.get(f"/u/{key}/api/memory/stats")).status_code == 401


PATHS = [
    "/u/bob/v1/subjects/user:bob/memories",
    "/u/bob/../ana/v1/subjects/user:bob/memories",
    "/u/ana%2F..%2Fbob/v1/subjects/user:bob/memories",
    "/u/bob%2Fv1/v1/subjects/user:bob/memories",
    "/u/bob/api/memory/stats",
    "/u/%62ob/api/memory/stats",
    "/u/bob%00/api/memory/stats",
    "/u/user:bob/api/memory/stats",
    "/u/@bolt%2Fuser:ana/api/memory/stats",
    "/u//api/memory/stats",
    "/v1/subjects/user:bob/memories",
    "/v1/subjects/user:ana%2F..%2Fbob/memories",
    "/v1/subjects/session:bob%2F1/memories",
    "/v1/subjects/global/memories",
    "/v1/subjects/@bolt%2Fuser:ana/memories",
    "/v1/subjects/@%2Fuser:ana/memories",
    "/v1/subjects/@ACME%2Fuser:bob/memories",
    "/v1/subjects/user:ana%20/memories",
    "/v1/subjects/user:%20ana/memories",
    "/v1/subjects/USER:ana/memories",
    "/v1/subjects/user:Ana/memories",
    "/v1/subjects/user:an%D0%B0/memories",
    "/v1/subjects/shared:team/memories",
    "/v1/subjects/user:ana;x=1/memories",
    "/v1/subjects/session:user:bob%2F1/memories",
    "/v1/subjects/app:calendar/memories",
    "/v1/subjects/session:ana%252F1%2F1/memories",
    "/v1/subjects/user:@acme%2Fuser:ana/memories",
    "/v1/subjects/./memories",
]


async def test_no_spelling_of_a_path_reaches_beyond_the_key(server: KeyedServer, engine: AsyncToldOnce) -> None:
    """Whatever else it may be refused as: nothing of others is read."""
    for text in ("user:bob", "session:bob/1", "global", "app:calendar", "user:@acme/user:ana", "user:ana "):
        await engine.add("My fish is the pike.", user=Subject.parse(f"@acme/{text}"))
    await engine.add("My fish is the pike.", user=Subject("user", "ana", "bolt"))
    key = [(b"authorization", b"Bearer " + server.secrets["ana"].encode())]
    for path in PATHS:
        answer = await ask(server, "GET", path, None, key)
        assert answer.status_code in (400, 403, 404), (path, answer.text)
        assert "pike" not in answer.text, path


TENANTS = [
    "@",
    "@acme",
    "acme/",
    "ACME",
    " bolt",
    "bolt",
    "acme,bolt",
    "acme/user:bob",
    "*",
    "..",
    "%61cme",
    "\u0430cme",
]


@pytest.mark.parametrize("who", ["ana", "any user", "app", "tenant admin"])
async def test_no_spelling_of_a_tenant_reaches_another(server: KeyedServer, engine: AsyncToldOnce, who: str) -> None:
    before = await kept(engine)
    for tenant in TENANTS:
        headers = [
            (b"authorization", b"Bearer " + server.secrets[who].encode()),
            (b"x-toldonce-user", b"ana"),
            (b"x-toldonce-tenant", tenant.encode()),
        ]
        for method, path, body in ROUTES[:2] + ROUTES[5:14]:
            answer = await ask(server, method, path, body, headers)
            assert answer.status_code == 403, (tenant, path, answer.text)
        assert await kept(engine) == before, tenant


NAMES = [
    "@bolt/user:ana",
    "user:@bolt/user:ana",
    "ana/../bob",
    "session:bob/1",
    "global",
    "app:bob/calendar",
    "*",
    "bob,ana",
]


async def test_a_strange_name_is_a_user_of_the_keys_tenant(server: KeyedServer, engine: AsyncToldOnce) -> None:
    """A name is the name of a user, whatever it looks like."""
    for name in NAMES:
        before = {subject.text for subject in await engine.admin.subjects()}
        answer = await server.ask("any user", "POST", "/api/memory", {"content": "I like jazz."}, x_toldonce_user=name)
        assert answer.status_code == 201, answer.text
        made = {subject.text for subject in await engine.admin.subjects()} - before
        assert made == {f"@acme/user:{name.removeprefix('user:')}"} - before, name
        refused = await server.ask("ana", "POST", "/api/memory", {"content": "x"}, x_toldonce_user=name)
        assert refused.status_code == 403, name
