"""The worker: forms what is due, tries again, parks, and never lets one formation hold up another."""

import asyncio
from zoneinfo import ZoneInfo

import pytest

from factories import ANA, BEN, add, memory, turn
from patience import PATIENCE_S
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import LeaseLostError, ModelError, StaleSubjectError, StoreUnavailableError
from toldonce.formation.runtime import Runtime
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import FormationRequest, FormationResult, Lease, StrengthenMemory
from toldonce.worker.loop import FORM_STOP_WAIT_S, Worker


async def done(lease: Lease, runtime: Runtime) -> FormationResult:
    return FormationResult(formed_seq=lease.last_seq)


@pytest.fixture
async def runtime(parts: Components) -> Runtime:
    return Runtime(store=parts.store, embedder=parts.embedder, model=None, clock=parts.clock, zone=ZoneInfo("UTC"))


async def say(store: Store, clock: FakeClock, text: str = "I like tea.") -> None:
    due = FormationRequest(key_subject=ANA, profile="default", stage="extract", version="v", due_at=clock.now())
    await store.conversations.record(turn(text, "Noted.", formations=[due]))


async def test_what_is_due_is_formed_once_and_then_rests(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)
    worker = Worker(runtime, {"extract": done})
    assert await worker.drain() == 1
    assert await worker.drain() == 0
    [status] = await runtime.store.formations.list()
    assert (status.formed_seq, status.due_at) == (2, None)


async def test_a_failing_formation_is_tried_again_later_and_parked_in_the_end(
    runtime: Runtime, clock: FakeClock
) -> None:
    await say(runtime.store, clock)

    async def fails(lease: Lease, runtime: Runtime) -> FormationResult:
        raise ModelError("the model is out for lunch")

    worker = Worker(runtime, {"extract": fails})
    for _ in range(5):
        assert await worker.round() == 1
        assert await worker.round() == 0, "it waits before the next try"
        clock.advance(hours=1)
    [status] = await runtime.store.formations.list()
    assert status.parked
    assert status.error == "the model is out for lunch"
    assert worker.counters.parked == 1
    assert await runtime.store.formations.retry(status.key, now=clock.now())
    assert await Worker(runtime, {"extract": done}).drain() == 1


