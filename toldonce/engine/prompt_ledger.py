"""The ledger of what was inserted into prompts: in the store, or in this process for turns that are not recorded."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from toldonce.prompt.replay import PromptChain, PromptReplay
from toldonce.store.sql.log.insertions import InsertionRepository
from toldonce.types import LedgerRows, PromptInsertion, Subject

# Insertions kept for turns that are not recorded; the oldest is dropped. Each has a few kilobytes of text.
MAX_TEMPORARY = 2_000


class PromptLedger(Protocol):
    """Remembers insertions by subject, thread and chain; see `InsertionRepository`."""

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows whose chain is among `chains`, by depth."""
        ...

    async def add(self, subject: Subject, insertions: Sequence[PromptInsertion]) -> None:
        """Store insertions of one thread while their prompt is on its way."""
        ...

    async def drop(self, subject: Subject, thread: int, chains: Sequence[int]) -> None:
        """Empty insertions of a thread whose prompt was refused and sent without them."""
        ...


class TemporaryLedger:
    """Ledger of turns of which nothing may be stored; it ends with the process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Subject, int, int], PromptInsertion] = OrderedDict()
        self._threads: dict[tuple[Subject, int], list[int]] = {}

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows whose chain is among `chains`, by depth."""
        rows = (
            self._kept[subject, chain, thread] for chain in chains for thread in self._threads.get((subject, chain), ())
        )
        return LedgerRows(insertions=_by_depth(rows))

    async def find_thread(self, subject: Subject, thread: int) -> LedgerRows:
        """Read all rows of a thread, by depth."""
        rows = (row for (home, _, other), row in self._kept.items() if (home, other) == (subject, thread))
        return LedgerRows(insertions=_by_depth(rows))

    async def add(self, subject: Subject, insertions: Sequence[PromptInsertion]) -> None:
        """Keep insertions; the oldest are dropped beyond `MAX_TEMPORARY`."""
        for insertion in insertions:
            key = (subject, insertion.chain, insertion.thread)
            if key not in self._kept:
                self._threads.setdefault((subject, insertion.chain), []).append(insertion.thread)
            self._kept[key] = insertion
            self._kept.move_to_end(key)
        while len(self._kept) > MAX_TEMPORARY:
            self._remove(next(iter(self._kept)))

    async def drop(self, subject: Subject, thread: int, chains: Sequence[int]) -> None:
        """Empty insertions of a thread."""
        for chain in chains:
            key = (subject, chain, thread)
            if key in self._kept:
                self._kept[key] = emptied(self._kept[key])

    def empty(self, home: Subject, lost: Set[str]) -> None:
        """Empty the insertions with these ids, and forget the hashes of all later prompts: they cover the words."""
        rows = [(key, row) for key, row in self._kept.items() if key[0] == home]
        began: dict[int, datetime] = {}
        for _, row in rows:
            if row.id in lost:
                began[row.thread] = min(began.get(row.thread, row.at), row.at)
        for key, row in rows:
            if row.id in lost:
                self._kept[key] = replace(emptied(row), sent_bytes=row.sent_bytes, erased=True)
            elif row.thread in began and row.at >= began[row.thread]:
                self._kept[key] = replace(row, sent_hash="")

    def forget(self, subject: Subject | None) -> None:
        """Empty all insertions in prompts of a subject, or with memories of it or of one within it; None: of all."""
        lost: dict[Subject, set[str]] = {}
        for (home, _, _), row in self._kept.items():
            named = (home, *(owner for owner, _ in row.items))
            if row.characters and (subject is None or any(subject in (owner, *owner.owners) for owner in named)):
                lost.setdefault(home, set()).add(row.id)
        for home, ids in lost.items():
            self.empty(home, ids)

    def remove(self, subject: Subject, insertions: Sequence[PromptInsertion]) -> None:
        """Remove insertions that the store has now."""
        for insertion in insertions:
            self._remove((subject, insertion.chain, insertion.thread))

    def _remove(self, key: tuple[Subject, int, int]) -> None:
        if self._kept.pop(key, None) is None:
            return
        subject, chain, thread = key
        threads = self._threads[subject, chain]
        threads.remove(thread)
        if not threads:
            del self._threads[subject, chain]


