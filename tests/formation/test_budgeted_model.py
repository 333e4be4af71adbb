"""Formation on a budget: booked before a model is asked, put off when it is spent, and on again by itself."""

import asyncio
import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from forked_processes import run_python
from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, answer, assistant, slot, tell
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import (
    BadProfileError,
    BadRequestError,
    BreakerOpenError,
    BudgetSpentError,
    ModelError,
    ModelFault,
)
from toldonce.formation.budgeted_model import BudgetedModel, with_budget
from toldonce.formation.runtime import Runtime
from toldonce.ids import new_id
from toldonce.profiles.policies import BudgetPolicy
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.circuit_breaker import CircuitBreaker, GuardedModel
from toldonce.providers.protocols import ModelAnswer
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Cost, CostPurpose, FormationStatus, Reservation, Subject

ANA = Subject("user", "ana")
TESTS = Path(__file__).parent.parent
STORY = answer(slot("constraint/allergy:peanuts", "peanuts", "I'm allergic to peanuts"))
RATIONED = """
description = "Ten creations, then some rest."
[budget]
capacity = 100
refill_per_day = 240
create = 12
compact = 25
turn = 240
critical = 0.2
"""


@pytest.fixture
def rations(parts: Components, tmp_path: Path) -> Components:
    """Parts whose profile rations memory work."""
    (tmp_path / "rationed.toml").write_text(RATIONED, "utf-8")
    (tmp_path / "capped.toml").write_text('description = "c"\n[budget]\ntokens_per_day = 50\n', "utf-8")
    settings = parts.settings.model_copy(update={"profile": "rationed"})
    return replace(parts, settings=settings, profiles=ProfileRegistry(tmp_path))


def by_model(parts: Components, *answers: object, profile: str = "rationed") -> AsyncToldOnce:
    settings = parts.settings.model_copy(update={"profile": profile})
    return AsyncToldOnce(replace(parts, model=ScriptedModel(answers), settings=settings))


async def extractions(engine: AsyncToldOnce) -> list[FormationStatus]:
    return [status for status in await engine.admin.formations() if status.key.stage == "extract"]


async def tell_of(engine: AsyncToldOnce, number: int) -> None:
    """Say something to remember in a conversation of its own."""
    said = [{"role": "user", "content": f"I live in town {number}."}, assistant("Noted.")]
    await engine.record(said, user="ana", conversation=f"c{number}")
    await engine.form()


async def test_a8_a_creation_by_a_model_costs_its_units_once_and_the_tokens_it_used(rations: Components) -> None:
    engine = by_model(rations, STORY)
    await tell(engine, PEANUTS_AND_OSLO, assistant("Noted."))
    status = await engine.admin.energy(user="ana")
    spent = status.today[CostPurpose.CREATE]
    assert (status.level, spent.calls, spent.units) == (88, 1, 12)
    assert 0 < spent.tokens < 1000, "the server's count, not what was booked"
    assert status.today[CostPurpose.TURN] == Cost(calls=1, units=240)
    assert status.share == pytest.approx(12 / 252)
    assert (status.unsettled, status.waiting) == (0, None)


async def test_a8_small_talk_costs_no_memory_work(rations: Components) -> None:
    engine = by_model(rations)
    await tell(engine, "Hello!", assistant("Hello to you."))
    status = await engine.admin.energy(user="ana")
    assert (status.level, list(status.today)) == (100, [CostPurpose.TURN])


async def test_a8_a_creation_by_rules_costs_units_and_no_token(rations: Components) -> None:
    engine = AsyncToldOnce(rations)
    await tell(engine, PEANUTS_AND_OSLO, assistant("Noted."))
    status = await engine.admin.energy(user="ana")
    assert status.today[CostPurpose.CREATE] == Cost(calls=1, units=12, tokens=0)


async def test_other_profiles_turns_book_nothing(parts: Components, engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO, assistant("Noted."))
    status = await engine.admin.energy(user="ana")
    assert (status.today, status.total) == ({}, Cost())


