"""Read memories and decisions: by id, by source, by time. Works on a connection."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from toldonce.clock import from_micros, to_micros
from toldonce.errors import BadRequestError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql.database import Row, SqlConnection, TooLargeError, load
from toldonce.store.sql.rows import (
    STATE_NUMBER,
    STATE_ORDER,
    fetch,
    fetch_one,
    fetch_value,
    micros,
    read_decision,
    read_memories,
)
from toldonce.store.sql.subjects import verified, version_of
from toldonce.text import clean
from toldonce.types import (
    ANY_TRAITS,
    KIND_ORDER,
    Conversation,
    ConversationId,
    Decision,
    InjectionSite,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryOrder,
    MemoryState,
    MemoryTraits,
    MessageRef,
    Subject,
)

SQL, TAGGED, REVIEW_SQL, UNDO_SQL = load("memory"), load("tagged"), load("review"), load("undo")
SHOWN_SQL = load("insertion")
_LAST_ID = b"\xff" * 16
# Beyond every importance, number of uses and time in microseconds.
_MIN_RANK, _MAX_RANK = -1.0, 1e300
_LAST_MICROS = 2**63 - 1


def memories(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
    """Read memories by id."""
    with db:  # one snapshot
        found = [] if version_of(db, subject) is None else memories_within(db, subject, ids)
    return found


def memories_within(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
    """Do as `memories`, for a subject that exists, within the snapshot of the caller's transaction."""
    rows = fetch(db, SQL["remembered"], subject.key, json.dumps(ids))
    found = {memory.id: memory for memory in read_memories(subject, rows)}
    return [found[memory] for memory in ids if memory in found]


def memories_of_version(
    db: SqlConnection, subject: Subject, ids: Sequence[MemoryId], version: int
) -> list[Memory] | None:
    """Do as `memories_within` in one statement outside of a transaction; None if the subject is not at `version`."""
    rows = fetch(db, SQL["remembered_with_version"], subject.key, json.dumps(ids))
    return read_memories(subject, [row[1:] for row in rows]) if rows and rows[0][0] == version else None


def states(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId]) -> dict[MemoryId, MemoryState]:
    """Read the states of memories; those that do not exist are left out."""
    rows = fetch(db, SQL["states"], subject.key, json.dumps(ids))
    if not rows or rows[0][-1] is None:
        return {}
    verified(subject, rows[0][-1])
    return {MemoryId(id_text(id_)): STATE_ORDER[state] for id_, state, _ in rows}


def shown_closed(db: SqlConnection, subject: Subject, *, limit: int) -> list[Memory]:
    """Read the closed ones among the newest memories that insertions show, newest first."""
    with db:  # one snapshot
        if version_of(db, subject) is None:
            return []
        shown = [MemoryId(id_text(id_)) for (id_,) in fetch(db, SHOWN_SQL["shown_memories"], subject.key, limit)]
        known = states(db, subject, shown)
        return memories_within(db, subject, [id_ for id_ in shown if known.get(id_) is MemoryState.CLOSED])


# In the bits of the kinds that a statement lists: quotations that are kept.
_KEPT_TURNS = 1 << len(KIND_ORDER)
_KNOWN = _KEPT_TURNS + sum(1 << kind.number for kind in KIND_ORDER if kind is not MemoryKind.TURN)


def _kind_bits(kinds: Sequence[MemoryKind] | None) -> int:
    """Return kinds as statements take them; None: what is known."""
    return _KNOWN if kinds is None else sum(1 << kind.number for kind in set(kinds))


class MemoryFilter(NamedTuple):
    """Which memories are listed."""

    kinds: Sequence[MemoryKind] | None
    """None: notes, facts, episodes, and the quotations that are kept."""
    closed: bool
    """Closed ones too."""
    tag: str
    """Those under it alone; empty: all."""
    order: MemoryOrder = MemoryOrder.NEWEST
    where: MemoryTraits = ANY_TRAITS


