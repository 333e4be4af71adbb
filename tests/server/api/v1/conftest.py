"""Fixtures of the tests under `/v1`: an engine on each dialect of SQL, and a client that checks every answer."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from answer_checks import CheckingTransport
from stores import DIALECTS, new_store, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.token_counter import token_counter
from toldonce.server.app import build_app
from toldonce.settings import Settings
from toldonce.testing import FakeClock, WordEmbedder


@pytest.fixture(params=DIALECTS)
async def engine(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[AsyncToldOnce]:
    parts = Components(
        settings=Settings(database_url=url_of(request.param, tmp_path)),
        clock=clock,
        store=await new_store(request.param, tmp_path, clock),
        embedder=WordEmbedder(64),
        model=None,
        counter=token_counter(),
    )
    async with AsyncToldOnce(parts) as opened:
        yield opened


@pytest.fixture
async def api(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    transport = CheckingTransport(httpx.ASGITransport(app=build_app(engine)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client
