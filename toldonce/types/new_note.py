"""Notes to store as they are given, alone or many at once. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from toldonce.types.memory import Memory, Vectors


@dataclass(frozen=True, slots=True)
class NewNote:
    """A sentence to store as a note, word for word."""

    text: str
    """Up to 10,000 characters."""
    importance: float = 0.7
    """0 to 1."""
    type: str = ""
    """Its class, such as `preference`; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteBatch:
    """New active notes of one subject without sources; each sequence has one item for each of them."""

    memories: Sequence[Memory]
    """Ordered by id."""
    at: datetime
    """When they became true and were stored."""
    terms: Sequence[bytes]
    """Terms of the texts, packed with the subject's salt."""
    lengths: Sequence[int]
    """Number of terms, repeats counted."""
    space: str
    """Name of the vectors' space."""
    vectors: Vectors
    """Zero where a text has no content."""
    decisions: Sequence[bytes]
    """Ids of the decisions to log."""
    reasons: Sequence[str]
    """Their reasons."""