def list_memories(
    db: SqlConnection, subject: Subject, which: MemoryFilter, *, after: MemoryId | None, limit: int
) -> list[Memory]:
    """List memories."""
    end = _LAST_ID if after is None else id_bytes(after)
    if end is None:
        raise BadRequestError(f"{after!r} is no memory's id", param="after")
    if version_of(db, subject) is None:
        return []
    states = STATE_NUMBER[MemoryState.CLOSED if which.closed else MemoryState.HELD]
    wanted = _kind_bits(which.kinds)
    if which.where != ANY_TRAITS:
        position = _Position(db, subject, which.order, None if after is None else end)
        return position.with_traits(which, (subject.key, states, wanted, limit))
    if which.order is not MemoryOrder.NEWEST:
        position = _Position(db, subject, which.order, None if after is None else end)
        return position.memories(which, (subject.key, states, wanted, limit))
    if which.tag:
        rows = fetch(db, TAGGED["tagged"], subject.key, clean(which.tag), end, states, wanted, limit)
    else:
        sql = SQL["listed_with_turns" if which.kinds and MemoryKind.TURN in which.kinds else "listed"]
        rows = fetch(db, sql, subject.key, end, states, wanted, limit)
    listed = read_memories(subject, rows)
    if which.kinds is not None or which.tag:
        return listed
    kept = read_memories(subject, fetch(db, SQL["listed_kept"], subject.key, end, states, limit))
    return sorted((*listed, *kept), key=lambda memory: memory.id, reverse=True)[:limit]


class _Position(NamedTuple):
    """A place in a list that is ordered by something else than the newest first."""

    db: SqlConnection
    subject: Subject
    order: MemoryOrder
    after: bytes | None
    """Id of the memory before it; None: the beginning."""

    def memories(self, which: MemoryFilter, wanted: Row) -> list[Memory]:
        """Read the memories from this place on, in one snapshot; none if the memory before it is gone."""
        tag = (clean(which.tag),) if which.tag else ()
        with self.db:
            if self.order is MemoryOrder.OLDEST:
                statement = TAGGED["oldest_tagged"] if tag else SQL["oldest"]
                rows = fetch(self.db, statement, *wanted, self.after or b"", *tag)
            else:
                rank, last = self._rank()
                statement = TAGGED["ranked_tagged"] if tag else SQL["ranked"]
                rows = fetch(self.db, statement, *wanted, self.order.number, rank, last, *tag)
            return memories_within(self.db, self.subject, [MemoryId(id_text(id_)) for (id_,) in rows])

    def with_traits(self, which: MemoryFilter, wanted: Row) -> list[Memory]:
        """Do as `memories` for those that have something in common."""
        where, conversation = which.where, b""
        if where.conversation is not None:
            conversation = id_bytes(where.conversation) or b""
        traits = (
            *(int(bool(which.tag)), clean(which.tag), clean(where.type)),
            *(int(bool(where.category)), clean(where.category)),
            0 if where.since is None else to_micros(where.since),
            _LAST_MICROS if where.until is None else to_micros(where.until),
            *(int(where.conversation is not None), conversation),
        )
        with self.db:
            if self.order is MemoryOrder.OLDEST:
                rows = fetch(self.db, TAGGED["oldest_with_traits"], *wanted, self.after or b"", *traits)
            else:
                rank, last = self._rank()
                statement = TAGGED["ranked_with_traits"]
                rows = fetch(self.db, statement, *wanted, self.order.number, rank, last, *traits)
            return memories_within(self.db, self.subject, [MemoryId(id_text(id_)) for (id_,) in rows])

    def _rank(self) -> tuple[float, bytes]:
        """Return the rank and id that come right before the place."""
        if self.after is None:
            return _MAX_RANK, _LAST_ID
        if self.order is MemoryOrder.NEWEST:  # by id alone
            return 0.0, self.after
        row = fetch_one(self.db, SQL["rank"], self.subject.key, self.after, self.order.number)
        return _MIN_RANK if row is None else row[0], self.after


def formed_from(db: SqlConnection, subject: Subject, source: Conversation, limit: int) -> list[Memory]:
    """List the memories that a conversation left, newest first."""
    if version_of(db, subject) is None:
        return []
    rows = fetch(db, TAGGED["formed_of"], subject.key, source.subject.key, id_bytes(source.id), limit)
    return read_memories(subject, rows)


def facts(db: SqlConnection, subject: Subject, *, most: int | None = None) -> list[Memory]:
    """Read all active facts.

    Raises:
        TooLargeError: there are more than `most`.
    """
    if version_of(db, subject) is None:
        return []
    if most is not None and fetch(db, SQL["facts_beyond"], subject.key, most):
        raise TooLargeError
    return read_memories(subject, fetch(db, SQL["facts"], subject.key))


def in_slot(db: SqlConnection, subject: Subject, category: str, key: str) -> Memory | None:
    """Read the active fact of a slot."""
    with db:  # one snapshot
        id_ = fetch_value(db, SQL["in_slot"], subject.key, category, key)
        found = [] if id_ is None else memories_within(db, subject, [MemoryId(id_text(id_))])
    return found[0] if found else None


