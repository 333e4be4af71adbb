"""One store for each kind there is: the conformance tests run against all of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from factories import ANA
from giants import MANY, adding, directions
from stores import DIALECTS, SEALED, new_store, url_of
from toldonce.store.factory import open_store
from toldonce.store.postgres import hnsw_search
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import Vectors


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=(*DIALECTS, *SEALED))
async def store(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Store]:
    """A store of each kind; the encrypted one on SQLite is a file with its threads."""
    opened = await new_store(request.param, tmp_path, clock)
    yield opened
    await opened.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A file that is not there yet."""
    return f"sqlite:///{tmp_path / 'data' / 'toldonce.sqlite3'}"


@pytest.fixture
def giants_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A PostgreSQL database in which few memories are many."""
    monkeypatch.setattr(hnsw_search, "EXACT_SEARCH_THRESHOLD", 15)
    monkeypatch.setattr(hnsw_search, "SAMPLE", 30)
    return url_of("postgres", tmp_path)


@pytest.fixture
async def opened(giants_url: str, clock: FakeClock) -> AsyncIterator[Store]:
    store = await open_store(giants_url, clock=clock)
    yield store
    await store.close()


@pytest.fixture
async def giant(opened: Store, clock: FakeClock) -> Vectors:
    """The vectors of Ana's memories, in their order."""
    vectors = directions(MANY)
    await opened.memories.apply(ANA, adding(clock, vectors), [])
    return vectors