@pytest.mark.parametrize("model", [True, False])
async def test_a8_below_the_critical_level_work_waits_uncounted_and_goes_on_by_itself(
    rations: Components, clock: FakeClock, model: bool
) -> None:
    engine = by_model(rations, *[STORY] * 20) if model else AsyncToldOnce(rations)
    for number in range(9):
        await tell_of(engine, number)
    waiting = [status for status in await extractions(engine) if status.due_at is not None]
    assert len(waiting) == 2
    for status in waiting:
        assert (status.parked, status.attempts, status.formed_seq) == (False, 0, 0)
        assert "energy is at 16 of 100 units" in str(status.error)
        assert status.due_at is not None
        assert clock.now() < status.due_at <= clock.now() + timedelta(hours=1)
    assert engine.admin.worker_counters.deferred == 2
    await engine.form()
    assert engine.admin.worker_counters.deferred == 2, "nothing is tried before its time"
    for _ in range(40):
        clock.advance(minutes=10)
        await engine.form()
    assert [status.due_at for status in await extractions(engine)] == [None] * 9
    assert engine.admin.worker_counters.parked == 0
    assert (await engine.admin.energy(user="ana")).total.units == 9 * 12


async def test_a8_a_normal_conversation_of_an_app_stays_within_its_share() -> None:
    budget = ProfileRegistry().get("app").budget
    assert 10 <= budget.create <= 15
    assert 20 <= budget.compact <= 30
    assert (budget.critical, budget.max_share) == (0.2, 0.05)
    assert budget.create / (budget.create + budget.turn) < 0.05, "one turn bears a creation"
    both = budget.create + budget.compact
    assert both / (both + 3 * budget.turn) < 0.05, "three bear a creation and a compaction"
    assert both < budget.capacity * (1 - budget.critical)


async def test_the_cap_of_tokens_stops_asking_until_tomorrow(rations: Components, clock: FakeClock) -> None:
    engine = by_model(rations, STORY, STORY, profile="capped")
    await tell_of(engine, 1)
    await tell_of(engine, 2)
    [waiting] = [status for status in await extractions(engine) if status.due_at is not None]
    assert "the cap is 50" in str(waiting.error)
    clock.advance(days=1)
    await engine.form()
    assert [status.due_at for status in await extractions(engine)] == [None, None]


async def test_a8_a_capacity_that_cannot_hold_what_work_costs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text('description = "x"\n[budget]\ncapacity = 20\n', "utf-8")
    with pytest.raises(BadProfileError, match="capacity is 20 and work costs up to 25: it could never run"):
        ProfileRegistry(tmp_path)


@pytest.mark.process
async def test_a8_a_booking_stays_spent_when_the_process_dies_before_settling_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kept.sqlite3'}"
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"}
    script = str(Path(__file__).parent / "budget_process.py")
    done = await asyncio.to_thread(run_python, script, url, env=environment, timeout=PATIENCE_S)
    assert done.returncode == -signal.SIGKILL, done.stderr
    store = await open_store(url, clock=SystemClock())
    status = await store.budgets.status(ANA, BudgetPolicy(), now=SystemClock().now())
    await store.close()
    assert (status.unsettled, status.total.calls, status.total.units) == (1, 1, 12)
    assert status.total.tokens > 0


@pytest.mark.parametrize("name", ["", "x" * 101])
async def test_a_pollers_name_is_no_document(engine: AsyncToldOnce, name: str) -> None:
    with pytest.raises(BadRequestError, match=f"name has {len(name)} characters, it takes 1 to 100"):
        await engine.admin.energy(poller=name)


# ---- the model of one piece of work


@pytest.fixture
async def runtime(rations: Components) -> Runtime:
    return Runtime(
        store=rations.store,
        embedder=rations.embedder,
        model=None,
        clock=rations.clock,
        zone=ZoneInfo("UTC"),
        profiles=rations.profiles,
    )


def spending(
    runtime: Runtime, model: Any, purpose: CostPurpose = CostPurpose.CREATE, profile: str = "rationed"
) -> BudgetedModel:
    found = with_budget(replace(runtime, model=model), purpose, ANA, runtime.profiles.get(profile))
    assert found is not None
    return found


