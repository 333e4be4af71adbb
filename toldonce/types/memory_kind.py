"""The kinds of memory. Pure."""

from enum import StrEnum

KEPT_IMPORTANCE = 0.6
"""Importance from which a quotation is kept: it says something lasting about its speaker. Others have 0.5."""


class MemoryKind(StrEnum):
    """The four kinds of memory; all are in one table."""

    NOTE = "note"
    FACT = "fact"
    EPISODE = "episode"
    TURN = "turn"

    @property
    def number(self) -> int:
        """Position in `KIND_ORDER`: arrays and tables hold kinds as numbers.

        >>> MemoryKind.FACT.number
        1
        """
        return KIND_ORDER.index(self)


KIND_ORDER = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE, MemoryKind.TURN)
"""Never changed, only extended: databases hold the positions."""
