"""API keys: made, looked up, limited in what they may be, revoked and erased with their user."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError, BadSubjectError, UnknownKeyError
from toldonce.testing import FakeClock
from toldonce.types import Access, Caller, KeyLimits, NewApiKey, Subject

ANA = NewApiKey(name="phone", access=Access.WRITE, user="ana", tenant="acme")
OPERATOR = NewApiKey(name="operator", access=Access.ADMIN, tenant=None)


@pytest.mark.near_only(reason="the server looks keys up itself")
async def test_a_key_is_found_by_its_secret_alone(engine: AsyncToldOnce) -> None:
    limits = KeyLimits(requests_per_minute=60, concurrent_requests=2, body_bytes=10_000)
    made, secret = await engine.keys.create(replace(ANA, limits=limits))
    other, _ = await engine.keys.create(OPERATOR)
    assert secret.startswith("rk_")
    assert len(secret) > 40
    assert await engine.keys.find(secret) == made == await engine.keys.get(made.id)
    assert (made.caller, made.limits) == (
        Caller(id=f"key:{made.id}", access=Access.WRITE, tenant="acme", user="ana"),
        limits,
    )
    for wrong in (secret[:-1], secret + "a", secret.upper(), made.id, "", "rk_\ud83d"):
        assert await engine.keys.find(wrong) is None
    assert await engine.keys.list() == sorted([made, other], key=lambda key: key.id)
    assert await engine.keys.list(tenant="acme") == [made]
    assert await engine.keys.list(tenant="") == []


@pytest.mark.near_only(reason="the server looks keys up itself")
async def test_a_revoked_key_stays_listed_and_is_not_valid(engine: AsyncToldOnce) -> None:
    made, secret = await engine.keys.create(ANA)
    now = engine.clock.now()
    assert made.is_valid(now)
    assert await engine.keys.is_any_valid()
    revoked = await engine.keys.revoke(made.id)
    assert not revoked.is_valid(now)
    assert await engine.keys.find(secret) == revoked
    assert await engine.keys.revoke(made.id) == revoked
    assert not await engine.keys.is_any_valid()
    with pytest.raises(UnknownKeyError, match="toldonce keys list"):
        await engine.keys.revoke("k_none")


@pytest.mark.near_only(reason="a server that has a key takes no request without one")
async def test_a_key_expires(engine: AsyncToldOnce) -> None:
    now = engine.clock.now()
    made, _ = await engine.keys.create(replace(ANA, expires_at=now + timedelta(days=1)))
    assert made.is_valid(now)
    assert not made.is_valid(now + timedelta(days=1))
    assert await engine.keys.is_any_valid()
    assert isinstance(engine.clock, FakeClock)
    engine.clock.advance(days=1)
    assert not await engine.keys.is_any_valid()
    lasting, _ = await engine.keys.create(ANA)
    assert await engine.keys.is_any_valid()
    await engine.keys.revoke(lasting.id)
    assert not await engine.keys.is_any_valid()
    with pytest.raises(BadRequestError, match="has passed"):
        await engine.keys.create(replace(ANA, expires_at=now))


REFUSED = [
    replace(ANA, name=""),
    replace(ANA, name="a" * 101),
    replace(ANA, name="a\x1b[31m"),
    replace(ANA, app="calendar"),
    replace(ANA, tenant=None),
    replace(ANA, access=Access.ADMIN),
    replace(ANA, limits=KeyLimits(requests_per_minute=0)),
    replace(ANA, limits=KeyLimits(body_bytes=2**31)),
]


@pytest.mark.parametrize("new", REFUSED, ids=repr)
async def test_a_key_that_makes_no_sense_is_refused(engine: AsyncToldOnce, new: NewApiKey) -> None:
    with pytest.raises(BadRequestError):
        await engine.keys.create(new)
    assert await engine.keys.list() == []


@pytest.mark.parametrize("new", [replace(ANA, user=""), replace(ANA, tenant="Acme"), replace(ANA, user="a\x00")])
async def test_a_key_is_bound_to_a_name_that_can_be(engine: AsyncToldOnce, new: NewApiKey) -> None:
    with pytest.raises(BadSubjectError):
        await engine.keys.create(new)


@pytest.mark.near_only(reason="a server makes its first key itself")
async def test_the_first_key_is_made_once(engine: AsyncToldOnce) -> None:
    made = await asyncio.gather(*(engine.keys.create_first() for _ in range(4)))
    [secret] = [secret for secret in made if secret is not None]
    key = await engine.keys.find(secret)
    assert key is not None
    assert key.caller.is_operator
    await engine.keys.revoke(key.id)
    assert await engine.keys.create_first() is None


@pytest.mark.near_only(reason="the server names the actor")
async def test_the_audit_log_says_who_did_what_and_no_secret(engine: AsyncToldOnce) -> None:
    made, secret = await engine.keys.create(ANA, actor="key:k_1")
    await engine.keys.revoke(made.id, actor="cli")
    await engine.keys.note_act("apps.purge", actor="key:k_1", target="42", count=3)
    entries = await engine.keys.audit()
    assert [(entry.actor, entry.action, entry.tenant, entry.target, entry.count) for entry in entries] == [
        ("key:k_1", "apps.purge", "", "42", 3),
        ("cli", "keys.revoke", "acme", made.id, 0),
        ("key:k_1", "keys.create", "acme", made.id, 0),
    ]
    assert await engine.keys.audit(tenant="acme") == entries[1:]
    assert await engine.keys.audit(before=entries[0].id, limit=1) == entries[1:2]
    assert secret not in str(entries)


@pytest.mark.near_only(reason="the server looks keys up itself")
async def test_the_last_use_is_noted(engine: AsyncToldOnce) -> None:
    made, secret = await engine.keys.create(ANA)
    assert made.last_used_at is None
    await engine.keys.note_use(secret)
    await engine.keys.create(OPERATOR)  # a write that comes after it
    assert (await engine.keys.get(made.id)).last_used_at == engine.clock.now()


@pytest.mark.near_only(reason="the server looks keys up itself")
async def test_erasing_a_user_erases_the_keys_bound_to_it(engine: AsyncToldOnce) -> None:
    _, secret = await engine.keys.create(ANA)
    other, _ = await engine.keys.create(replace(ANA, tenant=""))
    ana = Subject("user", "ana", "acme")
    await engine.add("I like tea.", user=ana)
    await engine.erasure.subject(ana)
    assert await engine.keys.find(secret) is None
    assert await engine.keys.list() == [other]
