"""Tending by hand and by the worker: what fits, which subject is due, and that it disturbs no work under way."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from factories import ANA, BEN, add, memory
from own_profile import OWN, decided, held, numbered, unexplained, with_profile
from patience import PATIENCE_S
from sample_chats import tell
from stores import with_repository
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import StaleSubjectError
from toldonce.ids import new_id
from toldonce.maintenance.retention import last_met
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, Memory, MemoryKind, PromptInsertion, Subject

APP = Subject("app", "ana/calendar")


async def keep(parts: Components, subject: Subject, *memories: Memory) -> None:
    await parts.store.memories.apply(
        subject, [add(replace(memory, subject=subject), vector=None) for memory in memories], []
    )


async def test_s6_tending_makes_an_overfull_subject_fit(parts: Components, tmp_path: Path, clock: FakeClock) -> None:
    many = [replace(memory(text, clock=clock), profile=OWN, importance=n / 500) for n, text in enumerate(numbered(450))]
    await keep(parts, ANA, *many)
    engine = with_profile(parts, tmp_path, "[capacity]\nmax_memories = 50")
    would = await engine.admin.maintain(user=ANA, dry_run=True)
    assert (len(would.decisions), would.dry_run) == (400, True)
    did = await engine.admin.maintain(user=ANA)
    assert [line.memory_id for line in did.decisions] == [line.memory_id for line in would.decisions]
    assert {memory.id for memory in await held(engine, ANA)} == {memory.id for memory in many[400:]}
    assert await unexplained(engine, ANA) == []


async def test_tending_asks_no_model(parts: Components, clock: FakeClock) -> None:
    await keep(parts, APP, *(memory(text, clock=clock) for text in numbered(13)))
    engine = AsyncToldOnce(replace(parts, model=ScriptedModel([])))
    report = await engine.admin.maintain(user=APP)
    assert [line.reason for line in report.decisions] == ["the oldest of 13; there is room for 10"] * 3
    assert len(await held(engine, APP)) == 10


async def test_every_subject_is_tended_and_none_twice(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    over = clock.now()
    for subject in (ANA, BEN, APP):
        await keep(parts, subject, replace(memory("Over.", clock=clock), valid_to=over), memory("Stays.", clock=clock))
    clock.advance(days=1)
    report = await engine.admin.maintain()
    assert report.subjects == 3
    assert {line.subject for line in report.decisions} == {ANA, BEN, APP}
    assert len(report.decisions) == 3
    for subject in (ANA, BEN, APP):
        assert [memory.text for memory in await engine.list(user=subject)] == ["Stays."]


async def test_tended_memories_are_found_by_meaning_as_before(engine: AsyncToldOnce, clock: FakeClock) -> None:
    async def near() -> list[tuple[str, float]]:
        return [
            (item.memory.text, item.similarity)
            for item in await engine.vectors.nearest(query="tea", user="ana", limit=1)
        ]

    await engine.add("Ana likes green tea.", user="ana")
    before = await near()
    assert before[0][0] == "Ana likes green tea."
    for day in range(3):
        clock.advance(days=1)
        await engine.admin.maintain(user="ana")
        await engine.add(f"Shelf {day} holds boxes.", user="ana")  # so that all is read anew
    assert await near() == before


async def test_tending_an_unknown_subject_does_not_create_it(engine: AsyncToldOnce) -> None:
    assert (await engine.admin.maintain(user="nobody")).decisions == ()
    assert await engine.admin.subjects() == []


@pytest.mark.parametrize("quicker", [1, 99])
async def test_changes_during_tending_are_planned_again_and_never_overwritten(
    parts: Components, clock: FakeClock, quicker: int
) -> None:
    over = replace(memory("Over.", clock=clock), valid_to=clock.now())
    await keep(parts, ANA, over)
    clock.advance(days=1)
    applied, left = parts.store.memories.apply, [quicker]

    class Busy:
        def __getattr__(self, name: str) -> Any:
            return self._apply if name == "apply" else getattr(parts.store.memories, name)

        async def _apply(self, *values: Any, **named: Any) -> int:
            if left[0]:
                left[0] -= 1
                await applied(ANA, [add(memory(f"Somebody else's {left[0]}.", clock=clock), vector=None)], [])
            return await applied(*values, **named)

    engine = AsyncToldOnce(replace(parts, store=with_repository(parts.store, "memories", Busy())))
    if quicker == 99:
        with pytest.raises(StaleSubjectError, match="user:ana kept changing") as busy:
            await engine.admin.maintain(user=ANA)
        assert busy.value.logged == f"subject {ANA.key} kept changing while it was tended; try again"
    else:
        assert [line.memory_id for line in (await engine.admin.maintain(user=ANA)).decisions] == [over.id]
        assert len(await engine.list(user=ANA)) == 1


# ---- by the worker


async def working(engine: AsyncToldOnce, *, rounds_s: float = 1.0) -> None:
    """Let the worker run for a while: the first round of a process loads modules."""
    run = asyncio.create_task(engine.admin.run_worker())
    await asyncio.sleep(rounds_s)
    engine.admin.stop_worker()
    await run


def with_every(parts: Components, every_s: float) -> AsyncToldOnce:
    return AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"maintain_every_s": every_s})))


async def test_c10_the_worker_tends_each_subject_once_a_day(parts: Components, clock: FakeClock) -> None:
    async def ends_today(subject: Subject) -> None:
        await keep(parts, subject, replace(memory("Over.", clock=clock), valid_to=clock.now()))

    for subject in (ANA, BEN):
        await ends_today(subject)
    await working(with_every(parts, 86_400))
    engine = AsyncToldOnce(parts)
    assert [len(await decided(engine, owner, Action.EXPIRE)) for owner in (ANA, BEN)] == [1, 1]

    await ends_today(ANA)
    clock.advance(hours=23)
    await working(with_every(parts, 86_400))
    assert len(await decided(engine, ANA, Action.EXPIRE)) == 1, "not yet"
    clock.advance(hours=1)
    await working(with_every(parts, 86_400))
    assert len(await decided(engine, ANA, Action.EXPIRE)) == 2


async def test_zero_switches_the_schedule_off(parts: Components, clock: FakeClock) -> None:
    await keep(parts, ANA, replace(memory("Over.", clock=clock), valid_to=clock.now()))
    await working(with_every(parts, 0))
    assert await decided(AsyncToldOnce(parts), ANA, Action.EXPIRE) == []
    assert await parts.store.maintenance.due(before=clock.now(), now=clock.now()) == [ANA]


async def test_live_turns_come_before_tending(parts: Components, clock: FakeClock) -> None:
    await keep(parts, BEN, memory("Stays.", clock=clock))
    engine = with_every(parts, 86_400)
    await engine.record([{"role": "user", "content": "I live in Oslo."}], user=ANA)
    order: list[str] = []

    class Watching:
        def __init__(self, repository: object, method: str) -> None:
            self._repository, self._method = repository, method

        def __getattr__(self, name: str) -> Any:
            if name == self._method:
                order.append(name)
            return getattr(self._repository, name)

    watched = with_repository(parts.store, "formations", Watching(parts.store.formations, "commit"))
    watched = with_repository(watched, "maintenance", Watching(parts.store.maintenance, "lease"))
    watching = AsyncToldOnce(replace(parts, store=watched, settings=engine.settings))
    run = asyncio.create_task(watching.admin.run_worker())
    async with asyncio.timeout(PATIENCE_S):  # the first formation of a process loads modules
        while "lease" not in order:  # noqa: ASYNC110  (what is waited for is in a list)
            await asyncio.sleep(0.001)
    watching.admin.stop_worker()
    await run
    assert "commit" in order[: order.index("lease")]
    assert "commit" not in order[order.index("lease") :]


async def test_a_subject_that_cannot_be_tended_holds_up_no_other(parts: Components, clock: FakeClock) -> None:
    for subject in (ANA, BEN):
        await keep(parts, subject, replace(memory("Over.", clock=clock), valid_to=clock.now()))
    applied = parts.store.memories.apply

    class Refusing:
        def __getattr__(self, name: str) -> Any:
            return self._apply if name == "apply" else getattr(parts.store.memories, name)

        async def _apply(self, subject: Subject, *values: Any, **named: Any) -> int:
            if subject == ANA:
                raise StaleSubjectError("always somebody else")
            return await applied(subject, *values, **named)

    await working(AsyncToldOnce(replace(parts, store=with_repository(parts.store, "memories", Refusing()))))
    engine = AsyncToldOnce(parts)
    assert len(await decided(engine, BEN, Action.EXPIRE)) == 1
    assert await parts.store.maintenance.due(before=clock.now(), now=clock.now()) == [BEN], "Ana's lease stands"
    clock.advance(seconds=301)
    await working(engine)
    assert len(await decided(engine, ANA, Action.EXPIRE)) == 1, "it has its turn again"


async def test_two_runs_of_tending_at_once_close_each_memory_once(parts: Components, clock: FakeClock) -> None:
    over = [replace(memory(f"Over {n}.", clock=clock), valid_to=clock.now()) for n in range(30)]
    await keep(parts, ANA, *over)
    clock.advance(seconds=1)
    engine = AsyncToldOnce(parts)
    reports = await asyncio.gather(*(engine.admin.maintain(user=ANA) for _ in range(4)))
    assert sum(len(report.decisions) for report in reports) == 30
    assert len(await decided(engine, ANA, Action.EXPIRE)) == 30


async def test_what_is_said_is_formed_and_tended_for_a_year(
    parts: Components, clock: FakeClock, tmp_path: Path
) -> None:
    toml = "[form]\nturns = false\n[capacity]\nmax_memories = 10\n[age]\nexpire_days = 60\nhalf_life_days = 30"
    engine = with_profile(parts, tmp_path, toml)
    for day in range(0, 360, 24):
        clock.advance(days=24)
        await tell(engine, f"I bought {day + 2} red lanterns and my sister lives in Oslo.")
        await engine.admin.maintain()
        assert len(await held(engine, "ana")) <= 10
    assert await unexplained(engine, "ana") == []
    assert (await engine.admin.stats(check=True)).problems == ()
    notes = [memory for memory in await held(engine, "ana") if memory.kind is MemoryKind.NOTE]
    assert notes
    assert all(last_met(memory) >= clock.now() - timedelta(days=60) for memory in notes)


async def test_insertions_of_unrecorded_turns_are_dropped_after_a_week(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await keep(parts, ANA, memory("Stays.", clock=clock))
    for chain, days in ((1, 6), (2, 2)):
        row = PromptInsertion(thread=1, chain=chain, depth=1, id=new_id(clock), at=clock.now(), recalled="Tea.")
        await parts.store.insertions.add(ANA, [row])
        clock.advance(days=days)
    await engine.admin.maintain(user=ANA, dry_run=True)
    assert len((await parts.store.insertions.find(ANA, [1, 2])).insertions) == 2
    await engine.admin.maintain(user=ANA)
    assert [row.chain for row in (await parts.store.insertions.find(ANA, [1, 2])).insertions] == [2]
