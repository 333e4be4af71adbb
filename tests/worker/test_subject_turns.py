"""Subjects have their turns: a backlog of one of them, or its failure, does not hold up the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from factories import ANA, BEN, turn
from patience import PATIENCE_S
from stores import DURABLE, new_store
from toldonce.errors import StoreUnavailableError
from toldonce.formation.runtime import Runtime
from toldonce.store.store import Store
from toldonce.testing import FakeClock, ScriptedModel, WordEmbedder
from toldonce.types import (
    BusySubjects,
    FormationKey,
    FormationRequest,
    FormationResult,
    Lease,
    Subject,
)
from toldonce.worker import subject_turns, upkeep
from toldonce.worker.loop import MAX_CONCURRENT_SUBJECTS, Worker
from toldonce.worker.subject_turns import SHARE

BACKLOG = 60
CALL_S = 0.01


class Delayed:
    """A stage whose model takes its time; it notes what was formed, in order."""

    def __init__(self) -> None:
        self.formed: list[FormationKey] = []
        self._news = asyncio.Event()

    async def __call__(self, lease: Lease, runtime: Runtime) -> FormationResult:
        await asyncio.sleep(CALL_S)
        self.formed.append(lease.key)
        self._news.set()
        return FormationResult(formed_seq=lease.last_seq)

    async def until(self, subject: Subject, count: int = 1) -> None:
        """Wait until so many formations of a subject are done."""
        async with asyncio.timeout(PATIENCE_S):
            while [key.subject for key in self.formed].count(subject) < count:
                self._news.clear()
                await self._news.wait()

    def before(self, subject: Subject) -> list[FormationKey]:
        """Return what was formed before the first formation of a subject ended."""
        return self.formed[: [key.subject for key in self.formed].index(subject)]


@pytest.fixture(params=DURABLE)
async def store(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Store]:
    opened = await new_store(request.param, tmp_path, clock)
    yield opened
    await opened.close()


def runtime_of(store: Store, clock: FakeClock, *, with_model: bool = True) -> Runtime:
    """Return the parts of a worker; with a model it forms several subjects at a time."""
    model = ScriptedModel(()) if with_model else None
    return Runtime(store=store, embedder=WordEmbedder(64), model=model, clock=clock, zone=ZoneInfo("UTC"))


async def say(
    store: Store, clock: FakeClock, subject: Subject, name: str, *, stage: str = "extract", home: Subject | None = None
) -> None:
    """Record a turn of a conversation, which is due."""
    due = FormationRequest(key_subject=subject, profile="default", stage=stage, version="v", due_at=clock.now())
    said = turn("I like tea.", "Noted.", subject=home or subject, external_id=name, append=True, formations=[due])
    await store.conversations.record(said)


async def backlog(store: Store, clock: FakeClock, subject: Subject = ANA, count: int = BACKLOG) -> None:
    for number in range(count):
        await say(store, clock, subject, f"chat-{number}")
        clock.advance(seconds=1)


@asynccontextmanager
async def serving(*workers: Worker) -> AsyncIterator[None]:
    """Let workers run until the block ends."""
    running = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        await asyncio.wait_for(asyncio.gather(*running), PATIENCE_S)


@pytest.mark.parametrize("with_model", [True, False], ids=["model", "rules"])
async def test_a_backlog_delays_others_by_a_turn_at_most(store: Store, clock: FakeClock, with_model: bool) -> None:
    await backlog(store, clock)
    await say(store, clock, BEN, "ben's")
    stage = Delayed()
    assert await Worker(runtime_of(store, clock, with_model=with_model), {"extract": stage}).round() == BACKLOG + 1
    assert len(stage.before(BEN)) <= SHARE


async def test_what_comes_up_behind_a_backlog_is_formed_next(store: Store, clock: FakeClock) -> None:
    await backlog(store, clock)
    stage = Delayed()
    worker = Worker(runtime_of(store, clock), {"extract": stage})
    async with serving(worker):
        await stage.until(ANA)
        before = len(stage.formed)
        await say(store, clock, BEN, "ben's")
        worker.wake(BEN)
        await stage.until(BEN)
    assert len(stage.before(BEN)) - before <= 2 * SHARE, "recording takes a while on its own"


async def test_several_processes_form_no_backlog_first(store: Store, clock: FakeClock) -> None:
    await backlog(store, clock)
    await say(store, clock, BEN, "ben's")
    stage = Delayed()
    workers = [Worker(runtime_of(store, clock, with_model=False), {"extract": stage}) for _ in range(3)]
    async with serving(*workers):
        await stage.until(BEN)
    assert len(stage.before(BEN)) <= 3 * SHARE
    assert len(set(stage.formed)) == len(stage.formed), "each is formed once"


async def test_a_backlog_of_many_subjects_of_one_owner_leaves_room(store: Store, clock: FakeClock) -> None:
    for number in range(BACKLOG):
        await say(store, clock, Subject("session", f"ana/{number}"), f"chat-{number}", home=ANA)
    await say(store, clock, BEN, "ben's")
    stage = Delayed()
    await Worker(runtime_of(store, clock), {"extract": stage}).round()
    assert len(stage.before(BEN)) <= 3 * MAX_CONCURRENT_SUBJECTS
    assert len(stage.formed) == BACKLOG + 1


async def test_a_conversations_stages_and_a_subjects_conversations_stay_in_order(
    store: Store, clock: FakeClock
) -> None:
    for number in range(10):
        for subject in (ANA, BEN):
            await say(store, clock, subject, f"chat-{number}", stage="index")
            await say(store, clock, subject, f"chat-{number}")
        clock.advance(seconds=1)
    stage = Delayed()
    await Worker(runtime_of(store, clock), {"index": stage, "extract": stage}).round()
    for subject in (ANA, BEN):
        keys = [key for key in stage.formed if key.subject == subject]
        assert [key.stage for key in keys] == ["index", "extract"] * 10
        conversations = [key.conversation for key in keys[::2]]
        assert conversations == sorted(conversations), "ids are in order of time"


async def test_every_subject_has_its_turn_before_one_has_its_second(store: Store, clock: FakeClock) -> None:
    subjects = [Subject("user", f"user-{number}") for number in range(40)]
    for subject in subjects:
        for number in range(SHARE + 1):
            await say(store, clock, subject, f"chat-{number}")
    stage = Delayed()
    await Worker(runtime_of(store, clock, with_model=False), {"extract": stage}).round()
    first_turns = stage.formed[: len(subjects) * SHARE]
    assert {key.subject for key in first_turns} == set(subjects)
    assert len(stage.formed) == len(subjects) * (SHARE + 1)


async def test_a_call_that_hangs_holds_up_its_own_subject_alone(store: Store, clock: FakeClock) -> None:
    await say(store, clock, ANA, "ana's")
    stage, hangs = Delayed(), asyncio.Event()

    async def hangs_for_ana(lease: Lease, runtime: Runtime) -> FormationResult:
        if lease.key.subject == ANA:
            hangs.set()
            await asyncio.sleep(3600)
        return await stage(lease, runtime)

    worker = Worker(runtime_of(store, clock), {"extract": hangs_for_ana})
    running = asyncio.create_task(worker.run())
    await asyncio.wait_for(hangs.wait(), PATIENCE_S)
    for number in range(3):
        await say(store, clock, BEN, f"ben's {number}")
        worker.wake(BEN)
        await stage.until(BEN, number + 1)
    worker.stop(promptly=True)
    await asyncio.wait_for(running, PATIENCE_S)


async def test_looks_at_the_same_time_give_a_subject_one_turn(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    next_slices, lease = store.formations.next_slices, store.formations.lease
    looked, leased = asyncio.Barrier(2), list[FormationKey]()

    async def looks_with_another(*place: object, **options: object) -> object:
        found = await next_slices(*place, **options)  # type: ignore[arg-type]
        with suppress(asyncio.BrokenBarrierError):
            async with asyncio.timeout(PATIENCE_S):
                await looked.wait()
        await looked.abort()
        return found

    async def notes(key: FormationKey, **times: object) -> Lease | None:
        leased.append(key)
        return await lease(key, **times)  # type: ignore[arg-type]

    monkeypatch.setattr(store.formations, "next_slices", looks_with_another)
    monkeypatch.setattr(store.formations, "lease", notes)
    await say(store, clock, ANA, "chat")
    worker = Worker(runtime_of(store, clock), {"extract": Delayed()})
    assert sum(await asyncio.gather(worker.round(), worker.round())) == 1
    assert len(leased) == 1, "a second turn would take the stages that the first has leased ahead"


async def test_a_subject_whose_rows_cannot_be_reached_holds_up_no_other(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease, tried = store.formations.lease, 0

    async def fails_for_ana(key: FormationKey, **times: object) -> Lease | None:
        nonlocal tried
        if key.subject == ANA:
            tried += 1
            raise StoreUnavailableError("a machine is down")
        return await lease(key, **times)  # type: ignore[arg-type]

    monkeypatch.setattr(store.formations, "lease", fails_for_ana)
    monkeypatch.setattr(subject_turns, "REST_S", 0.05)
    await backlog(store, clock, count=5)
    stage = Delayed()
    worker = Worker(runtime_of(store, clock), {"extract": stage})
    async with serving(worker):
        for number in range(3):
            await say(store, clock, BEN, f"ben's {number}")
            worker.wake(BEN)
            await stage.until(BEN, number + 1)
        assert {key.subject for key in stage.formed} == {BEN}
        assert tried >= 1
        monkeypatch.setattr(store.formations, "lease", lease)
        await stage.until(ANA)


async def test_while_subjects_cannot_be_listed_those_it_was_told_of_go_on(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_down(*_: object, **__: object) -> None:
        raise StoreUnavailableError("a machine is down")

    await backlog(store, clock, BEN, SHARE + 1)
    stage = Delayed()
    worker = Worker(runtime_of(store, clock), {"extract": stage})
    monkeypatch.setattr(store.formations, "next_slices", is_down)
    with pytest.raises(StoreUnavailableError):
        await worker.round()
    worker.wake(BEN)
    with suppress(StoreUnavailableError):
        await worker.round()
    assert len(stage.formed) == SHARE + 1, "also what did not fit in one turn"


async def test_a_subject_that_is_passed_over_keeps_its_turn(store: Store, clock: FakeClock) -> None:
    subjects = sorted((Subject("user", f"user-{number}") for number in range(5)), key=lambda subject: subject.key)
    for subject in subjects:
        await say(store, clock, subject, "chat")
    after, seen = -(2**63), []
    for _ in range(2 * len(subjects)):
        [keys], after = await store.formations.next_slices(
            clock.now(), after=after, count=1, share=1, busy=BusySubjects()
        )
        seen.append(keys[0].subject)
    assert seen == [*subjects, *subjects]
    slices, _ = await store.formations.next_slices(
        clock.now(), after=after, count=9, share=1, busy=BusySubjects(subjects=frozenset({subjects[0].key}))
    )
    assert [keys[0].subject for keys in slices] == subjects[1:]


async def test_maintenance_has_its_turn_while_formations_are_always_due(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "UPKEEP_EVERY_S", 0.05)
    await backlog(store, clock)
    tended, stage = asyncio.Event(), Delayed()

    async def chores(stop: object) -> bool:
        tended.set()
        return False

    async with serving(Worker(runtime_of(store, clock, with_model=False), {"extract": stage}, chores=chores)):
        await asyncio.wait_for(tended.wait(), PATIENCE_S)
        assert len(stage.formed) < BACKLOG
