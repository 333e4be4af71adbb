"""`RelationalStore`: each promise of `Store` that all databases keep alike, handed to whoever works on a connection."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from recollect.store.executor import INLINE_ROWS
from recollect.store.paging import check_limit
from recollect.store.protocol import Rank
from recollect.store.sql import formations as work
from recollect.store.sql import past
from recollect.store.sql.database import SqlConnection, TooLargeError, Work
from recollect.store.sql.embeddings import Embedding
from recollect.store.sql.erase import erase
from recollect.store.sql.erase.tombstones import TombstoneLedger
from recollect.store.sql.inner import inner_subjects
from recollect.store.sql.maintenance import Tending
from recollect.store.sql.memories import apply as changing
from recollect.store.sql.memories import link, read
from recollect.store.sql.operating import Operating
from recollect.store.sql.recall.rank_and_fetch import rank_and_fetch
from recollect.store.sql.recall.snapshot import hot_within, read_hot
from recollect.store.sql.rows import fetch_value
from recollect.store.sql.statements import load
from recollect.store.sql.talking import Talking
from recollect.types import (
    ALL_VECTORS,
    Change,
    Conversation,
    ConversationId,
    Decision,
    EraseRequest,
    ErasureRecord,
    FormationKey,
    FormationResult,
    FormationStatus,
    InjectionSite,
    Lease,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
    SubjectSnapshot,
    VectorRequest,
)

T = TypeVar("T")
ERASE_SQL = load("erase")
# A recall may go on in the event loop's thread if no subject has more memories than this cached, or more than this to
# be read: one to three milliseconds. Others go to a thread, so that other requests go on.
MAX_WEIGHED_ON_LOOP, MAX_READ_ON_LOOP = 5_000, 500


class RelationalStore(Talking, Operating, Tending, Embedding):
    """A store over a database that speaks SQL; a subclass brings the connections."""

    async def due(self, now: datetime, *, limit: int = 32) -> list[FormationKey]:
        """See `Store.due`."""
        check_limit(limit)
        return await self._read_short(lambda db: work.due(db, now, limit=limit))

    async def next_due(self) -> datetime | None:
        """See `Store.next_due`."""
        return await self._read(work.next_due)

    async def lease(self, key: FormationKey, *, now: datetime, lease_s: float) -> Lease | None:
        """See `Store.lease`."""
        return await self._write(lambda db: work.lease(db, key, now=now, lease_s=lease_s), key.subject)

    async def renew_lease(self, lease: Lease, *, now: datetime, lease_s: float) -> bool:
        """See `Store.renew_lease`."""
        return await self._write(lambda db: work.renew(db, lease, now=now, lease_s=lease_s), lease.key.subject)

    async def commit_formation(self, lease: Lease, result: FormationResult, *, now: datetime) -> int:
        """See `Store.commit_formation`."""
        return await self._write(
            lambda db: work.commit(db, lease, result, now=now, term_key=self._term_key),
            lease.key.subject,
            lease.key.home,
        )

    async def formed_by_another(self, key: FormationKey) -> bool:
        """See `Store.formed_by_another`."""
        return await self._read_short(lambda db: work.formed_by_another(db, key))

    async def release_formation(
        self, lease: Lease, *, error: str | None, retry_at: datetime | None, now: datetime, counted: bool = True
    ) -> None:
        """See `Store.release_formation`."""
        await self._write(
            lambda db: work.release(db, lease, error=error, retry_at=retry_at, now=now, counted=counted),
            lease.key.subject,
        )

    async def formations(
        self, *, subject: Subject | None = None, parked: bool | None = None, limit: int = 100
    ) -> list[FormationStatus]:
        """See `Store.formations`."""
        check_limit(limit)
        return await self._read(lambda db: work.formations(db, subject=subject, parked=parked, limit=limit))

    async def retry_formation(self, key: FormationKey, *, now: datetime) -> bool:
        """See `Store.retry_formation`."""
        return await self._write(lambda db: work.retry(db, key, now=now), key.subject)

    async def hot(self, subject: Subject, space: str, *, sought: VectorRequest | None = None) -> SubjectSnapshot:
        """See `Store.hot`."""
        del sought  # there is no index: all are read
        whole = partial(read_hot, subject=subject, space=space, cache=self._cache, term_key=self._term_key)
        small = self._weight(subject, space) <= MAX_WEIGHED_ON_LOOP
        try:
            return await self._read_short(partial(whole, most=MAX_READ_ON_LOOP), small=small)
        except TooLargeError:
            return await self._read(whole)

    async def memories(self, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
        """See `Store.memories`."""
        return await self._read_short(lambda db: read.memories(db, subject, ids), small=len(ids) <= INLINE_ROWS)

    async def choose(
        self, subjects: Mapping[Subject, str], rank: Rank[T], *, sought: Mapping[Subject, VectorRequest] = ALL_VECTORS
    ) -> tuple[T, list[Memory]]:
        """See `Store.choose`. Small subjects may be read without a way to another thread."""
        del sought  # there is no index: all are read

        def work(db: SqlConnection, most: int | None = None) -> tuple[T, list[Memory]]:
            read = partial(hot_within, cache=self._cache, term_key=self._term_key, most=most)
            return rank_and_fetch(db, subjects, rank, read=read, cache=self._cache)

        small = all(self._weight(subject, space) <= MAX_WEIGHED_ON_LOOP for subject, space in subjects.items())
        try:
            return await self._read_short(partial(work, most=MAX_READ_ON_LOOP), small=small)
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
            lambda db: read.list_memories(
                db, subject, read.MemoryFilter(kinds=kinds, closed=closed, tag=tag), after=after, limit=limit
            )
        )

    async def formed_of(self, subject: Subject, source: Conversation, *, limit: int = 100) -> list[Memory]:
        """See `Store.formed_of`."""
        check_limit(limit)
        return await self._read(lambda db: read.formed_of(db, subject, source, limit))

    async def facts(self, subject: Subject) -> list[Memory]:
        """See `Store.facts`."""
        try:
            return await self._read_short(lambda db: read.facts(db, subject, most=INLINE_ROWS))
        except TooLargeError:
            return await self._read(lambda db: read.facts(db, subject))

    async def held(self, subject: Subject, *, limit: int = 100) -> list[Memory]:
        """See `Store.held`."""
        check_limit(limit)
        return await self._read_short(lambda db: read.held(db, subject, limit=limit), small=limit <= INLINE_ROWS)

    async def decisions(self, subject: Subject, *, memory: MemoryId | None = None, limit: int = 1000) -> list[Decision]:
        """See `Store.decisions`."""
        check_limit(limit)
        return await self._read(lambda db: read.decisions(db, subject, memory=memory, limit=limit))

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

    async def last_recall(self, subject: Subject, memory: MemoryId) -> InjectionSite | None:
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

        def apply(db: SqlConnection) -> int:
            changing.require_version(db, subject, subject_version)
            return changing.apply(db, subject, changes, decisions, home=home or subject, term_key=self._term_key)

        return await self._write(apply, subject, home or subject)

    async def forgotten(self, subject: Subject, marks: Sequence[int]) -> Mapping[int, datetime]:
        """See `LedgerReader.forgotten`."""
        return await self._read(lambda db: TombstoneLedger(db, subject, self._term_key).known(marks))

    async def has_forgotten(self, subject: Subject) -> bool:
        """See `LedgerReader.has_forgotten`."""
        return not await self._read_short(lambda db: TombstoneLedger(db, subject, self._term_key).empty)

    async def erase(self, order: EraseRequest) -> ErasureRecord:
        """See `Store.erase`."""
        tools = erase.Tools(clock=self._clock, term_key=self._term_key, midway=lambda: self._failpoint.reach("erasing"))
        if not order.everything:
            done = await self._erase(lambda db: erase.erase(db, order, tools), order.subject)
            self._failpoint.reach("erased")
            return done
        parts: list[tuple[Subject, ErasureRecord]] = []
        whole: ErasureRecord | None = None
        while whole is None:
            some = await self._read(lambda db: inner_subjects(db, order.subject, limit=erase.MAX_INNER))
            erased, whole = await self._erase(
                partial(erase.erase_whole, order=order, parts=some, tools=tools), order.subject, *some
            )
            parts += erased
            self._failpoint.reach("erased")
        pending = any(part.cleaned_at is None for _, part in parts)
        return replace(
            whole,
            cleaned_at=None if pending else whole.cleaned_at,
            inner=tuple((subject, part.counts) for subject, part in parts),
        )

    async def _erase(self, work: Work[T], *subjects: Subject) -> T:
        """Erase something of subjects, in one transaction."""
        done = await self._write(work, *subjects)
        for subject in subjects:
            self._cache.forget(subject)
        return done

    async def erasures(self, subject: Subject, *, limit: int = 100) -> list[ErasureRecord]:
        """See `Store.erasures`."""
        check_limit(limit)
        return await self._read(lambda db: erase.erasures(db, subject, limit=limit))

    async def unclean(self) -> int:
        """See `Store.unclean`."""
        return await self._read(lambda db: int(fetch_value(db, ERASE_SQL["unclean"])))

    async def link(
        self, subject: Subject, memory: MemoryId, to: Subject, *, terms: Mapping[str, int], decision: Decision
    ) -> None:
        """See `Store.link`."""
        await self._write(
            partial(
                link.link, subject=subject, memory=memory, copy=link.LinkTarget(to, terms, decision, self._term_key)
            ),
            subject,
            to,
        )

    async def unlink(self, subject: Subject, memory: MemoryId, *, decision: Decision) -> None:
        """See `Store.unlink`."""
        await self._write(partial(link.unlink, subject=subject, memory=memory, decision=decision), subject)
        self._cache.forget(subject)

    async def note_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """See `Store.note_uses`."""
        self._cache.note_uses(subject, ids, at)
        self._write_later(lambda db: changing.note_uses(db, subject, ids, at), subject)
