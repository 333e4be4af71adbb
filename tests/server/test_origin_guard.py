"""Which pages and hosts may call the server, and what a listed page's browser is told."""

import json
from collections.abc import Mapping, MutableMapping
from typing import Any

import pytest

from server.asgi import Call
from toldonce.server.asgi import Receive, Scope, Send, send_body, send_start
from toldonce.server.origin_guard import OriginGuard

PAGE = "http://localhost:3000"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    del scope, receive
    upstreams_own = (b"Access-Control-Allow-Origin", b"*")
    await send_start(send, 200, [(b"content-type", b"text/event-stream"), upstreams_own])
    for piece in (b"one", b"two"):
        await send_body(send, piece, more=True)
    await send_body(send, b"", more=False)


async def asked(headers: Mapping[str, str], *, loopback: bool = True, method: str = "POST", origins: str = "") -> Call:
    call = Call(b"", headers)
    guard = OriginGuard(app, loopback=loopback, origins=origins.split())
    await guard({**call.scope(), "method": method}, call.receive(), call.send())
    return call


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8765", "127.0.0.1:8765", "127.8.0.1", "[::1]:8765", "[::1]", "chat.localhost:1"]
)
async def test_on_a_loopback_address_names_of_this_machine_are_served(host: str) -> None:
    assert (await asked({"host": host})).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", ""],
)
async def test_on_a_loopback_address_another_name_is_refused_and_told_what_to_do(host: str) -> None:
    call = await asked({"host": host})
    error = json.loads(call.text)["error"]
    assert (call.status, error["type"]) == (403, "invalid_request_error")
    assert "localhost" in error["message"]
    assert "TOLDONCE_ORIGINS" in error["message"]


async def test_an_address_that_is_open_to_others_may_have_any_name() -> None:
    assert (await asked({"host": "memory.example"}, loopback=False)).status == 200


async def test_a_listed_origins_host_is_accepted() -> None:
    headers = {"host": "host.docker.internal:8765"}
    assert (await asked(headers)).status == 403
    assert (await asked(headers, origins="http://host.docker.internal:8765")).status == 200


@pytest.mark.parametrize("loopback", [True, False])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://localhost:3000"},
        {"origin": "http://localhost"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://[x"},
        {"origin": "http://localhost:8765.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "http://localhost:8765", "sec-fetch-site": "cross-site", "ORIGIN": "http://evil.example"},
    ],
)
async def test_a_foreign_page_is_refused_on_every_address(headers: dict[str, str], loopback: bool) -> None:
    call = await asked({"host": "localhost:8765", **headers}, loopback=loopback)
    assert call.status == 403
    assert "access-control-allow-origin" not in call.answer_headers
    assert "TOLDONCE_ORIGINS" in json.loads(call.text)["error"]["message"]


@pytest.mark.parametrize(
    "headers",
    [{}, {"origin": "http://localhost:8765"}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}],
)
async def test_programs_and_the_servers_own_pages_are_served(headers: dict[str, str]) -> None:
    assert (await asked({"host": "localhost:8765", **headers})).status == 200


async def test_a_listed_page_may_read_the_answer_and_gets_it_chunk_by_chunk() -> None:
    headers = {"host": "127.0.0.1:8765", "origin": PAGE, "sec-fetch-site": "cross-site"}
    call = await asked(headers, origins=PAGE)
    assert (call.status, call.chunks, call.finished) == (200, [b"one", b"two"], True)
    assert call.answer_headers["access-control-allow-origin"] == PAGE
    assert call.answer_headers["vary"] == "Origin"
    assert "Access-Control-Allow-Origin" not in call.answer_headers, "upstream's own would contradict ours"


async def test_a_listed_pages_preflight_is_answered_here() -> None:
    headers = {
        "host": "127.0.0.1:8765",
        "origin": PAGE,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-toldonce-user",
    }
    call = await asked(headers, method="OPTIONS", origins=PAGE)
    assert (call.status, call.chunks, call.finished) == (204, [], True)
    assert call.answer_headers["access-control-allow-origin"] == PAGE
    assert call.answer_headers["access-control-allow-headers"] == "content-type,x-toldonce-user"
    assert "POST" in call.answer_headers["access-control-allow-methods"]
    assert (await asked({**headers, "origin": "http://evil.example"}, method="OPTIONS", origins=PAGE)).status == 403


async def test_other_scopes_than_http_pass() -> None:
    seen: list[str] = []

    async def lifespan(scope: Scope, receive: Receive, send: Send) -> None:
        del receive, send
        seen.append(scope["type"])

    async def receive() -> MutableMapping[str, Any]:
        return {}

    async def send(event: MutableMapping[str, Any]) -> None:
        del event

    await OriginGuard(lifespan, loopback=True, origins=[])({"type": "lifespan"}, receive, send)
    assert seen == ["lifespan"]
