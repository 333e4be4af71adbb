"""What most tests share: an engine over a store, with a clock to set and an embedder of words.

`pytest --store=file` runs all of them on another store than the one in memory.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings as examples

from recollect.engine import AsyncRecollect, Components
from recollect.providers.token_counter import token_counter
from recollect.settings import Settings
from recollect.testing import FakeClock, WordEmbedder
from stores import STORES, new_store, url_of

# No test is judged by its time: a busy machine would fail it.
examples.register_profile("recollect", deadline=None)
examples.load_profile("recollect")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store", choices=STORES, default=STORES[0], help="the store that engines in tests stand on")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    """Which store the engine stands on."""
    return str(request.config.getoption("--store"))


@pytest.fixture
def dim() -> int:
    """How many numbers a vector has."""
    return 64


@pytest.fixture
async def parts(
    kind: str, dim: int, clock: FakeClock, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Components]:
    folder: Path = tmp_path_factory.mktemp("store")  # apart from what a test writes itself
    store = await new_store(kind, folder, clock)
    yield Components(
        settings=Settings(database_url=url_of(kind, folder)),
        clock=clock,
        store=store,
        embedder=WordEmbedder(dim),
        model=None,
        counter=token_counter(),
    )
    await store.close()  # a second time, where an engine closed it


@pytest.fixture
async def engine(parts: Components) -> AsyncIterator[AsyncRecollect]:
    async with AsyncRecollect(parts) as opened:
        yield opened
