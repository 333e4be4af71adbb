"""The access matrix of the dashboard: each page and form with each kind of sender, by key and by session."""

import re
import uuid
from collections.abc import AsyncIterator
from functools import partial

import httpx
import pytest

from dashboard_client import HTML
from keyed_server import ANA, KEYS, KeyedServer, keyed_server
from soak import SOAK
from toldonce.engine import AsyncToldOnce
from toldonce.server.auth.authenticator import session_secret
from toldonce.server.auth.sessions import Sessions, form_token
from toldonce.server.dashboard.page import PageRoute
from toldonce.server.dashboard.pages import PAGES, first_visit
from toldonce.types import Access, Subject

NOT_AUTHENTICATED = ("none", "unknown", "revoked", "expired")
BOB = Subject("user", "bob", "acme")
OTHER_TENANT = Subject("user", "ana", "bolt")
BIRDS = ("Ana's bird is the heron.", "Bob's bird is the stork.", "Her bird is the crane.")
# Pages of no subject that others than administrators may open: it leads to what its reader may see.
OPEN = {""}
# Pages of the whole server: a tenant's administrator is refused.
OF_OPERATORS = {"/settings", "/settings/findings", "/work/run", "/work/maintain", "/work/erasures", "/work/embedder"}
# Forms that name a subject themselves: without one, who may write at all gets as far as an unknown subject.
NAMING_SUBJECTS = {"/apps/{app}/erase"}
# A session has the rights of its key, whatever the page: some senders have one on each page, in a long run all.
IN_SESSIONS = tuple(KEYS) if SOAK else ("ana", "other tenant", "tenant admin")


FORMS = [page for page in PAGES if page.method == "POST"]


@pytest.fixture
async def server(engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[KeyedServer]:
    monkeypatch.setattr(first_visit, "_WAIT_S", 0)  # no worker runs here
    for who, bird in zip((ANA, BOB, OTHER_TENANT), BIRDS, strict=True):
        await engine.add(bird, user=who)
    async with keyed_server(engine) as opened:
        yield opened


def sample(page: PageRoute, subject: str) -> str:
    """Return the address of a page: of the subject, and of things that are not there."""
    unknown = str(uuid.UUID(int=7))
    return "/dashboard" + re.sub(r"{(\w+)}", lambda name: subject if name[1] == "subject" else unknown, page.path)


def may_open(who: str, page: PageRoute) -> bool:
    """Return whether a sender may open a page of user ana of tenant acme, or of the server."""
    key = KEYS[who]
    if "{subject}" in page.path:
        wanted = Access.READ if page.method == "GET" else Access.WRITE
        return (
            key.access.includes(wanted) and key.tenant in ("acme", None) and key.user in ("ana", None) and not key.app
        )
    if page.path in NAMING_SUBJECTS:
        return key.access.includes(Access.WRITE)
    if who == "tenant admin":
        return page.path not in OF_OPERATORS
    return who == "operator" or page.path in OPEN


async def ask(server: KeyedServer, page: PageRoute, url: str, **headers: str) -> httpx.Response:
    sent = {**HTML, **headers}
    if page.method == "GET":
        return await server.client.get(url, headers=sent)
    token = form_token(headers["cookie"].partition("=")[2]) if "cookie" in headers else ""
    return await server.client.post(url, data={"csrf": token, "sure": "yes", "text": "Planted."}, headers=sent)


async def test_each_page_answers_each_sender_as_it_should(server: KeyedServer, engine: AsyncToldOnce) -> None:
    for page in PAGES:
        if page.method == "GET":
            await ask_as_each_sender(server, engine, page)


async def test_each_form_answers_each_sender_as_it_should(server: KeyedServer, engine: AsyncToldOnce) -> None:
    for page in sorted(FORMS, key=lambda page: "erase" in page.path):
        known = [memory.text for who in (ANA, BOB, OTHER_TENANT) for memory in await engine.list(user=who)]
        assert "erase" in page.path or {*BIRDS} <= {*known}, "there is something foreign that could be shown"
        await ask_as_each_sender(server, engine, page)


async def ask_as_each_sender(server: KeyedServer, engine: AsyncToldOnce, page: PageRoute) -> None:
    """Open a page, or send a form, by each key and in each session; check the answers."""
    for who in (*NOT_AUTHENTICATED, *KEYS):
        tenant = {"x-toldonce-tenant": "acme"} if "{subject}" in page.path else {}
        url, secret = sample(page, "user:ana"), server.secrets[who]
        answers = [await ask(server, page, url, **tenant, **({"authorization": f"Bearer {secret}"} if secret else {}))]
        if who in IN_SESSIONS:
            key = await engine.keys.find(secret)
            assert key is not None
            cookie = await Sessions(engine.keys, engine.clock, partial(session_secret, engine.settings)).begin(key)
            answers.append(await ask(server, page, url, **tenant, cookie=f"toldonce_session={cookie}"))
        for answer in answers:
            if who in NOT_AUTHENTICATED:
                wanted = 303 if page.method == "GET" else 401
                assert answer.status_code == wanted, (page.path, who, answer.status_code)
                assert "login" in answer.headers.get("location", "login")
            elif may_open(who, page):
                assert answer.status_code in (200, 303, 400, 404, 409, 412), (
                    page.path,
                    who,
                    answer.status_code,
                    answer.text,
                )
                assert "/login" not in answer.headers.get("location", "")
            else:
                assert answer.status_code == 403, (page.path, who, answer.status_code, answer.text)
            assert_nothing_foreign(who, answer)


def assert_nothing_foreign(who: str, answer: httpx.Response) -> None:
    """Check that an answer shows nothing of others than the sender's own tenant and user."""
    if who != "operator":
        assert "crane" not in answer.text or who == "other tenant"
        assert "bolt" not in answer.text or who == "other tenant"
    if who not in ("operator", "tenant admin", "any user", "bob"):
        assert "stork" not in answer.text
    if who in ("bob", "other tenant", "app", "other app", *NOT_AUTHENTICATED):
        assert "heron" not in answer.text


async def test_a_refused_form_changes_nothing(server: KeyedServer, engine: AsyncToldOnce) -> None:
    for page in FORMS:
        url = sample(page, "user:ana")
        for who in (*NOT_AUTHENTICATED, "bob", "other tenant", "ana reads", "app"):
            secret = server.secrets[who]
            await ask(server, page, url, **({"authorization": f"Bearer {secret}"} if secret else {}))
        assert [memory.text for memory in await engine.list(user=ANA)] == [*BIRDS[:1]], page.path


async def test_a_users_key_opens_that_users_memory(server: KeyedServer) -> None:
    headers = {"authorization": f"Bearer {server.secrets['ana']}", **HTML}
    first = await server.client.get("/dashboard", headers=headers)
    assert first.headers["location"] == "/dashboard/subjects/user%3Aana"
    page = await server.client.get(first.headers["location"], headers=headers)
    assert "heron" in page.text
    assert ">Keys<" not in page.text
    assert "Overview" not in page.text
