"""Work as a cursor: due, leased, fenced, committed with its effects, parked and retried."""

from dataclasses import replace
from datetime import timedelta

import pytest

from factories import ANA, BEN, SPACE, add, decision, due, memory, turn
from toldonce.errors import BadRequestError, LeaseLostError, StaleSubjectError
from toldonce.store.factory import open_store
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import FormationKey, FormationResult, Lease, LeaseRequest, Subject


async def leased(store: Store, clock: FakeClock, *, seconds: float = 60) -> Lease:
    """Record a turn and take the formation it makes due."""
    await store.conversations.record(turn("a", "b", formations=[due(due_at=clock.now())]))
    (key,) = await store.formations.due(clock.now())
    lease = await store.formations.lease(key, now=clock.now(), lease_s=seconds)
    assert lease is not None
    return lease


async def test_a_turn_and_its_work_are_one(store: Store, clock: FakeClock) -> None:
    later = clock.now() + timedelta(minutes=5)
    app = Subject("app", "calendar")
    recorded = await store.conversations.record(
        turn("a", "b", formations=[due(stage="index", due_at=clock.now()), due(app, due_at=later)])
    )

    index = FormationKey(
        subject=ANA,
        home=ANA,
        conversation=recorded.conversation,
        profile="default",
        stage="index",
        version="rules-1",
    )
    extract = replace(index, subject=app, stage="extract")
    assert await store.formations.due(clock.now()) == [index]
    assert await store.formations.next_due() == clock.now()
    assert await store.formations.due(later) == [index, extract]
    assert await store.formations.due(later, limit=1) == [index]
    assert [status.key for status in await store.formations.list(subject=app)] == [extract]
    assert [status.key for status in await store.formations.list()] == [index, extract]
    assert await store.formations.list(subject=BEN) == []


async def test_a_store_without_turns_has_nothing_due(store: Store, clock: FakeClock) -> None:
    assert await store.formations.next_due() is None
    assert await store.formations.due(clock.now()) == []


