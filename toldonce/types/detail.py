"""Properties that few memories have: summary, origin, tags, and what a quotation leaves out. Pure."""

from dataclasses import dataclass, replace

CIRCUMSTANCE = "; "
"""Separator in a record's context, between who talked when and what was said just before."""


_SCHEME = "toldonce://"


def message_address(conversation: str, seq: int) -> str:
    """Return the address of a message: `toldonce://CONVERSATION/SEQ`."""
    return f"{_SCHEME}{conversation}/{seq}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """Part of a quoted message that is forgotten: the quotation leaves it out."""

    start: int
    """Offset of its first character in the message."""
    end: int
    """Offset after its last character."""
    because: str = ""
    """Id of the closed memory that was formed from it or said the same; empty for a request to forget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizedPart:
    """Part of a conversation that an episode summarizes: all messages of the active path between two."""

    conversation: str
    first_seq: int
    last_seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDetail:
    """Properties that few memories have besides their text."""

    summary: str = ""
    """The content in brief."""
    source_uri: str = ""
    """Origin: `toldonce://CONVERSATION/SEQ`, or as an importer names it."""
    source_context: str = ""
    """Situation: who talked with whom and when; after `; ` what was said just before."""
    context_source: str = ""
    """Address of the message that `source_context` quotes (`toldonce://CONVERSATION/SEQ`), or empty."""
    tags: tuple[str, ...] = ()
    """Tags such as `pair:kira+marcus`, sorted and unique."""
    first_turn: int = 0
    last_turn: int = 0
    """Episodes: the first and last turn summarized, counted from 1; else 0."""
    first_seq: int = 0
    """Episodes of one conversation: position of the first message of these turns, whether or not it was erased."""
    last_seq: int = 0
    """Episodes of one conversation: position of the last one."""
    parts: tuple[SummarizedPart, ...] = ()
    """Episodes of several conversations: which messages of each; else empty."""
    chain_turns: int = 0
    """Episodes: number of the user's turns up to this one, if it was the last of all when it was made; else 0."""
    zone: str = ""
    """Time zone in which it was said, which `Memory.valid_from` is in; empty where only the instant is known."""
    withheld: tuple[Withheld, ...] = ()
    """Quotations: parts of the message that are left out; ordered by `start`, without overlap."""

    @property
    def summarized(self) -> tuple[SummarizedPart, ...]:
        """What an episode summarizes of each conversation.

        >>> MemoryDetail(source_uri="toldonce://c/5", first_seq=5, last_seq=8).summarized
        (SummarizedPart(conversation='c', first_seq=5, last_seq=8),)
        """
        if self.parts or not self.last_seq:
            return self.parts
        conversation = self.source_uri.removeprefix(_SCHEME).partition("/")[0]
        return (SummarizedPart(conversation=conversation, first_seq=self.first_seq, last_seq=self.last_seq),)

    @property
    def circumstance(self) -> str:
        """What the context quotes: who spoke just before, and the words; empty if it quotes nothing."""
        return self.source_context.partition(CIRCUMSTANCE)[2] if self.context_source else ""

    def without_circumstance(self) -> "MemoryDetail":
        """Return a copy without the words of another message in its context.

        >>> MemoryDetail(source_context="Ana and Kim, 2 May 2026; Ana asked: Why?", context_source="toldonce://c/1"
        ... ).without_circumstance().source_context
        'Ana and Kim, 2 May 2026'
        """
        if not self.context_source:
            return self
        return replace(self, source_context=self.source_context.partition(CIRCUMSTANCE)[0], context_source="")

    def quoted(self, message: str) -> str:
        """Return a message without the withheld parts; every other character keeps its position.

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
