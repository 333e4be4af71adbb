"""Take the copy of a user's memory back from another's, and who is merged. Works on a connection, in a transaction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from toldonce.clock import to_micros
from toldonce.ids import id_text
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import access, aliases, subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase import insertions
from toldonce.store.sql.erase.delete import MemoryDeleter
from toldonce.store.sql.erase.erase import EraseServices
from toldonce.store.sql.erase.tombstones import take_over_ledger
from toldonce.store.sql.inner import inner_subjects
from toldonce.store.sql.memories.apply import ChangeSet, apply
from toldonce.store.sql.rows import fetch, fetch_one
from toldonce.types import (
    AuditEntry,
    Change,
    Decision,
    MemoryId,
    ReopenMemory,
    Subject,
    UserAlias,
    UserMergeReport,
)

SQL, ERASE_SQL = load("alias"), load("erase")
# Memories of one transaction: it holds the one writer for some 10 ms.
MAX_PORTION = 500
_DROPS = ("drop_messages", "drop_calls", "drop_decisions", "drop_recalls", "drop_conversation")


def drop_portion(db: SqlConnection, source: Subject, target: Subject, after: bytes) -> tuple[bytes | None, int]:
    """Drop the next copies of a subject's memories.

    Returns:
        The last id that was looked at, None at the end; and how many were dropped.
    """
    ids = [bytes(id_) for (id_,) in fetch(db, SQL["memory_page"], source.key, after, MAX_PORTION)]
    there = [id_ for id_ in ids if fetch_one(db, ERASE_SQL["kind_and_state"], target.key, id_) is not None]
    if there:
        MemoryDeleter(db, target, Counter()).drop(there)
    db.executemany(SQL["drop_decisions_of"], [(target.key, id_) for id_ in ids])
    return (ids[-1] if ids else None), len(there)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeUndo:
    """What ends a merge, after the copied memories are dropped."""

    alias: UserAlias
    parts: Sequence[Subject]
    """The source, and the subjects within it."""
    changes: Mapping[Subject, Sequence[Change]]
    """What comes back in each subject of the target."""
    decisions: Mapping[Subject, Sequence[Decision]]
    memories: int
    audit: AuditEntry


def end_merge(db: SqlConnection, undo: MergeUndo, services: EraseServices, now: datetime) -> UserMergeReport:
    """Take copied conversations back, bring back what the copy replaced, and end the alias.

    A conversation that went on since stays: its messages cannot be told apart.
    """
    alias, term_key = undo.alias, services.term_key
    pairs = [(part, part.of_other_users({alias.source: alias.target})) for part in undo.parts]
    gone, kept = 0, 0
    for source, target in pairs:
        if subjects.version_of(db, target) is None:
            continue
        sizes, there = _sizes(db, source), _sizes(db, target)
        copied = [id_ for id_, last in sizes.items() if there.get(id_) == last]
        kept += sum(there.get(id_, 0) > last for id_, last in sizes.items())
        gone += len(copied)
        for conversation in copied:
            _drop_conversation(db, target, conversation, [part for _, part in pairs])
    for subject, changes in undo.changes.items():
        wanted = ChangeSet(subject=subject, home=subject, changes=changes, decisions=undo.decisions[subject])
        apply(db, wanted, term_key)
    for source, target in pairs:
        db.executemany(SQL["drop_closing"], [(target.key, *pair) for pair in _replaced(db, source, target)])
        take_over_ledger(db, target, source, term_key)
        db.execute(SQL["wake_formations"], (source.key, to_micros(now)))
    db.execute(SQL["drop_alias"], (alias.source.key,))
    access.add_audit(db, undo.audit)
    returned = sum(isinstance(change, ReopenMemory) for changes in undo.changes.values() for change in changes)
    return UserMergeReport(
        source=alias.source,
        target=alias.target,
        conversations=gone,
        memories=undo.memories,
        replaced=returned,
        kept=kept,
    )


def _sizes(db: SqlConnection, subject: Subject) -> dict[bytes, int]:
    """Return the number of messages of each conversation."""
    return {bytes(id_): int(last) for id_, last in fetch(db, SQL["conversation_sizes"], subject.key)}


def _drop_conversation(db: SqlConnection, home: Subject, conversation: bytes, readers: Sequence[Subject]) -> None:
    """Delete a conversation, with what was formed of it alone in the user's subjects."""
    for reader in readers:
        if subjects.version_of(db, reader) is None:
            continue
        formed = [bytes(id_) for (id_,) in fetch(db, SQL["formed_of_log"], reader.key, home.key, conversation)]
        alone = [
            id_
            for id_ in formed
            if all(row[:2] == (home.key, conversation) for row in fetch(db, ERASE_SQL["sources_of"], reader.key, id_))
        ]
        if alone:
            MemoryDeleter(db, reader, Counter()).drop(alone)
        db.execute(SQL["drop_formations"], (reader.key, home.key, conversation))
    insertions.delete_conversation(db, home.key, conversation)
    for statement in _DROPS:
        db.execute(SQL[statement], (home.key, conversation))


