"""Learned gate: how likely a text states something lasting about its speaker. Loads `statement_gate.npz` once.

The first stage judges sentences: a linear model over hashed features (`gate_features.py`), the same for all languages.
The second judges a message: boosted trees over numbers that describe it (`message_numbers.py`), the first stage's
among them. `tools/train_gate.py` trains both on AlpsBench, whose chats come from WildChat (both ODC-BY 1.0);
the file holds weights of hashes, thresholds, and no text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from toldonce.errors import SetupError
from toldonce.extraction.decision_trees import DecisionTrees
from toldonce.extraction.gate_features import (
    COLUMNS,
    FEATURES_VERSION,
    MAX_TEXTS,
    MESSAGE_NUMBERS,
    GateFeatures,
    GateInput,
    features_of,
)

GATE_FILE = "statement_gate.npz"
# Largest weight as it is stored: in 8 bits with a sign.
_MAX_STORED = 127


@dataclass(frozen=True, slots=True, eq=False)
class StatementGate:
    """Weights of the gate."""

    weights: NDArray[np.float32]
    """By column, `COLUMNS` of them."""
    bias: float
    """Log odds of a text without features."""
    trees: DecisionTrees
    """The second stage."""
    trained_on: str = ""
    """Data, its version and its licence."""

    def probabilities(self, source: GateInput) -> NDArray[np.float64]:
        """Return for each text the probability that it states something lasting about its speaker.

        Texts beyond the limit of `gate_features.MAX_TEXTS` are not judged: they have no place in the result.
        """
        count = min(len(source.texts), MAX_TEXTS)
        return probabilities(self.log_odds(features_of(source), count))

    def log_odds(self, features: GateFeatures, count: int) -> NDArray[np.float64]:
        """Return the log odds of `count` texts."""
        own = np.bincount(features.rows, self.weights[features.columns] * features.values, minlength=count)
        shared = float(self.weights[features.shared_columns] @ features.shared_values)
        return np.asarray(own + (shared + self.bias), np.float64)

    def of_message(self, numbers: NDArray[np.float32]) -> float:
        """Return the probability that a message states something lasting, by the numbers that describe it."""
        return float(probabilities(np.array([self.trees.total(numbers)]))[0])

    def save(self, path: Path) -> None:
        """Write the weights in 8 bits each."""
        scale = float(np.abs(self.weights).max()) / _MAX_STORED or 1.0
        parts: dict[str, Any] = {
            "version": np.int64(FEATURES_VERSION),
            "weights": np.rint(self.weights / scale).astype(np.int8),
            "scale": np.float64(scale),
            "bias": np.float64(self.bias),
            "trained_on": np.array(self.trained_on),
            **self.trees.arrays(),
        }
        np.savez_compressed(path, **parts)


def probabilities(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log odds.

    >>> probabilities(np.array([0.0]))
    array([0.5])
    """
    return np.asarray(1 / (1 + np.exp(-log_odds)))


@lru_cache(maxsize=1)
def shipped_gate() -> StatementGate:
    """Return the gate of this package."""
    return load_gate(files(__package__) / GATE_FILE)


def load_gate(path: Path | Traversable) -> StatementGate:
    """Read a gate.

    Raises:
        SetupError: the file is missing, damaged, or was made for other features.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return _checked(path, {name: stored[name] for name in stored.files})
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise SetupError(f"the gate {path} cannot be read ({error}): reinstall ToldOnce or train it again") from error


def _checked(path: Path | Traversable, stored: Mapping[str, Any]) -> StatementGate:
    version = int(stored["version"])
    if version != FEATURES_VERSION:
        raise SetupError(f"the gate {path} was trained for features {version}, not {FEATURES_VERSION}: train it again")
    if stored["weights"].shape != (COLUMNS,):
        raise ValueError(f"it has weights of shape {stored['weights'].shape}, not ({COLUMNS},)")
    weights = stored["weights"].astype(np.float32) * np.float32(stored["scale"])
    if not np.isfinite(weights).all():
        raise ValueError("a weight is not a number")
    trees = DecisionTrees.from_arrays(stored, MESSAGE_NUMBERS)
    return StatementGate(weights, float(stored["bias"]), trees, str(stored["trained_on"]))
