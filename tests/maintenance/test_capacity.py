"""A full subject: the eleventh memory starts a compaction, and each way in which it can fail ends well."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from own_profile import (
    Answering,
    decided,
    delete,
    edit,
    held,
    held_texts,
    numbered,
    tell_each,
    unexplained,
    with_profile,
)
from sample_chats import user
from stores import with_repository
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.scope import owned_subject
from toldonce.errors import BudgetSpentError, ModelError, StaleSubjectError, StoreUnavailableError
from toldonce.maintenance.capacity import session_of
from toldonce.testing import FakeClock
from toldonce.types import Action, MemoryState, Subject

FIVE = '[capacity]\nmax_memories = 5\npolicy = "lowest_value"'
TEN = '[capacity]\nmax_memories = 10\npolicy = "compact"\nmax_characters = 200'
SESSION = Subject("session", "ana/one")
APP = Subject("app", "ana/calendar")


async def full_app(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for text in numbered(10):
        clock.advance(minutes=1)
        await engine.add(text, user=APP, profile="app")


async def test_a2_the_eleventh_starts_a_compaction_and_the_named_one_goes(parts: Components, clock: FakeClock) -> None:
    model = Answering(delete(4))
    engine = AsyncToldOnce(replace(parts, model=model.model))
    await full_app(engine, clock)
    assert model.asked == 0
    added = await engine.add("My box 11 holds the fiddle.", user=APP, profile="app")
    assert model.asked == 1
    assert len(await held(engine, APP)) == 10
    [line] = await decided(engine, APP, Action.EVICT)
    assert (line.text, line.target_id) == (numbered(1, start=4)[0], added.id)
    assert line.reason == "the model chose it: it is the least useful"
    assert added.number == 11
    assert (await engine.list(user=APP))[0].text == "My box 11 holds the fiddle."


async def test_a2_an_edit_folds_the_new_memory_into_its_target_which_keeps_its_number(
    parts: Components, clock: FakeClock
) -> None:
    both = "My box 4 holds the anchor and the fiddle."
    model = Answering(edit(4, both))
    engine = AsyncToldOnce(replace(parts, model=model.model))
    await full_app(engine, clock)
    [target] = [memory for memory in await held(engine, APP) if memory.number == 4]
    clock.advance(days=1)
    kept = await engine.add("My box 4 holds the fiddle.", user=APP, profile="app")
    assert (kept.text, kept.number, kept.valid_from) == (both, 4, target.valid_from)
    assert kept.known_from == clock.now()
    assert len(await held(engine, APP)) == 10
    assert "My box 4 holds the fiddle." not in await held_texts(engine, APP), "the new row is dropped"
    assert [(line.memory_id, line.text) for line in await decided(engine, APP, Action.FOLD)] == [
        (kept.id, both),
        (kept.id, "My box 4 holds the fiddle."),
    ]
    assert await unexplained(engine, APP) == []
    found = await engine.search("fiddle", user=APP)
    assert found.items[0].memory.id == kept.id


async def test_a2_a_formation_folds_with_the_evidence_of_both(parts: Components, tmp_path: Path) -> None:
    both = "My box 2 holds the globe and the fiddle."
    engine = with_profile(parts, tmp_path, TEN, model=Answering(edit(2, both)).model)
    await tell_each(engine, *numbered(10), "My box 2 holds the fiddle.")
    [kept] = [memory for memory in await held(engine, "ana") if memory.text == both]
    assert [source.seq for source in kept.evidence] == [2, 11]
    assert len(await held(engine, "ana")) == 10
    assert await unexplained(engine, "ana") == []


async def test_a_batch_that_brings_many_asks_a_few_times_and_then_the_oldest_go(
    parts: Components, tmp_path: Path
) -> None:
    model = Answering(*(delete(10) for _ in range(3)))
    engine = with_profile(parts, tmp_path, TEN, model=model.model)
    await tell_each(engine, *numbered(10))
    await engine.record([user(text) for text in numbered(5, start=11)], user="ana", conversation="one")
    await engine.form()
    assert model.asked == 3
    assert len(await held(engine, "ana")) == 10
    reasons = [line.reason for line in await decided(engine, "ana", Action.EVICT)]
    assert [reason.split("; ")[-1] for reason in reasons[3:]] == ["a model is asked 3 times in one commit at most"] * 2


# ---- when compaction fails


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (ModelError("no answer within 30 s"), "the model failed"),
        (ModelError("the server said 500"), "the model failed"),
        (
            "nonsense",
            "the model's choice is invalid: the answer: Input should be a valid dictionary or instance of _Answer",
        ),
        (delete(99), "the model's choice is invalid: memory 99 was not shown"),
        (edit(1, ""), "the model's choice is invalid: the edit is empty"),
        (edit(1, "Kira sold box 11 and all her pearls."), "the model's choice is invalid: "),
    ],
)
async def test_a3_where_the_model_fails_or_decides_wrongly_the_oldest_goes(
    parts: Components, clock: FakeClock, verdict: object, why: str
) -> None:
    engine = AsyncToldOnce(replace(parts, model=Answering(verdict).model))
    await full_app(engine, clock)
    await engine.add("My box 11 holds the fiddle.", user=APP, profile="app")
    assert await held_texts(engine, APP) == [*numbered(9, start=2), "My box 11 holds the fiddle."]
    [line] = await decided(engine, APP, Action.EVICT)
    assert line.text == numbered(1)[0]
    assert line.reason.startswith(f"the oldest of 11; there is room for 10; {why}")


async def test_a3_a_formation_whose_compaction_fails_is_formed_all_the_same(parts: Components, tmp_path: Path) -> None:
    engine = with_profile(parts, tmp_path, TEN, model=Answering(ModelError("no answer within 30 s")).model)
    await tell_each(engine, *numbered(11))
    assert await held_texts(engine, "ana") == numbered(10, start=2)
    assert not [status for status in await engine.admin.formations() if status.error or status.due_at]


class Failing:
    """A repository of which some calls fail as a database does, before or after they took effect."""

    def __init__(self, repository: object, method: str, *, times: int, after: bool = False) -> None:
        """Let `method` fail so many times; reading no memory at all never does."""
        self._repository, self._method, self._after = repository, method, after
        self.left = times
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        found: Callable[..., Any] = getattr(self._repository, name)
        if name != self._method:
            return found

        async def failing(*values: Any, **named: Any) -> Any:
            self.calls += 1
            if self.left <= 0 or values[-1] == []:
                return await found(*values, **named)
            self.left -= 1
            if self._after:
                await found(*values, **named)
            raise StoreUnavailableError("the disk is out for lunch")

        return failing


def failing(parts: Components, operation: str, model: Answering, *, times: int, after: bool = False) -> AsyncToldOnce:
    name, _, method = operation.partition(".")
    repository = Failing(getattr(parts.store, name), method, times=times, after=after)
    return AsyncToldOnce(replace(parts, store=with_repository(parts.store, name, repository), model=model.model))


@pytest.mark.parametrize("times", [1, 2])
async def test_a3_a_database_error_is_tried_once_more_and_then_the_oldest_goes(
    parts: Components, clock: FakeClock, engine: AsyncToldOnce, times: int
) -> None:
    await full_app(engine, clock)
    model = Answering(delete(4), delete(4))
    kept = await failing(parts, "memories.apply", model, times=times).add(
        "My box 11 holds the fiddle.", user=APP, profile="app"
    )
    assert kept.state is MemoryState.ACTIVE
    [line] = await decided(engine, APP, Action.EVICT)
    assert line.text == numbered(4)[3 if times == 1 else 0]
    assert (line.reason.endswith("asking a model came to nothing before")) == (times == 2)
    assert len(await held(engine, APP)) == 10


async def test_a3_a_lasting_database_failure_is_reported_and_nothing_is_half_done(
    parts: Components, clock: FakeClock, engine: AsyncToldOnce
) -> None:
    await full_app(engine, clock)
    away = failing(parts, "memories.apply", Answering(delete(4), delete(4)), times=99)
    with pytest.raises(StoreUnavailableError):
        await away.add("My box 11 holds the fiddle.", user=APP, profile="app")
    assert await held_texts(engine, APP) == numbered(10)


async def test_a_write_whose_answer_was_lost_is_read_back_and_not_done_twice(
    parts: Components, clock: FakeClock, engine: AsyncToldOnce
) -> None:
    await full_app(engine, clock)
    lost = failing(parts, "memories.apply", Answering(delete(4)), times=1, after=True)
    await lost.add("My box 11 holds the fiddle.", user=APP, profile="app")
    assert len(await decided(engine, APP, Action.EVICT)) == 1
    assert len(await held(engine, APP)) == 10


@pytest.mark.parametrize(("times", "gone"), [(1, 4), (2, 1)])
async def test_a3_unreadable_memories_are_read_once_more_then_the_oldest_goes(
    parts: Components, clock: FakeClock, engine: AsyncToldOnce, times: int, gone: int
) -> None:
    await full_app(engine, clock)
    # The words are near none that are known, so that the first reading is the one for room.
    away = failing(parts, "memories.get_many", Answering(delete(4)), times=0)
    memories: Any = away._components.store.memories
    await away.search("nothing", user=APP)
    calls = memories.calls
    memories.left = times
    await away.add("Quite another thing.", user=APP, profile="app")
    assert memories.calls > calls + times
    [line] = await decided(engine, APP, Action.EVICT)
    known = {memory.id: memory.number for memory in await engine.list(user=APP, closed=True)}
    assert line.memory_id is not None
    assert known[line.memory_id] == gone
    assert ("could not be read" in line.reason) == (times == 2)


async def test_a3_a_formation_that_failed_to_commit_twice_asks_no_model_again(
    parts: Components, tmp_path: Path
) -> None:
    model = Answering(delete(4))
    toml = f"{TEN}\n[form]\nturns = false"
    await tell_each(with_profile(parts, tmp_path, toml, model=model.model), *numbered(10))
    formations = Failing(parts.store.formations, "commit", times=2)
    store = with_repository(parts.store, "formations", formations)
    engine = with_profile(replace(parts, store=store), tmp_path, toml, model=model.model)
    await tell_each(engine, numbered(1, start=11)[0])
    assert (model.asked, formations.calls) == (1, 3)
    assert await held_texts(engine, "ana") == numbered(10, start=2)
    [line] = await decided(engine, "ana", Action.EVICT)
    assert line.reason.endswith("asking a model came to nothing before")


async def test_a2_a8_a_compaction_costs_its_units_and_where_they_are_spent_it_waits(
    parts: Components, clock: FakeClock, tmp_path: Path
) -> None:
    budget = "[budget]\ncapacity = 32\ncreate = 0\ncompact = 25\nrefill_per_day = 1"
    model = Answering(delete(4), delete(4))
    engine = with_profile(parts, tmp_path, f"{TEN}\n{budget}", model=model.model)
    await tell_each(engine, *numbered(12))
    assert model.asked == 1
    [line] = await decided(engine, "ana", Action.EVICT)
    assert line.reason.startswith("the model chose it")
    assert (await engine.admin.energy(user="ana")).level == 7
    [waiting] = [
        status for status in await engine.admin.formations() if status.due_at and status.key.stage == "extract"
    ]
    assert "energy is at 7 of 32 units, work runs from 25 on" in str(waiting.error)
    clock.advance(days=18)
    await engine.form()
    assert model.asked == 2
    assert numbered(1, start=12)[0] in await held_texts(engine, "ana")
    reasons = [line.reason for line in await decided(engine, "ana", Action.EVICT)]
    assert [reason.partition(":")[0] for reason in reasons] == ["the model chose it"] * 2


async def test_a2_adding_by_hand_where_energy_is_spent_is_refused_and_nothing_is_lost(
    parts: Components, tmp_path: Path
) -> None:
    budget = "[budget]\ncapacity = 32\ncreate = 0\ncompact = 25\nrefill_per_day = 1"
    model = Answering(delete(4))
    engine = with_profile(parts, tmp_path, f"{TEN}\n{budget}", model=model.model)
    for text in numbered(11):
        await engine.add(text, user="ana")
    known = await held_texts(engine, "ana")
    with pytest.raises(BudgetSpentError, match="energy is at 7 of 32 units"):
        await engine.add("My box 12 holds the harp.", user="ana")
    assert await held_texts(engine, "ana") == known
    assert model.asked == 1


async def test_a3_a_failed_booking_is_tried_once_more_then_the_oldest_goes(
    parts: Components, clock: FakeClock, engine: AsyncToldOnce
) -> None:
    await full_app(engine, clock)
    for times, gone in ((1, 4), (2, 1)):
        model = Answering(delete(4))
        away = failing(parts, "budgets.reserve", model, times=times)
        await away.add(f"Quite another thing, {times}.", user=APP, profile="app")
        assert model.asked == (times == 1)
        line = (await decided(engine, APP, Action.EVICT))[-1]
        assert line.text == numbered(1, start=gone)[0]
    assert line.reason.endswith("the database failed")


async def test_room_is_planned_again_if_the_memory_changed_during_planning(
    parts: Components, tmp_path: Path, engine: AsyncToldOnce
) -> None:
    racing = with_profile(parts, tmp_path, FIVE, model=Answering().model)
    for text in numbered(5):
        await racing.add(text, user="ana")
    committed = parts.store.formations.commit
    raced: list[str] = []

    class Racing(Failing):
        def __getattr__(self, name: str) -> Any:
            if name != "commit":
                return getattr(parts.store.formations, name)

            async def commit(*values: Any, **named: Any) -> int:
                if not raced and values[0].key.stage == "extract":
                    raced.append((await racing.add("Somebody was quicker.", user="ana")).id)
                try:
                    return await committed(*values, **named)
                except StaleSubjectError:
                    raced.append("refused")
                    raise

            return commit

    store = with_repository(parts.store, "formations", Racing(parts.store.formations, "commit", times=0))
    late = with_profile(replace(parts, store=store), tmp_path, FIVE, model=Answering().model)
    await tell_each(late, numbered(1, start=6)[0])
    assert raced[1:] == ["refused"], "the first plan did not stand"
    assert len(await held(engine, "ana")) == 5
    assert {"Somebody was quicker.", numbered(1, start=6)[0]} < set(await held_texts(engine, "ana"))


def test_the_session_and_owner_of_a_subject_are_read_from_its_name() -> None:
    for owner in (Subject("user", "ana/x:y%"), Subject("app", "x"), Subject("user", "app:x")):
        assert session_of(owned_subject("session", owner, "a/b")) == (owner, "a/b")
    assert session_of(Subject("app", "ana/calendar")) is None
    assert session_of(Subject("session", "nobodys")) is None
