"""Requests that fail unexpectedly: the shape of their path's errors, the traceback in the log, and no cause shown."""

import json
import logging
from collections.abc import AsyncIterator

import httpx
import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.metrics import Metrics
from toldonce.server.answer_watch import with_failures_answered
from toldonce.server.app import build_app, kind_of
from toldonce.server.asgi import Receive, Scope, Send
from toldonce.server.chat_responder import ChatResponder

CHAT = {"model": "toldonce/offline", "messages": [user("My bird is the heron.")]}
CAUSE = "/srv/secret/heron.py is broken"


@pytest.fixture
async def client(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as opened:
        yield opened


async def fail(*_: object, **__: object) -> None:
    raise LookupError(CAUSE)


async def test_a_chat_that_fails_has_openais_error(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ChatResponder, "respond", fail)
    answer = await client.post("/v1/chat/completions", json=CHAT)
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.json() == {
        "error": {"message": "the server failed; see its log", "type": "server_error", "param": None, "code": None}
    }
    [record] = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], LookupError)


async def test_a_check_of_keys_that_fails_has_the_shape_of_its_path(
    client: httpx.AsyncClient, engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.keys, "find", fail)
    monkeypatch.setattr(engine.keys, "was_any_made", fail)
    headers = {"authorization": "Bearer rk_unknown"}
    chat = await client.post("/v1/chat/completions", json=CHAT, headers=headers)
    assert (chat.status_code, chat.json()["error"]["type"]) == (500, "server_error")
    problem = await client.get("/v1/subjects/me/memories", headers=headers)
    assert (problem.status_code, problem.headers["content-type"]) == (500, "application/problem+json")
    assert CAUSE not in chat.text + problem.text


async def test_a_failure_of_recall_breaks_no_chat(
    client: httpx.AsyncClient,
    engine: AsyncToldOnce,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(engine.turns, "prepare", fail)
    answer = await client.post("/v1/chat/completions", json=CHAT)
    assert "recall failed, the chat goes on without" in caplog.messages
    assert answer.status_code == 200
    assert json.loads(answer.text)["choices"][0]["message"]["content"]


async def test_a_record_that_fails_breaks_no_chat(
    client: httpx.AsyncClient,
    engine: AsyncToldOnce,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(engine.turns, "finish", fail)
    answer = await client.post("/v1/chat/completions", json={**CHAT, "stream": True})
    assert "recording failed" in caplog.messages
    assert answer.status_code == 200
    assert answer.text.rstrip().endswith("data: [DONE]")


async def test_an_answer_that_fails_midway_is_broken_off() -> None:
    async def begins(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise LookupError(CAUSE)

    sent: list[Scope] = []

    async def send(event: Scope) -> None:
        sent.append(event)

    async def receive() -> Scope:
        raise AssertionError("nothing is read")

    watched = with_failures_answered(begins, Metrics(), kind_of)
    with pytest.raises(LookupError):
        await watched({"type": "http", "path": "/v1/models"}, receive, send)
    assert len(sent) == 1
