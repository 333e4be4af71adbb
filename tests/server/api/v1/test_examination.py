"""Settings in effect and the doctor's findings under `/v1`: no secret is in them."""

import random
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from canaries import canary
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.app import build_app
from toldonce.settings import Settings, SettingSource, shown_settings
from toldonce.settings.all_settings import secret_settings
from toldonce.testing import FakeClock
from toldonce.types import Access, NewApiKey

SECRETS = [name for name in secret_settings() if name != "database_url"]
Operated = tuple[httpx.AsyncClient, list[str]]
PAGES = ("/v1/settings", "/v1/doctor", "/v1/doctor?check=true")


def value_of(name: str, word: str) -> str:
    return f"{word}=default" if name == "profile_keys" else f"{word}{word}"


@pytest.fixture
async def operated(parts: Components, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Operated]:
    """A server all of whose secrets are set, and these; nothing answers at its upstream."""
    luck = random.Random(18)
    secrets = {name: SecretStr(value_of(name, canary(luck))) for name in SECRETS}
    word = canary(luck)
    monkeypatch.setenv("TOLDONCE_JWT_SECRET", secrets["jwt_secret"].get_secret_value())
    changed = {
        **secrets,
        "database_url": f"postgresql://ana:{word}@db.example/memory?password={word}",
        "upstream_url": "http://127.0.0.1:9/v1",
        "auth": "off",
        "max_headers": 99,
    }
    engine = AsyncToldOnce(parts)
    engine.settings = parts.settings.model_copy(update=changed)
    words = [word, *(secret.get_secret_value().removesuffix("=default") for secret in secrets.values())]
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client, words


@pytest.mark.parametrize("path", PAGES)
async def test_no_secret_is_shown(operated: Operated, path: str) -> None:
    client, words = operated
    answer = await client.get(path)
    assert answer.status_code == 200
    assert [word for word in words if word in answer.text] == []
    if path == "/v1/settings":
        shown = {setting["name"]: setting for setting in answer.json()["settings"]}
        assert len(shown) == len(Settings.model_fields)
        for name in SECRETS:
            secret = shown[f"TOLDONCE_{name.upper()}"]
            assert (secret["value"], secret["is_secret"]) == ("set", True)
        assert shown["TOLDONCE_JWT_SECRET"]["source"] == "environment"
        assert shown["TOLDONCE_DATABASE_URL"]["value"] == "postgresql://ana@db.example/memory?password=…"


async def test_the_doctor_reports_what_does_not_answer(operated: Operated) -> None:
    report = (await operated[0].get("/v1/doctor")).json()
    found = {finding["what"]: finding for finding in report["findings"]}
    assert report["ok"] is False
    assert (found["upstream"]["state"], found["upstream"]["todo"]) == ("fail", "start it, or correct the URL")
    assert found["embedder"]["state"] == "ok"
    assert found["formations"]["text"] == "0 due, none parked"
    assert "address" not in found


async def test_the_doctor_counts_prompts_that_no_memory_can_reach(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    assert "chats" not in {finding["what"] for finding in (await api.get("/v1/doctor")).json()["findings"]}
    engine.metrics.without_memory["/v1/completions"] = 2

    [found] = [each for each in (await api.get("/v1/doctor")).json()["findings"] if each["what"] == "chats"]
    assert (found["state"], found["text"].rpartition(": ")[2]) == ("warn", "2 prompts on /v1/completions")


async def test_settings_say_where_they_come_from(
    api: httpx.AsyncClient, engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("a key of the embedder")
    monkeypatch.setenv("TOLDONCE_RECALL_LIMIT", "7")
    monkeypatch.setenv("TOLDONCE_EMBED_KEY_FILE", str(tmp_path / "key"))
    monkeypatch.setenv("TOLDONCE_MAX_HEADERS", "100")
    shown = {setting.name: setting for setting in shown_settings(Settings(max_headers=90, port=80))}
    sources = {name.removeprefix("TOLDONCE_"): setting.source for name, setting in shown.items()}
    assert (sources["RECALL_LIMIT"], sources["EMBED_KEY"]) == (SettingSource.ENVIRONMENT, SettingSource.FILE)
    assert (sources["MAX_HEADERS"], sources["PORT"]) == (SettingSource.ARGUMENT, SettingSource.ARGUMENT)
    assert (sources["HOST"], shown["TOLDONCE_HOST"].is_default) == (SettingSource.DEFAULT, True)
    assert shown["TOLDONCE_RECALL_LIMIT"].value == "7"
    answer = (await api.get("/v1/settings")).json()["settings"]
    by_name = {setting["name"]: setting for setting in answer}
    assert by_name["TOLDONCE_DATABASE_URL"]["source"] == "argument"
    assert by_name["TOLDONCE_JWT_SECRET"] | {"description": ""} == {
        "name": "TOLDONCE_JWT_SECRET",
        "value": "not set",
        "source": "default",
        "is_default": True,
        "is_secret": True,
        "description": "",
    }
    assert (await api.get("/v1/doctor")).json()["findings"]


@pytest.mark.parametrize("path", PAGES)
async def test_a_tenants_administrator_sees_neither(engine: AsyncToldOnce, clock: FakeClock, path: str) -> None:
    _, secret = await engine.keys.create(NewApiKey(name="acme", access=Access.ADMIN, tenant="acme"))
    transport = httpx.ASGITransport(app=build_app(engine))
    headers = {"authorization": f"Bearer {secret}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        assert (await client.get(path)).status_code == 403
