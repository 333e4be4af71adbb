"""Pairs of memories that may need a look. Pure."""

from dataclasses import dataclass
from datetime import datetime

from toldonce.types.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPair:
    """Two memories that say nearly the same, or contradict each other."""

    newer: Memory
    """The one stored later, the one that replaced the other, or the one that waits for review."""
    older: Memory
    similarity: float | None = None
    """Calibrated similarity, 0 to 1; None if they were not compared."""
    at: datetime | None = None
    """When the newer one took the older one's place; None: it did not."""
    decision: str | None = None
    """Id of the decision by which it did: `history.undo` takes it back."""
    reason: str = ""
    """Why it did, or why the newer one waits for review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearDuplicates:
    """Notes that say nearly the same, as far as they were compared."""

    pairs: tuple[MemoryPair, ...]
    """In the order in which the newer ones were stored; of each the most similar first."""
    compared: int
    """Number of comparisons that were made for this page."""
    after: str | None
    """Where the next page begins; None: all notes were compared."""
