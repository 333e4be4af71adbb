"""The blocking library adds notes without its engine's thread, unless it must wait for more than the database."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from immediate_embedder import ImmediateWordEmbedder
from patience import PATIENCE_S
from toldonce import ToldOnce
from toldonce.concurrency import MAX_STALE_ATTEMPTS, Turns
from toldonce.engine import AsyncToldOnce
from toldonce.engine.bulk import BulkService
from toldonce.errors import BadRequestError
from toldonce.providers.protocols import ImmediateTextEmbedder
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Memory, NewNote, Subject, Vectors


@pytest.fixture
def on_the_loop(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were added in the engine's thread."""
    texts: list[str] = []
    add, add_many = AsyncToldOnce.add, BulkService.add

    async def noted(engine: AsyncToldOnce, text: str, **options: object) -> Memory:
        texts.append(text)
        return await add(engine, text, **options)  # type: ignore[arg-type]  # passed on as they came

    async def many_noted(service: BulkService, notes: Sequence[str], **options: object) -> list[Memory]:
        texts.extend(notes)
        return await add_many(service, notes, **options)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(AsyncToldOnce, "add", noted)
    monkeypatch.setattr(BulkService, "add", many_noted)
    return texts


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[ToldOnce]:
    with ToldOnce(tmp_path / "memory.db", embedder=ImmediateWordEmbedder(), clock=FakeClock()) as opened:
        opened.add("I row.", user="ana")
        opened.search("rowing", user="ana")
        opened.add("I ski.", user="ana")
        yield opened


def test_notes_that_say_nothing_known_are_added_in_their_thread(memory: ToldOnce, on_the_loop: list[str]) -> None:
    tea = memory.add("I like tea.", user="ana", importance=0.9, type="preference")
    shelves = memory.bulk.add(["Shelf 1 holds jars.", NewNote("Shelf 2 holds pens.", 0.2)], user="ana")
    assert on_the_loop == []
    assert [memory.get(known.id, user="ana") for known in (tea, *shelves)] == [tea, *shelves]
    decisions = memory.history.decisions(user="ana")
    assert {line.memory_id for line in decisions} >= {tea.id, *(shelf.id for shelf in shelves)}
    assert memory.search("Where are the pens?", user="ana").items[0].memory == shelves[1]
    assert memory.admin.stats(check=True).problems == ()


def test_first_notes_are_added_in_their_thread(tmp_path: Path, on_the_loop: list[str]) -> None:
    path = tmp_path / "memory.db"
    for number in range(2):
        with ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
            memory.add(f"Shelf {number} holds jars.", user="ana")
            memory.bulk.add([f"Drawer {number} holds pens.", f"Box {number} holds caps."], user="ben")
    with ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
        assert [len(memory.list(user=user)) for user in ("ana", "ben")] == [2, 4]
        assert on_the_loop == []
        assert memory.add("shelf 1 HOLDS jars", user="ana").text == "Shelf 1 holds jars."


def test_known_notes_are_strengthened_by_the_engine(memory: ToldOnce, on_the_loop: list[str]) -> None:
    tea = memory.add("I like tea.", user="ana")
    assert memory.add("i like TEA", user="ana", importance=0.95).id == tea.id
    assert on_the_loop == ["i like TEA"]
    assert memory.get(tea.id, user="ana").importance == 0.95


def test_what_another_process_adds_meanwhile_is_known(tmp_path: Path, on_the_loop: list[str]) -> None:
    path, clock = tmp_path / "memory.db", FakeClock()
    with (
        ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=clock) as ours,
        ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=clock) as theirs,
    ):
        for text in ("I row.", "I ski."):
            ours.add(text, user="ana")
        on_the_loop.clear()
        ours.add("I swim.", user="ana")
        assert on_the_loop == []
        tea = theirs.add("I like tea.", user="ana")
        assert ours.add("I like tea!", user="ana").id == tea.id
        assert len(ours.list(user="ana")) == 4


def test_threads_that_add_the_same_at_once_add_it_once(memory: ToldOnce) -> None:
    texts = [f"Shelf {number} holds jars." for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda text: memory.add(text, user="ana"), texts * 2))
    listed = memory.list(user="ana", limit=200)
    assert sorted(known.text for known in listed) == sorted([*texts, "I row.", "I ski."])
    assert {known.id for known in kept} <= {known.id for known in listed}
    assert len({known.id for known in kept}) == len(texts)


