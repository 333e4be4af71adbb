"""Sessions of the dashboard: what begins, proves and ends one."""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from keyed_server import KEYS
from toldonce.engine import AsyncToldOnce
from toldonce.server.auth.sessions import (
    SESSION_S,
    Session,
    Sessions,
    form_token,
    guest_cookie,
    session_cookie,
    set_cookie,
)
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import ApiKey

SECRET = b"s" * 32
pytestmark = pytest.mark.near_only(reason="the server signs its sessions itself")


def opened(engine: AsyncToldOnce, secret: bytes = SECRET) -> Sessions:
    return Sessions(engine.keys, engine.clock, lambda: secret)


@pytest.fixture
async def key(engine: AsyncToldOnce) -> ApiKey:
    return (await engine.keys.create(KEYS["ana"]))[0]


@pytest.fixture
def sessions(engine: AsyncToldOnce) -> Sessions:
    return opened(engine)


@pytest.fixture
async def other(clock: FakeClock, tmp_path: Path) -> AsyncIterator[AsyncToldOnce]:
    async with await AsyncToldOnce.open(str(tmp_path / "other.db"), embedder=WordEmbedder(64), clock=clock) as opened:
        yield opened


async def test_a_session_is_known_to_every_server_of_the_database(
    engine: AsyncToldOnce, sessions: Sessions, key: ApiKey
) -> None:
    cookie = await sessions.begin(key)
    assert await opened(engine).find(cookie) == Session(key.caller, key)


async def test_two_sessions_of_a_key_differ(sessions: Sessions, key: ApiKey) -> None:
    assert await sessions.begin(key) != await sessions.begin(key)


async def test_a_session_ends_by_its_time(engine: AsyncToldOnce, sessions: Sessions, key: ApiKey) -> None:
    cookie = await sessions.begin(key)
    assert isinstance(engine.clock, FakeClock)
    engine.clock.advance(seconds=SESSION_S - 1)
    assert await sessions.find(cookie) is not None
    engine.clock.advance(seconds=2)
    assert await sessions.find(cookie) is None


async def test_a_session_ends_with_its_key(engine: AsyncToldOnce, sessions: Sessions, key: ApiKey) -> None:
    cookie = await sessions.begin(key)
    await engine.keys.revoke(key.id)
    assert await sessions.find(cookie) is None


async def test_a_session_ends_when_its_key_expires(engine: AsyncToldOnce, sessions: Sessions) -> None:
    soon = engine.clock.now() + timedelta(minutes=5)
    short, _ = await engine.keys.create(replace(KEYS["ana"], expires_at=soon))
    cookie = await sessions.begin(short)
    assert isinstance(engine.clock, FakeClock)
    engine.clock.advance(minutes=6)
    assert await sessions.find(cookie) is None


async def test_who_logs_out_needs_to_log_in_again(sessions: Sessions, key: ApiKey) -> None:
    cookie, kept = await sessions.begin(key), await sessions.begin(key)
    sessions.end(cookie)
    assert await sessions.find(cookie) is None
    assert await sessions.find(kept) is not None


async def test_a_forged_session_is_none(engine: AsyncToldOnce, sessions: Sessions, key: ApiKey) -> None:
    operator, _ = await engine.keys.create(KEYS["operator"])
    id_, end, nonce, mac = (await sessions.begin(key)).split(".")
    first = "A" if mac[0] != "A" else "B"
    forged = [
        f"{operator.id}.{end}.{nonce}.{mac}",
        f"{id_}.{int(end) + 1}.{nonce}.{mac}",
        f"{id_}.{end}.{'A' * 24}.{mac}",
        f"{id_}.{end}.{nonce}.{first}{mac[1:]}",
        f"{id_}.{end}.{nonce}.-",
        f"k_{'0' * 12}.{end}.{nonce}.{mac}",
        f"guest.{end}.{nonce}.{mac}",
        guest_cookie(),
    ]
    for cookie in forged:
        assert await sessions.find(cookie) is None, cookie


