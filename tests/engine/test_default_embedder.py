"""A database of a version whose default embedder was the static one: it opens at once, and is re-embedded online."""

from pathlib import Path

import pytest

from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.errors import BadEmbedderError, ModelError
from toldonce.providers import multilingual_embedder, static_embedder
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.types import EmbedderKind, EmbedderSpec

SAID = ("Ana is allergic to peanuts.", "Ana lives in Oslo.", "Ana plays the cello.")
OLD, NEW = static_embedder.SPACE, multilingual_embedder.SPACE


@pytest.fixture(params=DURABLE)
async def settings(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Settings:
    """Settings of a database with memories of two users, as that version left it."""
    made = Settings(database_url=url_of(str(request.param), tmp_path))
    async with AsyncToldOnce(await open_components(made, clock, embedder=StaticEmbedder())) as engine:
        for user in ("ana", "ben"):
            await engine.bulk.add([*SAID], user=user)
    return made


async def found(engine: AsyncToldOnce, user: str) -> tuple[str, float]:
    """Return what is found first, and how near it is."""
    first = (await engine.search("Which instrument does Ana play?", user=user)).items[0]
    return first.memory.text, first.similarity


async def spaces(engine: AsyncToldOnce) -> dict[str, tuple[int, int]]:
    """Return the number of memories and subjects in each space."""
    return {count.space: (count.memories, count.subjects) for count in (await engine.embedder.status()).spaces}


async def test_a_database_of_the_old_default_serves_is_re_embedded_and_switched(
    settings: Settings, clock: FakeClock
) -> None:
    parts = await open_components(settings, clock)
    async with AsyncToldOnce(parts) as engine:
        assert await spaces(engine) == {OLD: (6, 2)}
        for user in ("ana", "ben"):
            text, similarity = await found(engine, user)
            assert (text, similarity > 0) == (SAID[2], True)
        await engine.add("Cy lives in Rome.", user="cy")  # who is new is read by the new one
        assert await spaces(engine) == {OLD: (6, 2), NEW: (1, 1)}

        assert await engine._steps.reembedder.portion(lambda: True)  # stopped, as where a turn waits
        while await engine._steps.reembedder.portion(lambda: False):
            pass
        assert await spaces(engine) == {NEW: (7, 3)}
        for user in ("ana", "ben"):
            text, similarity = await found(engine, user)
            assert (text, similarity > 0) == (SAID[2], True)
        status = await engine.embedder.status()
        assert (status.record.spec.kind, status.waiting_subjects) == (EmbedderKind.MULTILINGUAL, 0)


async def test_the_static_embedder_stays_where_it_was_chosen(settings: Settings, clock: FakeClock) -> None:
    async with AsyncToldOnce(await open_components(settings, clock)) as engine:
        await engine.embedder.use(await engine.embedder.try_out(EmbedderSpec(kind=EmbedderKind.STATIC)))
    async with AsyncToldOnce(await open_components(settings, clock)) as engine:
        assert not await engine._steps.reembedder.portion(lambda: False)
        await engine.add("Cy lives in Rome.", user="cy")
        assert await spaces(engine) == {OLD: (7, 3)}
        assert (await found(engine, "ana"))[0] == SAID[2]


@pytest.mark.parametrize("is_chosen", [False, True], ids=["by default", "by choice"])
async def test_without_the_static_extra_words_find_until_it_is_re_embedded(
    is_chosen: bool,
    settings: Settings,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    if is_chosen:
        async with AsyncToldOnce(await open_components(settings, clock)) as engine:
            await engine.embedder.use(await engine.embedder.try_out(EmbedderSpec(kind=EmbedderKind.STATIC)))
    monkeypatch.setattr(static_embedder, "PACKAGE", "a_package_that_is_missing")

    async with AsyncToldOnce(await open_components(settings, clock)) as engine:
        assert "found by words until they are re-embedded" in caplog.text
        assert await found(engine, "ana") == (SAID[2], 0.0)
        with pytest.raises(ModelError, match="make extras EXTRAS=static"):
            await engine.add("Ana drinks tea.", user="ana")
        with pytest.raises(BadEmbedderError, match="make extras EXTRAS=static"):
            await engine.embedder.try_out(EmbedderSpec(kind=EmbedderKind.STATIC))

        while await engine._steps.reembedder.portion(lambda: False):
            pass
        assert await spaces(engine) == {NEW: (6, 2)}
        await engine.add("Ana drinks tea.", user="ana")
        text, similarity = await found(engine, "ana")
        assert (text, similarity > 0) == (SAID[2], True)
