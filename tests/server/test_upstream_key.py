"""Which requests carry our key upstream: by address, credential and route."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import jwt
import pytest
from starlette.types import ASGIApp

from server.asgi import JSON, Call, ScriptedBackend, chat, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadSettingError
from toldonce.server.app import build_app
from toldonce.server.asgi import Headers
from toldonce.server.backends import BackendRequest
from toldonce.server.doctor import key_finding
from toldonce.server.findings import FindingState
from toldonce.server.http_server import serve
from toldonce.server.http_upstream import HttpUpstream
from toldonce.server.upstream import BackendResponse, Deadlines
from toldonce.server.upstream_key import INFERENCE_ROUTES
from toldonce.settings import Settings
from toldonce.testing import FakeClock

SECRET = "a-secret-of-sufficient-length-for-hs256"
KEY = "sk-operators"
SETTINGS: dict[str, Any] = {"upstream_url": "http://upstream.test/v1", "upstream_key": KEY}
OPEN = {**SETTINGS, "host": "0.0.0.0", "jwt_secret": SECRET}
SIGNED_LOOPBACK = {**SETTINGS, "jwt_secret": SECRET}


@dataclass
class Seen:
    """What reached upstream."""

    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    @property
    def keys(self) -> list[str | None]:
        return [headers.get("authorization") for _, _, headers in self.requests]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    seen = Seen()

    class Recorder(HttpUpstream):
        """An upstream that is not there: it notes what arrives, and answers."""

        def __init__(self, base_url: str, deadlines: Deadlines) -> None:
            super().__init__(base_url, deadlines)
            self._way = ScriptedBackend([])

        @asynccontextmanager
        async def send(self, method: str, path: str, headers: Headers, body: bytes) -> AsyncIterator[BackendResponse]:
            named = {name.decode().lower(): value.decode() for name, value in headers}
            seen.requests.append((method, path, named))
            self._way.answers.append((200, JSON, [whole("Noted.")]))
            async with self._way.chat(
                BackendRequest(
                    wire=OPENAI_CHAT,
                    path=path,
                    headers=headers,
                    body=body,
                    request=None,
                    items=(),
                    plain=False,
                    record=None,
                )
            ) as answer:
                yield answer

    monkeypatch.setattr("toldonce.server.http_upstream.HttpUpstream", Recorder)
    return seen


def token(clock: FakeClock, *, secret: str = SECRET, age_s: int = 0, issuer: str = "open-webui") -> str:
    now = int(clock.now().timestamp()) - age_s
    return jwt.encode({"iss": issuer, "sub": "ana", "iat": now, "exp": now + 300}, secret, algorithm="HS256")


async def asked(
    parts: Components,
    settings: dict[str, Any],
    path: str = "/v1/chat/completions",
    headers: dict[str, str] | None = None,
    method: str = "POST",
) -> Call:
    # The fixture closes the store, which the next call uses again.
    engine = AsyncToldOnce(replace(parts, settings=Settings(database_url=parts.settings.database_url, **settings)))
    built: ASGIApp = build_app(engine)
    path, _, query = path.partition("?")
    call = Call(chat("I like tea."), {"host": "127.0.0.1:8765", **(headers or {})}, path=path, query=query.encode())
    await built({**call.scope(), "method": method}, call.receive(), call.send())
    return call


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.7", "memory.example.org", "10.0.0.1"])
async def test_a_key_on_an_open_address_without_credentials_does_not_start(
    parts: Components, engine: AsyncToldOnce, host: str
) -> None:
    settings = Settings(database_url=parts.settings.database_url, **{**SETTINGS, "host": host, "auth": "off"})
    del engine
    async with AsyncToldOnce(replace(parts, settings=settings)) as unguarded:
        with pytest.raises(BadSettingError, match=r"TOLDONCE_UPSTREAM_KEY.*TOLDONCE_AUTH") as caught:
            build_app(unguarded)
    assert KEY not in str(caught.value)
    with pytest.raises(BadSettingError, match="TOLDONCE_UPSTREAM_KEY"):
        await serve(settings, say=lambda _: None, stop=asyncio.Event())
    assert key_finding(settings).state is FindingState.FAIL


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        (SETTINGS, FindingState.OK),
        (OPEN, FindingState.OK),
        ({**SETTINGS, "upstream_key": None}, FindingState.OK),
        ({"host": "0.0.0.0"}, FindingState.OK),
        ({**SETTINGS, "upstream_key": "", "host": "0.0.0.0"}, FindingState.OK),
        ({**OPEN, "upstream_key": None}, FindingState.WARN),
        ({**OPEN, "jwt_secret": None}, FindingState.OK),
        ({**OPEN, "auth": "off"}, FindingState.FAIL),
    ],
)
def test_doctor_says_who_can_use_the_key(settings: dict[str, Any], state: FindingState) -> None:
    finding = key_finding(Settings(**settings))
    assert finding.state is state
    assert bool(finding.todo) == (state is not FindingState.OK)


@pytest.mark.parametrize("settings", [OPEN, SIGNED_LOOPBACK], ids=["open", "loopback"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-toldonce-memory": "off"},
        {"x-openwebui-user-jwt": ""},
        {"x-openwebui-user-jwt": "not.a.token"},
        {"x-toldonce-memory": "off", "x-openwebui-user-jwt": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbmEifQ."},
        {"x-forwarded-for": "127.0.0.1", "forwarded": "for=127.0.0.1"},
    ],
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/chat/completions/", "/v1/models", "/v1/files"])
async def test_a_request_without_a_credential_reaches_nothing(
    parts: Components, seen: Seen, settings: dict[str, Any], headers: dict[str, str], path: str
) -> None:
    call = await asked(parts, settings, path, headers)
    assert call.status == 401
    assert seen.requests == []
    error = json.loads(call.text)["error"]
    assert "x-openwebui-user-jwt" in error["message"]
    assert KEY not in call.text


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/embeddings", "/v1/files"])
async def test_its_own_key_is_passed_on_in_place_of_ours(parts: Components, seen: Seen, path: str) -> None:
    call = await asked(parts, OPEN, path, {"authorization": "Bearer sk-its-own"})
    assert call.status == 200
    assert seen.keys == ["Bearer sk-its-own"]


async def test_requests_with_invalid_tokens_carry_no_key(parts: Components, seen: Seen, clock: FakeClock) -> None:
    tokens = (
        token(clock, secret="another-secret-of-sufficient-length!!"),
        token(clock, age_s=3600),
        token(clock, age_s=-3600),
        token(clock, issuer="somewhere"),
    )
    for bad in tokens:
        call = await asked(parts, OPEN, "/v1/embeddings", {"x-openwebui-user-jwt": bad})
        assert call.status == 401
    assert seen.requests == []


@pytest.mark.parametrize("settings", [OPEN, SIGNED_LOOPBACK], ids=["open", "loopback"])
@pytest.mark.parametrize("extra", [{}, {"x-toldonce-memory": "off"}, {"authorization": "Bearer sk-dummy"}])
async def test_a_signed_request_carries_our_key(
    parts: Components, seen: Seen, clock: FakeClock, settings: dict[str, Any], extra: dict[str, str]
) -> None:
    call = await asked(parts, settings, headers={"x-openwebui-user-jwt": token(clock), **extra})
    assert call.status == 200
    assert seen.keys == [f"Bearer {KEY}"]
    assert "x-openwebui-user-jwt" not in seen.requests[0][2]


async def test_on_loopback_without_a_secret_every_request_carries_our_key(parts: Components, seen: Seen) -> None:
    for route in INFERENCE_ROUTES:
        method, _, path = route.partition(" ")
        call = await asked(parts, SETTINGS, f"{path.replace('*', 'org%2Fqwen3:8b')}?a=1", method=method)
        assert call.status == 200, route
    wants_api_key = ["/messages" in route for route in INFERENCE_ROUTES]
    assert seen.keys == [None if wants else f"Bearer {KEY}" for wants in wants_api_key]
    assert [named.get("x-api-key") == KEY for _, _, named in seen.requests] == wants_api_key


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens", "/u/ana/v1/messages/batches"])
async def test_anthropics_routes_get_our_key_as_they_expect_it(parts: Components, seen: Seen, path: str) -> None:
    settings = {**SETTINGS, "upstream_key_routes": "POST /messages/batches"}
    beta = {"anthropic-beta": "context-1m", "x-stainless-lang": "python"}
    dummies = {"x-api-key": "sk-ant-dummy", "authorization": "Bearer sk-dummy", "api-key": "sk-dummy"}
    assert (await asked(parts, settings, path, dummies | beta)).status == 200
    assert (await asked(parts, settings, path, {"anthropic-version": "2099-01-01"})).status == 200
    first, second = (named for _, _, named in seen.requests)
    assert (first["x-api-key"], first["anthropic-version"]) == (KEY, "2023-06-01")
    assert beta.items() <= first.items()
    assert second["anthropic-version"] == "2099-01-01"
    assert not any("dummy" in value for value in first.values())


async def test_strangers_are_refused_in_the_shape_of_the_route(parts: Components, seen: Seen) -> None:
    for path, kind in (("/v1/messages", "authentication_error"), ("/v1/responses", "invalid_request_error")):
        call = await asked(parts, OPEN, path)
        assert (call.status, json.loads(call.text)["error"]["type"]) == (401, kind)
    assert seen.requests == []


async def test_a_client_without_our_key_keeps_its_own(parts: Components, seen: Seen) -> None:
    own = {"x-api-key": "sk-ant-own", "anthropic-version": "2023-06-01"}
    await asked(parts, {**SETTINGS, "upstream_key": None}, "/v1/messages", own)
    assert own.items() <= seen.requests[0][2].items()
    assert "authorization" not in seen.requests[0][2]


NOT_LISTED = [
    ("GET", "/v1/files"),
    ("DELETE", "/v1/files/file-7"),
    ("DELETE", "/v1/models/ft:mine"),
    ("GET", "/v1/chat/completions"),
    ("GET", "/v1/chat/completions/chatcmpl-7/messages"),
    ("DELETE", "/v1/responses/resp_7"),
    ("GET", "/v1/responses/resp_7"),
    ("POST", "/v1/fine_tuning/jobs"),
    ("POST", "/v1/batches"),
    ("DELETE", "/v1/assistants/asst_7"),
    ("POST", "/v1/threads"),
    ("GET", "/v1/organization/admin_api_keys"),
    ("POST", "/v1/organization/invites"),
    ("POST", "/v1/uploads"),
    ("GET", "/v1/vector_stores"),
    ("POST", "/v1/key/generate"),
    ("PATCH", "/v1/models"),
    ("PUT", "/v1/chat/completions"),
    ("GET", "/v1/models/../organization/users"),
    ("GET", "/v1/models/%2e%2e/files"),
    ("GET", "/v1/models/%252e%252e%252ffiles"),
    ("GET", "/v1/models/a%2F..%2F..%2Ffiles"),
    ("GET", "/v1/models/a%5c..%5cfiles"),
    ("GET", "/v1/models/%2Ffiles"),
    ("GET", "/v1/models/x;/files"),
    ("GET", "/v1/models//files"),
    ("GET", "/v1/models/x%3Fy"),
    ("GET", "/v1/models/x%00"),
    ("POST", "/v1/chat/completions/../../files"),
    ("POST", "/v1/Chat/Completions/"),
    ("POST", "/v1//chat/completions"),
    ("POST", "/v1/chat/./completions"),
    ("POST", "/u/ana/v1/files"),
]


@pytest.mark.parametrize(("method", "path"), NOT_LISTED)
async def test_no_other_route_carries_our_key(
    parts: Components, seen: Seen, clock: FakeClock, method: str, path: str
) -> None:
    signed = {"x-openwebui-user-jwt": token(clock)}
    for settings, headers in ((SETTINGS, {}), (OPEN, signed)):
        call = await asked(parts, settings, path, headers, method)
        assert call.status in (400, 403, 405), call.text
    assert seen.requests == []
    await asked(parts, SETTINGS, path, {"authorization": "Bearer sk-its-own"}, method)
    assert all(key == "Bearer sk-its-own" for key in seen.keys)


async def test_a_listed_route_carries_our_key_as_it_is_listed(parts: Components, seen: Seen) -> None:
    settings = {**SETTINGS, "upstream_key_routes": "POST /files, GET /files/*"}
    assert (await asked(parts, settings, "/v1/files")).status == 200
    assert (await asked(parts, settings, "/v1/files/file-7", method="GET")).status == 200
    assert (await asked(parts, settings, "/v1/files/file-7/content", method="GET")).status == 403
    assert (await asked(parts, settings, "/v1/files/file-7", method="DELETE")).status == 403
    assert seen.keys == [f"Bearer {KEY}"] * 2


async def test_headers_that_change_method_or_path_are_dropped_with_our_key(parts: Components, seen: Seen) -> None:
    rerouting = {"x-http-method-override": "DELETE", "X-Original-URL": "/v1/files", "x-rewrite-url": "/v1/files"}
    await asked(parts, SETTINGS, "/v1/embeddings", {**rerouting, "x-other": "kept"})
    [(_, _, headers)] = seen.requests
    assert headers["x-other"] == "kept"
    assert not {name.lower() for name in rerouting} & headers.keys()


@pytest.mark.parametrize(
    "routes", ["files", "POST files", "post /files", "POST /a/../b", "POST /", "* /files", "GET /a b"]
)
def test_a_route_that_cannot_be_read_is_refused(routes: str) -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_UPSTREAM_KEY_ROUTES"):
        Settings.load(upstream_key_routes=routes)


@pytest.mark.parametrize("hosts", ["http://memory.example", "a b", "*.example.org", "memory.example/x", "[::1]x"])
def test_a_host_that_cannot_be_read_is_refused(hosts: str) -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_HOSTS"):
        Settings.load(hosts=hosts)
