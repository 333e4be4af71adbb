"""U14: the embedder that a database is opened with, and settings that name another one."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from integration.test_embedder_down import Embeddings
from integration.test_embeddings_api import WORDS
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.errors import OtherEmbedderError
from toldonce.settings import Settings
from toldonce.testing import FakeClock


@pytest.fixture(params=DURABLE)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(str(request.param), tmp_path)


@pytest.fixture
async def embeddings() -> AsyncIterator[Embeddings]:
    server = Embeddings()
    await server.start()
    yield server
    await server.stop()


def by_api(url: str, embeddings: Embeddings, model: str = "words", dim: int = WORDS.dim, **more: object) -> Settings:
    given = {"embed_url": embeddings.url, "embed_model": model, "embed_dim": dim, **more}
    return Settings.model_validate({"database_url": url, **given})


async def test_u14_an_api_of_the_settings_is_calibrated_at_its_first_start_alone(
    url: str, embeddings: Embeddings, clock: FakeClock
) -> None:
    async with AsyncToldOnce(await open_components(by_api(url, embeddings), clock)) as engine:
        first = (await engine.embedder.status()).record
    asked = embeddings.asked
    assert asked > 0
    assert first.chosen_at is not None
    assert (first.curve.midpoint, first.curve.slope) != (0.45, 12.0), "fitted, and not the settings' defaults"
    parts = await open_components(by_api(url, embeddings), clock)
    async with AsyncToldOnce(parts) as engine:
        assert (await engine.embedder.status()).record == first
        midpoint = np.array([first.curve.midpoint], dtype=np.float32)
        assert parts.embedder.relevance(midpoint)[0] == pytest.approx(0.5, abs=0.01)
    assert embeddings.asked == asked


async def test_u14_a_curve_of_the_settings_stands_and_asks_nothing(
    url: str, embeddings: Embeddings, clock: FakeClock
) -> None:
    settings = by_api(url, embeddings, embed_midpoint=0.7, embed_slope=20.0)
    async with AsyncToldOnce(await open_components(settings, clock)) as engine:
        curve = (await engine.embedder.status()).record.curve
    assert (curve.midpoint, curve.slope, embeddings.asked) == (0.7, 20.0, 0)


@pytest.mark.parametrize(("model", "dim"), [("words", 2 * WORDS.dim), ("others", WORDS.dim)])
async def test_u14_another_model_or_dimension_in_the_settings_is_refused(
    url: str, embeddings: Embeddings, clock: FakeClock, model: str, dim: int
) -> None:
    async with AsyncToldOnce(await open_components(by_api(url, embeddings), clock)) as engine:
        await engine.add("Ana plays the cello.", user="ana")
    with pytest.raises(OtherEmbedderError, match="toldonce embedder use"):
        await open_components(by_api(url, embeddings, model, dim), clock)
    async with AsyncToldOnce(await open_components(by_api(url, embeddings), clock)) as engine:
        assert len((await engine.search("Who plays the cello?", user="ana")).items) == 1


async def test_u14_an_api_beside_memories_of_the_built_in_embedder_is_refused(
    url: str, embeddings: Embeddings, clock: FakeClock
) -> None:
    async with AsyncToldOnce(await open_components(Settings(database_url=url), clock)) as engine:
        await engine.add("Ana plays the cello.", user="ana")
    with pytest.raises(OtherEmbedderError, match="use-multilingual"):
        await open_components(by_api(url, embeddings), clock)
    assert embeddings.asked == 0


async def test_u14_variables_that_are_taken_away_leave_the_database_its_embedder(
    url: str, embeddings: Embeddings, clock: FakeClock
) -> None:
    async with AsyncToldOnce(await open_components(by_api(url, embeddings), clock)) as engine:
        await engine.add("Ana plays the cello.", user="ana")
    async with AsyncToldOnce(await open_components(Settings(database_url=url), clock)) as engine:
        [found] = (await engine.search("Who plays the cello?", user="ana")).items
        assert found.similarity > 0


async def test_u14_an_api_that_is_down_at_the_first_start_is_calibrated_at_the_next(
    url: str, embeddings: Embeddings, clock: FakeClock
) -> None:
    await embeddings.fall_into("500")
    async with AsyncToldOnce(await open_components(by_api(url, embeddings), clock)) as engine:
        assert (await engine.embedder.status()).record.chosen_at is None
    await embeddings.recover()
    async with AsyncToldOnce(await open_components(by_api(url, embeddings), clock)) as engine:
        assert (await engine.embedder.status()).record.chosen_at is not None
