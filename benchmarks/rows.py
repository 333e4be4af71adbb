"""What a benchmark hands back, and how samples become it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure."""

    name: str
    value: float
    unit: str
    note: str = ""
    """What must be known to read the figure."""
    count: int = 1
    """Number of measurements."""
    bar: float | None = None
    """What it is promised to stay below; None where nothing is promised."""
    of: str = ""
    """Whose figure it is, where several systems are measured beside one another."""
    ratio: float | None = None
    """How many times ToldOnce's figure it is, where both are of one run."""

    @property
    def meets_bar(self) -> bool:
        """Whether the promise is kept; true where there is none."""
        return self.bar is None or self.value < self.bar


def percentile(samples: Sequence[float], share: float) -> float:
    """Return the value that `share` percent of the samples do not exceed.

    >>> percentile([1.0, 2.0, 3.0], 50)
    2.0
    """
    return float(np.percentile(np.asarray(samples, dtype=np.float64), share))


def spread(name: str, samples: Sequence[float], unit: str, *, note: str = "", bar: float | None = None) -> list[Row]:
    """Make the rows of a distribution: its p50 (to which a bar applies) and its p99.

    >>> [(row.name, row.value) for row in spread("x", [1.0, 1.0, 1.0], "ms")]
    [('x, p50', 1.0), ('x, p99', 1.0)]
    """
    count = len(samples)
    return [
        Row(name=f"{name}, p50", value=percentile(samples, 50), unit=unit, note=note, count=count, bar=bar),
        Row(name=f"{name}, p99", value=percentile(samples, 99), unit=unit, count=count),
    ]
