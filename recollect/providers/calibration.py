"""One meaning for every embedder's cosines: a logistic from cosine to relevance, and its fit. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from recollect.types import CalibrationCurve

# A relevance of 0.5 means "as likely as not among ten candidates of which one answers": a search shows ten.
ANSWERS_AMONG_CANDIDATES = 0.1
# Newton's method on this convex loss settles in under ten steps on all data tried; the rest is margin.
_STEPS = 50
# Pulls the constants towards 0 just enough that cosines which separate perfectly have a finite fit.
_RIDGE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(CalibrationCurve):
    """A logistic curve: relevance = 1 / (1 + exp(-slope * (cosine - midpoint))), which may have a knee.

    The midpoint is the cosine that means a relevance of 0.5, and the slope says how fast relevance rises there. From
    the knee on it rises by `top_slope`: one slope does not tell texts on one matter from texts that say the same.

    >>> Calibration(midpoint=0.4, slope=10).relevance(np.array([0.4, 1.0], dtype=np.float32)).round(3).tolist()
    [0.5, 0.9980000257492065]
    """

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines into relevance, 0 to 1, of the same shape."""
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
        """Return the calibration with the constants of a curve."""
        return cls(midpoint=curve.midpoint, slope=curve.slope, knee=curve.knee, top_slope=curve.top_slope)

    @property
    def curve(self) -> CalibrationCurve:
        """Its constants."""
        return CalibrationCurve(midpoint=self.midpoint, slope=self.slope, knee=self.knee, top_slope=self.top_slope)

    @classmethod
    def fit(cls, related: Sequence[float], unrelated: Sequence[float]) -> Self:
        """Fit the curve to a model's cosines by logistic regression.

        The pairs are weighted as one related among ten, however many of each there are.

        Args:
            related: Cosines of queries with texts that answer them.
            unrelated: Cosines of the same queries with other texts that lie beside those.

        Raises:
            ValueError: one of them is empty, or related pairs are no nearer than unrelated ones.
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
