"""Threads that ask for an engine's services at the same time get the same ones, and wake the same worker."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.engine.lazy_property import lazy_property
from toldonce.worker.loop import Worker

THREADS = 4
# Threads that are held back by the lock do not come to the barrier: it breaks after this time.
WAIT_S = 0.3


class _Numbers:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.made = 0

    @lazy_property
    def first(self) -> int:
        """The first number."""
        self.made += 1
        return self.made

    @lazy_property
    def second(self) -> int:
        """The first number's double, made under the same lock."""
        return 2 * self.first


def test_a_property_is_computed_once_and_may_use_another() -> None:
    numbers = _Numbers()

    assert (numbers.second, numbers.first, numbers.second, numbers.made) == (2, 1, 2, 1)
    assert isinstance(_Numbers.first, lazy_property)


@pytest.mark.near_only(reason="the server has its own workers")
async def test_threads_that_ask_at_once_share_one_worker(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(THREADS)
    made: list[Worker] = []
    make = Worker.__init__

    def pause(worker: Worker, *arguments: object, **options: object) -> None:
        made.append(worker)
        with suppress(threading.BrokenBarrierError):
            together.wait(WAIT_S)
        make(worker, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Worker, "__init__", pause)
    steps = engine._steps
    asked = [lambda: steps.worker, lambda: engine.turns and steps.worker] * (THREADS // 2)
    with ThreadPoolExecutor(THREADS) as threads:
        workers = [asking.result() for asking in [threads.submit(ask) for ask in asked]]

    assert len(made) == 1
    assert workers == made * THREADS
    assert steps.turns.worker is made[0]
