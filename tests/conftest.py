"""What most tests share: an engine over a store in memory, with a clock to set and an embedder of words."""

from collections.abc import AsyncIterator

import pytest

from recollect.engine import AsyncRecollect, Parts
from recollect.providers.tokens import token_counter
from recollect.settings import Settings
from recollect.store.open import open_store
from recollect.testing import FakeClock, WordEmbedder


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def parts(clock: FakeClock) -> AsyncIterator[Parts]:
    store = await open_store("sqlite:///:memory:", clock=clock)
    yield Parts(
        settings=Settings(database_url="sqlite:///:memory:"),
        clock=clock,
        store=store,
        embedder=WordEmbedder(),
        model=None,
        counter=token_counter(),
    )
    await store.close()  # a second time, where an engine closed it


@pytest.fixture
async def engine(parts: Parts) -> AsyncIterator[AsyncRecollect]:
    async with AsyncRecollect(parts) as opened:
        yield opened
