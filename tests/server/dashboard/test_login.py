"""Logging in to the dashboard, and attacks on sessions and forms."""

import logging
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from dashboard_client import HTML, JSON, DashboardClient
from keyed_server import KeyedServer, keyed_server
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.app import build_app
from toldonce.server.auth.sessions import form_token
from toldonce.server.dashboard.pages import PAGES
from toldonce.types import Subject

ANA = Subject("user", "ana", "acme")
LOGIN = "/dashboard/login"
HOME = "/dashboard/subjects/user%3Aana"


@pytest.fixture
async def server(engine: AsyncToldOnce) -> AsyncIterator[KeyedServer]:
    async with keyed_server(engine) as opened:
        yield opened


async def log_in(server: KeyedServer, who: str, **fields: str) -> httpx.Response:
    """Send the login form with the key of `who`, as a browser would."""
    browser = DashboardClient(server.client)
    return await browser.submit(LOGIN, LOGIN, {"key": server.secrets[who], **fields})


def cookie_of(server: KeyedServer) -> str:
    return server.client.cookies["toldonce_session"]


async def test_who_has_no_session_is_sent_to_the_login_and_back(server: KeyedServer, engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user=ANA)
    sent = await server.client.get(f"{HOME}?q=cello", headers=HTML)
    assert sent.status_code == 303
    assert sent.headers["location"] == "/dashboard/login?next=%2Fdashboard%2Fsubjects%2Fuser%253Aana%3Fq%3Dcello"
    assert "cello" not in sent.text

    page = await log_in(server, "ana", next=f"{HOME}?q=cello")

    assert str(page.url) == f"http://localhost{HOME}?q=cello"
    assert "Ana plays the cello." in page.text
    assert "Log out" in page.text


async def test_programs_without_a_credential_get_401(server: KeyedServer) -> None:
    answer = await server.client.get(HOME, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["status"]) == (401, 401)


@pytest.mark.parametrize("who", ["unknown", "revoked", "expired"])
async def test_a_key_that_is_not_valid_begins_no_session(server: KeyedServer, who: str) -> None:
    answer = await log_in(server, who)
    assert answer.status_code == 401
    assert cookie_of(server).startswith("guest.")
    assert server.secrets[who] not in answer.text


async def test_a_login_begins_a_session_of_its_own(server: KeyedServer) -> None:
    """An attacker who sets a cookie beforehand does not share the session (session fixation)."""
    await server.client.get(LOGIN, headers=HTML)
    before = cookie_of(server)
    await log_in(server, "ana")
    assert cookie_of(server) != before
    server.client.cookies.clear()
    server.client.cookies.set("toldonce_session", before, domain="localhost")
    assert (await server.client.get(HOME, headers=HTML)).status_code == 303


async def test_logging_out_ends_the_session(server: KeyedServer) -> None:
    await log_in(server, "ana")
    cookie = cookie_of(server)
    browser = DashboardClient(server.client)
    page = await browser.submit(HOME, "/dashboard/logout")
    assert page.url.path == LOGIN
    server.client.cookies.clear()
    server.client.cookies.set("toldonce_session", cookie, domain="localhost")
    assert (await server.client.get(HOME, headers=HTML)).status_code == 303


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/dashboard",
        "//evil.example/dashboard",
        "/\\evil.example",
        "/dashboard\\..\\..\\evil.example",
        "/dashboard/../docs",
        "/docs",
        "javascript:alert(1)",
        "/dashboard\r\nSet-Cookie: a=b",
    ],
)
async def test_a_login_leads_to_no_other_site(server: KeyedServer, target: str) -> None:
    form = await server.client.get(LOGIN, params={"next": target}, headers=HTML)
    token = re.findall(r'name="csrf" value="([0-9a-f]+)"', form.text)[0]
    data = {"csrf": token, "next": target, "key": server.secrets["ana"]}
    answer = await server.client.post(LOGIN, data=data, headers=HTML)
    assert answer.status_code == 303
    assert answer.headers["location"] in ("/dashboard", "/dashboard/../docs")
    assert "a=b" not in answer.headers.get("set-cookie", "")


async def test_no_form_works_without_the_token_of_its_session(server: KeyedServer, engine: AsyncToldOnce) -> None:
    note = await engine.add("Ana plays the cello.", user=ANA)
    await log_in(server, "tenant admin")
    names = {"subject": "user:ana", "memory": note.id}
    other = form_token("guest.0." + "a" * 24 + ".-")
    for route in [page for page in PAGES if page.method == "POST"]:
        path = "/dashboard" + re.sub(r"{(\w+)}", lambda name: names.get(name[1], "1"), route.path)
        for token in ({}, {"csrf": ""}, {"csrf": other}, {"csrf": "é"}):
            answer = await server.client.post(path, data={"sure": "yes", "text": "Planted.", **token}, headers=HTML)
            assert answer.status_code == 403, (path, token)
        assert [memory.text for memory in await engine.list(user=ANA)] == ["Ana plays the cello."], path


