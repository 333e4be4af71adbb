"""Each row runs on each dialect of SQL (`stores.DIALECTS`); some, at each of three lengths of vectors (`DIMS`)."""

from collections.abc import AsyncIterator

import httpx
import pytest

from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def dim() -> int:
    return 256


@pytest.fixture
async def api(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    """Ana over HTTP, on the loopback address, without a model's server behind it."""
    transport = httpx.ASGITransport(app=build_app(engine))
    headers = {"x-toldonce-user": "ana"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        yield client
