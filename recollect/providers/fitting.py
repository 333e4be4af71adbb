"""Fit what a new embedder's cosines mean, without labelled data: by sentences of our own. Reads a file of the package.

`pairs.toml` has questions with the turns that answer them, turns that answer none, and statements that say the same or
nearly so. The first give the curve of relevance; the last say how far up its top must lie, so that resolution, whose
thresholds stand there, merges by any embedder what says the same and not what is only about the same.

How good that is, on embedders whose curve is known from real conversations (LoCoMo, development half, as in static.py):
all-MiniLM-L6-v2 is fitted to a midpoint of 0.40 and a slope of 9.8 there to 0.41 and 9.8; the built-in embedder, which
goes by words, to 0.32 and 9.5 there to 0.40 and 9.5.
"""

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recollect.errors import BadEmbedderError
from recollect.profiles.policies import ResolvePolicy
from recollect.providers.calibration import Calibration
from recollect.providers.protocols import Embedder

Cosines = npt.NDArray[np.float32]
# Some tens of pairs that somebody wrote are told apart more sharply than what people say: the built-in embedder's slope
# is 11.8 on them and 9.46 on real conversations.
_SHARPER = 0.8
# Where two texts that only are about the same lie this near, nothing can be merged by that embedder's word.
_HIGHEST = 0.99
_MIN_TOP = 0.01


class CalibrationPairs(NamedTuple):
    """The sentences of the file."""

    answers: tuple[tuple[str, str], ...]
    beside: tuple[str, ...]
    same: tuple[tuple[str, str], ...]
    apart: tuple[tuple[str, str], ...]


@cache
def pairs() -> CalibrationPairs:
    """Read the file, once a process."""
    found = tomllib.loads((files(__package__) / "pairs.toml").read_text("utf-8"))
    return CalibrationPairs(
        answers=tuple((one, other) for one, other in found["answers"]),
        beside=tuple(found["beside"]),
        same=tuple((one, other) for one, other in found["same"]),
        apart=tuple((one, other) for one, other in found["apart"]),
    )


async def fit_calibration(embedder: Embedder) -> Calibration:
    """Embed the sentences and fit the curve.

    Raises:
        BadEmbedderError: the embedder tells questions from answers no better than from anything else.
        ModelError: it failed.
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
            embedder.space, "it puts statements that say the same no nearer than such that are only about the same"
        )
    return with_top(replace(found, slope=_SHARPER * found.slope), apart)


async def _cosines(embedder: Embedder, known: Sequence[tuple[str, str]]) -> Cosines:
    ones, others = [await embedder.embed(texts) for texts in zip(*known, strict=True)]
    found: Cosines = np.vecdot(ones, others)
    return found


def with_top(found: Calibration, apart: Cosines) -> Calibration:
    """Let a curve rise more slowly where it would hold what is only about the same for the same.

    Args:
        found: The curve of relevance.
        apart: Cosines of statements that are about one matter, and must not be merged.
    """
    policy = ResolvePolicy()
    low, high = (float(np.log(value / (1 - value))) for value in (policy.similar, policy.meaning))
    knee, crossing = (found.midpoint + logit / found.slope for logit in (low, high))
    nearest = min(float(apart.max()), _HIGHEST)
    if nearest <= crossing:
        return found
    return replace(found, knee=knee, top_slope=(high - low) / max(nearest - knee, _MIN_TOP))