async def test_an_unexpected_error_counts_as_a_failure_and_keeps_its_text_to_the_log(
    runtime: Runtime, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await say(runtime.store, clock)

    async def breaks(lease: Lease, runtime: Runtime) -> FormationResult:
        raise ZeroDivisionError("Ana's secret")

    await Worker(runtime, {"extract": breaks}).round()
    [status] = await runtime.store.formations.list()
    assert status.error == "ZeroDivisionError in stage extract (see the log)"
    assert "Traceback" in caplog.text


async def test_one_bad_conversation_delays_nobody_else(runtime: Runtime, clock: FakeClock) -> None:
    due = FormationRequest(key_subject=BEN, profile="default", stage="extract", version="v", due_at=clock.now())
    await say(runtime.store, clock)
    await runtime.store.conversations.record(turn("I like coffee.", "Noted.", subject=BEN, formations=[due]))

    async def fails_for_ana(lease: Lease, runtime: Runtime) -> FormationResult:
        if lease.key.subject == ANA:
            raise ModelError("no")
        return await done(lease, runtime)

    await Worker(runtime, {"extract": fails_for_ana}).round()
    assert {status.key.subject: status.formed_seq for status in await runtime.store.formations.list()} == {
        ANA: 0,
        BEN: 2,
    }


async def test_a_subject_that_changed_meanwhile_is_read_again(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)
    tried: list[int] = []

    async def stale_at_first(lease: Lease, runtime: Runtime) -> FormationResult:
        tried.append(lease.attempts)
        snapshot = await runtime.store.snapshots.snapshot(ANA, "")
        return FormationResult(formed_seq=lease.last_seq, subject_version=snapshot.version - (len(tried) < 3))

    assert await Worker(runtime, {"extract": stale_at_first}).drain() == 1
    assert tried == [1, 1, 1], "three readings, one attempt"


async def test_a_retry_after_a_database_error_reads_memories_again(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)
    known = memory("Ana likes tea.", clock=clock)
    await runtime.store.memories.apply(ANA, [add(known)], [])
    seen: list[float] = []

    async def fails_at_first(lease: Lease, runtime: Runtime) -> FormationResult:
        for _ in range(2):
            seen.extend(read.importance for read in await runtime.memories(ANA, [known.id]))
        if len(seen) == 2:
            await runtime.store.memories.apply(ANA, [StrengthenMemory(id=known.id, importance=0.75)], [])
            raise StoreUnavailableError("busy")
        return await done(lease, runtime)

    assert await Worker(runtime, {"extract": fails_at_first}).drain() == 1
    assert seen == [0.5, 0.5, 0.75, 0.75]


async def test_a_subject_that_never_stands_still_ends_in_a_retry(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)

    async def always_stale(lease: Lease, runtime: Runtime) -> FormationResult:
        raise StaleSubjectError("again")

    worker = Worker(runtime, {"extract": always_stale})
    await worker.round()
    [status] = await runtime.store.formations.list()
    assert (status.formed_seq, status.error, worker.counters.failed) == (0, "again", 1)


async def test_a_worker_that_slept_past_its_lease_commits_nothing(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)

    async def sleeps(lease: Lease, runtime: Runtime) -> FormationResult:
        clock.advance(hours=1)
        return await done(lease, runtime)

    worker = Worker(runtime, {"extract": sleeps})
    await worker.round()
    [status] = await runtime.store.formations.list()
    assert (status.formed_seq, worker.counters.lost) == (0, 1)


async def test_a_formation_that_kills_its_workers_is_parked_unformed(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)
    [status] = await runtime.store.formations.list()
    for _ in range(5):
        assert await runtime.store.formations.lease(status.key, now=clock.now(), lease_s=1)
        clock.advance(minutes=1)
    worker = Worker(runtime, {"extract": done})
    await worker.round()
    [status] = await runtime.store.formations.list()
    assert status.parked
    assert status.formed_seq == 0
    assert "ended 5 times" in str(status.error)


async def test_run_ends_when_told_and_wakes_for_new_work(runtime: Runtime, clock: FakeClock) -> None:
    formed = asyncio.Event()

    async def tells(lease: Lease, runtime: Runtime) -> FormationResult:
        formed.set()
        return await done(lease, runtime)

    worker = Worker(runtime, {"extract": tells})
    running = asyncio.create_task(worker.run())
    await say(runtime.store, clock)
    worker.wake()
    await asyncio.wait_for(formed.wait(), PATIENCE_S)
    worker.stop()
    await asyncio.wait_for(running, PATIENCE_S)
    assert worker.counters.formed == 1


async def say_for_two_stages(store: Store, clock: FakeClock) -> None:
    stages = [
        FormationRequest(key_subject=ANA, profile="default", stage=stage, version="v", due_at=clock.now())
        for stage in ("index", "extract")
    ]
    await store.conversations.record(turn("I like tea.", "Noted.", formations=stages))


async def test_a_stage_that_a_stop_prevents_is_due_at_once_and_untried(runtime: Runtime, clock: FakeClock) -> None:
    await say_for_two_stages(runtime.store, clock)

    async def stops(lease: Lease, runtime: Runtime) -> FormationResult:
        worker.stop()
        return await done(lease, runtime)

    worker = Worker(runtime, {"index": stops, "extract": done})
    await worker.round()
    assert worker.counters.formed == 1
    [key] = await runtime.store.formations.due(clock.now())
    [status] = [each for each in await runtime.store.formations.list() if each.key == key]
    assert (key.stage, status.attempts, status.formed_seq) == ("extract", 0, 0)
    assert await Worker(runtime, {"extract": done}).drain() == 1


async def test_a_prompt_stop_gives_back_what_waits_for_a_model_untried(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)
    began, ended = asyncio.Event(), asyncio.Event()

    async def waits(lease: Lease, runtime: Runtime) -> FormationResult:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError("nothing sets the event")

    worker = Worker(runtime, {"extract": waits})
    running = asyncio.create_task(worker.run())
    await asyncio.wait_for(began.wait(), PATIENCE_S)
    worker.stop(promptly=True)
    await asyncio.wait_for(running, PATIENCE_S)
    [status] = await runtime.store.formations.list()
    assert ended.is_set()
    assert (status.attempts, status.error, status.formed_seq) == (0, None, 0)
    assert await Worker(runtime, {"extract": done}).drain() == 1


async def test_a_prompt_stop_interrupts_no_commit(
    runtime: Runtime, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(runtime.store, clock)
    worker = Worker(runtime, {"extract": done})
    commit = worker._leases.commit

    async def commits_late(lease: Lease, result: FormationResult) -> None:
        worker.stop(promptly=True)
        await asyncio.sleep(2 * FORM_STOP_WAIT_S)
        await commit(lease, result)

    monkeypatch.setattr(worker._leases, "commit", commits_late)
    await asyncio.wait_for(worker.run(), PATIENCE_S)
    assert worker.counters.formed == 1


async def test_a_stop_that_is_not_prompt_waits_for_the_formation(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)

    async def forms_late(lease: Lease, runtime: Runtime) -> FormationResult:
        worker.stop()
        await asyncio.sleep(2 * FORM_STOP_WAIT_S)
        return await done(lease, runtime)

    worker = Worker(runtime, {"extract": forms_late})
    await asyncio.wait_for(worker.run(), PATIENCE_S)
    assert worker.counters.formed == 1


async def test_a_stage_whose_worker_dies_after_the_one_before_counts(runtime: Runtime, clock: FakeClock) -> None:
    await say_for_two_stages(runtime.store, clock)

    async def dies(lease: Lease, runtime: Runtime) -> FormationResult:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await Worker(runtime, {"index": done, "extract": dies}).round()
    clock.advance(seconds=7)
    statuses = {status.key.stage: status for status in await runtime.store.formations.list()}
    assert (statuses["index"].formed_seq, statuses["extract"].attempts) == (2, 1)
    assert await Worker(runtime, {"extract": done}).drain() == 1


async def test_a_lost_lease_is_no_failure(runtime: Runtime, clock: FakeClock) -> None:
    await say(runtime.store, clock)

    async def loses(lease: Lease, runtime: Runtime) -> FormationResult:
        raise LeaseLostError("taken over")

    worker = Worker(runtime, {"extract": loses})
    await worker.round()
    [status] = await runtime.store.formations.list()
    assert (status.error, worker.counters.failed, worker.counters.lost) == (None, 0, 1)


async def test_stopping_waits_for_no_maintenance_that_reads(parts: Components, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def endless(*_: object, **__: object) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    engine = AsyncToldOnce(parts)
    await engine.add("Ana plays the cello.", user="ana")
    monkeypatch.setattr(type(parts.store.snapshots), "snapshot", endless)
    parts.clock.advance(days=2)  # type: ignore[attr-defined]
    working = asyncio.create_task(engine.admin.run_worker())
    await began.wait()
    engine.admin.stop_worker()
    await asyncio.wait_for(working, PATIENCE_S)
    assert ended.is_set(), "it was cancelled, not left behind"