async def test_a_login_needs_the_token_too(server: KeyedServer) -> None:
    answer = await server.client.post(LOGIN, data={"key": server.secrets["ana"]}, headers=HTML)
    assert answer.status_code == 403


async def test_a_program_with_a_key_needs_no_token(server: KeyedServer, engine: AsyncToldOnce) -> None:
    headers = {"authorization": f"Bearer {server.secrets['ana']}"}
    answer = await server.client.post(f"{HOME}/memories", data={"text": "Ana plays the cello."}, headers=headers)
    assert answer.status_code == 303
    assert [memory.text for memory in await engine.list(user=ANA)] == ["Ana plays the cello."]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"host": "evil.example"},
        {"sec-fetch-site": "cross-site"},
    ],
    ids=str,
)
async def test_pages_of_other_sites_reach_nothing(
    server: KeyedServer, engine: AsyncToldOnce, headers: dict[str, str]
) -> None:
    await log_in(server, "ana")
    data = {"csrf": form_token(cookie_of(server)), "text": "Planted."}
    assert (await server.client.get(HOME, headers={**HTML, **headers})).status_code == 403
    assert (await server.client.post(f"{HOME}/memories", data=data, headers=headers)).status_code == 403
    assert await engine.list(user=ANA) == []


async def test_every_answer_has_the_headers_that_keep_it_safe(server: KeyedServer) -> None:
    await log_in(server, "ana")
    for path in (HOME, LOGIN, "/dashboard/nothing", f"{HOME}/memories/unknown"):
        answer = await server.client.get(path, headers=HTML)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "access-control-allow-origin" not in answer.headers


async def test_behind_https_the_cookie_goes_over_https_alone(server: KeyedServer) -> None:
    answer = await server.client.get(f"https://localhost{LOGIN}", headers=HTML)
    assert "; Secure" in answer.headers["set-cookie"]


async def test_styles_are_for_everyone_and_nothing_else_below_them(server: KeyedServer) -> None:
    page = await server.client.get(LOGIN, headers=HTML)
    for url in re.findall(r'(?:href|src)="(/dashboard/static/[^"]+)"', page.text):
        file = await server.client.get(url)
        assert file.status_code == 200, url
        assert "immutable" in file.headers["cache-control"]
        assert "set-cookie" not in file.headers
    for path in ("../app.py", "%2e%2e/app.py", "..%2fkeys", "vendor/../../page.py", ""):
        # Clients and the server's own path are free to take `..` away: the login is all that is reached then.
        assert (await server.client.get(f"/dashboard/static/{path}")).status_code in (303, 404), path


async def test_neither_keys_nor_cookies_are_logged(server: KeyedServer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="toldonce"):
        await log_in(server, "unknown")
        await log_in(server, "ana")
        await server.client.get(HOME, headers=HTML)
    assert server.secrets["ana"] not in caplog.text
    assert server.secrets["unknown"] not in caplog.text
    assert cookie_of(server) not in caplog.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/dashboard/subjects/user%3Aana/memories/%00", 400),
        ("/dashboard/subjects/%FF", 400),
        ("/dashboard/subjects/user%3Aana?q=%FF", 400),
        ("/dashboard/subjects/user%3Aana?q=%00", 400),
        ("/dashboard/subjects/nobody", 400),
        ("/dashboard/subjects/user%3Aana/memories/unknown", 404),
        ("/dashboard/subjects/user%3Aana/memories/many", 405),
        ("/dashboard/none", 404),
    ],
)
async def test_bad_addresses_get_a_page_that_says_so(server: KeyedServer, path: str, status: int) -> None:
    await log_in(server, "ana")
    answer = await server.client.get(path, headers=HTML)
    assert answer.status_code == status, answer.text
    assert "Traceback" not in answer.text


async def test_a_body_that_is_no_form_is_refused(server: KeyedServer) -> None:
    await log_in(server, "ana")
    answer = await server.client.post(f"{HOME}/memories", json={"text": "a"}, headers=HTML)
    assert answer.status_code == 400
    huge = await server.client.post(f"{HOME}/memories", data={"text": "a" * 3_000_000}, headers=HTML)
    assert huge.status_code == 413


async def test_without_a_dashboard_the_root_has_a_page_of_its_own(parts: Components) -> None:
    settings = parts.settings.model_copy(update={"dashboard": False})
    async with AsyncToldOnce(replace(parts, settings=settings)) as engine:
        transport = httpx.ASGITransport(app=build_app(engine))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            page = await http.get("/", headers=HTML)
            assert 'href="/docs"' in page.text
            assert "dashboard" not in (await http.get("/", headers=JSON)).json()
            assert (await http.get("/dashboard", headers=HTML)).status_code == 404
