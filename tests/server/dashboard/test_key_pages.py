"""Pages of keys and the audit log: make, show the secret once, revoke, and who did what."""

import re
from datetime import timedelta

import httpx
import pytest

from dashboard_client import HTML, DashboardClient, dashboard_client
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import Access, NewApiKey

KEYS = "/dashboard/keys"
AUDIT = "/dashboard/audit"
MARKUP = '<script>alert("1")</script>'
HOSTILE = f"{MARKUP}\u202e"
OPERATOR = NewApiKey(name="operator", access=Access.ADMIN, tenant=None)


async def operator(engine: AsyncToldOnce) -> dict[str, str]:
    _, secret = await engine.keys.create(OPERATOR)
    return {"authorization": f"Bearer {secret}"}


async def make(browser: DashboardClient, **fields: str) -> httpx.Response:
    return await browser.submit(KEYS, KEYS, {"name": "k", "access": "write", **fields})


async def test_a_key_with_all_options_is_made_and_listed(engine: AsyncToldOnce) -> None:
    options = {"tenant": "acme", "user": "ana", "expires_on": "2026-03-01"}
    limits = {"requests_per_minute": "60", "concurrent_requests": "3", "body_bytes": "20000"}
    async with dashboard_client(engine, **await operator(engine)) as browser:
        made = await make(browser, name=MARKUP, access="read", **options, **limits)
        html = await browser.open(KEYS)
        data = await browser.read(KEYS)

    assert made.status_code == 201
    [key] = [key for key in data["keys"] if key["name"] != "operator"]
    assert (key["access"], key["tenant"], key["user"], key["app"], key["name"]) == (
        *("read", "acme", "ana", None),
        MARKUP,
    )
    assert (key["requests_per_minute"], key["concurrent_requests"], key["body_bytes"]) == (60, 3, 20_000)
    assert key["expires_at"].startswith("2026-03-01T00:00:00")
    assert key["state"] == "valid"
    assert "60 requests a minute" in html
    assert "<script>alert" not in html + made.text


async def test_a_key_cannot_be_made_to_end_before_tomorrow(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.advance(days=1)
    async with dashboard_client(engine) as browser:
        html = await browser.open(KEYS)

    assert 'type="date" min="2026-01-03"' in html


async def test_the_secret_is_shown_once_and_never_in_an_address(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine, **await operator(engine)) as browser:
        made = await make(browser)
        [secret] = re.findall(r"rk_[\w-]{20,}", made.text)
        again = await browser.open(KEYS)
        entries = await browser.open(AUDIT)
        used = await browser.http.get("/v1/connection", headers={"authorization": f"Bearer {secret}"})

    assert made.history == []  # shown by the answer to the form itself
    assert made.headers["cache-control"] == "no-store"
    assert secret not in str(made.url)
    assert secret not in again + entries
    assert used.status_code == 200


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": ""}, "name"),
        ({"access": "god"}, "access"),
        ({"requests_per_minute": "many"}, "Requests per minute: write a whole number"),
        ({"body_bytes": "0"}, "body_bytes"),
        ({"user": "ana", "app": "calendar"}, "app"),
        ({"expires_on": "2020-01-01"}, "has passed"),
        ({"tenant": "Not A Tenant"}, "tenant"),
    ],
)
async def test_a_wrong_option_makes_no_key_and_is_explained(
    engine: AsyncToldOnce, fields: dict[str, str], said: str
) -> None:
    async with dashboard_client(engine, **await operator(engine)) as browser:
        refused = await make(browser, **fields)

    assert refused.status_code == 400
    assert said in refused.text
    assert len(await engine.keys.list()) == 1


async def test_a_key_is_revoked_once_one_is_sure(engine: AsyncToldOnce) -> None:
    made, secret = await engine.keys.create(NewApiKey(name="k", access=Access.READ, user="ana"))
    action = f"{KEYS}/{made.id}/revoke"
    async with dashboard_client(engine, **await operator(engine)) as browser:
        unsure = await browser.submit(KEYS, action)
        answered = await browser.submit(KEYS, action, {"sure": "yes"})
        data = await browser.read(KEYS)
        used = await browser.http.get("/v1/connection", headers={"authorization": f"Bearer {secret}"})

    assert unsure.status_code == 400
    assert "Revoked" in answered.text
    assert {key["id"]: key["state"] for key in data["keys"]}[made.id] == "revoked"
    assert f'action="{action}"' not in answered.text
    assert used.status_code == 401


async def test_an_expired_key_is_shown_as_expired(engine: AsyncToldOnce, clock: FakeClock) -> None:
    soon = engine.clock.now() + timedelta(hours=1)
    made, _ = await engine.keys.create(NewApiKey(name="k", access=Access.READ, user="ana", expires_at=soon))
    clock.advance(hours=2)
    async with dashboard_client(engine, **await operator(engine)) as browser:
        data = await browser.read(KEYS)

    assert {key["id"]: key["state"] for key in data["keys"]}[made.id] == "expired"


async def test_the_first_key_of_an_open_server_comes_with_a_warning(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        html = await browser.open(KEYS)
        made = await make(browser, access="admin", tenant="*")
        closed = await browser.http.get(KEYS, headers=HTML)

    assert "Once there is a valid key, this server asks everybody for one" in html
    assert "From now on, this server asks everybody for a key" in made.text
    assert closed.headers["location"].startswith("/dashboard/login")


async def test_the_audit_log_is_filtered_and_read_page_by_page(engine: AsyncToldOnce) -> None:
    headers = await operator(engine)
    for number in range(105):
        await engine.keys.note_act("subjects.erase", actor="cli", target=str(number), count=1)
    await engine.keys.note_act("memories.close", actor=HOSTILE, tenant="acme", target="m7")
    async with dashboard_client(engine, **headers) as browser:
        first = await browser.open(AUDIT)
        [cursor] = re.findall(r'rel="next" href="[^"]*cursor=([^"&]+)', first)
        second = await browser.read(AUDIT, cursor=cursor)
        by_action = await browser.read(AUDIT, action="memories.close")
        by_tenant = await browser.read(AUDIT, tenant="acme")
        by_actor = await browser.read(AUDIT, actor="cli")
        by_target = await browser.read(AUDIT, target="7")
        nothing = await browser.open(AUDIT, action="nothing")

    assert "<script>alert" not in first
    assert "⟨U+202E⟩" in first
    assert len(second["entries"]) == 7
    assert [entry["target"] for entry in by_action["entries"]] == ["m7"] == [e["target"] for e in by_tenant["entries"]]
    assert {entry["actor"] for entry in by_actor["entries"]} == {"cli"}
    assert [entry["target"] for entry in by_target["entries"]] == ["7"]
    assert "No act fits." in nothing


async def test_the_audit_log_finds_acts_on_a_subject(engine: AsyncToldOnce) -> None:
    await engine.add("Ana drinks tea.", user="ana")
    async with dashboard_client(engine, **await operator(engine)) as browser:
        await browser.http.delete("/v1/subjects/user:ana")
        found = await browser.read(AUDIT, subject="user:ana")
        none = await browser.read(AUDIT, subject="user:ben")

    assert [entry["action"] for entry in found["entries"]] == ["subjects.erase"]
    assert none["entries"] == []
