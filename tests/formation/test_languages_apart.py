"""What is said in any language and denied, counted or dated otherwise later is kept beside it, however like it is."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from own_profile import Answering
from sample_chats import user, with_model
from soak import sampled
from stores import DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.testing import WordEmbedder
from toldonce.text import hash64
from toldonce.types import MemoryState, Vectors

FOLDER = Path(__file__).parents[1] / "resolution"
PAIRS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads((FOLDER / "native_pairs.toml").read_text("utf-8"))
UNKNOWN: Mapping[str, Sequence[str]] = tomllib.loads((FOLDER / "unknown_pairs.toml").read_text("utf-8"))
DIFFERENT = ("denied", "numbers", "days", "opposites")


class NearlyTheSame(WordEmbedder):
    """The worst of embedders: it gives all texts nearly one vector."""

    def __init__(self) -> None:
        super().__init__(name="blur")

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.ones((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[hash64(text) % self.dim] += 0.01
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


@pytest.fixture(params=("built-in", "blurred"))
def teller(request: pytest.FixtureRequest, parts: Components) -> AsyncToldOnce:
    """Return an engine whose model keeps what is said in its own words."""
    embedder = StaticEmbedder() if request.param == "built-in" else NearlyTheSame()
    return with_model(replace(parts, embedder=embedder), Answering().model)


async def say(engine: AsyncToldOnce, *texts: str) -> None:
    await engine.record([user(text) for text in texts], user="ana")
    await engine.form()


async def held(engine: AsyncToldOnce) -> list[str]:
    return sorted(item.text for item in await engine.list(user="ana") if item.state is MemoryState.ACTIVE)


async def tell_language(engine: AsyncToldOnce, language: str) -> None:
    pairs = PAIRS[language]
    await say(engine, *(pairs[kind][0] for kind in DIFFERENT))
    await say(engine, *(pairs[kind][1] for kind in DIFFERENT))
    everything = sorted(text for kind in DIFFERENT for text in pairs[kind])
    assert await held(engine) == everything
    await engine.admin.maintain(user="ana")
    assert await held(engine) == everything


@pytest.mark.soak
@pytest.mark.parametrize("language", sampled(PAIRS, 6))
async def test_what_is_denied_or_changed_stays_beside_what_was_said(teller: AsyncToldOnce, language: str) -> None:
    await tell_language(teller, language)


@pytest.mark.parametrize("kind", DURABLE)
@pytest.mark.parametrize("language", ["de", "zh"])
async def test_it_stays_in_a_file_and_in_a_server(teller: AsyncToldOnce, language: str) -> None:
    await tell_language(teller, language)


async def test_what_is_said_in_an_unknown_language_stays_in_all_its_wordings(teller: AsyncToldOnce) -> None:
    said = sorted(text for pair in UNKNOWN.values() for text in pair)
    for place in range(2):
        await say(teller, *(pair[place] for pair in UNKNOWN.values()))
    assert await held(teller) == said
    await say(teller, *(text.upper() if text.upper().lower() == text.lower() else f"{text}!" for text in said))
    await teller.admin.maintain(user="ana")
    assert await held(teller) == said
