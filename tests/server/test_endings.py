"""Unusual requests and endings: queries, odd users, late failures, slow clients, shutdown."""

import asyncio
import logging
from collections.abc import MutableMapping
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from patience import PATIENCE_S
from server.asgi import DONE, EVENTS, JSON, Call, ScriptedBackend, chat, event, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import StoreUnavailableError
from toldonce.server.app import build_app
from toldonce.server.backends import BackendRequest, UpstreamBackend
from toldonce.server.chat_completions import ChatProxy
from toldonce.server.http_server import _is_unexpected
from toldonce.server.http_upstream import HttpUpstream
from toldonce.server.upstream import Deadlines

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)


async def serve(engine: AsyncToldOnce, backend: ScriptedBackend, call: Call) -> ChatProxy:
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, POLICY)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    await proxy.close()
    return proxy


async def kept(engine: AsyncToldOnce, user: str = "ana") -> list[tuple[str, bool]]:
    found = [
        m
        for c in await engine.conversations.list(user=user)
        for m in await engine.conversations.messages(c.id, user=user)
    ]
    return [(message.text, message.complete) for message in found]


async def test_the_query_is_sent_upstream(engine: AsyncToldOnce) -> None:
    backend = ScriptedBackend([(200, JSON, [whole("No.")])])
    await serve(engine, backend, Call(chat("Peanuts?"), query=b"api-version=2024-10-21&x=%2F"))
    assert backend.asked[0].path == "/v1/chat/completions?api-version=2024-10-21&x=%2F"


async def test_the_configured_api_is_asked_with_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = HttpUpstream("http://127.0.0.1/v1", Deadlines(connect_s=1, first_byte_s=1, idle_s=1, total_s=1))
    paths: list[str] = []
    monkeypatch.setattr(upstream, "send", lambda method, path, headers, body: paths.append(path))
    ask = BackendRequest(
        wire=OPENAI_CHAT,
        path="/v1/chat/completions?v=1",
        headers=(),
        body=b"",
        request=None,
        items=(),
        plain=False,
        record=None,
    )
    UpstreamBackend(upstream, None).chat(ask)
    assert paths == ["/v1/chat/completions?v=1"]


@pytest.mark.parametrize("name", ["%ff", "%fe", "a%ffb", "%ed%a0%80"])
async def test_a_user_in_the_path_that_is_no_utf_8_is_refused(engine: AsyncToldOnce, name: str) -> None:
    call = Call(chat("Hi"), path=f"/u/{name}/v1/chat/completions")
    await serve(engine, ScriptedBackend([]), call)
    assert call.status == 403


async def test_a_user_in_the_path_is_decoded(engine: AsyncToldOnce) -> None:
    call = Call(chat("I like tea."), path="/u/jos%C3%A9/v1/chat/completions")
    await serve(engine, ScriptedBackend([(200, JSON, [whole("Noted.")])]), call)
    assert await kept(engine, "jos\u00e9") == [("I like tea.", True), ("Noted.", True)]


@pytest.mark.parametrize("user", ["a\nb", "\ud83d", "a\0b"])
@pytest.mark.parametrize(("mode", "noted"), [("off", "off"), ("read", "anonymous"), ("on", "anonymous")])
async def test_a_body_user_that_can_be_no_name_breaks_no_chat(
    engine: AsyncToldOnce, user: str, mode: str, noted: str
) -> None:
    call = Call(chat("Hi", user=user), {"x-toldonce-memory": mode})
    await serve(engine, ScriptedBackend([(200, JSON, [whole("Hello.")])]), call)
    assert (call.status, call.answer_headers["x-toldonce-memory"]) == (200, noted)
    assert await kept(engine) == []


async def test_upstreams_own_memory_header_does_not_double_ours(engine: AsyncToldOnce) -> None:
    call = Call(chat("Hi"), {"x-toldonce-memory": "off"})
    names: list[bytes] = []
    send = call.send()

    async def watching(message: MutableMapping[str, Any]) -> None:
        names.extend(name.lower() for name, _ in message.get("headers", ()))
        await send(message)

    backend = ScriptedBackend([(200, (*JSON, (b"X-ToldOnce-Memory", b"on; recalled=7")), [whole("Hello.")])])
    await ChatProxy(OPENAI_CHAT, engine, backend, POLICY)(call.scope(), call.receive(), watching)
    assert names.count(b"x-toldonce-memory") == 1
    assert call.answer_headers["x-toldonce-memory"] == "off"


