"""Operations on memories of any kind and state, and on the decision log, which is append-only."""

import builtins
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from toldonce.clock import to_micros
from toldonce.errors import SpaceMovedError
from toldonce.ids import id_bytes
from toldonce.store.executor import INLINE_ROWS, flush_counts, read_up_to
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import maintenance
from toldonce.store.sql.database import SqlConnection, TooLargeError, load
from toldonce.store.sql.erase.insertions import empty_most_quoting
from toldonce.store.sql.memories import apply, link, notes, read
from toldonce.store.sql.recall.snapshot import read_snapshot
from toldonce.store.sql.recall.snapshot_cache import CachedSubject
from toldonce.store.sql.rows import micros, read_decision
from toldonce.store.sql.subjects import row_of, rows_of, salt_of, version_of
from toldonce.types import (
    Change,
    ConversationId,
    Decision,
    Memory,
    MemoryId,
    MemoryState,
    NoteBatch,
    Subject,
)


def version(db: SqlConnection, subject: Subject) -> int:
    """Return the subject's version, which moves with every change to its memories; 0 if nothing was stored."""
    return version_of(db, subject) or 0


class MemoryRepository(Repository):
    """Memories of any kind and state."""

    version = Reads(version, inline=True)
    shown_closed = Reads(read.shown_closed)
    in_slot = Reads(read.in_slot, inline=True)
    held = Reads(read.held, inline=True)
    list = Reads(read.list_memories)
    formed_from = Reads(read.formed_from)
    from_source = Reads(read.memories_from)
    closed_from = Reads(read.closed_from)
    since = Reads(read.memories_since)
    as_of = Reads(read.memories_at)
    last_injection = Reads(read.last_injection)

    async def get_many(self, subject: Subject, ids: Sequence[MemoryId]) -> builtins.list[Memory]:
        """Read memories of any state, with their evidence, in the order of `ids`; unknown ids are left out."""
        if not ids:
            return []
        return await self._executor.read_inline(
            lambda db: read.memories(db, subject, ids), small=len(ids) <= INLINE_ROWS
        )

    async def states(self, subject: Subject, ids: Sequence[MemoryId]) -> dict[MemoryId, MemoryState]:
        """Read the states of memories; erased and unknown ones are left out."""
        if not ids:
            return {}
        return await self._executor.read_inline(lambda db: read.states(db, subject, ids), small=len(ids) <= INLINE_ROWS)

    async def facts(self, subject: Subject) -> builtins.list[Memory]:
        """Read all active facts, most important first, ties by id."""
        return await read_up_to(self._executor, partial(read.facts, subject=subject), INLINE_ROWS)

    async def from_same_messages(self, subject: Subject, ids: Sequence[MemoryId]) -> builtins.list[Memory]:
        """Read memories of any kind and state with evidence in a message that one of these has evidence in; by id."""
        if not ids:
            return []
        return await self._executor.read(lambda db: read.memories_beside(db, subject, ids))

    async def apply(
        self,
        subject: Subject,
        changes: Sequence[Change],
        decisions: Sequence[Decision],
        *,
        subject_version: int | None = None,
        home: Subject | None = None,
    ) -> int:
        """Apply changes that were made by hand; durable on return.

        Args:
            subject: Owner of the memories.
            changes: Changes to apply, all or none.
            decisions: Decisions to log with them.
            subject_version: Version that the changes are based on; None skips the check.
            home: Subject whose log the evidence points into; None means `subject`.

        Returns:
            The subject's new version.

        Raises:
            StaleSubjectError: `subject_version` is no longer the subject's version.
            UnknownMemoryError: A change names a memory that the subject does not have.
            VectorSizeError: A vector does not fit its space.
        """

        wanted = apply.ChangeSet(
            subject=subject,
            home=home or subject,
            changes=changes,
            decisions=decisions,
            subject_version=subject_version,
        )
        if apply.forgets(changes):
            await empty_most_quoting(self._executor, wanted.home)
        return await self._executor.write(
            lambda db: apply.apply(db, wanted, self._context.term_key), subject, wanted.home
        )

    def cached(self, subject: Subject, space: str) -> CachedSubject | None:
        """Return a subject as it was last seen in a space, without reading; None if that is not cached."""
        return self._context.cache.peek(subject, space)

    async def add_notes(self, subject: Subject, batch: NoteBatch, *, known: CachedSubject) -> None:
        """Add notes with their decisions; durable on return. Nothing else is looked at.

        Args:
            subject: Their owner, not an app.
            batch: The notes.
            known: The subject as it was when nothing that they say was known, with its profiles and spellings.

        Raises:
            StaleSubjectError: The subject has changed since.
            VectorSizeError: The vectors do not fit their space.
        """
        work = partial(notes.add_notes, subject=subject, batch=batch, subject_version=known.version)
        written = await self._executor.write(work, subject)
        self._context.cache.add_notes(batch.space, known, written.version, written.rows)

    def salt(self, subject: Subject) -> bytes:
        """Return the key of the hashes of a subject's terms."""
        return salt_of(self._context.term_key, subject)

    async def add_notes_unread(self, subject: Subject, batch: NoteBatch, *, check: notes.NotesCheck) -> bool:
        """Add notes to a small subject that is not cached, if it has nothing like them; durable on return.

        The write itself looks, so that it is not refused if the subject changes meanwhile.

        Args:
            subject: Their owner, not an app.
            batch: The notes.
            check: What the subject must not have.

        Returns:
            Whether they were added; if not, the subject must be read.

        Raises:
            SpaceMovedError: The subject is read in another space.
            VectorSizeError: The vectors do not fit their space.
        """
        work = partial(notes.add_notes_unread, subject=subject, batch=batch, check=check)
        return await self._executor.write(work, subject)

    @property
    def adds_for_callers(self) -> bool:
        """Whether `add_notes_for_caller` may be called."""
        return self._executor.writes_for_callers

    def known_for_caller(self, subject: Subject, space: str) -> CachedSubject | None:
        """Read a small subject with its profiles in the calling thread, which has no event loop; None if it cannot."""
        context = self._context

        def work(db: SqlConnection) -> CachedSubject | None:
            try:
                snapshot = read_snapshot(
                    db, subject, space, cache=context.cache, term_key=context.term_key, most=INLINE_ROWS
                )
            except (TooLargeError, SpaceMovedError):
                return None
            return replace(CachedSubject.of(snapshot), profiles=frozenset(maintenance.profiles_of(db, subject)))

        done = self._executor.read_in_caller(work)
        return None if done is None else done[0]

    def add_notes_for_caller(self, subject: Subject, batch: NoteBatch, *, known: CachedSubject) -> None:
        """Do as `add_notes` for a thread without an event loop, which waits."""
        work = partial(notes.add_notes, subject=subject, batch=batch, subject_version=known.version)
        written = self._executor.write_for_caller(work, subject)
        self._context.cache.add_notes(batch.space, known, written.version, written.rows)

    def add_notes_unread_for_caller(self, subject: Subject, batch: NoteBatch, *, check: notes.NotesCheck) -> bool:
        """Do as `add_notes_unread` for a thread without an event loop, which waits."""
        work = partial(notes.add_notes_unread, subject=subject, batch=batch, check=check)
        return self._executor.write_for_caller(work, subject)

    async def link(
        self, subject: Subject, memory: MemoryId, to: Subject, *, terms: Mapping[str, int], decision: Decision
    ) -> None:
        """Copy an active note, fact or episode into another subject, under the same id.

        Args:
            subject: Owner of the memory.
            memory: The memory.
            to: Subject that gets a row of its own, with the same sources and vectors; unchanged if it has one.
            terms: Terms of its text; they are hashed with each subject's own key.
            decision: Decision to log in `to`.

        Raises:
            UnknownMemoryError: The subject does not have the memory.
            BadRequestError: It is a turn, not active, or `to` has another value of the same slot.
        """
        target = link.LinkTarget(to, terms, decision, self._context.term_key)
        await self._executor.write(partial(link.link, subject=subject, memory=memory, copy=target), subject, to)

    async def unlink(self, subject: Subject, memory: MemoryId, *, decision: Decision) -> None:
        """Remove a memory's row from one subject; the rows of other subjects stay.

        Raises:
            UnknownMemoryError: The subject does not have the memory.
        """
        await self._executor.write(partial(link.unlink, subject=subject, memory=memory, decision=decision), subject)
        self._context.cache.forget(subject)

    async def record_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """Count a use of each memory. Not durable at once, and moves no version."""
        self._context.cache.note_uses(subject, ids, at)
        self._executor.write_later(lambda db: apply.record_uses(db, subject, ids, at), subject)

    async def flush_uses(self, *subjects: Subject) -> None:
        """Let the reads that follow see all uses and hits recorded through this store: see `flush_counts`.

        Args:
            subjects: Owners of the memories; without any, those of all subjects.
        """
        await flush_counts(self._executor, *subjects)


