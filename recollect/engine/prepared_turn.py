"""A chat request with memory in it, between its preparation and its record. Writes the injection ledger."""

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Self

from recollect.engine.memory_tools import MemoryTools
from recollect.engine.prompt_ledger import PromptLedger
from recollect.engine.scope import MemoryScope
from recollect.errors import RecollectError
from recollect.prompt.replay import PrefixState, PromptChain, SentPrompt
from recollect.types import InjectionRecord, Insertion, Message, PromptInsertion, RecalledMemory, Subject

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """The insertion of a turn in the ledger."""

    ledger: PromptLedger
    home: Subject
    insertion: PromptInsertion
    root: PromptInsertion | None = None
    """The profile block, if this turn rendered it for a conversation with an id."""
    writing: asyncio.Task[None] | None = None
    """None: an earlier request of the same turn wrote it."""

    async def written(self) -> None:
        """Wait until it is kept. Never fails: `writing` reports its own errors."""
        if self.writing is not None and not self.writing.done():
            await asyncio.wait([self.writing])

    async def drop(self) -> None:
        """Note that the turn was sent without it. Never fails."""
        await self.written()
        try:
            for insertion in filter(None, (self.root, self.insertion)):
                await self.ledger.drop(self.home, insertion.thread, insertion.chain)
        except RecollectError as error:
            logger.error("a refused insertion stays in the ledger", extra={"error": str(error)})


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTurn:
    """A chat request with its recalled memories spliced in."""

    body: bytes
    """The bytes to send; the request's own if nothing was inserted."""
    items: tuple[RecalledMemory, ...] = ()
    """The memories that this turn's text shows."""
    record: InjectionRecord | None = None
    log: tuple[Message, ...]
    scope: MemoryScope | None = None
    """Subjects the request reads and writes; None if it is anonymous."""
    insertions: tuple[Insertion, ...] = ()
    """What was spliced into the body."""
    toolbox: MemoryTools | None = None
    """Our tools that the body offers; None if it offers none."""
    warning: str = ""
    """What failed in recall, such as an embedder that did not answer; empty if nothing did."""
    recent: int = 0
    """Number of messages from the user's other conversations in the body."""
    chain: PromptChain | None = None
    """The request's place among the prompts of its conversation; None if its placement repeats nothing."""
    replayed: int = 0
    """Number of memories repeated from earlier prompts."""
    prefix: PrefixState | None = None
    """What became of the previous prompt; None if the placement repeats nothing."""
    sent: SentPrompt | None = None
    """Measures of the prompt; None if the placement repeats nothing."""
    entry: LedgerEntry | None = None
    """What is kept of this turn for the next prompts."""

    @property
    def injected(self) -> int:
        """Number of memories that were recalled for this very request."""
        repeats = self.entry is not None and self.entry.writing is None
        return 0 if repeats else len(self.items)

    def without_block(self) -> Self:
        """Return the turn of a request that was sent as it came after all."""
        return replace(
            self, items=(), record=None, insertions=(), toolbox=None, recent=0, replayed=0, prefix=None, sent=None
        )
