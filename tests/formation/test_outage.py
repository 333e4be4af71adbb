"""A model or a database that fails: which work is deferred, tried again, skipped or parked."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, answer, slot, slots, tell, with_model
from soak import SOAK
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError, ModelFault, StoreFullError, StoreUnavailableError
from toldonce.formation.bisection import BY_RULES
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.circuit_breaker import BreakerState
from toldonce.providers.protocols import ModelAnswer
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, FormationResult, FormationStatus, Lease

USERS, OUTAGE_HOURS = (8, 6) if SOAK else (4, 2)
STORY = answer(slot("constraint/allergy:peanuts", "peanuts", "I'm allergic to peanuts"))


class Server:
    """A model's server that can be broken and mended."""

    def __init__(self, fault: ModelFault | None) -> None:
        self.fault = fault
        self.poison = ""
        self.model = ScriptedModel(self._say)

    def _say(self, system: str, user: str) -> object:
        if self.poison and self.poison in user:
            return ModelError("no answer in time", fault=ModelFault.UNKNOWN)
        return ModelError("it is broken", fault=self.fault) if self.fault else answer()


async def extractions(engine: AsyncToldOnce) -> list[FormationStatus]:
    return [status for status in await engine.admin.formations() if status.key.stage == "extract"]


def state(engine: AsyncToldOnce) -> BreakerState:
    return engine.admin.breaker.state


async def pass_minutes(engine: AsyncToldOnce, clock: FakeClock, minutes: int, *, step_s: float = 30) -> None:
    for _ in range(int(minutes * 60 / step_s)):
        clock.advance(seconds=step_s)
        await engine.form()


@pytest.mark.parametrize("fault", [ModelFault.SERVER, ModelFault.UNKNOWN])
async def test_s12_a_dead_model_parks_nothing_and_all_is_formed_on_its_return(
    parts: Components, clock: FakeClock, fault: ModelFault
) -> None:
    server = Server(fault)
    engine = with_model(parts, server.model)
    for number in range(USERS):
        await tell(engine, f"I live in town {number}.", who=f"user{number}")
    assert state(engine) is BreakerState.OPEN
    await pass_minutes(engine, clock, OUTAGE_HOURS * 60, step_s=60)
    waiting = await extractions(engine)
    assert len(waiting) == USERS
    assert [status.parked for status in waiting] == [False] * USERS
    assert max(status.attempts for status in waiting) <= 2, "an outage costs no tries"
    most = 3 + USERS + OUTAGE_HOURS * 6 + USERS
    assert len(server.model.calls) < most, "a probe each ten minutes, not a call each minute for each user"
    assert len(await engine.conversations.list(user="user3")) == 1, "what is said is kept meanwhile"
    server.fault = None
    await pass_minutes(engine, clock, 15)
    assert [status.due_at for status in await extractions(engine)] == [None] * USERS
    assert state(engine) is BreakerState.CLOSED
    assert engine.admin.worker_counters.parked == 0


async def test_s12_rules_read_a_request_that_breaks_the_model_and_none_waits(
    parts: Components, clock: FakeClock
) -> None:
    server = Server(None)
    server.poison = "Rome"
    engine = with_model(parts, server.model)
    await tell(engine, "I live in Rome.", who="ben")
    for number in range(60 if SOAK else 15):
        await tell(engine, f"I live in town {number}.", who=f"user{number}")
        await pass_minutes(engine, clock, 2)
        late = [status for status in await extractions(engine) if status.due_at and status.key.subject.name != "ben"]
        assert late == []
    assert await slots(engine, "ben") == {"location": "Rome"}
    [why] = [line.reason for line in await engine.history.decisions(user="ben") if line.action is Action.IGNORE]
    assert why == f"{BY_RULES}: no answer in time"
    assert await engine.admin.formations(parked=True) == []


async def test_s12_alone_with_a_failing_request_newcomers_are_formed_all_the_same(
    parts: Components, clock: FakeClock
) -> None:
    server = Server(None)
    server.poison = "Rome"
    engine = with_model(parts, server.model)
    await tell(engine, "I live in Rome.", who="ben")
    await pass_minutes(engine, clock, 120)
    assert state(engine) is not BreakerState.CLOSED, "nobody else asked: it looks like an outage"
    await tell(engine, "I live in Oslo.", who="ana")
    await pass_minutes(engine, clock, 15)
    assert [status.due_at for status in await extractions(engine) if status.key.subject.name == "ana"] == [None]


