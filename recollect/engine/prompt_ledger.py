"""The ledger of what was inserted into prompts: in the store, or in this process for chats that are not recorded."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from recollect.types import LedgerRows, PromptInsertion, Subject

# Insertions kept for chats that are not recorded; the oldest is dropped. Each has a few kilobytes of text.
MAX_TEMPORARY = 5_000
# Equal first messages begin many chats: only the newest of them are told apart.
MAX_EQUAL = 16


class PromptLedger(Protocol):
    """Remembers insertions by subject, thread and chain; see `InsertionRepository`."""

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows whose chain is among `chains`, by depth."""
        ...

    async def add(self, subject: Subject, insertion: PromptInsertion) -> None:
        """Store an insertion before its prompt is sent."""
        ...

    async def drop(self, subject: Subject, thread: int, chain: int) -> None:
        """Empty an insertion whose prompt was refused and sent without it."""
        ...


class TemporaryLedger:
    """Ledger of chats of which nothing may be stored; it ends with the process."""

    def __init__(self) -> None:
        """Start empty."""
        self._kept: OrderedDict[tuple[Subject, int], dict[int, PromptInsertion]] = OrderedDict()

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows whose chain is among `chains`, by depth."""
        found = [row for chain in chains for row in self._kept.get((subject, chain), {}).values()]
        return LedgerRows(insertions=tuple(sorted(found, key=lambda row: (row.depth, row.at))))

    async def add(self, subject: Subject, insertion: PromptInsertion) -> None:
        """Keep an insertion; the oldest are dropped beyond `MAX_TEMPORARY` messages."""
        key = (subject, insertion.chain)
        at_chain = self._kept.setdefault(key, {})
        at_chain.pop(insertion.thread, None)  # keeps the order by time
        at_chain[insertion.thread] = insertion
        if len(at_chain) > MAX_EQUAL:
            del at_chain[next(iter(at_chain))]
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_TEMPORARY:
            self._kept.popitem(last=False)

    async def drop(self, subject: Subject, thread: int, chain: int) -> None:
        """Empty an insertion."""
        at_chain = self._kept.get((subject, chain), {})
        if thread in at_chain:
            at_chain[thread] = replace(at_chain[thread], standing="", recalled="", items=(), withdrawn=())
