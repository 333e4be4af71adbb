"""Calls that other threads and tasks make while a library is closed all end, and closing twice at once is safe."""

import asyncio
import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from patience import PATIENCE_S
from stores import DURABLE, STORES, url_of
from toldonce import ToldOnce
from toldonce.engine import AsyncToldOnce
from toldonce.errors import StoreUnavailableError
from toldonce.store.store import Store
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Vectors

T = TypeVar("T")
"""How long a test waits for what comes within milliseconds."""


class SlowEmbedder(WordEmbedder):
    """An embedder that waits: for a text with "slow" until it is told to go on, and before it is closed if wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.closing = threading.Event(), threading.Event()
        self.may_embed = asyncio.Event()
        self.may_close = threading.Event()
        self.may_close.set()
        self.closed = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if any("slow" in text for text in texts):
            self.embedding.set()
            await self.may_embed.wait()
        return await super().embed(texts)

    async def close(self) -> None:
        self.closed += 1
        self.closing.set()
        await asyncio.to_thread(self.may_close.wait, PATIENCE_S)


@pytest.fixture(params=STORES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request.param, tmp_path)


def opened(url: str, embedder: SlowEmbedder) -> ToldOnce:
    return ToldOnce(url, embedder=embedder, clock=FakeClock())


def in_thread(call: Callable[[], T]) -> "Future[T]":
    """Run a call in a thread that does not keep the process from ending if it never returns."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001  # the test's thread raises it
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome


def test_closing_ends_a_call_that_waits(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toldonce.engine.background.MAX_DRAIN_S", 0.01)
    memory = opened(url, embedder := SlowEmbedder())
    adding = in_thread(lambda: memory.add("A slow text.", user="ana"))
    assert embedder.embedding.wait(PATIENCE_S)
    memory.close()
    with pytest.raises(RuntimeError, match="this ToldOnce is closed"):
        adding.result(PATIENCE_S)


def test_closing_ends_a_call_that_ignores_being_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toldonce.engine.background.MAX_DRAIN_S", 0.01)
    memory = ToldOnce(tmp_path / "memory.db", clock=FakeClock())
    began = threading.Event()

    async def stubborn() -> None:
        began.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    waiting = in_thread(lambda: memory._engine.run(stubborn()))
    assert began.wait(PATIENCE_S)
    memory.close()
    with pytest.raises(RuntimeError, match="this ToldOnce is closed"):
        waiting.result(PATIENCE_S)


def test_a_call_whose_database_is_closed_reports_that(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = opened(url, embedder := SlowEmbedder())
    close = Store.close

    async def close_and_go_on(store: Store) -> None:
        await close(store)
        embedder.may_embed.set()

    monkeypatch.setattr(Store, "close", close_and_go_on)
    adding = in_thread(lambda: memory.add("A slow text.", user="ana"))
    assert embedder.embedding.wait(PATIENCE_S)
    memory.close()
    with pytest.raises(RuntimeError, match="this ToldOnce is closed") as caught:
        adding.result(PATIENCE_S)
    assert isinstance(caught.value.__cause__, StoreUnavailableError)


def test_no_call_begins_while_it_is_closed(url: str) -> None:
    memory = opened(url, embedder := SlowEmbedder())
    memory.add("The canoe is red.", user="ana")
    embedder.may_close.clear()
    closing = in_thread(memory.close)
    assert embedder.closing.wait(PATIENCE_S)
    calls: list[Callable[[], object]] = [
        lambda: memory.add("The boat is green.", user="ana"),
        lambda: memory.bulk.add(["The boat is green."], user="ana"),
        lambda: memory.search("canoe", user="ana"),
        lambda: memory.list(user="ana"),
        memory.form,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="this ToldOnce is closed"):
            in_thread(call).result(PATIENCE_S)
    embedder.may_close.set()
    closing.result(PATIENCE_S)


def test_two_threads_close_it_once_and_both_wait(url: str) -> None:
    memory = opened(url, embedder := SlowEmbedder())
    embedder.may_close.clear()
    first = in_thread(memory.close)
    assert embedder.closing.wait(PATIENCE_S)
    second = in_thread(memory.close)
    with pytest.raises(TimeoutError):
        second.result(0.05)
    embedder.may_close.set()
    first.result(PATIENCE_S)
    second.result(PATIENCE_S)
    assert embedder.closed == 1


@pytest.mark.parametrize("kind", DURABLE)
def test_calls_of_many_threads_end_when_it_is_closed(kind: str, tmp_path: Path) -> None:
    memory = ToldOnce(url_of(kind, tmp_path), clock=FakeClock())
    running = threading.Barrier(7)

    def call_until_closed(number: int) -> None:
        for count in itertools.count(1):
            if number % 2:
                memory.add(f"Thread {number} added note {count}.", user="ana")
            else:
                memory.search("note", user="ana")
            if count == 1:
                running.wait(PATIENCE_S)

    calls = [in_thread(partial(call_until_closed, number)) for number in range(6)]
    running.wait(PATIENCE_S)
    memory.close()
    for call in calls:
        with pytest.raises(RuntimeError, match="this ToldOnce is closed"):
            call.result(PATIENCE_S)


@pytest.mark.parametrize("kind", STORES)
async def test_calls_of_the_async_library_end_when_it_is_closed(kind: str, tmp_path: Path) -> None:
    embedder = SlowEmbedder()
    memory = await AsyncToldOnce.open(url_of(kind, tmp_path), embedder=embedder, clock=FakeClock())
    slow = asyncio.create_task(memory.add("A slow text.", user="ana"))
    await asyncio.to_thread(embedder.embedding.wait, PATIENCE_S)
    others = [asyncio.create_task(memory.list(user=f"user {number}")) for number in range(20)]
    await asyncio.sleep(0)
    await asyncio.gather(memory.close(), memory.close())
    embedder.may_embed.set()
    ended = await asyncio.wait_for(asyncio.gather(slow, *others, return_exceptions=True), PATIENCE_S)
    assert isinstance(ended[0], StoreUnavailableError)
    assert all(found == [] or isinstance(found, StoreUnavailableError) for found in ended[1:])
    with pytest.raises(StoreUnavailableError, match="closed"):
        await memory.list(user="ana")
