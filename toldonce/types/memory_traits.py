"""What lists of memories take and return: properties, orders, pairs. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from toldonce.types.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTraits:
    """What memories of a list have in common. Text is searched instead: see `AsyncToldOnce.search`."""

    type: str = ""
    """Class of a note, such as `preference`; empty: any."""
    category: str = ""
    """Category of a fact, such as `identity`; empty: any."""
    conversation: str | None = None
    """Conversation that they were formed from: your id or ToldOnce's; None: any or none."""
    since: datetime | None = None
    """Stored at this instant or later (aware); None: at any time."""
    until: datetime | None = None
    """Stored before this instant (aware); None: up to now."""

    def fits(self, memory: Memory) -> bool:
        """Return whether a memory has them; `conversation` is ToldOnce's id."""
        sources = {source.conversation for source in memory.evidence}
        return (
            (not self.type or memory.type == self.type)
            and (not self.category or memory.category == self.category)
            and (self.since is None or memory.known_from >= self.since)
            and (self.until is None or memory.known_from < self.until)
            and (self.conversation is None or self.conversation in sources)
        )


ANY_TRAITS = MemoryTraits()


class MemoryOrder(StrEnum):
    """Order of a list of memories; those of equal rank come newest first."""

    NEWEST = "newest"
    OLDEST = "oldest"
    IMPORTANCE = "importance"
    """The most important first."""
    USES = "uses"
    """The most often used first."""
    LAST_USED = "last_used"
    """The last used first; those that were never used come last."""

    @property
    def number(self) -> int:
        """Number of the order in statements that rank by a column."""
        return list(MemoryOrder).index(self)

    def rank(self, memory: Memory) -> float:
        """Return what this order ranks by, the highest first; of orders by time 0, as ids are in that order."""
        match self:
            case MemoryOrder.IMPORTANCE:
                return memory.importance
            case MemoryOrder.USES:
                return float(memory.uses)
            case MemoryOrder.LAST_USED:
                return 0.0 if memory.last_used_at is None else memory.last_used_at.timestamp()
            case _:
                return 0.0

    def sorted(self, memories: "list[Memory]") -> "list[Memory]":
        """Return memories in this order."""
        newest_first = sorted(memories, key=lambda memory: memory.id, reverse=self is not MemoryOrder.OLDEST)
        return sorted(newest_first, key=self.rank, reverse=True)


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
