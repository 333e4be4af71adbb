import numpy as np
import numpy.typing as npt
import pytest

from toldonce.providers.calibration import Calibration


def loss(curve: Calibration, related: list[float], unrelated: list[float]) -> float:
    """What the fit makes least: how surprised the curve is, with one related pair among ten."""

    def relevance(cosines: list[float]) -> npt.NDArray[np.float64]:
        return curve.relevance(np.array(cosines, dtype=np.float32)).astype(np.float64)

    return float(-0.1 * np.log(relevance(related)).mean() - 0.9 * np.log(1 - relevance(unrelated)).mean())


def test_no_curve_beside_the_fitted_one_fits_better() -> None:
    rng = np.random.default_rng(7)
    related, unrelated = rng.normal(0.5, 0.15, 300).tolist(), rng.normal(0.1, 0.12, 2000).tolist()
    fitted = Calibration.fit(related, unrelated)
    least = loss(fitted, related, unrelated)
    for shift in (-0.02, 0.02):
        moved = Calibration(midpoint=fitted.midpoint + shift, slope=fitted.slope)
        bent = Calibration(midpoint=fitted.midpoint, slope=fitted.slope * (1 + 5 * shift))
        assert loss(moved, related, unrelated) > least < loss(bent, related, unrelated)
    assert 0.1 < fitted.midpoint < 0.5


def test_how_many_pairs_there_are_of_each_sort_does_not_move_the_curve() -> None:
    related, unrelated = [0.5, 0.6, 0.2, 0.4], [0.0, 0.1, 0.3, -0.1, 0.45]
    once = Calibration.fit(related, unrelated)
    often = Calibration.fit(related * 3, unrelated * 50)
    assert (often.midpoint, often.slope) == pytest.approx((once.midpoint, once.slope), rel=1e-6)


def test_relevance_rises_from_0_to_1_and_never_overflows() -> None:
    found = Calibration(midpoint=0.5, slope=1000).relevance(np.array([-1, 0.4, 0.5, 0.6, 1], dtype=np.float32))
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx([0, 0, 0.5, 1, 1], abs=1e-6)


def test_a_model_whose_related_pairs_are_no_nearer_cannot_be_calibrated() -> None:
    with pytest.raises(ValueError, match="tell nothing"):
        Calibration.fit([0.1, 0.2], [0.8, 0.9])
    with pytest.raises(ValueError, match="needs cosines"):
        Calibration.fit([], [0.1])
