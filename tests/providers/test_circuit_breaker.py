"""The breaker before the model: closed, open, half open; and the longest wait for an answer."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest

from patience import PATIENCE_S
from toldonce.errors import BreakerOpenError, ModelDownError, ModelError, ModelFault
from toldonce.providers.circuit_breaker import MAX_WAIT_S, BreakerState, CircuitBreaker, GuardedModel
from toldonce.providers.protocols import ModelAnswer
from toldonce.settings import Settings
from toldonce.testing import FakeClock, ScriptedModel

DOWN = ModelError("connection refused", fault=ModelFault.SERVER)
LATE = ModelError("no answer within 30 s", fault=ModelFault.UNKNOWN)


@pytest.fixture
def breaker(clock: FakeClock) -> CircuitBreaker:
    return CircuitBreaker(clock, max_failures=3, first_wait_s=5, max_wait_s=60)


def fail(breaker: CircuitBreaker, times: int = 1, error: ModelError = DOWN) -> None:
    for _ in range(times):
        with pytest.raises(ModelError), breaker.passing():
            raise error


def passes(breaker: CircuitBreaker) -> bool:
    try:
        with breaker.passing():
            return True
    except BreakerOpenError:
        return False


def test_s12_failures_in_a_row_open_it_and_a_probe_that_succeeds_closes_it(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    fail(breaker, 2)
    assert passes(breaker), "two are no outage"
    fail(breaker, 3)
    assert breaker.status().state is BreakerState.OPEN
    with pytest.raises(BreakerOpenError) as refused:
        breaker.check()
    assert refused.value.until == clock.now() + timedelta(seconds=5)
    clock.advance(seconds=5)
    assert breaker.status().state is BreakerState.HALF_OPEN
    assert passes(breaker)
    status = breaker.status()
    assert (status.state, status.failures, status.opened, status.refused) == (BreakerState.CLOSED, 0, 1, 1)


def test_s12_each_failed_probe_opens_it_for_twice_as_long_up_to_a_bound(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    fail(breaker, 3)
    waits = []
    for _ in range(6):
        waits.append(breaker.status().retry_in_s)
        clock.advance(seconds=waits[-1])
        fail(breaker)
    assert waits == [5, 10, 20, 40, 60, 60]
    clock.advance(seconds=60)
    assert passes(breaker)
    fail(breaker, 3)
    assert breaker.status().retry_in_s == 5, "a new outage begins anew"


def test_s12_half_open_lets_one_of_many_threads_through(breaker: CircuitBreaker, clock: FakeClock) -> None:
    fail(breaker, 3)
    clock.advance(seconds=5)
    together = Barrier(8)
    entered = []

    def ask(number: int) -> bool:
        together.wait()
        try:
            with breaker.passing():
                entered.append(number)
                together.wait()  # all have been let in or turned away by now
                return True
        except BreakerOpenError:
            together.wait()
            return False

    with ThreadPoolExecutor(8) as pool:
        let_through = list(pool.map(ask, range(8)))
    assert sum(let_through) == 1
    assert len(entered) == 1
    assert breaker.status().state is BreakerState.CLOSED


async def test_s12_who_comes_during_the_probe_is_told_to_come_back_soon(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    fail(breaker, 3)
    clock.advance(seconds=5)
    answered = asyncio.Event()

    async def probe() -> None:
        with breaker.passing():
            await answered.wait()

    probing = asyncio.create_task(probe())
    await asyncio.sleep(0)
    with pytest.raises(BreakerOpenError) as refused:
        breaker.check()
    assert clock.now() < refused.value.until <= clock.now() + timedelta(seconds=10)
    answered.set()
    await probing
    breaker.check()


async def test_a_probe_that_is_cancelled_leaves_its_place_to_the_next(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    fail(breaker, 3)
    clock.advance(seconds=5)

    async def probe() -> None:
        with breaker.passing():
            await asyncio.Event().wait()

    probing = asyncio.create_task(probe())
    await asyncio.sleep(0)
    probing.cancel()
    await asyncio.gather(probing, return_exceptions=True)
    assert breaker.status().state is BreakerState.HALF_OPEN
    assert passes(breaker)


def test_what_is_the_requests_own_fault_is_a_sign_of_life(breaker: CircuitBreaker) -> None:
    for _ in range(10):
        fail(breaker, 2)
        fail(breaker, 1, ModelError("no JSON"))
    assert breaker.status().state is BreakerState.CLOSED


async def test_a_call_from_before_it_opened_says_nothing_of_now(breaker: CircuitBreaker) -> None:
    answered = asyncio.Event()

    async def old(error: ModelError | None) -> None:
        with breaker.passing():
            await answered.wait()
            if error:
                raise error

    asked = [asyncio.create_task(old(error)) for error in (None, LATE)]
    await asyncio.sleep(0)
    fail(breaker, 3)
    answered.set()
    await asyncio.gather(*asked, return_exceptions=True)
    status = breaker.status()
    assert (status.state, status.opened) == (BreakerState.OPEN, 1)


def test_the_clock_on_the_wall_may_be_set_back_while_it_is_open(breaker: CircuitBreaker, clock: FakeClock) -> None:
    fail(breaker, 3)
    clock.set(clock.now() - timedelta(days=365))
    clock.advance(seconds=5)
    assert passes(breaker)


# ---- the model behind it


class SilentModel(ScriptedModel):
    """Never answers."""

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        await asyncio.Event().wait()
        raise AssertionError("not reached")


async def ask(model: GuardedModel) -> Any:
    return (await model.answer(system="", user="?", schema={}, schema_name="s")).data


async def test_a3_a_model_that_hangs_is_cut_off_after_the_longest_wait(
    breaker: CircuitBreaker, clock: FakeClock
) -> None:
    model = GuardedModel(SilentModel([]), breaker, clock, timeout_s=0.01)
    for _ in range(2):
        with pytest.raises(ModelError, match=r"the model scripted gave no answer within 0.01 s") as late:
            await ask(model)
        assert late.value.fault is ModelFault.UNKNOWN
        assert not isinstance(late.value, ModelDownError), "it may be this request alone"
    with pytest.raises(ModelDownError):
        await ask(model)
    with pytest.raises(BreakerOpenError):
        await asyncio.wait_for(ask(model), PATIENCE_S)


def test_a3_the_longest_wait_is_thirty_seconds_unless_set() -> None:
    assert Settings().form_timeout_s == 30


async def test_s12_an_open_breaker_asks_no_model(breaker: CircuitBreaker, clock: FakeClock) -> None:
    scripted = ScriptedModel([DOWN, DOWN, DOWN, {"fine": True}])
    model = GuardedModel(scripted, breaker, clock, timeout_s=1)
    for _ in range(3):
        with pytest.raises(ModelDownError):
            await ask(model)
    for _ in range(20):
        with pytest.raises(BreakerOpenError):
            await ask(model)
    assert len(scripted.calls) == 3
    clock.advance(seconds=MAX_WAIT_S)
    assert await ask(model) == {"fine": True}
    assert model.name == "scripted"


async def test_who_failed_comes_behind_who_was_turned_away(breaker: CircuitBreaker, clock: FakeClock) -> None:
    """Else one request that the model cannot bear would be every probe, and nobody's memory would ever be formed."""
    fail(breaker, 2, LATE)
    model = GuardedModel(ScriptedModel([LATE]), breaker, clock, timeout_s=1)
    with pytest.raises(ModelDownError) as failed:
        await ask(model)
    with pytest.raises(BreakerOpenError) as refused:
        await ask(model)
    assert failed.value.until > refused.value.until
