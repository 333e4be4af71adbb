"""The blocking library answers a search in its caller's thread, unless something has to be waited for."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from immediate_embedder import ImmediateWordEmbedder
from patience import PATIENCE_S
from statement_counter import StatementCounter
from toldonce import ToldOnce
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.providers.protocols import ImmediateEmbedder
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.recall.query import QueryText, read_query
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Recall, Subject

# Python and C calls of a search in 100 memories that was asked before.
MAX_CALLS = 1_000
TEXTS = [f"Shelf {number} holds {thing}." for number in range(5) for thing in ("apples", "pears", "plums", "jars")]


@pytest.fixture
def on_the_loop(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that were searched in the engine's thread."""
    queries: list[str] = []
    search = AsyncToldOnce.search

    async def noted(engine: AsyncToldOnce, query: str, **options: object) -> Recall:
        queries.append(query)
        return await search(engine, query, **options)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(AsyncToldOnce, "search", noted)
    return queries


def shown(recall: Recall) -> list[object]:
    return [(item.memory, item.score, item.similarity, item.word_share, item.reasons) for item in recall.items]


def test_a_search_stays_in_its_thread_and_finds_the_same(tmp_path: Path, on_the_loop: list[str]) -> None:
    path, clock = tmp_path / "memory.db", FakeClock()
    with ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=clock) as memory:
        memory.bulk.add(TEXTS, user="ana")
        here = [shown(memory.search(f"Where are the {thing}?", user="ana")) for thing in ("apples", "jars", "keys")]
    assert on_the_loop == []
    with ToldOnce(path, embedder=WordEmbedder(), clock=clock) as memory:
        there = [shown(memory.search(f"Where are the {thing}?", user="ana")) for thing in ("apples", "jars", "keys")]
    assert len(on_the_loop) == 3
    assert here == there
    assert all(here)


def test_a_repeated_search_reads_versions_and_what_is_not_formed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = StatementCounter(monkeypatch)
    with ToldOnce(tmp_path / "memory.db", embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
        memory.bulk.add(TEXTS, user="ana")
        memory.search("apples", user="ana")
        with counter.counted() as sent:
            memory.search("apples", user="ana")
    assert len(sent) == 2


def test_what_another_process_adds_and_erases_is_seen(tmp_path: Path, on_the_loop: list[str]) -> None:
    path, clock = tmp_path / "memory.db", FakeClock()
    with (
        ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=clock) as ours,
        ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=clock) as theirs,
    ):
        assert not ours.search("red canoe", user="ana").items
        added = theirs.add("The red canoe is in Porto.", user="ana")
        assert [item.memory.id for item in ours.search("red canoe", user="ana").items] == [added.id]
        assert not ours.search("red canoe", user="ben").items
        theirs.erase(added.id, user="ana")
        assert not ours.search("red canoe", user="ana").items
    assert on_the_loop == []


def test_many_threads_search_while_memories_are_added(tmp_path: Path) -> None:
    with ToldOnce(tmp_path / "memory.db", embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
        for user in ("ana", "ben"):
            memory.bulk.add([f"{text} ({user})" for text in TEXTS], user=user)
        ended = threading.Event()

        def search(user: str) -> int:
            count = 0
            while not ended.is_set() or count < 4:
                found = memory.search("Which shelf holds the apples?", user=user)
                assert len(found.items) == 10
                assert all(item.memory.subject.name == user for item in found.items)
                count += 1
            return count

        with ThreadPoolExecutor(4) as pool:
            searches = [pool.submit(search, user) for user in ("ana", "ben") * 2]
            for number in range(12):
                memory.add(f"Crate {number} holds apples too.", user=("ana", "ben")[number % 2])
            ended.set()
            assert min(search.result(PATIENCE_S) for search in searches) >= 4
        assert memory.search("Crate 11", user="ben").considered == len(TEXTS) + 6


def test_a_new_subscription_is_read_at_once(tmp_path: Path, on_the_loop: list[str]) -> None:
    with ToldOnce(tmp_path / "memory.db", embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
        memory.add("The canoe is red.", user="ana")
        office = Subject("shared", "office")
        shared = memory.add("The office opens at nine.", user=office)
        assert len(memory.search("office canoe", user="ana").items) == 1
        memory.shared.subscribe(office, user="ana")
        found = memory.search("office canoe", user="ana").items
        assert shared.id in {item.memory.id for item in found}


def test_a_failing_embedder_is_reported_as_ever(tmp_path: Path, on_the_loop: list[str]) -> None:
    embedder = ImmediateWordEmbedder()
    with ToldOnce(tmp_path / "memory.db", embedder=embedder, clock=FakeClock()) as memory:
        memory.bulk.add(TEXTS, user="ana")
        embedder.fails = True
        assert memory.search("apples", user="ana").items
        assert on_the_loop == ["apples"]
        with pytest.raises(BadRequestError):
            memory.search("apples", user="ana", limit=0)


def test_a_database_in_memory_is_read_on_the_loop(on_the_loop: list[str]) -> None:
    with ToldOnce(":memory:", embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
        memory.bulk.add(TEXTS, user="ana")
        assert memory.search("apples", user="ana").items
    assert on_the_loop == ["apples"]
    with pytest.raises(RuntimeError, match="closed"):
        memory.search("apples", user="ana")


def test_the_built_in_embedder_needs_no_loop() -> None:
    assert isinstance(StaticEmbedder(), ImmediateEmbedder)
    assert not isinstance(WordEmbedder(), ImmediateEmbedder)


def test_a_repeated_search_makes_few_calls(tmp_path: Path) -> None:
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    with ToldOnce(tmp_path / "memory.db", clock=FakeClock()) as memory:
        memory.bulk.add([f"{text} Crate {number}" for number in range(5) for text in TEXTS], user="ana")
        for _ in range(2):
            found = memory.search("apples and plums on a shelf", user="ana")
        sys.setprofile(count)
        try:
            memory.search("apples and plums on a shelf", user="ana")
        finally:
            sys.setprofile(None)
    assert found.considered == 100
    assert calls < MAX_CALLS


def test_a_query_is_read_once_until_something_is_erased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(text: str) -> QueryText:
        read.append(text)
        return read_query(text)

    monkeypatch.setattr("toldonce.engine.query_builder.read_query", noted)
    with ToldOnce(tmp_path / "memory.db", embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
        kept = [memory.add(text, user="ana") for text in TEXTS]
        found = [shown(memory.search("a shelf of plums since May", user="ana")) for _ in range(3)]
        assert found[0] == found[1] == found[2]
        assert read == ["a shelf of plums since May"]
        memory.erase(kept[0].id, user="ana")
        memory.search("a shelf of plums since May", user="ana")
    assert read == 2 * ["a shelf of plums since May"]


def test_a_replaced_file_is_not_read(tmp_path: Path, on_the_loop: list[str]) -> None:
    path = tmp_path / "memory.db"
    with ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=FakeClock()) as memory:
        memory.add("The red canoe is in Porto.", user="ana")
        for name in ("memory.db", "memory.db-wal", "memory.db-shm"):
            (tmp_path / name).rename(tmp_path / f"moved-{name}")
        with ToldOnce(path, embedder=ImmediateWordEmbedder(), clock=FakeClock()) as other:
            other.add("The red canoe was sold.", user="ana")
            found = memory.search("red canoe", user="ana")
            assert [item.memory.text for item in found.items] == ["The red canoe is in Porto."]
    assert on_the_loop == ["red canoe"]