async def test_a_copy_of_the_database_signs_no_session(engine: AsyncToldOnce, sessions: Sessions, key: ApiKey) -> None:
    """Neither under the hash of the key, which the database keeps, nor under a secret that another server made."""
    id_, end, nonce, _ = (await sessions.begin(key)).split(".")
    data = f"dashboard session {id_}.{end}.{nonce}".encode()
    by_hash = await engine.keys.sign(id_, data)

    for mac in (by_hash, hmac.digest(by_hash, data, "sha256"), hmac.digest(b"", by_hash, "sha256")):
        forged = f"{id_}.{end}.{nonce}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"
        assert session_cookie(((b"cookie", f"toldonce_session={forged}".encode()),)) == forged
        assert await sessions.find(forged) is None
    assert await sessions.find(await opened(engine, b"o" * 32).begin(key)) is None


async def test_a_session_with_the_same_secret_and_key_id_in_another_database_is_none(
    engine: AsyncToldOnce, sessions: Sessions, other: AsyncToldOnce
) -> None:
    """The first key of every database has the same id, and two servers of a user share the secret."""
    ours, theirs = await engine.keys.create_first(), await other.keys.create_first()
    assert ours is not None
    assert theirs is not None
    cookie = await opened(other).begin(await other.keys.get("k_first"))

    assert await sessions.find(cookie) is None


async def test_a_session_that_ends_later_than_any_does_is_none(
    engine: AsyncToldOnce, sessions: Sessions, key: ApiKey
) -> None:
    async def begun(ahead_s: float) -> str:
        clock = FakeClock(engine.clock.now() + timedelta(seconds=ahead_s))
        return await Sessions(engine.keys, clock, lambda: SECRET).begin(key)

    assert await sessions.find(await begun(30)) is not None  # another server's clock is a little ahead
    assert await sessions.find(await begun(120)) is None
    assert await sessions.find(await begun(10 * 365 * 86_400)) is None


async def test_a_session_of_another_database_is_none(sessions: Sessions, key: ApiKey, other: AsyncToldOnce) -> None:
    theirs, _ = await other.keys.create(KEYS["operator"])
    cookie = await opened(other).begin(theirs)
    assert await sessions.find(cookie) is None
    _, end, nonce, mac = cookie.split(".")
    assert await sessions.find(f"{key.id}.{end}.{nonce}.{mac}") is None


@pytest.mark.parametrize(
    "value",
    [
        "",
        "k_1",
        "k_1.9.short.mac",
        "toldonce",
        "k_1." + "9" * 40 + "." + "a" * 24 + "." + "b" * 43,
        "K_1.9." + "a" * 24 + "." + "b" * 43,
        "k_1.9." + "a" * 24 + "." + "b" * 44,
        "k_1.9." + "é" * 24 + "." + "b" * 43,
    ],
)
def test_a_cookie_of_another_form_is_ignored(value: str) -> None:
    assert session_cookie(((b"cookie", f"toldonce_session={value}".encode()),)) is None


def test_the_cookie_is_found_beside_others_and_in_no_huge_header() -> None:
    cookie = guest_cookie()
    others = f"a=b; toldonce_session={cookie}; theme=dark"
    assert session_cookie(((b"accept", b"text/html"), (b"cookie", others.encode()))) == cookie
    assert session_cookie(((b"cookie", f"a={'b' * 20_000}; toldonce_session={cookie}".encode()),)) is None


def test_browsers_keep_the_cookie_from_scripts_and_other_sites() -> None:
    header = set_cookie(guest_cookie(), secure=False).decode()
    assert "; HttpOnly" in header
    assert "; SameSite=Strict" in header
    assert "Secure" not in header
    assert "Domain" not in header
    assert set_cookie("", secure=True).decode().endswith("Max-Age=0; HttpOnly; SameSite=Strict; Secure")


def test_the_token_of_a_form_follows_from_its_session_and_does_not_tell_it() -> None:
    first, second = guest_cookie(), guest_cookie()
    assert form_token(first) == form_token(first) != form_token(second)
    assert first.split(".")[2] not in form_token(first)
