"""The ledger of what was inserted into prompts: in the store, or in this process for chats that are not recorded."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from recollect.types import LedgerRows, PromptInsertion, Subject

# Insertions kept for chats that are not recorded; the oldest is dropped. Each has a few kilobytes of text.
MAX_TEMPORARY = 2_000


class PromptLedger(Protocol):
    """Remembers insertions by subject, thread and chain; see `InsertionRepository`."""

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows whose chain is among `chains`, by depth."""
        ...

    async def add(self, subject: Subject, insertion: PromptInsertion) -> None:
        """Store an insertion while its prompt is on its way."""
        ...

    async def drop(self, subject: Subject, thread: int, chain: int) -> None:
        """Empty an insertion whose prompt was refused and sent without it."""
        ...


class TemporaryLedger:
    """Ledger of chats of which nothing may be stored; it ends with the process."""

    def __init__(self) -> None:
        """Start empty."""
        self._kept: OrderedDict[tuple[Subject, int, int], PromptInsertion] = OrderedDict()
        self._threads: dict[tuple[Subject, int], list[int]] = {}

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows whose chain is among `chains`, by depth."""
        found = [
            self._kept[subject, chain, thread] for chain in chains for thread in self._threads.get((subject, chain), ())
        ]
        return LedgerRows(insertions=tuple(sorted(found, key=lambda row: (row.depth, row.at))))

    async def add(self, subject: Subject, insertion: PromptInsertion) -> None:
        """Keep an insertion; the oldest are dropped beyond `MAX_TEMPORARY`."""
        key = (subject, insertion.chain, insertion.thread)
        if key not in self._kept:
            self._threads.setdefault((subject, insertion.chain), []).append(insertion.thread)
        self._kept[key] = insertion
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_TEMPORARY:
            (owner, chain, thread), _ = self._kept.popitem(last=False)
            threads = self._threads[owner, chain]
            threads.remove(thread)
            if not threads:
                del self._threads[owner, chain]

    async def drop(self, subject: Subject, thread: int, chain: int) -> None:
        """Empty an insertion."""
        key = (subject, chain, thread)
        if key in self._kept:
            self._kept[key] = replace(self._kept[key], standing="", recalled="", items=(), withdrawn=())
