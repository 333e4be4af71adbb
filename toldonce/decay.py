"""Forgetting curve (Ebbinghaus, 1885): how a memory's weight decays with time, and how use slows that. Pure.

The weight falls exponentially with the time since the last mention or use, and more slowly the more often it was used.
Each doubling of the uses adds the same to the half-life, so that the first uses count most, and no number of them keeps
a memory forever.
"""

from math import log2

import numpy as np
import numpy.typing as npt

# Each doubling of (1 + uses) adds this share to the half-life: three uses double it, fifteen triple it.
USE_BONUS = 0.5


def decay(age_days: float, half_life_days: float, uses: int = 0) -> float:
    """Return the remaining share of a memory's weight, 1.0 down to 0.0.

    `2 ** -(age / h)` with `h = half_life * (1 + USE_BONUS * log2(1 + uses))`.

    Args:
        age_days: Days since it was last mentioned or used; the future counts as now.
        half_life_days: Days after which an unused memory weighs half; 0: no decay.
        uses: How often it was used.

    >>> decay(30, 30), decay(30, 30, uses=3), decay(30, 0)
    (0.5, 0.7071067811865476, 1.0)
    """
    if half_life_days <= 0:
        return 1.0
    half_life = half_life_days * (1 + USE_BONUS * log2(1 + max(0, uses)))
    return float(2.0 ** -(max(0.0, age_days) / half_life))


def decay_all(
    age_days: npt.NDArray[np.float64], half_life_days: float, uses: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """Return the same as `decay` for many memories at once.

    >>> decay_all(np.array([30.0, 30.0]), 30, np.array([0, 3], dtype=np.int32)).round(4).tolist()
    [0.5, 0.7071]
    """
    if half_life_days <= 0:
        return np.ones(len(age_days))
    half_lives = half_life_days * (1 + USE_BONUS * np.log2(1.0 + np.maximum(uses, 0)))
    left: npt.NDArray[np.float64] = np.exp2(-np.maximum(age_days, 0.0) / half_lives)
    return left
