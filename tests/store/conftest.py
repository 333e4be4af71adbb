"""One store for each kind there is: the conformance tests run against all of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.store.open import open_store
from recollect.store.protocol import Store
from recollect.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "file"])
async def store(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Store]:
    """SQLite in memory (read and written by one thread) and in a file (one writer, several readers)."""
    path = ":memory:" if request.param == "memory" else str(tmp_path / "recollect.sqlite3")
    opened = await open_store(f"sqlite:///{path}", clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A file that is not there yet."""
    return f"sqlite:///{tmp_path / 'data' / 'recollect.sqlite3'}"
