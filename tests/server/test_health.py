"""Health while a part of a cluster is down, or turns are not recorded: degraded, not unavailable."""

import pytest
from starlette.testclient import TestClient

from toldonce.engine import AsyncToldOnce
from toldonce.errors import StoreFullError, StoreUnavailableError
from toldonce.server.app import build_app


@pytest.fixture
def client(engine: AsyncToldOnce) -> TestClient:
    return TestClient(build_app(engine), base_url="http://127.0.0.1")


async def down() -> None:
    raise StoreUnavailableError("a machine does not answer")


def test_while_some_machines_are_down_the_server_is_ready_and_says_so(
    engine: AsyncToldOnce, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/healthz").json()["status"] == "ok"
    monkeypatch.setattr(engine.admin, "ping_all", down)
    health = client.get("/healthz")
    assert (health.status_code, health.json()["status"]) == (200, "degraded")
    assert health.json()["reason"] == "a part of the database does not answer; the rest is served"
    assert client.get("/readyz").status_code == 200


def test_without_its_database_it_is_unavailable(
    engine: AsyncToldOnce, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.admin, "ping", down)
    health = client.get("/healthz")
    assert (health.status_code, health.json()["status"]) == (503, "unavailable")


def test_while_turns_are_not_recorded_it_is_degraded(
    engine: AsyncToldOnce, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object, **__: object) -> None:
        raise StoreFullError("the disk is full")

    def told() -> str:
        said = {"model": "offline", "messages": [{"role": "user", "content": "I live in Oslo."}]}
        assert client.post("/v1/chat/completions", json=said).status_code == 200
        return str(client.get("/healthz").json()["status"])

    with monkeypatch.context() as patch:
        patch.setattr(engine.turns, "record", full)
        assert told() == "degraded"
        assert "\nproxy_failed_in_a_row 1.0\n" in client.get("/metrics").text
    assert told() == "ok"
