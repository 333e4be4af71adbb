"""A chat request with memory in it, between its preparation and its record. Writes the injection ledger."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from recollect.engine.memory_tools import MemoryTools
from recollect.engine.prompt_ledger import PromptLedger
from recollect.engine.scope import MemoryScope
from recollect.errors import RecollectError
from recollect.prompt.replay import PrefixState, PromptChain, SentPrompt
from recollect.types import InjectionRecord, Insertion, MemoryId, Message, PromptInsertion, RecalledMemory, Subject

logger = logging.getLogger(__name__)

# A database that hangs delays an answer by so many seconds at most: a chat matters more than its next prompt's cache.
LEDGER_WAIT_S = 0.25


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
        """Wait until it is kept, for `LEDGER_WAIT_S` at most. Never fails: `writing` reports its own errors."""
        if self.writing is not None and not self.writing.done():
            await asyncio.wait([self.writing], timeout=LEDGER_WAIT_S)

    async def drop(self) -> None:
        """Note that the turn was sent without it; wait as long as for the writing. Never fails.

        What an earlier request of the turn was answered with stays.
        """
        if self.writing is not None:
            dropping = asyncio.create_task(self._drop(self.writing))
            await asyncio.wait([dropping], timeout=LEDGER_WAIT_S)

    async def _drop(self, writing: asyncio.Task[None]) -> None:
        await asyncio.wait([writing])
        try:
            for insertion in filter(None, (self.root, self.insertion)):
                await self.ledger.drop(self.home, insertion.thread, insertion.chain)
        except (RecollectError, OSError) as error:
            logged = error.logged if isinstance(error, RecollectError) else str(error)
            logger.error("a refused insertion stays in the ledger", extra={"error": logged})


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTurn:
    """A chat request with its recalled memories spliced in."""

    body: bytes
    """The bytes to send; the request's own if nothing was inserted."""
    items: tuple[RecalledMemory, ...] = ()
    """The memories that were recalled for this very request."""
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
    repeated: Mapping[Subject, Sequence[MemoryId]] = field(default_factory=dict)
    """Memories that earlier prompts of the conversation show, and this one again."""
    prefix: PrefixState | None = None
    """What became of the previous prompt; None if the placement repeats nothing."""
    sent: SentPrompt | None = None
    """Measures of the prompt; None if the placement repeats nothing."""
    entry: LedgerEntry | None = None
    """What is kept of this turn for the next prompts."""

    @property
    def injected(self) -> int:
        """Number of memories that were recalled for this very request."""
        return len(self.items)

    @property
    def replayed(self) -> int:
        """Number of memories repeated from earlier prompts."""
        return sum(len(ids) for ids in self.repeated.values())

    def without_block(self) -> Self:
        """Return the turn of a request that was sent as it came after all."""
        return replace(
            self, items=(), record=None, insertions=(), toolbox=None, recent=0, repeated={}, prefix=None, sent=None
        )
