"""The server below a path of another one: every link, form, script, cookie and redirect has the prefix."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import quote, urldefrag, urljoin

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from dashboard_client import HTML, DashboardClient
from keyed_server import KEYS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.app import build_app
from toldonce.server.dashboard.paths import LOGIN
from toldonce.settings.checks import sub_path

SITE = "https://example.org"
_URLS = {"a": "href", "link": "href", "script": "src", "img": "src", "form": "action"}


class _Urls(HTMLParser):
    """Collects what a page leads to and loads."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: set[str] = set()
        self.forms: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        found = [values[name] for name in (_URLS.get(tag, ""), "hx-get") if values.get(name)]
        is_post = tag == "form" and values.get("method") == "post"
        (self.forms if is_post else self.pages).update(found)


def stripping(path: str) -> str:
    """Pass a path on as `proxy_pass http://server/` of nginx does."""
    return path.removeprefix("/memory") or "/"


def keeping(path: str) -> str:
    """Pass a path on as `proxy_pass http://server` of nginx does."""
    return path


def proxied(engine: AsyncToldOnce, pass_on: Callable[[str], str], **headers: str) -> httpx.AsyncClient:
    """Return a browser in front of a proxy that serves `/memory/` alone, over TLS."""
    app = build_app(engine)
    added = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]

    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        path, raw = scope["path"], scope["raw_path"].decode()
        assert path == "/memory" or path.startswith("/memory/"), f"{path} is another server's"
        own = {"path": pass_on(path), "raw_path": pass_on(raw).encode(), "scheme": "http"}
        await app({**scope, **own, "headers": [*scope["headers"], *added]}, receive, send)

    return httpx.AsyncClient(transport=httpx.ASGITransport(app=proxy), base_url=SITE)


@pytest.fixture
async def public(parts: Components) -> AsyncIterator[AsyncToldOnce]:
    """Open an engine that browsers reach at https://example.org/memory, with something of most kinds in it."""
    changed = {"public_url": f"{SITE}/memory", "hosts": "example.org", "auth": "required"}
    settings = parts.settings.model_copy(update=changed)
    async with AsyncToldOnce(replace(parts, settings=settings)) as engine:
        for user in ("ana", "trial"):
            await engine.add("Ana plays the cello.", user=user)
        await engine.record([{"role": "user", "content": "I live in Oslo."}], user="ana", conversation="trip")
        yield engine


async def walk(client: httpx.AsyncClient, start: str) -> dict[str, int]:
    """Follow what pages lead to and load, each path once; return the status of each."""
    seen: dict[str, int] = {}
    wanted = [start]
    while wanted:
        url = wanted.pop(0)
        path = url.partition("?")[0]
        if path in seen:
            continue
        answer = await client.get(url, headers=HTML)
        seen[path] = answer.status_code
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        urls = _Urls()
        urls.feed(answer.text)
        outside = {each for each in urls.pages | urls.forms if not urljoin(url, each).startswith(f"{SITE}/memory/")}
        assert outside == set(), url
        wanted += sorted(urldefrag(urljoin(url, each)).url for each in urls.pages)
    return seen


@pytest.mark.parametrize("kind", ["file"])  # what is in memory is not exported
async def test_each_page_behind_a_path_leads_to_what_is_served(public: AsyncToldOnce) -> None:
    _, secret = await public.keys.create(KEYS["operator"])
    async with proxied(public, stripping) as client:
        client.headers["authorization"] = f"Bearer {secret}"
        statuses = await walk(client, f"{SITE}/memory/dashboard")
        assert set(statuses.values()) == {200}, {url: status for url, status in statuses.items() if status != 200}
        assert {f"{SITE}/memory/docs", f"{SITE}/memory/openapi.json"} < set(statuses)
        assert (await client.get("/memory/openapi.json")).json()["servers"] == [{"url": "/memory"}]
        listed = await client.get("/memory/v1/subjects?limit=1")
        assert listed.headers["link"].startswith("</memory/v1/subjects?")


@pytest.mark.parametrize("pass_on", [stripping, keeping])
async def test_people_log_in_and_send_forms_behind_a_path(public: AsyncToldOnce, pass_on: Callable[[str], str]) -> None:
    _, secret = await public.keys.create(KEYS["operator"])
    async with proxied(public, pass_on) as client:
        assert (await client.get("/memory", headers=HTML)).headers["location"] == "/memory/dashboard"
        sent = await client.get("/memory/dashboard/subjects/user%3Aana", headers=HTML)
        target = "/memory/dashboard/subjects/user%3Aana"
        assert sent.headers["location"] == f"/memory/dashboard/login?next={quote(target, safe='')}"

        browser, login = DashboardClient(client), f"/memory{LOGIN}"
        page = await browser.submit(login, login, {"key": secret, "next": target})

        assert page.url.raw_path.decode() == target
        assert {(cookie.path, cookie.secure) for cookie in client.cookies.jar} == {("/memory", True)}
        page = await browser.submit(target, f"{target}/memories", {"text": "Ana likes figs."})
        assert "Ana likes figs." in page.text
        assert (await browser.submit(target, "/memory/dashboard/logout")).url.path == login


async def test_the_prefix_of_a_trusted_proxy_is_used_and_of_no_other(engine: AsyncToldOnce) -> None:
    headers = {**HTML, "x-forwarded-prefix": "/memory", "x-forwarded-proto": "https"}
    seen = []
    for sender in ("127.0.0.1", "::ffff:127.0.0.1", "203.0.113.9"):
        transport = httpx.ASGITransport(app=build_app(engine), client=(sender, 5))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            answer = await client.get("/", headers=headers)
            page = await client.get("/dashboard", headers=headers)
            wrong = await client.get("/", headers={**headers, "x-forwarded-prefix": "//evil.example"})
            seen.append((answer.headers["location"], "; Secure" in page.headers["set-cookie"], wrong.status_code))
    trusted = ("/memory/dashboard", True, 400)
    assert seen == [trusted, trusted, ("/dashboard", False, 303)]


async def test_an_application_that_mounts_the_server_gives_it_its_path(engine: AsyncToldOnce) -> None:
    whole = Starlette(routes=[Mount("/memory", app=build_app(engine))])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=whole), base_url="http://localhost") as client:
        answer = await client.get("/memory/", headers=HTML)
        assert answer.headers["location"] == "/memory/dashboard"
        assert 'href="/memory/dashboard/subjects' in (await client.get("/memory/dashboard", headers=HTML)).text


def test_no_path_that_begins_as_one_of_the_servers_own_is_taken(engine: AsyncToldOnce) -> None:
    firsts = {route.path.split("/")[1] for route in build_app(engine).routes if isinstance(route, Route)}
    pages = {first for first in firsts if first and "." not in first and not first.endswith("z") and first != "metrics"}
    for first in {*pages, "dashboard", "messages", "{user}", "a b", ".."}:
        with pytest.raises(ValueError, match="has the path"):
            sub_path(f"/{first}/x")
