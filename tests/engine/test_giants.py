"""A giant whose vectors have an index, through the library: all that reads vectors goes on finding what is near."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from giants import Shown, built, dropped
from postgres_server import NEEDS_POSTGRES
from sample_chats import tell
from stores import url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.databases import copy_database
from toldonce.store.factory import open_store
from toldonce.store.postgres import hnsw_search
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind

pytestmark = NEEDS_POSTGRES
WORDS = "tea oslo bees chess violin snow harbour gardens trains winter".split()
SAID = [
    f"Ana likes {first} and {second} in room {place}."
    for place, (first, second) in enumerate(
        (first, second) for first in WORDS for second in WORDS[:6] if first != second
    )
]


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(hnsw_search, "EXACT_SEARCH_THRESHOLD", 10)
    monkeypatch.setattr(hnsw_search, "SAMPLE", 10)
    return url_of("postgres", tmp_path)


@pytest.fixture
async def ana(url: str, parts: Components, clock: FakeClock) -> AsyncIterator[AsyncToldOnce]:
    """An engine whose user Ana has more than fifty notes, with an index of their vectors."""
    store = await open_store(url, clock=clock)
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        for text in SAID:
            await engine.add(text, user="ana")
            clock.advance(seconds=60)
        done = await built(url)
        assert [index.subject for index in done.built] == ["user:ana"]
        yield engine


async def test_recall_finds_what_it_finds_without_and_says_that_it_is_approximate(ana: AsyncToldOnce, url: str) -> None:
    queries = [f"What of {words} and {other}?" for words, other in pairwise(WORDS)]
    near_ones = [await ana.search(query, user="ana") for query in queries]
    assert all(found.vectors_compared and found.considered == len(SAID) for found in near_ones)
    await dropped(url)
    exact = [await ana.search(query, user="ana") for query in queries]
    assert all(found.vectors_compared is None for found in exact)
    for pair, other in zip(near_ones, exact, strict=True):
        assert pair.items[0].memory.id == other.items[0].memory.id
        assert len({i.memory.id for i in pair.items} & {i.memory.id for i in other.items}) >= 8


async def test_the_same_again_is_known_and_no_second_memory(ana: AsyncToldOnce) -> None:
    again = await ana.add(SAID[17].upper(), user="ana")
    assert again.text == SAID[17]
    assert len(await ana.list(user="ana", limit=200)) == len(SAID)
    signs = await ana.add("!!", user="ana")
    assert (await ana.add("!!", user="ana")).id == signs.id, "what has no vector is found among all"


async def test_what_is_formed_is_weighed_against_what_is_near(ana: AsyncToldOnce) -> None:
    await tell(ana, "I am allergic to peanuts.")
    before = await ana.list(user="ana", kinds=(MemoryKind.NOTE, MemoryKind.FACT), limit=200)
    await tell(ana, "I am allergic to peanuts.")
    after = await ana.list(user="ana", kinds=(MemoryKind.NOTE, MemoryKind.FACT), limit=200)
    assert len(before) > len(SAID)
    assert [memory.id for memory in after] == [memory.id for memory in before]
    found = await ana.search("peanuts", user="ana")
    assert found.vectors_compared
    assert "peanuts" in found.items[0].memory.text


async def test_the_nearest_in_meaning_are_asked_of_the_index(ana: AsyncToldOnce, url: str) -> None:
    few = await ana.vectors.nearest(query="chess and violin", user="ana", limit=5)
    await dropped(url)
    exact = await ana.vectors.nearest(query="chess and violin", user="ana", limit=5)
    assert [item.similarity for item in few] == pytest.approx([item.similarity for item in exact])


async def test_tending_compares_all_and_undoing_and_the_past_need_no_vector(
    ana: AsyncToldOnce, clock: FakeClock
) -> None:
    assert (await ana.admin.maintain(user="ana")).subjects == 1
    past = await ana.search("chess", user="ana", at=clock.now())
    assert past.vectors_compared is None
    assert past.items
    fresh = await ana.add("Ana likes parrots.", user="ana")
    assert (await ana.forget(fresh.id, user="ana")).id == fresh.id
    assert fresh.id not in {item.memory.id for item in (await ana.search("parrots", user="ana")).items}


async def test_a_copy_holds_the_same_and_has_no_index_yet(
    ana: AsyncToldOnce, url: str, tmp_path_factory: pytest.TempPathFactory, clock: FakeClock, parts: Components
) -> None:
    there = url_of("postgres", tmp_path_factory.mktemp("there"))
    file = f"sqlite:///{tmp_path_factory.mktemp('file') / 'memory.sqlite3'}"
    one = await asyncio.to_thread(copy_database, url, there, progress=Shown())
    other = await asyncio.to_thread(copy_database, there, file, progress=Shown())
    assert one.digest == other.digest
    store = await open_store(there, clock=clock)
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        assert (await engine.admin.stats()).indexes == ()
        assert (await engine.search("chess", user="ana")).vectors_compared is None
    assert [done.subject for done in (await built(there)).built] == ["user:ana"]
