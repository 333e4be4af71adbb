"""An erasure of a large subject that was begun comes to its end: after its caller is cancelled, and after a kill."""

import asyncio
import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from canaries import canary, found, spellings
from factories import ANA, BEN, add, memory
from forked_processes import run_python
from patience import PATIENCE_S
from stores import DURABLE, STORES, new_store, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.maintenance.eraser import Eraser
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.store.failpoint import VARIABLE
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.erase import erase
from toldonce.store.sql.erase import repository as erasures
from toldonce.store.sql.erase.erase import EraseServices
from toldonce.store.sql.erase.orders import unfinished_orders
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import EraseRequest, StorageKind, Subject

TESTS = Path(__file__).parent.parent
SCRIPT = Path(__file__).parent / "erase_process.py"
MANY, EACH = 53, 10
ALL = EraseRequest(subject=ANA, everything=True)
COUNTS = {"memories": MANY, "vectors": MANY, "terms": MANY}
INNER = [Subject("session", f"ana/{number}") for number in range(5)]


class BrokenError(Exception):
    """Stops an erasure, in place of a kill."""


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Store:
    return await new_store(request.param, tmp_path, clock)


async def fill(store: Store, clock: FakeClock) -> None:
    await store.memories.apply(ANA, [add(memory(f"Box {number}.", clock=clock)) for number in range(MANY)], [])


def before_portion(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], None]) -> None:
    """Call `act` in the transaction of the portion with this number, before it erases."""
    monkeypatch.setattr(erasures, "MAX_MEMORIES", EACH)
    original, calls = erasures.erase_portion, 0

    def erase_portion(
        db: SqlConnection, order: EraseRequest, after: bytes, services: EraseServices, *, continues: bool
    ) -> bytes | None:
        nonlocal calls
        calls += 1
        if calls == number:
            act()
        return original(db, order, after, services, continues=continues)

    monkeypatch.setattr(erasures, "erase_portion", erase_portion)


def fail() -> None:
    raise BrokenError


async def interrupt(store: Store, monkeypatch: pytest.MonkeyPatch, order: EraseRequest = ALL) -> None:
    """Stop an erasure of Ana after two portions."""
    before_portion(monkeypatch, 3, fail)
    with pytest.raises(BrokenError):
        await store.erasures.erase(order)
    assert len(await store.memories.list(ANA)) == MANY - 2 * EACH


async def finish(store: Store) -> None:
    """Finish what is pending; on a server the tables are rewritten for it."""
    assert await Eraser(store=store).finish(rewrite=store.database.storage_kind is StorageKind.SERVER)


async def assert_erased_once(store: Store, clock: FakeClock) -> None:
    """Check that nothing of Ana is left, and that one record counts all that was erased and is clean."""
    assert await store.memories.list(ANA) == []
    [record] = await store.erasures.list(ANA)
    assert {name: record.counts.get(name) for name in COUNTS} == COUNTS
    assert record.cleaned_at == clock.now()
    assert await store.erasures.pending() == 0


