"""Take the copy of a user's memory back from another's, and who is merged. Works on a connection, in a transaction."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from toldonce.clock import to_micros
from toldonce.ids import id_text
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import access, aliases, subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase import insertions
from toldonce.store.sql.erase.delete import MemoryDeleter
from toldonce.store.sql.erase.erase import EraseServices
from toldonce.store.sql.erase.tombstones import MIN_MARK, take_over_marks
from toldonce.store.sql.inner import inner_subjects
from toldonce.store.sql.memories.apply import ChangeSet, apply
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
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

SQL, ERASE_SQL, LOG_SQL = load("alias"), load("erase"), load("log")
# Memories of one transaction: it holds the one writer for some 10 ms.
MAX_PORTION = 500
# Conversations of one transaction, each with its messages.
MAX_CONVERSATIONS = 5
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
    conversations: int
    kept: int
    audit: AuditEntry


def drop_conversations(
    db: SqlConnection, source: Subject, target: Subject, readers: Sequence[Subject], ids: Sequence[bytes]
) -> tuple[int, int]:
    """Take copied conversations back; return how many, and how many stay.

    A conversation that went on since stays: its messages cannot be told apart.
    """
    gone, kept = 0, 0
    for id_ in ids if subjects.version_of(db, target) is not None else ():
        last, there = (fetch_value(db, LOG_SQL["last_seq"], subject.key, id_) for subject in (source, target))
        if there is not None and there > (last or 0):
            kept += 1
            continue
        gone += there is not None
        _drop_conversation(db, target, id_, readers)
    return gone, kept


def end_merge(db: SqlConnection, undo: MergeUndo, services: EraseServices) -> UserMergeReport:
    """Bring back what the copy replaced, and end the alias."""
    alias, term_key = undo.alias, services.term_key
    pairs = [(part, part.of_other_users({alias.source: alias.target})) for part in undo.parts]
    for subject, changes in undo.changes.items():
        wanted = ChangeSet(subject=subject, home=subject, changes=changes, decisions=undo.decisions[subject])
        apply(db, wanted, term_key)
    for source, target in pairs:
        db.executemany(SQL["drop_closing"], [(target.key, *pair) for pair in _replaced(db, source, target)])
    db.execute(SQL["drop_alias"], (alias.source.key,))
    db.execute(SQL["forget_kept"], (_kept_name(alias),))
    access.add_audit(db, undo.audit)
    returned = sum(isinstance(change, ReopenMemory) for changes in undo.changes.values() for change in changes)
    return UserMergeReport(
        source=alias.source,
        target=alias.target,
        conversations=undo.conversations,
        memories=undo.memories,
        replaced=returned,
        kept=undo.kept,
    )


def conversations_of(db: SqlConnection, subject: Subject) -> list[bytes]:
    """List the conversations of a subject."""
    return [bytes(id_) for (id_,) in fetch(db, SQL["conversation_ids"], subject.key)]


def _begin(db: SqlConnection, alias: UserAlias, kept: Set[bytes], audit: AuditEntry) -> bool:
    if kept:
        ids = json.dumps([id_text(id_) for id_ in sorted(kept)]).encode()
        db.execute(SQL["keep_conversations"], (_kept_name(alias), ids))
    return aliases.add_alias(db, alias.source, alias.target, alias.at, audit=audit)


def _join(db: SqlConnection, alias: UserAlias, at: datetime) -> bool:
    joined = fetch(db, SQL["join_alias"], alias.source.key, alias.target.key, to_micros(at))
    db.execute(SQL["forget_kept"], (_kept_name(alias),))
    return bool(joined)


def kept_conversations(db: SqlConnection, alias: UserAlias) -> frozenset[bytes]:
    """Return the conversations that both users had when a merge began."""
    found = fetch_value(db, SQL["kept_conversations"], _kept_name(alias))
    return frozenset(UUID(id_).bytes for id_ in json.loads(bytes(found))) if found else frozenset()


def _wake(db: SqlConnection, formations: Sequence[Sequence[object]]) -> None:
    db.executemany(SQL["wake_formation"], formations)


def _kept_name(alias: UserAlias) -> str:
    """Return the name under which `meta` has the conversations that both users had."""
    return f"merge:{alias.source.key}"


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


def closed_since(db: SqlConnection, subject: Subject, since: datetime) -> list[MemoryId]:
    """List the memories that were closed since."""
    return [MemoryId(id_text(id_)) for (id_,) in fetch(db, SQL["closed_since"], subject.key, to_micros(since))]


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
    closed_since = Reads(closed_since)
    kept_conversations = Reads(kept_conversations)

    async def list(self, *, few: bool = False) -> list[UserAlias]:
        """List all aliases, by the name of their source; on the event loop where there were few of them."""
        return await self._executor.read_inline(aliases.list_aliases, small=few)

    async def add(self, alias: UserAlias, audit: AuditEntry) -> bool:
        """Let requests of a user read and write another's memory; False if they go elsewhere already."""
        both = set[bytes]()
        for part in await self.parts(alias.source):
            there = part.of_other_users({alias.source: alias.target})
            mine = await self._executor.read(partial(conversations_of, subject=part))
            if mine:
                both |= set(mine) & set(await self._executor.read(partial(conversations_of, subject=there)))
        return await self._executor.write(partial(_begin, alias=alias, kept=both, audit=audit), alias.source)

    async def reopen(self, alias: UserAlias) -> None:
        """Note that a merge is not complete: recall reads what rests, too."""
        values = (alias.source.key, alias.target.key)
        await self._executor.write(lambda db: db.execute(SQL["reopen_alias"], values), alias.source)

    async def join(self, alias: UserAlias) -> bool:
        """Note that a merge is complete; False if it was ended meanwhile."""
        return await self._executor.write(partial(_join, alias=alias, at=self._context.clock.now()), alias.source)

    async def take_over_ledger(self, source: Subject, target: Subject) -> None:
        """Let the ledger of `target` recognize what that of `source` does, a portion at a time."""
        first: int | None = MIN_MARK
        while first is not None:
            part = partial(take_over_marks, source=source, subject=target, first=first, term_key=self._context.term_key)
            first = await self._executor.write(part, source, target)

    async def wake_formations(self, resting: Subject, users: Mapping[Subject, Subject]) -> None:
        """Let what rests of a subject be formed, in that of other users alike; a portion at a time."""
        subject = resting.of_other_users(users)
        homes = {part.key: part.of_other_users(users).key for part in (resting, *resting.owners)}
        rows = await self._executor.read(lambda db: fetch(db, SQL["resting_formations"], resting.key))
        now = to_micros(self._context.clock.now())
        values = [(subject.key, homes.get(home, home), *place, now) for home, *place in rows]
        for start in range(0, len(values), MAX_PORTION):
            await self._executor.write(partial(_wake, formations=values[start : start + MAX_PORTION]), subject)

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

    async def drop_conversations(self, alias: UserAlias, parts: Sequence[Subject]) -> tuple[int, int]:
        """Take the copied conversations back, a few at a time; return how many, and how many stay."""
        users, gone, kept = {alias.source: alias.target}, 0, 0
        readers = [part.of_other_users(users) for part in parts]
        for source, target in zip(parts, readers, strict=True):
            ids = await self._executor.read(partial(conversations_of, subject=source))
            for start in range(0, len(ids), MAX_CONVERSATIONS):
                some = ids[start : start + MAX_CONVERSATIONS]
                work = partial(drop_conversations, source=source, target=target, readers=readers, ids=some)
                found = await self._executor.write(work, *parts, *readers)
                gone, kept = gone + found[0], kept + found[1]
        return gone, kept

    async def end(self, undo: MergeUndo) -> UserMergeReport:
        """End a merge whose copied memories and conversations were dropped."""
        services = self.services
        targets = [part.of_other_users({undo.alias.source: undo.alias.target}) for part in undo.parts]
        return await self._executor.write(lambda db: end_merge(db, undo, services), *undo.parts, *targets)

    @property
    def services(self) -> EraseServices:
        """What writing a copy needs of the store."""
        context = self._context
        return EraseServices(
            clock=context.clock, term_key=context.term_key, midway=lambda: context.failpoint.reach("erasing")
        )