def held(db: SqlConnection, subject: Subject, *, limit: int, after: MemoryId | None = None) -> list[Memory]:
    """Read the memories that wait for review, oldest first, after the one of an id."""
    if version_of(db, subject) is None:
        return []
    first = (id_bytes(after) if after else None) or b""
    return read_memories(subject, fetch(db, REVIEW_SQL["held"], subject.key, limit, first))


def memories_from(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, seq: int | None
) -> list[Memory]:
    """Read memories with evidence in a conversation, or in one of its messages."""
    id_ = id_bytes(conversation)
    if id_ is None or version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, UNDO_SQL["from_source"], subject.key, id_, seq))


def closed_from(db: SqlConnection, subject: Subject, log: Subject, place: MessageRef, last: int) -> list[Memory]:
    """Read closed memories, but episodes, with evidence in a stretch of a conversation; see `MemoryRepository`."""
    id_ = id_bytes(place.conversation)
    if id_ is None or version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, UNDO_SQL["closed_of"], subject.key, log.key, id_, place.seq, last))


def memories_beside(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
    """Read memories with evidence in a message that one of these has evidence in."""
    if version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, UNDO_SQL["from_same_messages"], subject.key, json.dumps(ids)))


def memories_since(db: SqlConnection, subject: Subject, since: datetime) -> list[Memory]:
    """Read memories that were stored or closed since an instant."""
    if version_of(db, subject) is None:
        return []
    return read_memories(subject, fetch(db, UNDO_SQL["changed_since"], subject.key, to_micros(since)))


def memories_at(
    db: SqlConnection, subject: Subject, kinds: Sequence[MemoryKind] | None, *, at: datetime, known_at: datetime
) -> list[Memory]:
    """Read what was true at one instant as far as it was known at another."""
    if version_of(db, subject) is None:
        return []
    wanted = _kind_bits(kinds)
    rows = fetch(db, UNDO_SQL["at"], subject.key, to_micros(at), to_micros(known_at), wanted)
    return [_as_then(memory, known_at) for memory in read_memories(subject, rows)]


def _as_then(memory: Memory, known_at: datetime) -> Memory:
    """Show a memory as it was known at an instant: what closed it later had not happened."""
    later = memory.closed_at is not None and memory.closed_at > known_at
    return replace(memory, state=MemoryState.ACTIVE, closed_at=None, valid_to=None if later else memory.valid_to)


def last_injection(db: SqlConnection, subject: Subject, memory: MemoryId) -> InjectionSite | None:
    """Find the newest prompt that a memory was injected into."""
    if version_of(db, subject) is None:
        return None
    row = fetch_one(db, UNDO_SQL["last_recall"], subject.key, memory)
    if row is None:
        return None
    conversation, seq, at = row
    return InjectionSite(conversation=ConversationId(id_text(conversation)), seq=seq, at=from_micros(at))


def decisions(
    db: SqlConnection,
    subject: Subject,
    *,
    memory: MemoryId | None,
    limit: int,
    after: tuple[datetime, str] | None = None,
) -> list[Decision]:
    """Read the decision log: of one memory whole, else after the decision of a time and id."""
    if version_of(db, subject) is None:
        return []
    if memory is None:
        at, last = (0, "") if after is None else (to_micros(after[0]), after[1])
        rows = fetch(db, SQL["decisions"], subject.key, limit, at, id_bytes(last) or b"")
    else:
        id_ = id_bytes(memory)
        rows = [] if id_ is None else fetch(db, SQL["decisions_of"], subject.key, limit, id_)
    return [read_decision(subject, row) for row in rows]


def decisions_of_many(db: SqlConnection, subject: Subject, memories: Sequence[MemoryId]) -> list[Decision]:
    """Read the decisions about several memories."""
    if version_of(db, subject) is None:
        return []
    rows = fetch(db, SQL["decisions_of_many"], subject.key, json.dumps(memories))
    return [read_decision(subject, row) for row in rows]


def decision(db: SqlConnection, subject: Subject, decision_id: str) -> Decision | None:
    """Read one decision."""
    id_ = id_bytes(decision_id)
    if id_ is None or version_of(db, subject) is None:
        return None
    row = fetch_one(db, UNDO_SQL["decision"], subject.key, id_)
    return None if row is None else read_decision(subject, row)


def decisions_from(
    db: SqlConnection,
    subject: Subject,
    *,
    conversation: ConversationId | None,
    seq: int | None,
    since: datetime | None,
) -> list[Decision]:
    """Read the decisions on a source, or since an instant."""
    id_ = None if conversation is None else id_bytes(conversation)
    if version_of(db, subject) is None or (conversation is not None and id_ is None):
        return []
    rows = fetch(db, UNDO_SQL["decisions_from"], subject.key, id_, seq, micros(since))
    return [read_decision(subject, row) for row in rows]
