"""Orders in which memories are listed. Pure."""

from enum import StrEnum

from toldonce.types.memory import Memory


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
