"""Properties by which memories are listed. Pure."""

from dataclasses import dataclass
from datetime import datetime

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
