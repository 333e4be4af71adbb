"""A read and its commit are tried again while they are stale; coroutines that run together end together."""

import asyncio

import pytest

from toldonce.concurrency import Turns, gather_or_cancel, retry_while_stale
from toldonce.errors import StaleSubjectError


class Commits:
    """Commits that are refused a number of times."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.attempts = 0

    async def attempt(self) -> int:
        self.attempts += 1
        if self.attempts <= self.refusals:
            raise StaleSubjectError(f"refused {self.attempts}")
        return self.attempts


async def test_a_stale_commit_is_tried_again() -> None:
    commits = Commits(refusals=2)
    assert await retry_while_stale(commits.attempt, max_attempts=3) == 3


async def test_after_the_last_attempt_the_given_failure_is_raised() -> None:
    commits = Commits(refusals=9)
    with pytest.raises(StaleSubjectError, match="kept changing"):
        await retry_while_stale(commits.attempt, failure=StaleSubjectError("kept changing"), max_attempts=3)
    assert commits.attempts == 3


async def test_without_a_given_failure_the_last_error_is_raised() -> None:
    with pytest.raises(StaleSubjectError, match="refused 2"):
        await retry_while_stale(Commits(refusals=9).attempt, max_attempts=2)


async def test_an_error_cancels_what_runs_beside_it() -> None:
    cancelled = asyncio.Event()

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await gather_or_cancel([waits(), fails()])
    assert cancelled.is_set()


async def test_a_task_waits_for_threads_and_keeps_others_out() -> None:
    turns, order = Turns(), []
    assert turns.enter("ana")
    assert turns.enter("ana")

    async def task(name: str) -> None:
        async with turns.hold("ana"):
            assert not turns.enter("ana")
            order.append(name)
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(task("first")), asyncio.create_task(task("second"))]
    await asyncio.sleep(0)
    assert not turns.enter("ana")
    assert turns.enter("ben")
    await asyncio.to_thread(turns.leave, "ana")
    assert order == []
    order.append("the last thread leaves")
    await asyncio.to_thread(turns.leave, "ana")
    await asyncio.gather(*tasks)
    assert order == ["the last thread leaves", "first", "second"]
    assert turns.enter("ana")


async def test_a_cancelled_task_gives_its_turn_back() -> None:
    turns = Turns()
    assert turns.enter("ana")

    async def task() -> None:
        async with turns.hold("ana"):
            pass

    for _ in range(2):
        waiting = asyncio.create_task(task())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert turns.enter("ana")
        turns.leave("ana")
    after = asyncio.create_task(task())
    await asyncio.sleep(0)
    turns.leave("ana")
    await after
