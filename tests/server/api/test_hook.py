"""Hooks over HTTP."""

import httpx
import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app


@pytest.fixture
def client(engine: AsyncToldOnce) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=build_app(engine)), base_url="http://localhost")


async def post(client: httpx.AsyncClient, **body: object) -> httpx.Response:
    return await client.post("/api/hook", json=body, headers={"x-toldonce-user": "ana"})


async def test_a_hook_records_and_recalls(client: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    said = {"conversation": "s1", "turn": "1", "app": "shop-1"}
    first = await post(
        client, event="prompt", text="We use pnpm in this project, never npm. I'm allergic to nuts.", **said
    )
    assert (first.status_code, first.json()) == (200, {"context": ""})
    assert (await post(client, event="answer", text="Noted.", **said)).json() == {"context": ""}
    await engine.form()

    added = await post(client, event="prompt", conversation="s2", app="shop-1", text="Which package manager do we use?")

    assert "pnpm" in added.json()["context"]
    assert "nuts" in added.json()["context"]
    resumed = await post(client, event="resume", conversation="s2", app="shop-1")
    assert "pnpm" in resumed.json()["context"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"event": "prompt"},
        {"event": "x", "conversation": "s"},
        {"event": "prompt", "conversation": "s", "text": 1},
        *(
            {"event": "prompt", "conversation": "s", "text": "x", "at": at}
            for at in ("now", "2026-05-03T08:00:00", "9999-12-31T23:59:59Z", 5, "x" * 50)
        ),
    ],
)
async def test_a_malformed_request_is_refused(client: httpx.AsyncClient, body: dict[str, object]) -> None:
    assert (await post(client, **body)).status_code == 400


async def test_a_late_turn_has_its_own_time(client: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    late = {"conversation": "s1", "turn": "1", "at": "2025-05-03T08:00:00Z"}
    for event, text in (("prompt", "I live in Oslo."), ("answer", "Noted.")):
        assert (await post(client, event=event, text=text, **late)).json() == {"context": ""}

    known = await engine.conversations.get("s1", user="ana")
    messages = await engine.conversations.messages(known.id, user="ana")
    assert [message.said_at.year for message in messages] == [2025, 2025]


async def test_a_hook_may_not_run_without_recording(client: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    answer = await client.post(
        "/api/hook",
        json={"event": "prompt", "conversation": "s", "text": "I like tea."},
        headers={"x-toldonce-user": "ana", "x-toldonce-memory": "read"},
    )

    assert answer.status_code == 400
    assert not await engine.conversations.list(user="ana")
