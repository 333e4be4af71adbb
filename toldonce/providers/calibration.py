"""Calibration: a logistic curve from cosine to relevance, so that cosines of all embedders mean the same.

A new embedder is calibrated without labelled data, on the sentences of `pairs.toml`: questions with turns that answer
them, turns that answer none, and pairs of statements that say the same or nearly so. The questions give the curve. The
statements say how far up its top must be, so that the thresholds of resolution merge what says the same, and not what
is only about the same topic. Reads that file.

Quality, on embedders whose curve is known from real conversations (LoCoMo, development half): all-MiniLM-L6-v2 is
fitted to a midpoint of 0.40 and a slope of 9.8 (real: 0.41 and 9.8); the static embedder to 0.32 and 9.5 (real: 0.40
and 9.5), the multilingual one to 0.34 and 8.9 (real: 0.40 and 9.2).
"""

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from toldonce.errors import BadEmbedderError
from toldonce.profiles.policies import ResolvePolicy
from toldonce.providers.protocols import Embedder
from toldonce.types import CalibrationCurve

# A relevance of 0.5 means "as likely as not among ten candidates of which one answers": a search shows ten.
ANSWERS_AMONG_CANDIDATES = 0.1
# Newton's method on this convex loss settles in under ten steps on all data tried; the rest is margin.
_STEPS = 50
# Pulls the constants towards 0 just enough that cosines which separate perfectly have a finite fit.
_RIDGE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(CalibrationCurve):
    """A logistic curve, relevance = 1 / (1 + exp(-slope * (cosine - midpoint))), optionally with a knee.

    The midpoint is the cosine that means a relevance of 0.5; the slope is how fast relevance rises there. From the knee
    on it rises by `top_slope`: a single slope cannot separate texts on the same topic from texts that say the same.

    >>> Calibration(midpoint=0.4, slope=10).relevance(np.array([0.4, 1.0], dtype=np.float32)).round(3).tolist()
    [0.5, 0.9980000257492065]
    """

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Convert cosines to relevance, 0 to 1, of the same shape."""
        exponent = np.float32(-self.slope) * (cosine - np.float32(self.midpoint))
        if self.knee < 1:
            beyond = np.fmax(cosine - np.float32(self.knee), np.float32(0))
            exponent -= np.float32(self.top_slope - self.slope) * beyond
        relevance: npt.NDArray[np.float32] = np.float32(1) / (
            np.float32(1) + np.exp(np.minimum(np.maximum(exponent, np.float32(-60)), np.float32(60)))
        )
        return relevance

    @classmethod
    def of(cls, curve: CalibrationCurve) -> Self:
        """Create a calibration with the constants of a curve."""
        return cls(midpoint=curve.midpoint, slope=curve.slope, knee=curve.knee, top_slope=curve.top_slope)

    @property
    def curve(self) -> CalibrationCurve:
        """The constants."""
        return CalibrationCurve(midpoint=self.midpoint, slope=self.slope, knee=self.knee, top_slope=self.top_slope)

    @classmethod
    def fit(cls, related: Sequence[float], unrelated: Sequence[float]) -> Self:
        """Fit the curve to a model's cosines by logistic regression.

        Pairs are weighted as one related pair among ten, whatever their numbers.

        Args:
            related: Cosines of queries with texts that answer them.
            unrelated: Cosines of the same queries with other texts.

        Raises:
            ValueError: One of them is empty, or related pairs are no nearer than unrelated ones.
        """
        if not len(related) or not len(unrelated):
            raise ValueError("a calibration needs cosines of related and of unrelated pairs")
        cosine = np.concatenate([np.asarray(related, np.float64), np.asarray(unrelated, np.float64)])
        inputs = np.stack([cosine, np.ones_like(cosine)], axis=1)
        target = np.repeat([1.0, 0.0], [len(related), len(unrelated)])
        weight = np.repeat(
            [ANSWERS_AMONG_CANDIDATES / len(related), (1 - ANSWERS_AMONG_CANDIDATES) / len(unrelated)],
            [len(related), len(unrelated)],
        )
        constants = np.zeros(2)
        for _ in range(_STEPS):
            found = 1 / (1 + np.exp(-(inputs @ constants).clip(-60, 60)))
            gradient = inputs.T @ (weight * (found - target)) + _RIDGE * constants
            curvature = (inputs * (weight * found * (1 - found))[:, None]).T @ inputs + _RIDGE * np.eye(2)
            constants -= np.linalg.solve(curvature, gradient)
        slope, offset = float(constants[0]), float(constants[1])
        if slope <= 0:
            raise ValueError("related pairs are no nearer than unrelated ones: this model's cosines tell nothing")
        return cls(midpoint=-offset / slope, slope=slope)


Cosines = npt.NDArray[np.float32]
# The written pairs are easier to separate than real conversations: the static embedder's slope is 11.8 on them and
# 9.46 on real conversations.
_SLOPE_FACTOR = 0.8
# If texts that are only about the same topic are nearer than this, the embedder cannot decide on merges.
_MAX_COSINE = 0.99
_MIN_TOP = 0.01


class CalibrationPairs(NamedTuple):
    """The sentences of `pairs.toml`."""

    answers: tuple[tuple[str, str], ...]
    beside: tuple[str, ...]
    same: tuple[tuple[str, str], ...]
    apart: tuple[tuple[str, str], ...]


@cache
def pairs() -> CalibrationPairs:
    """Read the file, once per process."""
    found = tomllib.loads((files(__package__) / "pairs.toml").read_text("utf-8"))
    return CalibrationPairs(
        answers=tuple((question, other) for question, other in found["answers"]),
        beside=tuple(found["beside"]),
        same=tuple((text, other) for text, other in found["same"]),
        apart=tuple((text, other) for text, other in found["apart"]),
    )


async def fit_calibration(embedder: Embedder) -> Calibration:
    """Embed the sentences and fit the curve.

    Raises:
        BadEmbedderError: The embedder puts answers no nearer to questions than other texts.
        ModelError: The embedder failed.
    """
    known = pairs()
    questions = await embedder.embed_queries([question for question, _ in known.answers])
    turns = await embedder.embed([*(turn for _, turn in known.answers), *known.beside])
    same, apart = await _cosines(embedder, known.same), await _cosines(embedder, known.apart)
    cosine = await asyncio.to_thread(np.einsum, "ik,jk->ij", questions, turns)
    answers = np.eye(*cosine.shape) > 0
    try:
        found = Calibration.fit(cosine[answers].tolist(), cosine[~answers].tolist())
    except ValueError as error:
        raise BadEmbedderError(embedder.space, str(error)) from None
    if np.median(same) <= np.median(apart):
        raise BadEmbedderError(
            embedder.space,
            "it puts statements that say the same no nearer than ones that are only about the same topic",
        )
    return with_top(replace(found, slope=_SLOPE_FACTOR * found.slope), apart)


async def _cosines(embedder: Embedder, known: Sequence[tuple[str, str]]) -> Cosines:
    ones, others = [await embedder.embed(texts) for texts in zip(*known, strict=True)]
    found: Cosines = np.vecdot(ones, others)
    return found


def with_top(found: Calibration, apart: Cosines) -> Calibration:
    """Flatten the top of a curve that would merge texts that are only about the same topic.

    Args:
        found: The curve of relevance.
        apart: Cosines of statements on the same topic that must not be merged.
    """
    policy = ResolvePolicy()
    low, high = (float(np.log(value / (1 - value))) for value in (policy.similar, policy.meaning))
    knee, crossing = (found.midpoint + logit / found.slope for logit in (low, high))
    nearest = min(float(apart.max()), _MAX_COSINE)
    if nearest <= crossing:
        return found
    return replace(found, knee=knee, top_slope=(high - low) / max(nearest - knee, _MIN_TOP))