async def test_a_late_failing_record_is_reported_late_without_unread_exception(
    parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"commit_timeout_s": 0.01})))
    may_fail, complaints = asyncio.Event(), list[str]()

    async def record(turn: object) -> None:
        await may_fail.wait()
        raise StoreUnavailableError("the disk is asleep")

    monkeypatch.setattr(engine.turns, "record", record)
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context["message"]))
    call = Call(chat("Peanuts?", stream=True))
    proxy = ChatProxy(OPENAI_CHAT, engine, ScriptedBackend([(200, EVENTS, [event("No.", "stop"), DONE])]), POLICY)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    assert call.text.endswith(": toldonce: not recorded in time\n\ndata: [DONE]\n\n")
    behind = proxy._services.recorder.pending
    may_fail.set()
    await asyncio.wait(behind)
    assert [task._log_traceback for task in behind] == [False]
    await proxy.close()
    assert complaints == []
    await engine.close()


async def test_a_client_that_stops_reading_counts_as_disconnected(parts: Components) -> None:
    engine = AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"idle_timeout_s": 0.01})))
    call, never = Call(chat("Peanuts?", stream=True)), asyncio.Event()
    send = call.send()

    async def stuck(message: MutableMapping[str, Any]) -> None:
        if call.chunks:
            await never.wait()
        await send(message)

    backend = ScriptedBackend([(200, EVENTS, [event("No pea"), event("nuts"), never])])
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, POLICY)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), stuck), PATIENCE_S)
    await proxy.close()
    assert (backend.closed, proxy.counters.client_left) == (1, 1)
    assert await kept(engine) == [("Peanuts?", True), ("No peanuts", False)]
    await engine.close()


async def test_a_stop_ends_endless_answers_and_keeps_what_was_said(engine: AsyncToldOnce) -> None:
    call = Call(chat("Peanuts?", stream=True))
    backend = ScriptedBackend([(200, EVENTS, [event("No pea"), asyncio.Event()])])
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, POLICY)
    serving = asyncio.create_task(proxy(call.scope(), call.receive(), call.send()))
    await asyncio.wait_for(call.first_chunk.wait(), PATIENCE_S)
    serving.cancel()  # as the web server does when its grace is over; it closes the application in the same breath
    await asyncio.wait_for(proxy.close(), PATIENCE_S)
    assert await kept(engine) == [("Peanuts?", True), ("No pea", False)]
    assert backend.closed == 1
    with pytest.raises(asyncio.CancelledError):
        await serving


def test_the_web_servers_complaints_about_a_stop_are_dropped_and_no_others() -> None:
    def record(message: str, error: BaseException | None = None) -> logging.LogRecord:
        info = (type(error), error, None) if error else None
        return logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, message, (), info)

    assert not _is_unexpected(record("Exception in ASGI application", asyncio.CancelledError()))
    assert not _is_unexpected(record("Cancel 2 running task(s), timeout graceful shutdown exceeded"))
    assert _is_unexpected(record("Exception in ASGI application", ValueError("x")))


def test_a_slash_at_the_end_reaches_the_chat_and_a_foreign_page_reaches_nothing(parts: Components) -> None:
    app = build_app(AsyncToldOnce(parts))
    client = TestClient(app, base_url="http://localhost:8765")
    for prefix in ("/v1", "/u/ana/v1"):
        answer = client.post(f"{prefix}/chat/completions/", content=chat("I like tea."))
        assert (answer.status_code, answer.headers["x-toldonce-memory"]) == (
            200,
            "on; recalled=0; replayed=0; prefix=new",
        )
    refused = client.post("/v1/chat/completions", content=chat("Hi"), headers={"origin": "http://evil.example"})
    assert refused.status_code == 403
    assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 403