async def test_a_lease_names_what_to_form_and_counts_the_attempt(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    assert (lease.attempts, lease.formed_seq, lease.last_seq) == (1, 0, 2)
    assert lease.until == clock.now() + timedelta(seconds=60)


async def test_a_formation_is_leased_once_until_the_lease_runs_out(store: Store, clock: FakeClock) -> None:
    first = await leased(store, clock)
    assert await store.formations.due(clock.now()) == []
    assert await store.formations.next_due() == first.until
    assert await store.formations.lease(first.key, now=clock.now(), lease_s=60) is None
    clock.advance(seconds=60)
    second = await store.formations.lease(first.key, now=clock.now(), lease_s=60)

    assert second is not None
    assert second.attempts == 2
    assert second.token != first.token


async def test_a_formation_that_is_not_due_or_does_not_exist_cannot_be_leased(store: Store, clock: FakeClock) -> None:
    await store.conversations.record(turn("a", "b", formations=[due(due_at=clock.now() + timedelta(hours=1))]))
    (status,) = await store.formations.list()

    assert await store.formations.lease(status.key, now=clock.now(), lease_s=60) is None
    other = replace(status.key, subject=BEN)
    assert await store.formations.lease(other, now=clock.now() + timedelta(hours=2), lease_s=60) is None


async def test_a_commit_applies_changes_decisions_and_cursor_together(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    known = memory("Ana likes tea.", clock=clock)
    result = FormationResult(formed_seq=2, changes=(add(known),), decisions=(decision(known),), subject_version=0)
    assert await store.formations.commit(lease, result, now=clock.now()) == 1

    assert await store.memories.get_many(ANA, [known.id]) == [known]
    assert len(await store.decisions.list(ANA)) == 1
    (status,) = await store.formations.list()
    assert (status.formed_seq, status.due_at, status.attempts, status.parked) == (2, None, 0, False)
    assert await store.formations.next_due() is None


async def test_messages_recorded_during_a_formation_are_due_at_once(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    await store.conversations.record(
        turn("a", "b", "c", "d", formations=[due(due_at=clock.now() + timedelta(hours=1))])
    )
    await store.formations.commit(lease, FormationResult(formed_seq=2), now=clock.now())

    (status,) = await store.formations.list()
    assert (status.formed_seq, status.last_seq, status.due_at) == (2, 4, clock.now())


async def test_a_worker_whose_lease_ran_out_cannot_commit(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    known = memory("late", clock=clock)
    clock.advance(seconds=60)
    with pytest.raises(LeaseLostError):
        await store.formations.commit(lease, FormationResult(formed_seq=2, changes=(add(known),)), now=clock.now())

    assert len(await store.snapshots.snapshot(ANA, SPACE)) == 0


async def test_a_worker_whose_lease_was_taken_over_cannot_commit(store: Store, clock: FakeClock) -> None:
    first = await leased(store, clock)
    clock.advance(seconds=61)
    second = await store.formations.lease(first.key, now=clock.now(), lease_s=60)
    assert second is not None
    fresh_until = replace(first, until=second.until)
    with pytest.raises(LeaseLostError):
        await store.formations.commit(fresh_until, FormationResult(formed_seq=2), now=clock.now())
    await store.formations.commit(second, FormationResult(formed_seq=2), now=clock.now())
    with pytest.raises(LeaseLostError):
        await store.formations.commit(second, FormationResult(formed_seq=2), now=clock.now())


async def test_a_formation_that_rests_on_old_memories_is_done_again(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    await store.memories.apply(ANA, [add(memory("by hand", clock=clock))], [])
    known = memory("formed", clock=clock)
    stale = FormationResult(formed_seq=2, changes=(add(known),), subject_version=0)
    with pytest.raises(StaleSubjectError):
        await store.formations.commit(lease, stale, now=clock.now())

    assert await store.memories.get_many(ANA, [known.id]) == []
    assert await store.formations.commit(lease, replace(stale, subject_version=1), now=clock.now()) == 2


@pytest.mark.parametrize("formed_seq", [-1, 3])
async def test_a_cursor_stays_within_the_conversation(store: Store, clock: FakeClock, formed_seq: int) -> None:
    lease = await leased(store, clock)
    with pytest.raises(BadRequestError):
        await store.formations.commit(lease, FormationResult(formed_seq=formed_seq), now=clock.now())


async def test_a_failed_formation_is_due_again_later_with_its_error(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    retry_at = clock.now() + timedelta(minutes=1)
    await store.formations.release(lease, error="timeout", retry_at=retry_at, now=clock.now())

    (status,) = await store.formations.list()
    assert (status.due_at, status.attempts, status.error, status.parked) == (retry_at, 1, "timeout", False)
    assert await store.formations.due(clock.now()) == []
    assert await store.formations.due(retry_at) == [lease.key]


async def test_a_lease_given_back_without_an_error_is_no_attempt(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    await store.formations.release(lease, error=None, retry_at=clock.now(), now=clock.now())

    again = await store.formations.lease(lease.key, now=clock.now(), lease_s=60)
    assert again is not None
    assert again.attempts == 1


async def test_a_parked_formation_waits_visibly_until_it_is_retried(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    assert await store.formations.retry(lease.key, now=clock.now()) is False
    await store.formations.release(lease, error="poison", retry_at=None, now=clock.now())
    (status,) = await store.formations.list(parked=True)

    assert (status.parked, status.error, status.attempts) == (True, "poison", 1)
    assert await store.formations.list(parked=False) == []
    assert await store.formations.due(clock.now()) == []
    assert await store.formations.next_due() is None
    assert await store.formations.lease(lease.key, now=clock.now(), lease_s=60) is None
    clock.advance(hours=1)
    assert await store.formations.retry(lease.key, now=clock.now()) is True
    again = await store.formations.lease(lease.key, now=clock.now(), lease_s=60)
    assert again is not None
    assert again.attempts == 1
    assert (await store.admin.stats()).formations_parked == 0


async def test_a_parked_formation_stays_parked_when_more_is_said(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    await store.formations.release(lease, error="poison", retry_at=None, now=clock.now())
    await store.conversations.record(turn("a", "b", "c", "d", formations=[due(due_at=clock.now())]))
    assert await store.formations.due(clock.now()) == []


async def test_a_lost_lease_cannot_be_given_back(store: Store, clock: FakeClock) -> None:
    first = await leased(store, clock)
    clock.advance(seconds=60)
    second = await store.formations.lease(first.key, now=clock.now(), lease_s=60)
    assert second is not None
    await store.formations.release(first, error="late", retry_at=None, now=clock.now())

    (status,) = await store.formations.list()
    assert (status.parked, status.error) == (False, None)
    await store.formations.commit(second, FormationResult(formed_seq=2), now=clock.now())


async def test_one_poisoned_conversation_delays_no_other(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock)
    await store.formations.release(lease, error="poison", retry_at=None, now=clock.now())
    await store.conversations.record(turn("other", "b", formations=[due(due_at=clock.now())]))
    assert len(await store.formations.due(clock.now())) == 1


async def test_a_valid_lease_can_be_renewed_and_an_expired_one_cannot(store: Store, clock: FakeClock) -> None:
    lease = await leased(store, clock, seconds=10)
    clock.advance(seconds=9)
    assert await store.formations.renew(lease, now=clock.now(), lease_s=10)
    clock.advance(seconds=9)
    assert await store.formations.lease(lease.key, now=clock.now(), lease_s=10) is None
    clock.advance(seconds=1)
    assert not await store.formations.renew(lease, now=clock.now(), lease_s=10)
    assert await store.formations.lease(lease.key, now=clock.now(), lease_s=10) is not None
    assert not await store.formations.renew(lease, now=clock.now(), lease_s=10)


async def test_work_postponed_by_a_clock_set_ahead_is_due_once_it_is_right(url: str, clock: FakeClock) -> None:
    ahead = FakeClock(clock.now() + timedelta(days=3650))
    store = await open_store(url, clock=ahead)
    await store.conversations.record(turn("a", "b", formations=[due(due_at=ahead.now())]))
    await store.conversations.record(turn("c", "d", formations=[due(due_at=clock.now())]))
    [held] = await store.formations.due(clock.now())
    lease = await store.formations.lease(held, now=ahead.now(), lease_s=60)
    assert lease is not None
    soon = clock.now() + timedelta(minutes=59)
    await store.conversations.record(turn("e", "f", formations=[due(due_at=soon)]))
    # A second one beside the first: nobody may think that whoever holds the lease is gone.
    beside = await open_store(url, clock=clock)

    assert len(await beside.formations.due(clock.now())) == 2
    assert not await store.formations.renew(lease, now=clock.now(), lease_s=60)
    assert sorted(s.due_at for s in await beside.formations.list() if s.due_at) == [clock.now(), clock.now(), soon]
    await beside.close()
    await store.close()


async def test_opening_a_file_leaves_a_lease_in_use_alone(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    await store.conversations.record(turn("a", "b", formations=[due()]))
    [key] = await store.formations.due(clock.now())
    lease = await store.formations.lease(key, now=clock.now(), lease_s=3599)
    assert lease is not None
    beside = await open_store(url, clock=clock)
    assert await beside.formations.due(clock.now()) == []
    assert await store.formations.renew(lease, now=clock.now(), lease_s=60)
    await beside.close()
    await store.close()


async def leased_before_another(store: Store, clock: FakeClock) -> tuple[Lease, FormationKey]:
    """Record a turn with two stages; lease the first and name the second."""
    stages = [due(stage=stage, due_at=clock.now()) for stage in ("index", "extract")]
    await store.conversations.record(turn("a", "b", formations=stages))
    index, extract = await store.formations.due(clock.now())
    lease = await store.formations.lease(index, now=clock.now(), lease_s=60)
    assert lease is not None
    return lease, extract


async def test_a_commit_leases_what_follows_and_counts_its_attempt(store: Store, clock: FakeClock) -> None:
    lease, following = await leased_before_another(store, clock)
    wanted = LeaseRequest(key=following, now=clock.now(), lease_s=60)
    ahead = await store.formations.commit_and_lease(lease, FormationResult(formed_seq=2), wanted)

    assert ahead is not None
    assert (ahead.key, ahead.attempts, ahead.formed_seq, ahead.last_seq) == (following, 1, 0, 2)
    assert await store.formations.lease(following, now=clock.now(), lease_s=60) is None
    done, begun = await store.formations.list()
    assert {(status.key.stage, status.formed_seq, status.attempts) for status in (done, begun)} == {
        ("index", 2, 0),
        ("extract", 0, 1),
    }
    await store.formations.commit(ahead, FormationResult(formed_seq=2), now=clock.now())


async def test_a_refused_commit_leases_nothing(store: Store, clock: FakeClock) -> None:
    lease, following = await leased_before_another(store, clock)
    wanted = LeaseRequest(key=following, now=clock.now(), lease_s=60)
    with pytest.raises(StaleSubjectError):
        await store.formations.commit_and_lease(lease, FormationResult(formed_seq=2, subject_version=7), wanted)

    free = await store.formations.lease(following, now=clock.now(), lease_s=60)
    assert free is not None
    assert free.attempts == 1


async def test_a_commit_holds_when_another_worker_has_what_follows(store: Store, clock: FakeClock) -> None:
    lease, following = await leased_before_another(store, clock)
    assert await store.formations.lease(following, now=clock.now(), lease_s=60)
    wanted = LeaseRequest(key=following, now=clock.now(), lease_s=60)

    assert await store.formations.commit_and_lease(lease, FormationResult(formed_seq=2), wanted) is None
    statuses = await store.formations.list()
    assert {(status.key.stage, status.formed_seq) for status in statuses} == {("index", 2), ("extract", 0)}
