"""Sum of small decision trees, as boosting makes them, over a row of numbers. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PREFIX = "tree_"


@dataclass(frozen=True, slots=True, eq=False)
class DecisionTrees:
    """Nodes of all trees, one after the other; a leaf's children are itself."""

    features: NDArray[np.int16]
    """Place of the number that a node compares."""
    thresholds: NDArray[np.float32]
    """A number that is at most this leads to the left."""
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    values: NDArray[np.float32]
    """What a leaf adds."""
    roots: NDArray[np.int16]
    bias: float
    """Sum without any tree."""

    def total(self, row: NDArray[np.float32]) -> float:
        """Return the sum of what the leaves of a row add."""
        nodes = self.roots
        while True:
            following = np.where(
                row[self.features[nodes]] <= self.thresholds[nodes], self.left[nodes], self.right[nodes]
            )
            if np.array_equal(following, nodes):
                return self.bias + float(self.values[nodes].sum(dtype=np.float64))
            nodes = following

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is stored, by name."""
        return {
            f"{_PREFIX}features": self.features,
            f"{_PREFIX}thresholds": self.thresholds,
            f"{_PREFIX}left": self.left,
            f"{_PREFIX}right": self.right,
            f"{_PREFIX}values": self.values,
            f"{_PREFIX}roots": self.roots,
            f"{_PREFIX}bias": np.array([self.bias]),
        }

    @classmethod
    def constant(cls, bias: float) -> "DecisionTrees":
        """Return no trees at all: the sum of every row is the same."""
        none, nowhere = np.zeros(0, np.float32), np.zeros(0, np.int16)
        return cls(nowhere, none, nowhere, nowhere, none, nowhere, bias)

    @classmethod
    def from_arrays(cls, stored: Mapping[str, NDArray[Any]], numbers: int) -> "DecisionTrees":
        """Read what `arrays` returned, for rows of so many numbers.

        Raises:
            KeyError: an array is missing.
            ValueError: they are no trees over such rows: a walk could leave them or not end.
        """
        trees = cls(
            features=stored[f"{_PREFIX}features"].astype(np.int16),
            thresholds=stored[f"{_PREFIX}thresholds"].astype(np.float32),
            left=stored[f"{_PREFIX}left"].astype(np.int16),
            right=stored[f"{_PREFIX}right"].astype(np.int16),
            values=stored[f"{_PREFIX}values"].astype(np.float32),
            roots=stored[f"{_PREFIX}roots"].astype(np.int16),
            bias=float(stored[f"{_PREFIX}bias"][0]),
        )
        trees._check(numbers)
        return trees

    def _check(self, numbers: int) -> None:
        count = len(self.features)
        if any(len(each) != count for each in (self.thresholds, self.left, self.right, self.values)):
            raise ValueError("the arrays of its trees have different lengths")
        places, is_leaf = np.arange(count), self.left == self.right
        children = np.concatenate((self.left, self.right, self.roots))
        if count and (children.max() >= count or children.min() < 0):
            raise ValueError("a node of its trees has no such child")
        if (is_leaf & (self.left != places)).any() or (
            ~is_leaf & ((self.left <= places) | (self.right <= places))
        ).any():
            raise ValueError("a walk through its trees would not end")
        if ((self.features < 0) | (self.features >= numbers)).any():
            raise ValueError(f"its trees compare other than {numbers} numbers")
        if not (np.isfinite(self.values).all() and np.isfinite(self.bias)):
            raise ValueError("a leaf is not a number")
