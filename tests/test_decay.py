"""How a memory wears off, and how use keeps it."""

import numpy as np
import pytest

from toldonce.decay import decay, decay_all


def test_u13_what_is_unused_for_its_half_life_weighs_half_and_use_makes_it_last() -> None:
    assert decay(0, 90) == 1.0
    assert decay(90, 90) == 0.5
    assert decay(180, 90) == 0.25
    by_use = [decay(90, 90, uses=uses) for uses in (0, 1, 3, 15, 1000)]
    assert by_use == sorted(by_use)
    assert by_use[2] == pytest.approx(0.5**0.5), "three uses double the half life"
    assert by_use[-1] < 1.0, "no number of uses keeps it for ever"


def test_without_a_half_life_and_in_the_future_nothing_wears_off() -> None:
    assert decay(10_000, 0) == 1.0
    assert decay(-5, 90) == 1.0
    assert decay_all(np.array([10_000.0]), 0, np.array([0], dtype=np.int32)).tolist() == [1.0]


def test_one_and_many_are_the_same() -> None:
    ages, uses = np.array([0.0, 1.0, 90.0, 400.0, -3.0]), np.array([0, 7, 2, 0, 1], dtype=np.int32)
    one_by_one = [decay(age, 30, uses=count) for age, count in zip(ages.tolist(), uses.tolist(), strict=True)]
    assert decay_all(ages, 30, uses).tolist() == pytest.approx(one_by_one)
