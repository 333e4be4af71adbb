"""What a new embedder's cosines mean, fitted by sentences of our own."""

from collections.abc import Sequence

import numpy as np
import pytest

from toldonce.errors import BadEmbedderError
from toldonce.profiles.policies import ResolvePolicy
from toldonce.providers.calibration import Calibration, fit_calibration, pairs, with_top
from toldonce.providers.static_embedder import CALIBRATION, StaticEmbedder
from toldonce.testing import WordEmbedder
from toldonce.types import Vectors


class Narrow(StaticEmbedder):
    """The built-in embedder seen through another cosine, as some models have: all between 0.6 and 1."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Add one number that all texts share."""
        rows = await super().embed(texts)
        wide = np.concatenate([rows * np.float32(np.sqrt(0.4)), np.full((len(rows), 1), np.sqrt(0.6))], axis=1)
        return wide.astype(np.float32)


class Blind(WordEmbedder):
    """An embedder to which every text but the first few characters' length is alike."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Give each text a direction by chance."""
        rows = [np.random.default_rng(len(text) * 7919 % 104729).normal(size=self.dim) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)


def test_the_sentences_are_told_apart_and_none_stands_twice() -> None:
    known = pairs()
    assert min(len(known.answers), len(known.beside)) >= 30
    assert min(len(known.same), len(known.apart)) >= 16
    turns = [turn for _, turn in known.answers] + list(known.beside)
    assert len(set(turns)) == len(turns)
    questions = {question for question, _ in known.answers}
    assert len(questions) == len(known.answers)


async def test_the_built_in_embedder_is_fitted_near_what_real_conversations_gave() -> None:
    found = await fit_calibration(StaticEmbedder())
    assert found.slope == pytest.approx(CALIBRATION.slope, rel=0.1)
    assert found.midpoint == pytest.approx(CALIBRATION.midpoint, abs=0.1)


async def test_a_model_whose_cosines_are_crowded_gets_the_same_meaning_out_of_them() -> None:
    plain, crowded = await fit_calibration(StaticEmbedder()), await fit_calibration(Narrow())
    assert crowded.midpoint == pytest.approx(0.6 + 0.4 * plain.midpoint, abs=0.01)
    cosine = np.linspace(-0.2, 1, 25, dtype=np.float32)
    assert crowded.relevance(np.float32(0.6) + np.float32(0.4) * cosine) == pytest.approx(
        plain.relevance(cosine), abs=0.03
    )


async def test_what_is_only_about_the_same_stays_below_what_may_merge() -> None:
    policy, known = ResolvePolicy(), pairs()
    for embedder in (StaticEmbedder(), Narrow()):
        found = await fit_calibration(embedder)
        ones = await embedder.embed([text for text, _ in known.apart])
        others = await embedder.embed([other for _, other in known.apart])
        assert float(found.relevance(np.vecdot(ones, others)).max()) <= policy.meaning + 1e-3
        ones = await embedder.embed([text for text, _ in known.same])
        others = await embedder.embed([other for _, other in known.same])
        said_again = found.relevance(np.vecdot(ones, others))
        assert float((said_again > policy.wording).mean()) > 0.9
        assert float(found.relevance(np.array([1.0], dtype=np.float32))[0]) > policy.meaning


def test_a_steep_curve_gets_a_knee_and_stays_a_curve_that_rises() -> None:
    steep = Calibration(midpoint=0.3, slope=30)
    apart = np.array([0.4, 0.8], dtype=np.float32)
    found = with_top(steep, apart)
    assert found.knee == pytest.approx(0.3 + np.log(0.92 / 0.08) / 30)
    assert float(found.relevance(np.array([0.8], np.float32))[0]) == pytest.approx(0.995, abs=1e-4)
    shown = found.relevance(np.linspace(-1, 1, 200, dtype=np.float32))
    assert (np.diff(shown) >= 0).all()
    below = np.linspace(-1, 0.38, 50, dtype=np.float32)
    assert found.relevance(below) == pytest.approx(steep.relevance(below))
    assert Calibration.of(found.curve) == found
    flat = Calibration(midpoint=0.5, slope=10)
    assert with_top(flat, apart) == flat


async def test_an_embedder_that_tells_nothing_apart_is_refused() -> None:
    with pytest.raises(BadEmbedderError, match="cosines tell nothing"):
        await fit_calibration(Blind())