class ChatLedger:
    """Ledger of one request: the store's rows, and this process's for turns that were only read.

    A conversation may have turns of both kinds. What was only read is stored with the next turn that is recorded, for
    that records the whole history.
    """

    def __init__(
        self, stored: InsertionRepository, temporary: TemporaryLedger, *, memory: Subject, records: bool, now: datetime
    ) -> None:
        """Join two ledgers for a request that reads `memory`; new insertions are stored if it is recorded."""
        self._stored = stored
        self._temporary = temporary
        self._memory = memory
        self._records = records
        self._now = now
        self._known: frozenset[tuple[int, int]] = frozenset()

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read the rows of both ledgers, by depth; the store's take precedence.

        What was erased since empties the rows of this process, too: another process may have erased it.
        """
        stored = await self._stored.find(subject, chains)
        kept = await self._temporary.find(subject, chains)
        if kept.insertions and (lost := await self._stored.find_lost(subject, self._memory, kept.insertions)):
            self._temporary.empty(subject, lost)
            kept = await self._temporary.find(subject, chains)
        self._known = frozenset((row.thread, row.chain) for row in stored.insertions)
        unstored = self.unstored(kept.insertions)
        return replace(stored, insertions=_by_depth((*stored.insertions, *unstored))) if unstored else stored

    async def find_kept(self, subject: Subject, chain: PromptChain) -> tuple[PromptChain, PromptReplay]:
        """Find what a chat that upstream keeps has of memory before a request's messages.

        Returns:
            The chain with its place in the thread that it goes on with, and that thread's insertions up to there. Where
            another request went on from the same answer, the chain begins a thread of its own.
        """
        thread, before = chain.thread, None
        if thread is None:
            marks = (await self._stored.find(subject, [chain.start])).answers
            if not marks:
                return chain, PromptReplay()
            thread, before = marks[-1].thread, marks[-1].depth
        stored, kept = (
            await self._stored.find_thread(subject, thread),
            await self._temporary.find_thread(subject, thread),
        )
        newest = max((mark.depth for mark in stored.answers), default=0)
        before = newest if before is None else before
        shown = tuple(row for row in (*stored.insertions, *kept.insertions) if row.depth <= before)
        place = replace(chain, thread=thread if before == newest else None, before=before)
        return place.at_own_links(), PromptReplay(thread, _by_depth(shown))

    def unstored(self, insertions: Sequence[PromptInsertion]) -> tuple[PromptInsertion, ...]:
        """Return those among the found insertions that the store does not have."""
        return tuple(row for row in insertions if (row.thread, row.chain) not in self._known)

    def empty(self, subject: Subject, insertions: Sequence[PromptInsertion]) -> None:
        """Drop the texts of the insertions that are only kept in this process and were found to be erased."""
        self._temporary.empty(subject, {row.id for row in self.unstored(insertions) if row.erased})

    async def add(self, subject: Subject, insertions: Sequence[PromptInsertion]) -> None:
        """Store insertions of one thread, or keep them in this process."""
        if not self._records:
            await self._temporary.add(subject, insertions)
            return
        await self._stored.add(subject, insertions, closed_since=self._now)
        self._temporary.remove(subject, insertions)

    async def drop(self, subject: Subject, thread: int, chains: Sequence[int]) -> None:
        """Empty insertions of a thread in both ledgers."""
        await self._temporary.drop(subject, thread, chains)
        if self._records or any((thread, chain) in self._known for chain in chains):
            await self._stored.drop(subject, thread, chains)


def emptied(insertion: PromptInsertion) -> PromptInsertion:
    """Return an insertion without text: nothing was inserted at its message."""
    return replace(
        insertion,
        standing="",
        recalled="",
        items=(),
        withdrawn=(),
        quotes_messages=False,
        sent_bytes=0,
        sent_hash="",
    )


def _by_depth(rows: Iterable[PromptInsertion]) -> tuple[PromptInsertion, ...]:
    return tuple(sorted(rows, key=lambda row: (row.depth, row.at, row.id)))
