"""`SqliteStore`: each promise of `Store`, handed to the thread that keeps it. Starts threads, opens files."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

import apsw

from recollect.clock import Clock
from recollect.ids import new_id
from recollect.store.failpoint import Failpoint
from recollect.store.paging import check_limit
from recollect.store.protocol import Rank
from recollect.store.sqlite import changes as changing
from recollect.store.sqlite import erasing, linking, memories, past
from recollect.store.sqlite import formations as work
from recollect.store.sqlite.cache import HotCache
from recollect.store.sqlite.choosing import choose
from recollect.store.sqlite.company import Company
from recollect.store.sqlite.connection import Place, open_reader, open_writer
from recollect.store.sqlite.faults import opening
from recollect.store.sqlite.hands import FEW_ROWS
from recollect.store.sqlite.hot import read_hot
from recollect.store.sqlite.onloop import OnLoop, TooLargeError
from recollect.store.sqlite.operating import Operating
from recollect.store.sqlite.presence import Presence
from recollect.store.sqlite.readers import Readers
from recollect.store.sqlite.residue import clean
from recollect.store.sqlite.rows import fetch_value
from recollect.store.sqlite.statements import load
from recollect.store.sqlite.talking import Talking
from recollect.store.sqlite.tending import Tending
from recollect.store.sqlite.writer import Writer
from recollect.types import (
    Change,
    Conversation,
    ConversationId,
    Decision,
    EraseOrder,
    Erasure,
    FormationKey,
    FormationResult,
    FormationStatus,
    Hot,
    Lease,
    Memory,
    MemoryId,
    MemoryKind,
    RecallPlace,
    Subject,
)

T = TypeVar("T")
SQL = load("subject")
ERASE_SQL = load("erase")
# Reading threads: more than the cores of a small machine gain nothing while Python runs one at a time.
READERS = 3
# A recall goes on in the event loop's thread if no subject has more memories than this cached, or more than this to be
# read: one to three milliseconds. Others go to a reading thread, so that other requests go on.
MOST_WEIGHED_ON_LOOP, MOST_READ_ON_LOOP = 5_000, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """The connections of a store, before threads own them."""

    writer: apsw.Connection
    readers: tuple[apsw.Connection, ...]
    on_loop: apsw.Connection | None
    """For the event loop's thread; None where there is one connection only."""
    term_key: bytes
    presence: Presence
    company: Company | None
    """Our mark beside the file; None where nobody else can come."""


def _open(place: Place, clock: Clock) -> _Opened:
    with ExitStack() as on_failure:
        writer = open_writer(place)
        on_failure.callback(writer.close)
        company = None if place.alone else Company(place.path)
        if company is not None:
            on_failure.callback(company.close)
            if company.first:
                work.free_leases(writer)
            company.share()
        with opening(place.path):
            work.return_from_future(writer, clock.now())
        readers = []
        for _ in range(0 if place.alone else READERS + 1):
            readers.append(open_reader(place))
            on_failure.callback(readers[-1].close)
        on_loop = readers.pop() if readers else None
        term_key = fetch_value(writer, SQL["term_key"])
        presence = Presence.of(writer, place)
        on_failure.pop_all()
    return _Opened(
        writer=writer, readers=tuple(readers), on_loop=on_loop, term_key=term_key, presence=presence, company=company
    )