def test_no_thread_passes_a_note_that_the_engine_adds(
    memory: ToldOnce, on_the_loop: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = memory.add("I like tea.", user="ana")
    threads = 2 * MAX_STALE_ATTEMPTS
    inside, may_write, engine_waits = threading.Barrier(threads + 1), threading.Event(), threading.Event()
    embed_now, hold = ImmediateWordEmbedder.embed_now, Turns.hold
    written: list[str] = []

    def slow(embedder: ImmediateWordEmbedder, texts: Sequence[str]) -> Vectors:
        inside.wait(PATIENCE_S)
        may_write.wait(PATIENCE_S)
        return embed_now(embedder, texts)

    @asynccontextmanager
    async def noted(turns: Turns, key: Subject) -> AsyncIterator[None]:
        asyncio.get_running_loop().call_soon(engine_waits.set)  # when this task has begun to wait
        async with hold(turns, key):
            written.append("the engine's")
            yield

    def add(text: str) -> None:
        memory.add(text, user="ana")
        written.append(text)

    monkeypatch.setattr(ImmediateWordEmbedder, "embed_now", slow)
    monkeypatch.setattr(Turns, "hold", noted)
    with ThreadPoolExecutor(threads + 1) as pool:
        others = [pool.submit(add, f"Shelf {number} holds jars.") for number in range(threads)]
        inside.wait(PATIENCE_S)
        known = pool.submit(memory.add, "i like TEA", user="ana", importance=0.95)
        assert engine_waits.wait(PATIENCE_S)
        assert written == []
        may_write.set()
        for other in others:
            other.result(PATIENCE_S)
        assert known.result(PATIENCE_S).id == tea.id
    assert len(memory.list(user="ana", limit=200)) == 3 + threads


def test_a_profile_that_is_full_evicts_as_ever(tmp_path: Path, on_the_loop: list[str]) -> None:
    folder = tmp_path / "profiles"
    folder.mkdir()
    (folder / "small.toml").write_text("[capacity]\nmax_memories = 4\n", "utf-8")
    path = tmp_path / "memory.db"
    with ToldOnce(
        path, embedder=ImmediateWordEmbedder(), clock=FakeClock(), profiles=folder, profile="small"
    ) as memory:
        for number in range(8):
            memory.add(f"Shelf {number} holds jars.", user="ana")
        assert len(memory.list(user="ana")) == 4
    assert len(on_the_loop) < 8


def test_apps_and_sessions_are_left_to_the_engine(memory: ToldOnce, on_the_loop: list[str]) -> None:
    for subject in (Subject("app", "ana/calendar"), Subject("session", "ana/1")):
        for number in range(3):
            memory.add(f"Shelf {number} holds jars.", user=subject)
        assert len(memory.list(user=subject)) == 3
    assert len(on_the_loop) == 6


def test_a_failing_embedder_is_reported_as_ever(tmp_path: Path) -> None:
    embedder = ImmediateWordEmbedder()
    with ToldOnce(tmp_path / "memory.db", embedder=embedder, clock=FakeClock()) as memory:
        for text in ("I row.", "I ski."):
            memory.add(text, user="ana")
        embedder.fails = True
        assert memory.add("I swim.", user="ana").text == "I swim."


def test_invalid_notes_are_refused_and_a_closed_engine_adds_none(memory: ToldOnce) -> None:
    with pytest.raises(BadRequestError, match="empty"):
        memory.add(" ", user="ana")
    with pytest.raises(BadRequestError, match="note 2 of 2"):
        memory.bulk.add(["I swim.", ""], user="ana")
    assert memory.bulk.add([], user="ana") == []
    assert len(memory.list(user="ana")) == 2
    memory.close()
    with pytest.raises(RuntimeError, match="closed"):
        memory.add("I swim.", user="ana")


def test_the_built_in_embedder_needs_no_loop() -> None:
    assert isinstance(StaticEmbedder(), ImmediateTextEmbedder)
    assert not isinstance(WordEmbedder(), ImmediateTextEmbedder)
