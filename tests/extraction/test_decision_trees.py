"""Sums of decision trees: what a row comes to, what is stored, and which arrays are refused."""

import numpy as np
import pytest

from toldonce.extraction.decision_trees import DecisionTrees


def two_trees() -> DecisionTrees:
    """Return a stump on the first number, and a tree that looks at the second and then at the first."""
    return DecisionTrees(
        features=np.array([0, 0, 0, 1, 0, 0, 0, 0], np.int16),
        thresholds=np.array([1.5, 0, 0, 0, 0, 4, 0, 0], np.float32),
        left=np.array([1, 1, 2, 4, 4, 6, 6, 7], np.int16),
        right=np.array([2, 1, 2, 5, 4, 7, 6, 7], np.int16),
        values=np.array([0, 1, 2, 0, 10, 0, 20, 40], np.float32),
        roots=np.array([0, 3], np.int16),
        bias=0.5,
    )


@pytest.mark.parametrize(
    ("row", "total"), [((1.5, 0.0), 11.5), ((1.6, 0.0), 12.5), ((1.6, 1.0), 22.5), ((9.0, 1.0), 42.5)]
)
def test_a_row_adds_the_values_of_its_leaves(row: tuple[float, float], total: float) -> None:
    assert two_trees().total(np.array(row, np.float32)) == total


def test_without_trees_the_bias_is_the_sum() -> None:
    assert DecisionTrees.constant(-2.0).total(np.zeros(3, np.float32)) == -2.0


def test_trees_are_read_as_they_are_stored() -> None:
    read = DecisionTrees.from_arrays(two_trees().arrays(), 2)
    row = np.array((9.0, 1.0), np.float32)
    assert read.total(row) == two_trees().total(row)
    assert DecisionTrees.from_arrays(DecisionTrees.constant(1.0).arrays(), 2).bias == 1.0


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("left", 0, 8),
        ("left", 0, -1),
        ("right", 5, 3),
        ("left", 4, 3),
        ("roots", 1, 9),
        ("features", 3, 2),
        ("features", 3, -1),
        ("values", 4, np.nan),
        ("bias", 0, np.inf),
    ],
)
def test_damaged_trees_are_refused(name: str, place: int, value: float) -> None:
    stored = {key: array.copy() for key, array in two_trees().arrays().items()}
    stored[f"tree_{name}"][place] = value
    with pytest.raises(ValueError, match=r"\w"):
        DecisionTrees.from_arrays(stored, 2)


def test_arrays_of_different_lengths_are_refused() -> None:
    stored = two_trees().arrays()
    with pytest.raises(ValueError, match="lengths"):
        DecisionTrees.from_arrays({**stored, "tree_values": stored["tree_values"][:-1]}, 2)
