"""Keys are looked up in the database at most every few seconds, and not at all while it is down."""

from asyncio import gather, sleep
from dataclasses import replace
from datetime import timedelta

import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.engine.keys import KeyService
from toldonce.errors import StoreUnavailableError
from toldonce.server.auth.guard import KeyLimiter
from toldonce.server.auth.key_cache import FRESH_S, KeyCache
from toldonce.testing import FakeClock
from toldonce.types import Access, ApiKey, KeyLimits, NewApiKey

NEW = NewApiKey(name="phone", access=Access.READ, user="ana")


class Timer:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def timer() -> Timer:
    return Timer()


async def test_a_key_revoked_elsewhere_is_refused_after_some_seconds(engine: AsyncToldOnce, timer: Timer) -> None:
    cache = KeyCache(engine.keys, timer=timer)
    made, secret = await engine.keys.create(NEW)
    assert await cache.find(secret) == made
    revoked = await engine.keys.revoke(made.id)
    engine.keys.changes -= 1  # as if another process had done it
    assert await cache.find(secret) == made
    timer.now += FRESH_S
    found = await cache.find(secret)
    assert found is not None
    assert found.revoked_at == revoked.revoked_at
    assert await cache.find("rk_other") is None


async def test_a_key_revoked_here_is_refused_at_once(engine: AsyncToldOnce, timer: Timer) -> None:
    cache = KeyCache(engine.keys, timer=timer)
    made, secret = await engine.keys.create(NEW)
    assert await cache.find(secret) == made
    assert await engine.keys.revoke(made.id) == await cache.find(secret)


async def test_a_new_key_works_at_once(engine: AsyncToldOnce, timer: Timer) -> None:
    cache = KeyCache(engine.keys, timer=timer)
    assert await cache.was_any_made() is False
    made, secret = await engine.keys.create(NEW)
    assert await cache.find(secret) == made
    assert await cache.was_any_made() is True


async def test_a_key_made_elsewhere_closes_an_idle_server_at_the_first_request(
    engine: AsyncToldOnce, timer: Timer
) -> None:
    cache = KeyCache(engine.keys, timer=timer)
    assert await cache.was_any_made() is False
    await engine.keys.create(NEW)
    engine.keys.changes -= 1  # as if another process had done it
    assert await cache.was_any_made() is False, "as it was seconds ago"
    timer.now += 3600
    assert await gather(*(cache.was_any_made() for _ in range(5))) == [True] * 5


async def test_requests_do_not_wait_long_for_a_database_that_is_down(
    engine: AsyncToldOnce, timer: Timer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def hang(*_: object) -> bool:
        asked.append(timer.now)
        await sleep(60)
        return True

    cache = KeyCache(engine.keys, timer=timer)
    assert await cache.was_any_made() is False
    monkeypatch.setattr(KeyService, "was_any_made", hang)
    monkeypatch.setattr("toldonce.server.auth.key_cache._WAIT_S", 0.01)
    timer.now += 3600
    assert [await cache.was_any_made() for _ in range(3)] == [False] * 3
    assert asked == [3600]


@pytest.mark.parametrize("how", ["revoked", "expired", "erased"])
async def test_a_key_that_ends_does_not_open_the_server_again(
    engine: AsyncToldOnce, clock: FakeClock, how: str
) -> None:
    made, _ = await engine.keys.create(replace(NEW, expires_at=clock.now() + timedelta(days=1)))
    await engine.add("Ana likes tea.", user="ana")
    if how == "revoked":
        await engine.keys.revoke(made.id)
    elif how == "erased":
        await engine.erasure.subject("ana")
        assert await engine.keys.list() == []
    clock.advance(days=2)
    assert await engine.keys.is_any_valid() is False
    assert await KeyCache(engine.keys).was_any_made() is True


async def test_a_known_key_works_while_the_database_is_down(
    engine: AsyncToldOnce, timer: Timer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = KeyCache(engine.keys, timer=timer)
    made, secret = await engine.keys.create(NEW)
    await cache.find(secret)
    await cache.was_any_made()

    async def down(*_: object) -> ApiKey:
        raise StoreUnavailableError("down")

    monkeypatch.setattr(KeyService, "find", down)
    monkeypatch.setattr(KeyService, "was_any_made", down)
    timer.now += FRESH_S
    assert await cache.find(secret) == made
    assert await cache.was_any_made() is True
    with pytest.raises(StoreUnavailableError):
        await cache.find("rk_other")
    timer.now += 3600
    with pytest.raises(StoreUnavailableError):
        await cache.find(secret)


def limited(key: ApiKey, **limits: int) -> ApiKey:
    return replace(key, limits=KeyLimits(**limits))


async def test_requests_a_minute_are_refilled_steadily(engine: AsyncToldOnce, timer: Timer) -> None:
    made, _ = await engine.keys.create(NEW)
    key, limiter = limited(made, requests_per_minute=3), KeyLimiter(timer=timer)
    assert [limiter.begin(key) for _ in range(3)] == [0, 0, 0]
    assert limiter.begin(key) == pytest.approx(20)
    timer.now += 19
    assert limiter.begin(key) == pytest.approx(1)
    timer.now += 1
    assert limiter.begin(key) == 0
    timer.now += 600
    assert [limiter.begin(key) > 0 for _ in range(4)] == [False, False, False, True]
    assert limiter.begin(made) == 0


async def test_requests_at_the_same_time_are_limited(engine: AsyncToldOnce, timer: Timer) -> None:
    made, _ = await engine.keys.create(NEW)
    key, limiter = limited(made, concurrent_requests=2), KeyLimiter(timer=timer)
    assert [limiter.begin(key) > 0 for _ in range(3)] == [False, False, True]
    limiter.end(key)
    assert limiter.begin(key) == 0
