"""How the weight of a memory fades with time, and how use holds it up. Pure."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def decay(age_days: npt.ArrayLike, half_life_days: float, uses: npt.ArrayLike) -> Floats:
    """Return the share of its weight that a memory still has, 0 to 1.

    Half after `half_life_days` without use; each use makes the half-life longer: by its logarithm, so that the tenth
    use adds less than the first.

    Args:
        age_days: Days since it was said or last used, whichever is later; below 0 counts as 0.
        half_life_days: 0: nothing fades.
        uses: How often it was used.

    >>> decay([0, 30, 60], 30, 0).tolist(), bool(decay(30, 30, 5) > 0.7)
    ([1.0, 0.5, 0.25], True)
    """
    age = np.maximum(np.asarray(age_days, dtype=np.float64), 0)
    if half_life_days <= 0:
        return np.ones_like(age)
    held_up = 1 + np.log1p(np.maximum(np.asarray(uses, dtype=np.float64), 0))
    share: Floats = np.exp2(-age / (half_life_days * held_up))
    return share