class SqliteStore(Talking, Operating, Tending):
    """A store over one SQLite file. Several processes may open the same one."""

    def __init__(self, place: Place, opened: _Opened, *, clock: Clock, cache_bytes: int) -> None:
        """Start the threads; use `open` to make one."""
        self._place = place
        self._clock = clock
        self._term_key = opened.term_key
        self._company = opened.company
        self._cache = HotCache(cache_bytes)
        self._presence = opened.presence
        self._failpoint = Failpoint.from_environment()
        self._writer = Writer(opened.writer, place.path, self._failpoint, opened.presence)
        # A file that cannot be shared between connections is read by the writing thread.
        self._readers = Readers(opened.readers, place.path) if opened.readers else None
        self._on_loop = OnLoop(opened.on_loop, clock) if opened.on_loop else None

    @classmethod
    async def open(cls, place: Place, *, clock: Clock, cache_bytes: int) -> "SqliteStore":
        """Open the file, made or migrated where needed.

        Raises:
            NewerSchemaError: a newer Recollect wrote it.
            UnreadableStoreError: it is no database of ours, or may not be read or written.
            StoreUnavailableError: another process holds it.
        """
        Failpoint.from_environment()  # a wrong name is told before a file is made
        opened = await asyncio.to_thread(_open, place, clock)
        return cls(place, opened, clock=clock, cache_bytes=cache_bytes)

    async def close(self) -> None:
        """See `Store.close`."""
        if self._on_loop is not None:
            self._on_loop.close()
        if self._readers is not None:
            await self._readers.close()
        await self._writer.close()
        if self._company is not None:
            self._company.close()

    async def due(self, now: datetime, *, limit: int = 32) -> list[FormationKey]:
        """See `Store.due`."""
        check_limit(limit)
        return await self._read_short(lambda db: work.due(db, now, limit=limit))

    async def next_due(self) -> datetime | None:
        """See `Store.next_due`."""

        def next_due(db: apsw.Connection) -> datetime | None:
            self._presence.check()  # the readers, too, have the old file open: this is what `/healthz` asks
            return work.next_due(db)

        return await self._read(next_due)

    async def lease(self, key: FormationKey, *, now: datetime, lease_s: float) -> Lease | None:
        """See `Store.lease`."""
        return await self._writer.run(lambda db: work.lease(db, key, now=now, lease_s=lease_s))

    async def renew_lease(self, lease: Lease, *, now: datetime, lease_s: float) -> bool:
        """See `Store.renew_lease`."""
        return await self._writer.run(lambda db: work.renew(db, lease, now=now, lease_s=lease_s))

    async def commit_formation(self, lease: Lease, result: FormationResult, *, now: datetime) -> int:
        """See `Store.commit_formation`."""
        return await self._writer.run(lambda db: work.commit(db, lease, result, now=now, term_key=self._term_key))

    async def formed_by_another(self, key: FormationKey) -> bool:
        """See `Store.formed_by_another`."""
        return await self._read_short(lambda db: work.formed_by_another(db, key))

    async def release_formation(
        self, lease: Lease, *, error: str | None, retry_at: datetime | None, now: datetime, counted: bool = True
    ) -> None:
        """See `Store.release_formation`."""
        await self._writer.run(
            lambda db: work.release(db, lease, error=error, retry_at=retry_at, now=now, counted=counted)
        )

    async def formations(
        self, *, subject: Subject | None = None, parked: bool | None = None, limit: int = 100
    ) -> list[FormationStatus]:
        """See `Store.formations`."""
        check_limit(limit)
        return await self._read(lambda db: work.formations(db, subject=subject, parked=parked, limit=limit))

    async def retry_formation(self, key: FormationKey, *, now: datetime) -> bool:
        """See `Store.retry_formation`."""
        return await self._writer.run(lambda db: work.retry(db, key, now=now))

    async def hot(self, subject: Subject, space: str) -> Hot:
        """See `Store.hot`."""
        whole = partial(read_hot, subject=subject, space=space, cache=self._cache, term_key=self._term_key)
        small = self._weight(subject, space) <= MOST_WEIGHED_ON_LOOP
        try:
            return await self._read_short(partial(whole, most=MOST_READ_ON_LOOP), small=small)
        except TooLargeError:
            return await self._read(whole)

    async def memories(self, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
        """See `Store.memories`."""
        return await self._read_short(lambda db: memories.memories(db, subject, ids), small=len(ids) <= FEW_ROWS)

    async def choose(self, subjects: Sequence[Subject], space: str, rank: Rank[T]) -> tuple[T, list[Memory]]:
        """See `Store.choose`. Small subjects are read without a way to another thread."""
        work = partial(choose, subjects=subjects, space=space, rank=rank, cache=self._cache, term_key=self._term_key)
        if self._on_loop is None or any(self._weight(subject, space) > MOST_WEIGHED_ON_LOOP for subject in subjects):
            return await self._read(work)
        small = partial(work, most=MOST_READ_ON_LOOP)
        try:
            chosen = self._on_loop.read(small)
            return await self._read(self._on_loop.watched(small)) if chosen is None else chosen
        except TooLargeError:
            return await self._read(work)

    def _weight(self, subject: Subject, space: str) -> int:
        kept = self._cache.get(subject, space)
        return 0 if kept is None else len(kept)

    async def list_memories(
        self,
        subject: Subject,
        *,
        kinds: Sequence[MemoryKind] = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE),
        closed: bool = False,
        after: MemoryId | None = None,
        tag: str = "",
        limit: int = 100,
    ) -> list[Memory]:
        """See `Store.list_memories`."""
        check_limit(limit)
        return await self._read(
            lambda db: memories.list_memories(
                db, subject, memories.Which(kinds=kinds, closed=closed, tag=tag), after=after, limit=limit
            )
        )

    async def formed_of(self, subject: Subject, source: Conversation, *, limit: int = 100) -> list[Memory]:
        """See `Store.formed_of`."""
        check_limit(limit)
        return await self._read(lambda db: memories.formed_of(db, subject, source, limit))

    async def facts(self, subject: Subject) -> list[Memory]:
        """See `Store.facts`."""
        try:
            return await self._read_short(lambda db: memories.facts(db, subject, most=FEW_ROWS))
        except TooLargeError:
            return await self._read(lambda db: memories.facts(db, subject))

    async def held(self, subject: Subject, *, limit: int = 100) -> list[Memory]:
        """See `Store.held`."""
        check_limit(limit)
        return await self._read_short(lambda db: memories.held(db, subject, limit=limit), small=limit <= FEW_ROWS)

    async def decisions(self, subject: Subject, *, memory: MemoryId | None = None, limit: int = 1000) -> list[Decision]:
        """See `Store.decisions`."""
        check_limit(limit)
        return await self._read(lambda db: memories.decisions(db, subject, memory=memory, limit=limit))

    async def decision(self, subject: Subject, decision_id: str) -> Decision | None:
        """See `Store.decision`."""
        return await self._read(lambda db: past.decision(db, subject, decision_id))

    async def decisions_from(
        self,
        subject: Subject,
        *,
        conversation: ConversationId | None = None,
        seq: int | None = None,
        since: datetime | None = None,
    ) -> list[Decision]:
        """See `Store.decisions_from`."""
        return await self._read(
            lambda db: past.decisions_from(db, subject, conversation=conversation, seq=seq, since=since)
        )

    async def memories_from(
        self, subject: Subject, conversation: ConversationId, *, seq: int | None = None
    ) -> list[Memory]:
        """See `Store.memories_from`."""
        return await self._read(lambda db: past.memories_from(db, subject, conversation, seq=seq))

    async def memories_since(self, subject: Subject, since: datetime) -> list[Memory]:
        """See `Store.memories_since`."""
        return await self._read(lambda db: past.memories_since(db, subject, since))

    async def last_recall(self, subject: Subject, memory: MemoryId) -> RecallPlace | None:
        """See `Store.last_recall`."""
        return await self._read(lambda db: past.last_recall(db, subject, memory))

    async def memories_at(
        self, subject: Subject, kinds: Sequence[MemoryKind], *, at: datetime, known_at: datetime
    ) -> list[Memory]:
        """See `Store.memories_at`."""
        return await self._read(lambda db: past.memories_at(db, subject, kinds, at=at, known_at=known_at))

    async def apply(
        self,
        subject: Subject,
        changes: Sequence[Change],
        decisions: Sequence[Decision],
        *,
        subject_version: int | None = None,
        home: Subject | None = None,
    ) -> int:
        """See `Store.apply`."""

        def apply(db: apsw.Connection) -> int:
            changing.require_version(db, subject, subject_version)
            return changing.apply(db, subject, changes, decisions, home=home or subject, term_key=self._term_key)

        return await self._writer.run(apply)

    async def erase(self, order: EraseOrder) -> Erasure:
        """See `Store.erase`."""
        erasure = Erasure(id=new_id(self._clock), at=self._clock.now(), cleaned_at=None, counts={})

        def erase(db: apsw.Connection) -> Erasure:
            return erasing.erase(db, order, erasure, self._term_key, lambda: self._failpoint.reach("erasing"))

        done = await self._writer.run(erase)
        self._failpoint.reach("erased")
        self._cache.forget(order.subject)
        return done

    async def clean(self, *, wait_ms: int) -> bool:
        """See `Store.clean`."""
        return await self._writer.run_alone(
            partial(clean, clock=self._clock, wait_ms=wait_ms, midway=self._failpoint.reach)
        )

    async def erasures(self, subject: Subject, *, limit: int = 100) -> list[Erasure]:
        """See `Store.erasures`."""
        check_limit(limit)
        return await self._read(lambda db: erasing.erasures(db, subject, limit=limit))

    async def unclean(self) -> int:
        """See `Store.unclean`."""
        return await self._read(lambda db: int(fetch_value(db, ERASE_SQL["unclean"])))

    async def link(
        self, subject: Subject, memory: MemoryId, to: Subject, *, terms: Mapping[str, int], decision: Decision
    ) -> None:
        """See `Store.link`."""
        await self._writer.run(
            partial(
                linking.link, subject=subject, memory=memory, copy=linking.Copy(to, terms, decision, self._term_key)
            )
        )

    async def unlink(self, subject: Subject, memory: MemoryId, *, decision: Decision) -> None:
        """See `Store.unlink`."""
        await self._writer.run(partial(linking.unlink, subject=subject, memory=memory, decision=decision))
        self._cache.forget(subject)

    async def note_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """See `Store.note_uses`."""
        self._cache.note_uses(subject, ids, at)
        self._writer.later(lambda db: changing.note_uses(db, subject, ids, at))