SQL, UNDO_SQL = load("memory"), load("undo")


def decisions(
    db: SqlConnection,
    subject: Subject,
    *,
    memory: MemoryId | None = None,
    limit: int = 1000,
    after: tuple[datetime, str] | None = None,
) -> list[Decision]:
    """Read the decision log, oldest first; of one memory: all that made, changed or considered it.

    Without a memory, `after` is time and id of the last decision of the page before.
    """
    if memory is None:
        at, last = (0, "") if after is None else (to_micros(after[0]), after[1])
        rows = rows_of(db, subject, SQL["decisions"], limit, at, id_bytes(last) or b"")
    else:
        rows = rows_of(db, subject, SQL["decisions_of"], limit, id_bytes(memory))
    return [read_decision(subject, row) for row in rows]


def _decisions_of_many(db: SqlConnection, subject: Subject, memories: Sequence[MemoryId]) -> list[Decision]:
    rows = rows_of(db, subject, SQL["decisions_of_many"], json.dumps(memories))
    return [read_decision(subject, row) for row in rows]


def decision(db: SqlConnection, subject: Subject, decision_id: str) -> Decision | None:
    """Read one decision; None if the subject has none with that id."""
    row = row_of(db, subject, UNDO_SQL["decision"], id_bytes(decision_id))
    return None if row is None else read_decision(subject, row)


def decisions_from(
    db: SqlConnection,
    subject: Subject,
    *,
    conversation: ConversationId | None = None,
    seq: int | None = None,
    since: datetime | None = None,
) -> list[Decision]:
    """Read the decisions on a conversation, or one of its messages, or since an instant; oldest first."""
    id_ = None if conversation is None else id_bytes(conversation)
    if conversation is not None and id_ is None:
        return []
    rows = rows_of(db, subject, UNDO_SQL["decisions_from"], id_, seq, micros(since))
    return [read_decision(subject, row) for row in rows]


class DecisionRepository(Repository):
    """What was decided on memories."""

    list = Reads(decisions)
    get = Reads(decision)
    from_source = Reads(decisions_from)

    async def of_many(self, subject: Subject, memories: Sequence[MemoryId]) -> builtins.list[Decision]:
        """Read all decisions that made, changed or considered one of these memories, oldest first."""
        if not memories:
            return []
        return await self._executor.read(lambda db: _decisions_of_many(db, subject, memories))
