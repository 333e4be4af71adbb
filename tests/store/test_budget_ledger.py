"""What memory work costs a subject: booked before it is spent, settled, refilled, refused, reported."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import ANA, BEN, turn
from soak import SOAK
from sqlite_image import copy_or_migrate
from toldonce.errors import BudgetSpentError
from toldonce.ids import new_id
from toldonce.profiles.policies import BudgetPolicy
from toldonce.store.factory import open_store
from toldonce.store.sql import budgets
from toldonce.store.sql.budgets import MAX_WAIT, level_of
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import Cost, CostPurpose, EnergyStatus, Reservation, Turn

RATION = BudgetPolicy(capacity=100, refill_per_day=240, create=12, compact=25, critical=0.2)
FREE = BudgetPolicy()


def booking(
    clock: FakeClock, purpose: CostPurpose = CostPurpose.CREATE, *, units: float = 12, tokens: int = 0
) -> Reservation:
    return Reservation(id=new_id(clock), purpose=purpose, units=units, tokens=tokens, at=clock.now())


def counted(question: str) -> Turn:
    return replace(turn(question, "Noted."), charges=((ANA, 240),))


async def spend(store: Store, clock: FakeClock, policy: BudgetPolicy, *, units: float = 12, tokens: int = 0) -> str:
    booked = booking(clock, units=units, tokens=tokens)
    await store.budgets.reserve(ANA, booked, policy)
    return booked.id


async def look(store: Store, clock: FakeClock, policy: BudgetPolicy = RATION) -> EnergyStatus:
    return await store.budgets.status(ANA, policy, now=clock.now())


async def drain(store: Store, clock: FakeClock, policy: BudgetPolicy, *, units: float = 12) -> int:
    """Spend until there is no more; return how often it went."""
    for number in range(1000):
        try:
            await spend(store, clock, policy, units=units)
        except BudgetSpentError:
            return number
    raise AssertionError("nothing is rationed")


async def test_a8_a_new_budget_has_nothing_spent(store: Store, clock: FakeClock) -> None:
    status = await look(store, clock)
    assert (status.level, status.capacity, status.critical) == (100, 100, 20)
    assert (status.today, status.share, status.unsettled, status.waiting) == ({}, 0, 0, None)


async def test_a8_what_is_booked_is_spent_until_it_is_settled(store: Store, clock: FakeClock) -> None:
    booked = await spend(store, clock, RATION, tokens=900)
    status = await look(store, clock)
    assert (status.level, status.tokens_today, status.unsettled) == (88, 900, 1)
    await store.budgets.settle(ANA, booked, tokens=640)
    status = await look(store, clock)
    assert (status.level, status.tokens_today, status.unsettled) == (88, 640, 0)
    assert status.today == {CostPurpose.CREATE: Cost(calls=1, units=12, tokens=640)}


async def test_a_booking_is_settled_once_and_by_its_own_subject(store: Store, clock: FakeClock) -> None:
    booked = await spend(store, clock, RATION, tokens=900)
    await store.budgets.settle(BEN, booked, tokens=1)
    await store.budgets.settle(ANA, "no id", tokens=1)
    assert (await look(store, clock)).tokens_today == 900
    for tokens in (640, 1, None):
        await store.budgets.settle(ANA, booked, tokens=tokens)
    assert (await look(store, clock)).tokens_today == 640


async def test_unused_units_are_given_back(store: Store, clock: FakeClock) -> None:
    booked = await spend(store, clock, RATION, tokens=900)
    await store.budgets.settle(ANA, booked, tokens=None)
    status = await look(store, clock)
    assert (status.level, status.tokens_today, status.today, status.total) == (100, 0, {}, Cost())


async def test_a8_work_runs_above_the_critical_level_and_waits_below_until_the_refill(
    store: Store, clock: FakeClock
) -> None:
    assert await drain(store, clock, RATION) == 7, "100 - 7 x 12 = 16 is below 20"
    with pytest.raises(BudgetSpentError, match="energy is at 16 of 100 units, work runs from 20 on") as refused:
        await spend(store, clock, RATION)
    until = refused.value.until
    assert timedelta(minutes=23) < until - clock.now() < timedelta(minutes=25), "4 units at 10 an hour"
    status = await look(store, clock)
    assert (status.waits_until, status.waiting is not None) == (until, True)
    clock.advance(minutes=23)
    with pytest.raises(BudgetSpentError):
        await spend(store, clock, RATION)
    clock.set(until)
    await spend(store, clock, RATION)


async def test_a8_the_refill_ends_at_the_capacity(store: Store, clock: FakeClock) -> None:
    await spend(store, clock, RATION)
    clock.advance(hours=1)
    assert (await look(store, clock)).level == pytest.approx(98)
    clock.advance(days=300)
    assert (await look(store, clock)).level == 100
    assert await drain(store, clock, RATION) == 7


async def test_a8_work_that_costs_more_than_is_left_waits_even_if_not_critical(store: Store, clock: FakeClock) -> None:
    assert await drain(store, clock, RATION.model_copy(update={"critical": 0.0}), units=25) == 4
    clock.advance(hours=2)
    with pytest.raises(BudgetSpentError, match="work runs from 25 on"):
        await spend(store, clock, RATION, units=25)


async def test_the_next_look_is_at_most_an_hour_away(store: Store, clock: FakeClock) -> None:
    slow = RATION.model_copy(update={"refill_per_day": 0.1})
    await drain(store, clock, slow)
    for policy in (slow, RATION.model_copy(update={"refill_per_day": 0.0})):
        with pytest.raises(BudgetSpentError) as refused:
            await spend(store, clock, policy)
        assert refused.value.until == clock.now() + MAX_WAIT


async def test_a8_memory_work_stays_below_its_share_of_all_units(store: Store, clock: FakeClock) -> None:
    policy = BudgetPolicy(capacity=1000, create=12, turn=240, max_share=0.05)
    paid = 0
    for number in range(40):
        await store.conversations.record(counted(f"question {number}"))
        paid += await drain(store, clock, policy)
        assert (await look(store, clock, policy)).share < 0.05
    with pytest.raises(BudgetSpentError, match=r"memory work would be 5.1% of all units spent, it stays below 5.0%"):
        await spend(store, clock, policy)
    assert paid == 42, "9,600 units of turns bear 505 of memory work"


async def test_a_turn_that_brings_nothing_new_is_not_counted_twice(store: Store, clock: FakeClock) -> None:
    for _ in range(2):
        await store.conversations.record(counted("I like tea."))
    assert (await look(store, clock)).today == {CostPurpose.TURN: Cost(calls=1, units=240)}
    assert (await look(store, clock)).level == 100, "chat turns draw nothing from the capacity"


async def test_a8_the_share_forgets_what_is_older_than_thirty_days(store: Store, clock: FakeClock) -> None:
    policy = RATION.model_copy(update={"max_share": 0.5})
    await store.conversations.record(counted("I like tea."))
    clock.advance(days=29)
    await spend(store, clock, policy)
    assert (await look(store, clock, policy)).share == pytest.approx(12 / 252)
    clock.advance(days=1)
    assert (await look(store, clock, policy)).share == 1
    assert await drain(store, clock, policy) == 7, "without a turn there is nothing to take a share of"


async def test_the_tokens_of_a_day_have_a_cap_and_the_next_day_its_own(store: Store, clock: FakeClock) -> None:
    capped = BudgetPolicy(tokens_per_day=1000)
    clock.advance(hours=23, minutes=30)
    await spend(store, clock, capped, tokens=999)
    await spend(store, clock, capped, units=0, tokens=700)
    with pytest.raises(BudgetSpentError, match="1699 tokens were spent today, the cap is 1000") as refused:
        await spend(store, clock, capped, units=0)
    assert refused.value.until == clock.now() + timedelta(minutes=30)
    clock.set(refused.value.until)
    await spend(store, clock, capped, tokens=700)


async def test_work_that_belongs_to_paid_work_is_not_stopped_by_units(store: Store, clock: FakeClock) -> None:
    await drain(store, clock, RATION)
    await spend(store, clock, RATION, units=0, tokens=10)


async def test_without_a_budget_everything_is_booked_and_nothing_refused(store: Store, clock: FakeClock) -> None:
    for _ in range(50):
        await spend(store, clock, FREE, tokens=100)
    status = await look(store, clock, FREE)
    assert (status.tokens_today, status.level, status.waiting) == (5000, 0, None)
    assert (await look(store, clock)).level == 100, "another profile's capacity was not drawn from"


async def test_a8_each_poller_reads_what_was_spent_since_it_asked_before(store: Store, clock: FakeClock) -> None:
    async def poll(name: str) -> tuple[bool, int, float, int]:
        since = (await store.budgets.status(ANA, RATION, now=clock.now(), poller=name)).since_poll
        assert since is not None
        return since.since is None, since.spent.calls, since.spent.units, since.spent.tokens

    assert (await look(store, clock)).since_poll is None
    await store.budgets.settle(ANA, await spend(store, clock, RATION, tokens=900), tokens=640)
    assert await poll("grafana") == (True, 1, 12, 640)
    assert await poll("grafana") == (False, 0, 0, 0)
    clock.advance(days=40)
    await spend(store, clock, RATION, units=25, tokens=100)
    assert await poll("grafana") == (False, 1, 25, 100)
    assert await poll("billing") == (True, 2, 37, 740), "months later, days are gone and totals stay"


async def test_subjects_have_budgets_of_their_own(store: Store, clock: FakeClock) -> None:
    await drain(store, clock, RATION)
    await store.budgets.reserve(BEN, booking(clock), RATION)
    assert (await store.budgets.status(BEN, RATION, now=clock.now())).level == 88


async def test_a_clock_that_was_set_back_refills_nothing_and_stops_nothing(store: Store, clock: FakeClock) -> None:
    await spend(store, clock, RATION)
    clock.set(clock.now() - timedelta(days=365))
    assert (await look(store, clock)).level == 88
    await spend(store, clock, RATION)
    clock.advance(hours=1)
    assert (await look(store, clock)).level == pytest.approx(86)


async def test_a8_only_one_of_two_processes_gets_the_last_units(url: str, clock: FakeClock) -> None:
    stores = [await open_store(url, clock=clock) for _ in range(2)]
    try:
        asked = [store.budgets.reserve(ANA, booking(clock), RATION) for store in stores for _ in range(20)]
        done = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(outcome) for outcome in done if outcome is not None] == [BudgetSpentError] * 33
        assert (await look(stores[0], clock)).level == 16
    finally:
        for store in stores:
            await store.close()


async def test_bookings_survive_the_process(url: str, clock: FakeClock) -> None:
    first = await open_store(url, clock=clock)
    await spend(first, clock, RATION, tokens=900)
    await first.close()
    second = await open_store(url, clock=clock)
    status = await look(second, clock)
    assert (status.level, status.tokens_today, status.unsettled) == (88, 900, 1)
    await second.close()


_STEP = st.one_of(
    st.tuples(st.just("book"), st.sampled_from([0.0, 12.0, 25.0]), st.integers(0, 400)),
    st.tuples(st.just("settle"), st.integers(0, 5), st.one_of(st.none(), st.integers(0, 400))),
    st.tuples(st.just("wait"), st.integers(0, 40), st.just(0)),
)


@given(steps=st.lists(_STEP, max_size=60 if SOAK else 40), critical=st.sampled_from([0.0, 0.2, 0.9]))
def test_a8_what_is_spent_and_booked_never_exceeds_the_cap_and_one_call(
    steps: list[tuple[str, float, int | None]], critical: float
) -> None:
    """In units never more than was there; in tokens, which are known afterwards, the cap and one call (of 400)."""
    policy = BudgetPolicy(capacity=100, refill_per_day=60, critical=critical, tokens_per_day=1000)
    clock, db, open_calls = FakeClock(), apsw.Connection(":memory:"), list[Reservation]()
    copy_or_migrate(db)
    poured, drawn = 100.0, 0.0
    for what, amount, tokens in steps:
        if what == "wait":
            clock.advance(hours=amount)
            poured += 60 * amount / 24
        elif what == "settle" and open_calls:
            call = open_calls.pop(int(amount) % len(open_calls))
            used = None if tokens is None else min(tokens, call.tokens)
            budgets.settle(db, ANA, call.id, tokens=used)
            drawn -= call.units if used is None else 0
        elif what == "book":
            call = booking(clock, units=amount, tokens=tokens or 0)
            try:
                budgets.reserve(db, ANA, call, policy)
            except BudgetSpentError:
                continue
            open_calls.append(call)
            drawn += amount
        status = budgets.status(db, ANA, policy, clock.now(), poller=None)
        assert drawn <= poured + 1e-6
        assert 0 <= status.level <= 100
        assert status.tokens_today <= 1000 + 400
        assert status.unsettled <= len(open_calls), "those of months ago are forgotten"
    db.close()


def test_a_level_is_never_negative_when_a_capacity_is_made_smaller() -> None:
    assert level_of(500, RATION) == 0
