"""Logging in to the dashboard at an OpenID provider, and attacks on that login."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from dashboard_client import HTML
from openid_provider import CLIENT, SECRET, OpenIdProvider, openid_provider
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadSettingError
from toldonce.server.app import build_app
from toldonce.settings import Settings
from toldonce.testing import FakeClock

HOME = "/dashboard/subjects/user%3Aana"
START = f"/dashboard/login/provider?next={HOME.replace('%', '%25')}"
RETURN = "/dashboard/login/return"


@dataclass
class World:
    """A server, its provider and a browser."""

    provider: OpenIdProvider
    http: httpx.AsyncClient
    engine: AsyncToldOnce
    clock: FakeClock

    async def begin(self) -> str:
        """Go to the provider; return the URL there."""
        answer = await self.http.get(START, headers=HTML)
        assert answer.status_code == 303, answer.text
        url = answer.headers["location"]
        assert url.startswith(f"{self.provider.issuer}/authorize?")
        return str(url)

    async def come_back(self, query: str) -> httpx.Response:
        """Come back from the provider."""
        return await self.http.get(f"{RETURN}?{query}", headers=HTML)


@pytest.fixture
async def world(parts: Components, clock: FakeClock) -> AsyncIterator[World]:
    async with openid_provider(clock.now().timestamp()) as provider:
        changed = {
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT,
            "oidc_client_secret": SecretStr(SECRET),
            "oidc_admin_value": "memory-admins",
        }
        settings = parts.settings.model_copy(update=changed)
        async with AsyncToldOnce(replace(parts, settings=settings)) as engine:
            await engine.add("Ana plays the cello.", user="ana")
            transport = httpx.ASGITransport(app=build_app(engine))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
                yield World(provider, http, engine, clock)


async def test_a_person_logs_in_and_sees_their_own_memory(world: World) -> None:
    assert (await world.http.get(HOME, headers=HTML)).status_code == 303
    assert "Log in with your organization" in (await world.http.get("/dashboard/login", headers=HTML)).text

    back = await world.come_back(world.provider.log_in(await world.begin()))

    assert back.status_code == 200, back.text
    assert f'content="0;url={HOME}"' in back.text
    assert "Ana plays the cello." in (await world.http.get(HOME, headers=HTML)).text
    assert (await world.http.get("/dashboard/subjects/user%3Abob", headers=HTML)).status_code == 403
    assert (await world.http.get("/dashboard/keys", headers=HTML)).status_code in (403, 404)


async def test_a_group_makes_an_administrator(world: World) -> None:
    world.provider.claims = {"sub": "eva", "groups": ["staff", "memory-admins"]}
    await world.come_back(world.provider.log_in(await world.begin()))
    assert "Overview" in (await world.http.get("/dashboard", headers=HTML)).text
    assert "Ana plays the cello." in (await world.http.get(HOME, headers=HTML)).text


def test_a_client_secret_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(BadSettingError, match="has 8 bytes"):
        Settings.load(oidc_client_secret="sesame-1")


async def test_an_issuer_may_end_in_a_slash(world: World) -> None:
    world.provider.named = f"{world.provider.issuer}/"
    world.provider.claims = {"iss": f"{world.provider.issuer}/"}
    assert (await world.come_back(world.provider.log_in(await world.begin()))).status_code == 200
    assert "Ana plays the cello." in (await world.http.get(HOME, headers=HTML)).text


async def test_the_session_of_a_person_ends(world: World) -> None:
    await world.come_back(world.provider.log_in(await world.begin()))
    world.clock.advance(hours=13)
    assert (await world.http.get(HOME, headers=HTML)).status_code == 303


async def test_another_secret_knows_no_session(world: World, parts: Components) -> None:
    await world.come_back(world.provider.log_in(await world.begin()))
    changed = {"oidc_client_secret": SecretStr("another-secret-of-another-server")}
    settings = world.engine.settings.model_copy(update=changed)
    transport = httpx.ASGITransport(app=build_app(AsyncToldOnce(replace(parts, settings=settings))))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", cookies=world.http.cookies) as http:
        assert (await http.get(HOME, headers=HTML)).status_code == 303


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("issuer", {"claims": {"iss": "https://evil.example"}}),
    ("audience", {"claims": {"aud": "another-client"}}),
    ("two audiences", {"claims": {"aud": [CLIENT, "another-client"]}}),
    ("nonce", {"claims": {"nonce": "of-another-login"}}),
    ("no nonce", {"claims": {"nonce": None}}),
    ("expired", {"claims": {"exp": 1}}),
    ("no expiry", {"claims": {"exp": None}}),
    ("signature", {"signer": rsa.generate_private_key(65537, 2048)}),
    ("algorithm none", {"algorithm": "none"}),
    ("shared secret", {"algorithm": "HS256"}),
    ("no user", {"claims": {"sub": None}}),
    ("user that is a list", {"claims": {"sub": ["ana"]}}),
    ("user that is none", {"claims": {"sub": "a\nb"}}),
    ("provider of another name", {"named": "https://evil.example"}),
]


@pytest.mark.parametrize(("what", "changed"), WRONG, ids=[what for what, _ in WRONG])
async def test_a_wrong_answer_of_the_provider_logs_in_no_one(world: World, what: str, changed: dict[str, Any]) -> None:
    query = world.provider.log_in(await world.begin())
    for name, value in changed.items():
        setattr(world.provider, name, value)

    back = await world.come_back(query)

    assert back.status_code == 401, what
    assert "cello" not in back.text
    assert (await world.http.get(HOME, headers=HTML)).status_code == 303


async def test_a_code_is_good_once_and_for_its_own_login(world: World) -> None:
    first = world.provider.log_in(await world.begin(), "code-a")
    kept = dict(world.http.cookies)
    second = world.provider.log_in(await world.begin(), "code-b")
    assert (await world.come_back(first)).status_code == 401  # the state of the other login
    assert (await world.come_back(second)).status_code == 401  # the cookie is gone after an answer
    world.http.cookies.clear()
    for name, value in kept.items():
        world.http.cookies.set(name, value, domain="localhost")
    swapped = first.replace("code-a", "code-b")
    assert (await world.come_back(swapped)).status_code == 401  # the verifier of the other login


@pytest.mark.parametrize("query", ["", "code=a", "state=a&code=b", "error=access_denied"])
async def test_who_began_no_login_here_cannot_end_one(world: World, query: str) -> None:
    answer = await world.come_back(query)
    assert answer.status_code == 401
    assert "begin again" in answer.text


async def test_a_login_that_takes_too_long_begins_again(world: World) -> None:
    query = world.provider.log_in(await world.begin())
    world.clock.advance(minutes=11)
    assert "took too long" in (await world.come_back(query)).text


async def test_a_refusal_of_the_provider_is_told(world: World) -> None:
    query = world.provider.log_in(await world.begin()).partition("&")[2]
    answer = await world.come_back(f"{query}&error=access_denied<script>")
    assert answer.status_code == 401
    assert "access_denied&lt;script&gt;" in answer.text