def replaced_by_copies(db: SqlConnection, source: Subject, target: Subject) -> list[MemoryId]:
    """List the memories of `target` alone that a copy from `source` replaced or took in."""
    return [MemoryId(id_text(closed)) for _, closed in _replaced(db, source, target)]


def _replaced(db: SqlConnection, source: Subject, target: Subject) -> list[tuple[bytes, bytes]]:
    """Return each copy that closed a memory of `target` alone, with that."""
    lines = [(bytes(by), bytes(closed)) for by, closed in fetch(db, SQL["closed_for"], target.key)]

    def is_copy(id_: bytes) -> bool:
        return fetch_one(db, ERASE_SQL["kind_and_state"], source.key, id_) is not None

    return [(by, closed) for by, closed in lines if is_copy(by) and not is_copy(closed)]


class EndLine(NamedTuple):
    """A decision that closed a memory."""

    memory: MemoryId
    reason: str
    cause: MemoryId | None
    """The memory that it ended with."""


def ended_since(db: SqlConnection, subject: Subject, since: datetime) -> list[EndLine]:
    """List what closed memories since."""
    rows = fetch(db, SQL["ended_since"], subject.key, to_micros(since))
    return [
        EndLine(MemoryId(id_text(id_)), str(reason), None if cause is None else MemoryId(id_text(cause)))
        for id_, reason, cause in rows
    ]


class AliasRepository(Repository):
    """Users who are one person."""

    replaced_by_copies = Reads(replaced_by_copies)
    ended_since = Reads(ended_since)

    async def list(self, *, few: bool = False) -> list[UserAlias]:
        """List all aliases, by the name of their source; on the event loop where there were few of them."""
        return await self._executor.read_inline(aliases.list_aliases, small=few)

    async def add(self, alias: UserAlias, audit: AuditEntry) -> bool:
        """Let requests of a user read and write another's memory; False if they go elsewhere already."""
        return await self._executor.write(
            lambda db: aliases.add_alias(db, alias.source, alias.target, alias.at, audit=audit)
        )

    async def join(self, alias: UserAlias) -> bool:
        """Note that a merge is complete; False if it was ended meanwhile."""
        values = (alias.source.key, alias.target.key, to_micros(self._context.clock.now()))
        return bool(await self._executor.write(lambda db: fetch(db, SQL["join_alias"], *values), alias.source))

    async def parts(self, source: Subject) -> Sequence[Subject]:
        """List a user, and first the subjects within it."""
        return [*await self._executor.read(lambda db: inner_subjects(db, source)), source]

    async def drop_copies(self, alias: UserAlias, parts: Sequence[Subject]) -> int:
        """Drop the copied memories, a portion at a time; return how many. It may be called again."""
        dropped = 0
        for source in parts:
            target = source.of_other_users({alias.source: alias.target})
            after: bytes | None = b""
            while after is not None:
                after, some = await self._executor.write(
                    partial(drop_portion, source=source, target=target, after=after), target
                )
                dropped += some
        return dropped

    async def end(self, undo: MergeUndo) -> UserMergeReport:
        """End a merge whose copied memories were dropped."""
        context = self._context
        services = self.services
        targets = [part.of_other_users({undo.alias.source: undo.alias.target}) for part in undo.parts]
        return await self._executor.write(
            lambda db: end_merge(db, undo, services, context.clock.now()), *undo.parts, *targets
        )

    @property
    def services(self) -> EraseServices:
        """What writing a copy needs of the store."""
        context = self._context
        return EraseServices(
            clock=context.clock, term_key=context.term_key, midway=lambda: context.failpoint.reach("erasing")
        )
