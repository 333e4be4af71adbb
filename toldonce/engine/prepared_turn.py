"""A chat request with memory in it, between its preparation and its record. Writes the injection ledger."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, auto
from typing import Self

from toldonce.chat.formats.base import Insertion
from toldonce.engine.memory_tools import MemoryTools
from toldonce.engine.prompt_ledger import PromptLedger
from toldonce.engine.scope import MemoryScope
from toldonce.errors import ToldOnceError, logged_text
from toldonce.prompt.replay import PrefixState, PromptChain, SentPrompt
from toldonce.types import InjectionRecord, MemoryId, Message, RecalledMemory, Subject

logger = logging.getLogger(__name__)

# A database that hangs delays an answer by so many seconds at most: a chat matters more than its next prompt's cache.
LEDGER_WAIT_S = 0.25


class PromptUse(Enum):
    """What a prompt is for."""

    ANSWER = auto()
    """A turn of the conversation."""
    COUNT = auto()
    """To be counted: it is what the turn's prompt would be, and nothing is kept of it."""
    REPLAY = auto()
    """The client's own ends, such as a summary of its history: it has what earlier prompts had, and no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """The insertions of a prompt in the ledger."""

    ledger: PromptLedger
    home: Subject
    thread: int
    chains: tuple[int, ...]
    """Chains of all insertions in the prompt, new and replayed ones."""
    writing: asyncio.Task[None] | None = None
    """None: earlier requests wrote all of them."""

    async def written(self) -> None:
        """Wait until they are kept, for `LEDGER_WAIT_S` at most. Never fails: `writing` reports its own errors."""
        if self.writing is not None and not self.writing.done():
            await asyncio.wait([self.writing], timeout=LEDGER_WAIT_S)

    async def drop(self) -> None:
        """Note that the request was sent without them; wait as long as for the writing. Never fails.

        Later prompts of the conversation begin with the one that was accepted.
        """
        dropping = asyncio.create_task(self._drop())
        await asyncio.wait([dropping], timeout=LEDGER_WAIT_S)

    async def _drop(self) -> None:
        if self.writing is not None:
            await asyncio.wait([self.writing])
        try:
            await self.ledger.drop(self.home, self.thread, self.chains)
        except (ToldOnceError, OSError) as error:
            logger.error("refused insertions stay in the ledger", extra={"error": logged_text(error)})


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTurn:
    """A chat request with its recalled memories spliced in."""

    body: bytes
    """The bytes to send; the request's own if nothing was inserted."""
    items: tuple[RecalledMemory, ...] = ()
    """The memories that were recalled for this very request."""
    record: InjectionRecord | None = None
    log: tuple[Message, ...]
    """The request's messages, said when they were first seen: see `asked_at`."""
    asked_at: datetime | None = None
    """When the request came, in its time zone; None: when its messages were said."""
    scope: MemoryScope | None = None
    """Subjects the request reads and writes; None if it is anonymous."""
    insertions: tuple[Insertion, ...] = ()
    """What was spliced into the body."""
    toolbox: MemoryTools | None = None
    """Our tools that the body offers; None if it offers none."""
    warning: str = ""
    """What failed in recall, such as an embedder that did not answer; empty if nothing did."""
    failure: str = ""
    """Why nothing was recalled although it was wanted: the prompt has what earlier ones had alone."""
    recent: int = 0
    """Number of messages from the user's other conversations in the body."""
    chain: PromptChain | None = None
    """The request's place among the prompts of its conversation; None if its placement replays nothing."""
    replayed_memories: Mapping[Subject, Sequence[MemoryId]] = field(default_factory=dict)
    """Memories that earlier prompts of the conversation show, and this one again."""
    prefix: PrefixState | None = None
    """What became of the previous prompt; None if the placement replays nothing."""
    sent: SentPrompt | None = None
    """Measures of the prompt; None if the placement replays nothing."""
    entry: LedgerEntry | None = None
    """What is kept of this turn for the next prompts."""

    @property
    def injected(self) -> int:
        """Number of memories that were recalled for this very request."""
        return len(self.items)

    @property
    def replayed(self) -> int:
        """Number of memories replayed from earlier prompts."""
        return sum(len(ids) for ids in self.replayed_memories.values())

    def without_block(self) -> Self:
        """Return the turn of a request that was sent as it came after all."""
        return replace(
            self,
            items=(),
            record=None,
            insertions=(),
            toolbox=None,
            recent=0,
            replayed_memories={},
            prefix=None,
            sent=None,
        )
