"""What few memories have beside their words: summary, origin, tags, and what a quotation leaves out. Pure."""

from dataclasses import dataclass, replace

CIRCUMSTANCE = "; "
"""Stands between who talked when and what was said just before, in a record's context."""


def message_address(conversation: str, seq: int) -> str:
    """Write the address of a message: `recollect://CONVERSATION/SEQ`."""
    return f"recollect://{conversation}/{seq}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A stretch of a quoted message that no longer holds: the quotation leaves it out."""

    start: int
    """Offset of its first character in the message."""
    end: int
    """Offset behind its last character."""
    because: str = ""
    """Id of the closed memory that rested on it or said the same; empty for a request to forget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetail:
    """What few memories have beside their words."""

    summary: str = ""
    """The content in short."""
    source_uri: str = ""
    """Where it comes from: `recollect://CONVERSATION/SEQ`, or what an importer says."""
    source_context: str = ""
    """What was going on: who talked with whom and when; behind `; ` what was said just before."""
    context_source: str = ""
    """Address of the message that `source_context` quotes (`recollect://CONVERSATION/SEQ`), or empty."""
    tags: tuple[str, ...] = ()
    """Names under which it is listed, such as `pair:kira+marcus`; in order, each once."""
    first_turn: int = 0
    last_turn: int = 0
    """Episodes: the first and last turn it sums up, counted from 1; 0 elsewhere."""
    first_seq: int = 0
    """Episodes: where the first message of these turns stands, whether or not it was erased."""
    last_seq: int = 0
    """Episodes: where the last one stands."""
    withheld: tuple[Withheld, ...] = ()
    """Quotations: stretches of the message that are left out; ordered by `start`, without overlap."""

    @property
    def circumstance(self) -> str:
        """Return what the context quotes: who spoke just before, and the words; empty where it quotes nothing."""
        return self.source_context.partition(CIRCUMSTANCE)[2] if self.context_source else ""

    def without_circumstance(self) -> "MemoryDetail":
        """Return the same without the words of another message in its context.

        >>> MemoryDetail(source_context="Ana and Kim, 2 May 2026; Ana asked: Why?", context_source="recollect://c/1"
        ... ).without_circumstance().source_context
        'Ana and Kim, 2 May 2026'
        """
        if not self.context_source:
            return self
        return replace(self, source_context=self.source_context.partition(CIRCUMSTANCE)[0], context_source="")

    def quoted(self, message: str) -> str:
        """Return the words of a message that the quotation still holds; every character keeps its place.

        >>> MemoryDetail(withheld=(Withheld(start=0, end=5),)).quoted("Rome! I ski.")
        '…     I ski.'
        """
        pieces, place = [""], 0
        for stretch in self.withheld:
            start, end = max(stretch.start, place), min(stretch.end, len(message))
            pieces += [message[place:start], "…".ljust(end - start) if start < end else ""]
            place = max(start, end)
        return "".join([*pieces, message[place:]])


NO_DETAIL = MemoryDetail()