async def ask(model: BudgetedModel) -> Any:
    return (await model.answer(system="s", user="u", schema={}, schema_name="n")).data


async def energy(runtime: Runtime) -> dict[CostPurpose, tuple[int, float]]:
    budget = runtime.profiles.get("rationed").budget
    today = (await runtime.store.budgets.status(ANA, budget, now=runtime.clock.now())).today
    return {purpose: (spent.calls, spent.units) for purpose, spent in today.items()}


async def test_without_a_model_there_is_none_to_ration(runtime: Runtime) -> None:
    assert with_budget(runtime, CostPurpose.COMPACT, ANA, runtime.profiles.get("rationed")) is None


async def test_a8_each_purpose_has_its_price_and_more_calls_for_it_cost_tokens_alone(runtime: Runtime) -> None:
    create = spending(runtime, ScriptedModel([1, 2, 3]))
    assert [await ask(create) for _ in range(2)] == [1, 2]
    compact = with_budget(replace(runtime, model=create), CostPurpose.COMPACT, ANA, runtime.profiles.get("rationed"))
    assert compact is not None
    assert await ask(compact) == 3
    assert await energy(runtime) == {CostPurpose.CREATE: (2, 12), CostPurpose.COMPACT: (1, 25)}
    assert compact.name == "scripted"


async def test_a_server_that_did_no_work_costs_nothing(runtime: Runtime) -> None:
    down = spending(runtime, ScriptedModel([ModelError("refused", fault=ModelFault.SERVER), 1]))
    with pytest.raises(ModelError):
        await ask(down)
    assert await energy(runtime) == {}
    await ask(down)
    assert await energy(runtime) == {CostPurpose.CREATE: (1, 12)}


@pytest.mark.parametrize("fault", [ModelFault.UNKNOWN, ModelFault.REQUEST])
async def test_an_answer_that_is_late_or_useless_was_paid_all_the_same(runtime: Runtime, fault: ModelFault) -> None:
    with pytest.raises(ModelError):
        await ask(spending(runtime, ScriptedModel([ModelError("?", fault=fault)])))
    assert await energy(runtime) == {CostPurpose.CREATE: (1, 12)}


async def test_an_open_breaker_costs_nothing(runtime: Runtime, clock: FakeClock) -> None:
    breaker = CircuitBreaker(clock, max_failures=1)
    scripted = ScriptedModel([ModelError("down", fault=ModelFault.SERVER)])
    guarded = GuardedModel(scripted, breaker, clock, timeout_s=1)
    with pytest.raises(ModelError):
        await ask(spending(runtime, guarded))
    with pytest.raises(BreakerOpenError):
        await ask(spending(runtime, guarded))
    assert await energy(runtime) == {}
    assert len(scripted.calls) == 1


async def test_a_spent_budget_takes_no_probe_from_the_breaker(runtime: Runtime, clock: FakeClock) -> None:
    guarded = GuardedModel(ScriptedModel([1]), CircuitBreaker(clock), clock, timeout_s=1)
    for number in range(4):
        booked = Reservation(id=new_id(clock), purpose=CostPurpose.CREATE, units=20, tokens=number, at=clock.now())
        await runtime.store.budgets.reserve(ANA, booked, runtime.profiles.get("rationed").budget)
    with pytest.raises(BudgetSpentError):
        await ask(spending(runtime, guarded, CostPurpose.COMPACT))
    assert guarded.breaker.status().refused == 0
    guarded.breaker.check()


class UncountingModel(ScriptedModel):
    """A server that says nothing of what a call cost."""

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        found = await super().answer(system=system, user=user, schema=schema, schema_name=schema_name)
        return replace(found, usage=None)


async def test_tokens_are_counted_where_the_server_does_not(runtime: Runtime) -> None:
    model = spending(runtime, UncountingModel(["one two three four five six seven eight nine ten"]))
    await model.answer(system="be brief", user="count", schema={}, schema_name="n")
    budget = runtime.profiles.get("rationed").budget
    assert 10 < (await runtime.store.budgets.status(ANA, budget, now=runtime.clock.now())).tokens_today < 60