@pytest.mark.parametrize("ends", ["close", "finish"])
@pytest.mark.parametrize("kind", DURABLE)
async def test_i13_a_cancelled_caller_leaves_no_half_erased_subject(
    kind: str, ends: str, tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await new_store(kind, tmp_path, clock)
    await fill(store, clock)
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        loop.call_soon_threadsafe(caller.cancel)

    before_portion(monkeypatch, 3, cancel)
    caller = asyncio.create_task(Eraser(store=store).erase(ALL))
    with pytest.raises(asyncio.CancelledError):
        await caller
    if ends == "close":
        await store.close()
        store = await open_store(url_of(kind, tmp_path), clock=clock)
        assert await store.memories.list(ANA) == []
    await finish(store)
    await assert_erased_once(store, clock)
    await store.close()


async def test_i13_an_interrupted_erasure_stays_pending_until_finished(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, clock)
    await interrupt(store, monkeypatch)
    assert await store.database.scrub(wait_ms=0, rewrite=True)
    assert await store.erasures.pending() == 1
    [record] = await store.erasures.list(ANA)
    assert (record.cleaned_at, record.counts["memories"]) == (None, 2 * EACH)
    await finish(store)
    await assert_erased_once(store, clock)
    await store.close()


async def test_repeating_the_order_counts_the_whole(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store, clock)
    await interrupt(store, monkeypatch)
    assert (await store.erasures.erase(ALL)).counts["memories"] == MANY
    await finish(store)
    await assert_erased_once(store, clock)
    await store.close()


@pytest.mark.parametrize("everywhere", [False, True])
async def test_i13_a_continued_erasure_reaches_as_far_as_ordered(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, everywhere: bool
) -> None:
    reached: list[bool] = []
    real = erase.SubjectErasure

    def watched(db: SqlConnection, order: EraseRequest, *, at: int, term_key: bytes) -> erase.SubjectErasure:
        reached.append(order.everywhere)
        return real(db, order, at=at, term_key=term_key)

    monkeypatch.setattr(erase, "SubjectErasure", watched)
    await fill(store, clock)
    await interrupt(store, monkeypatch, replace(ALL, everywhere=everywhere))
    await finish(store)
    assert reached == [everywhere]
    await store.close()


async def test_i13_subjects_within_a_half_erased_one_are_erased_too(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "MAX_INNER", 2)
    for subject in (ANA, *INNER, BEN):
        note = memory("The boat is green.", clock=clock, subject=subject)
        await store.memories.apply(subject, [add(note)], [])
    real = erase.erase_whole
    calls = 0

    def second_fails(*args: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 2:
            fail()
        return real(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(erase, "erase_whole", second_fails)
    with pytest.raises(BrokenError):
        await store.erasures.erase(ALL)
    assert sum([len(await store.memories.list(subject)) for subject in INNER]) == 3
    assert len(await store.memories.list(ANA)) == 1
    await finish(store)
    assert [await store.memories.list(subject) for subject in (ANA, *INNER)] == [[]] * 6
    assert len(await store.memories.list(BEN)) == 1
    await store.close()


@pytest.mark.parametrize("kind", DURABLE)
async def test_what_another_process_finished_is_not_erased_again(
    kind: str, tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = await new_store(kind, tmp_path, clock), await open_store(url_of(kind, tmp_path), clock=clock)
    await fill(store, clock)
    await interrupt(store, monkeypatch)
    [order] = await store.erasures._executor.read(unfinished_orders)
    await finish(other)
    await store.memories.apply(ANA, [add(memory("A new start.", clock=clock))], [])
    record = await store.erasures._erase_whole(order, continues=True)
    assert record.counts["memories"] == MANY
    assert [note.text for note in await store.memories.list(ANA)] == ["A new start."]
    await store.close()
    await other.close()


@pytest.mark.process
@pytest.mark.parametrize("kind", DURABLE)
@pytest.mark.parametrize(
    ("failpoint", "left"),
    [("erasing", 120), ("erasing:2", 70), ("before-commit:2", 70), ("after-commit:2", 20)],
)
async def test_i13_a_kill_between_portions_is_made_good_without_a_new_order(
    kind: str, failpoint: str, left: int, tmp_path: Path
) -> None:
    url = url_of(kind, tmp_path)
    words = [canary(random.Random(f"{failpoint}{place}")) for place in range(120)]
    async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
        await engine.bulk.add([f"The {word} is in box {word}." for word in words], user="ana")
        bens = await engine.add("Ben's boat is green.", user="ben")
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    killed = run_python(str(SCRIPT), url, "all", "50", env=environment, timeout=PATIENCE_S)
    assert killed.returncode == -signal.SIGKILL, killed.stderr

    async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
        assert len(await engine.list(user="ana", limit=200)) == left
        assert (await engine.admin.stats(check=True)).problems == ()
        if failpoint == "after-commit:2":
            assert await engine.erasure.finish() is (kind == "file")
        else:
            await engine.form()  # a worker's round
        if left == len(words):
            assert len(await engine.list(user="ana", limit=200)) == left, "nothing was committed, so nothing is begun"
            await engine.erasure.subject("ana")
        assert await engine.list(user="ana", closed=True) == []
        assert (await engine.search(f"Where is the {words[-1]}?", user="ana")).items == ()
        assert [known.id for known in await engine.list(user="ben")] == [bens.id]
        assert await engine.erasure.finish(rewrite=kind == "postgres")
        if kind == "file":
            patterns = {pattern: f"{word} as {how}" for word in words[::5] for how, pattern in spellings(word)}
            assert found(tmp_path, patterns) == []
        assert (await engine.admin.stats(check=True)).problems == ()
