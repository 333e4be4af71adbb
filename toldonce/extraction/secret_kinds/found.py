"""What a detector of secrets returns. Pure."""

from typing import NamedTuple


class FoundSecret(NamedTuple):
    """A stretch of a text that is a secret."""

    start: int
    end: int
    shape: str
    """Name it is counted under; never the value."""
