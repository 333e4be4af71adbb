"""Leases that a commit took ahead: handed out while they hold, given back where they are not used."""

from dataclasses import replace

import pytest

from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import StoreUnavailableError
from toldonce.ids import new_id
from toldonce.testing import FakeClock
from toldonce.types import ConversationId, Lease
from toldonce.worker.stage_leases import StageLeases


async def ahead(engine: AsyncToldOnce, leases: StageLeases, parts: Components) -> Lease:
    """Lease what is due, as if a commit had done it."""
    await engine.record([{"role": "user", "content": "I live in Oslo."}], user="ana")
    [key, *_] = await parts.store.formations.due(now=parts.clock.now(), limit=10)
    lease = await leases.take(key)
    assert lease is not None
    leases._ahead[key] = lease
    return lease


async def test_an_expired_lease_is_not_handed_out(engine: AsyncToldOnce, parts: Components, clock: FakeClock) -> None:
    leases = StageLeases(parts.store, clock, lease_s=60)
    lease = await ahead(engine, leases, parts)
    clock.advance(seconds=61)
    other = await StageLeases(parts.store, clock, lease_s=60).take(lease.key)
    assert other is not None
    assert await leases.take(lease.key) is None


async def test_a_lease_that_holds_is_handed_out_once(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    leases = StageLeases(parts.store, clock, lease_s=60)
    lease = await ahead(engine, leases, parts)
    assert await leases.take(lease.key) is lease
    assert await leases.take(lease.key) is None


async def test_a_failing_release_leaves_no_stage_to_follow(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    leases = StageLeases(parts.store, clock, lease_s=60)
    lease = await ahead(engine, leases, parts)

    async def refuse(*_: object, **__: object) -> None:
        raise StoreUnavailableError("closed")

    monkeypatch.setattr(parts.store.formations, "release", refuse)
    keys = [lease.key, *(replace(lease.key, conversation=ConversationId(new_id(clock))) for _ in range(2))]
    with pytest.raises(StoreUnavailableError):
        async with leases.in_order(keys):
            pass
    assert leases._following == {}
    assert leases._ahead == {}
