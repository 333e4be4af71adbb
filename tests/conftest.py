"""What most tests share: an engine over a store, with a clock to set and an embedder of words.

`pytest --store=file` runs all of them on another store than the one in memory. `postgres` and `process` mark the tests
that use a PostgreSQL server or start processes, `campaign` those that try very many cases; `make quick` leaves all of
them out.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings as examples

from postgres_server import NO_PROGRAMS
from recollect.engine import AsyncRecollect, Components
from recollect.providers.token_counter import token_counter
from recollect.settings import Settings
from recollect.testing import FakeClock, WordEmbedder
from stores import STORES, new_store, url_of

# No test is judged by its time: a busy machine would fail it.
examples.register_profile("recollect", deadline=None)
examples.load_profile("recollect")

PROCESS_FOLDERS = ("integration", "benchmarks", "tools")
CAMPAIGN_FOLDERS = ("stories", "scripted")
CAMPAIGN_FILES = ("test_linear_patterns.py", "test_hostile_messages.py", "test_undo_property.py", "test_pairs.py")
SERVER_STORES = ("postgres", "citus")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store", choices=STORES, default=STORES[0], help="the store that engines in tests stand on")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        folder = item.path.parent.name
        if folder in PROCESS_FOLDERS:
            item.add_marker("process")
        if folder in CAMPAIGN_FOLDERS or item.path.name in CAMPAIGN_FILES:
            item.add_marker("campaign")
        if _uses_postgres(item):
            item.add_marker("postgres")
        # Workers run whole files of these: each file shares a server.
        if item.get_closest_marker("process"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def _uses_postgres(item: pytest.Item) -> bool:
    """Return whether a test needs a PostgreSQL server: by the store it is given, or by what it is skipped without."""
    if any(mark.kwargs.get("reason") == NO_PROGRAMS for mark in item.iter_markers("skipif")):
        return True
    given = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    names = [name for value in given for name in (value if isinstance(value, tuple) else (value,))]
    return any(isinstance(name, str) and name in SERVER_STORES for name in names)


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
