"""One store for each kind there is: the conformance tests run against all of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.store.protocol import Store
from recollect.testing import FakeClock
from stores import STORES, new_store


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Store]:
    opened = await new_store(request.param, tmp_path, clock)
    yield opened
    await opened.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A file that is not there yet."""
    return f"sqlite:///{tmp_path / 'data' / 'recollect.sqlite3'}"