async def test_an_embedding_server_that_is_down_parks_nothing_either(
    parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = AsyncToldOnce(parts)
    embed, down = parts.embedder.embed, True

    async def fails(texts: list[str]) -> Any:
        if down:
            raise ModelError("cannot be reached", fault=ModelFault.SERVER)
        return await embed(texts)

    monkeypatch.setattr(parts.embedder, "embed", fails)
    await tell(engine, PEANUTS_AND_OSLO)
    await pass_minutes(engine, clock, 60, step_s=150)
    assert [(status.parked, status.attempts) for status in await engine.admin.formations()] == [(False, 0)] * 2
    down = False
    await pass_minutes(engine, clock, 1)
    assert (await slots(engine))["location"] == "Oslo"


# ---- A3: creation in a profile that passes over what fails


@pytest.fixture
def skipping(parts: Components, tmp_path: Path) -> Components:
    (tmp_path / "skipping.toml").write_text('description = "x"\n[form]\non_error = "skip"\n', "utf-8")
    settings = parts.settings.model_copy(update={"profile": "skipping", "form_timeout_s": 0.05})
    return replace(parts, settings=settings, profiles=ProfileRegistry(tmp_path))


async def passed_over(engine: AsyncToldOnce) -> list[str]:
    found = [line for line in await engine.history.decisions(user="ana") if line.action is Action.IGNORE]
    assert [line.conversation is not None for line in found] == [True] * len(found)
    return [line.reason for line in found]


def test_a3_an_apps_creation_is_skipped_and_others_are_tried_again() -> None:
    profiles = ProfileRegistry()
    assert {name: profiles.get(name).form.on_error for name in profiles.names()} == {
        name: "skip" if name == "app" else "retry" for name in profiles.names()
    }


async def test_a3_a_creation_whose_model_fails_is_logged_and_skipped(
    skipping: Components, caplog: pytest.LogCaptureFixture
) -> None:
    engine = with_model(skipping, ScriptedModel([ModelError("overloaded"), STORY]))
    await tell(engine, "I live in Rome.")
    assert await passed_over(engine) == ["not formed: overloaded"]
    assert "formation skipped" in caplog.messages
    [status] = await extractions(engine)
    assert (status.formed_seq, status.due_at, status.parked) == (1, None, False)
    await engine.record([{"role": "user", "content": PEANUTS_AND_OSLO}], user="ana", conversation="next")
    await engine.form()
    assert await slots(engine) == {"allergy:peanuts": "peanuts"}
    assert (engine.admin.worker_counters.skipped, engine.admin.worker_counters.failed) == (1, 0)


class SilentModel(ScriptedModel):
    """Never answers."""

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        await asyncio.Event().wait()
        raise AssertionError("not reached")


async def test_a3_a_creation_whose_model_hangs_is_skipped_after_the_longest_wait(skipping: Components) -> None:
    engine = with_model(skipping, SilentModel([]))
    await asyncio.wait_for(tell(engine, "I live in Rome."), PATIENCE_S)
    assert await passed_over(engine) == ["not formed: the model scripted gave no answer within 0.05 s"]


async def test_a3_an_open_breaker_puts_a_creation_off_and_skips_nothing(skipping: Components, clock: FakeClock) -> None:
    server = Server(ModelFault.SERVER)
    engine = with_model(skipping, server.model)
    for number in range(5):
        await engine.record([{"role": "user", "content": f"I live in {number}."}], user="ana", conversation=f"{number}")
        await engine.form()
    assert len(await passed_over(engine)) == 3, "those that were asked"
    server.fault = None
    await pass_minutes(engine, clock, 5)
    assert [status.due_at for status in await extractions(engine)] == [None] * 5
    assert len(await passed_over(engine)) == 3


class Flaky:
    """A store's commit that fails so many times."""

    def __init__(self, parts: Components, error: Exception, times: int) -> None:
        self.left = times
        self.calls = 0
        self._error = error
        self._commit = parts.store.formations.commit

    async def commit(self, lease: Lease, result: FormationResult, **more: Any) -> int:
        if lease.key.stage != "extract":
            return await self._commit(lease, result, **more)
        self.calls += 1
        if self.left:
            self.left -= 1
            raise self._error
        return await self._commit(lease, result, **more)


ERRORS = [StoreUnavailableError("locked"), StoreFullError("no room")]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("skips", [True, False])
async def test_a3_a_database_error_is_tried_once_more_at_once(
    parts: Components, skipping: Components, monkeypatch: pytest.MonkeyPatch, error: Exception, skips: bool
) -> None:
    model = ScriptedModel([STORY])
    engine = with_model(skipping if skips else parts, model)
    flaky = Flaky(parts, error, 1)
    monkeypatch.setattr(parts.store.formations, "commit", flaky.commit)
    await tell(engine, PEANUTS_AND_OSLO)
    assert await slots(engine) == {"allergy:peanuts": "peanuts"}
    assert (flaky.calls, len(model.calls)) == (2, 1), "the model is not asked again"


@pytest.mark.parametrize("error", ERRORS)
async def test_a3_a_creation_that_the_database_refuses_twice_is_skipped(
    skipping: Components, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    engine = with_model(skipping, ScriptedModel([STORY]))
    flaky = Flaky(skipping, error, 2)
    monkeypatch.setattr(skipping.store.formations, "commit", flaky.commit)
    await tell(engine, PEANUTS_AND_OSLO)
    assert await slots(engine) == {}
    assert await passed_over(engine) == [f"not formed: {error}"]
    assert flaky.calls == 3


async def test_a3_work_waits_for_the_database_if_even_its_skip_cannot_be_written(
    skipping: Components, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    engine = with_model(skipping, ScriptedModel([STORY, STORY]))
    flaky = Flaky(skipping, StoreUnavailableError("locked"), 3)
    monkeypatch.setattr(skipping.store.formations, "commit", flaky.commit)
    with pytest.raises(StoreUnavailableError):
        await tell(engine, PEANUTS_AND_OSLO)
    clock.advance(minutes=1)
    await engine.form()
    assert await slots(engine) == {"allergy:peanuts": "peanuts"}


async def test_other_profiles_try_again_and_skip_nothing(
    parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = with_model(parts, ScriptedModel([STORY, STORY]))
    flaky = Flaky(parts, StoreFullError("no room"), 2)
    monkeypatch.setattr(parts.store.formations, "commit", flaky.commit)
    await tell(engine, PEANUTS_AND_OSLO)
    [status] = await extractions(engine)
    assert (status.attempts, status.error, engine.admin.worker_counters.skipped) == (1, "no room", 0)
    clock.advance(minutes=1)
    await engine.form()
    assert await slots(engine) == {"allergy:peanuts": "peanuts"}
