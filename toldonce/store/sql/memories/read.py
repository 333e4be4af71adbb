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
    fetch_value,
    read_memories,
)
from toldonce.store.sql.subjects import row_of, rows_of, verified, version_of
from toldonce.text import clean
from toldonce.types import (
    ANY_TRAITS,
    KIND_ORDER,
    Conversation,
    ConversationId,
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


def shown_closed(db: SqlConnection, subject: Subject, *, limit: int = 1000) -> list[Memory]:
    """Read the closed ones among the newest `limit` memories that stored prompts show, newest first."""
    with db:  # one snapshot
        shown = [MemoryId(id_text(id_)) for (id_,) in rows_of(db, subject, SHOWN_SQL["shown_memories"], limit)]
        known = states(db, subject, shown)
        return memories_within(db, subject, [id_ for id_ in shown if known.get(id_) is MemoryState.CLOSED])


# In the bits of the kinds that a statement lists: quotations that are kept.
_KEPT_TURNS = 1 << len(KIND_ORDER)
_KNOWN = _KEPT_TURNS + sum(1 << kind.number for kind in KIND_ORDER if kind is not MemoryKind.TURN)


def _kind_bits(kinds: Sequence[MemoryKind] | None) -> int:
    """Return kinds as statements take them; None: what is known."""
    return _KNOWN if kinds is None else sum(1 << kind.number for kind in set(kinds))


def list_memories(  # noqa: PLR0913  # each option is independent of the others
    db: SqlConnection,
    subject: Subject,
    *,
    kinds: Sequence[MemoryKind] | None = None,
    closed: bool = False,
    after: MemoryId | None = None,
    tag: str = "",
    order: MemoryOrder = MemoryOrder.NEWEST,
    limit: int = 100,
    where: MemoryTraits = ANY_TRAITS,
) -> list[Memory]:
    """List memories, by default newest first.

    Args:
        subject: Owner of the memories.
        kinds: Kinds to list; None: notes, facts, episodes, and the quotations that are kept.
        closed: Include closed memories.
        after: Continue after this memory.
        tag: List only memories with this tag.
        order: Order of the list.
        limit: Maximum number of memories.
        where: What they have in common; the conversation is named by its id here.
    """
    end = _LAST_ID if after is None else id_bytes(after)
    if end is None:
        raise BadRequestError(f"{after!r} is no memory's id", param="after")
    if version_of(db, subject) is None:
        return []
    states = STATE_NUMBER[MemoryState.CLOSED if closed else MemoryState.HELD]
    wanted = _kind_bits(kinds)
    if where != ANY_TRAITS or order is not MemoryOrder.NEWEST:
        selection = _Selection(tag, order, where, None if after is None else end)
        return _selected(db, subject, selection, (states, wanted, limit))
    if tag:
        rows = fetch(db, TAGGED["tagged"], subject.key, clean(tag), end, states, wanted, limit)
    else:
        sql = SQL["listed_with_turns" if kinds and MemoryKind.TURN in kinds else "listed"]
        rows = fetch(db, sql, subject.key, end, states, wanted, limit)
    listed = read_memories(subject, rows)
    if kinds is not None or tag:
        return listed
    kept = read_memories(subject, fetch(db, SQL["listed_kept"], subject.key, end, states, limit))
    return sorted((*listed, *kept), key=lambda memory: memory.id, reverse=True)[:limit]


class _Selection(NamedTuple):
    """Which memories are listed, in whichever order."""

    tag: str
    order: MemoryOrder
    where: MemoryTraits
    after: bytes | None
    """The memory before them; None: the first ones."""


def _selected(db: SqlConnection, subject: Subject, which: _Selection, wanted: Row) -> list[Memory]:
    """List memories in any order, in one snapshot: those with a tag, or those that have something in common."""
    traits: Row = ()
    statements = (SQL["oldest"], SQL["ranked"])
    if which.where != ANY_TRAITS:
        statements, traits = (TAGGED["oldest_with_traits"], TAGGED["ranked_with_traits"]), _traits(which)
    elif which.tag:
        statements, traits = (TAGGED["oldest_tagged"], TAGGED["ranked_tagged"]), (clean(which.tag),)
    oldest, ranked = statements
    with db:
        if which.order is MemoryOrder.OLDEST:
            rows = fetch(db, oldest, subject.key, *wanted, which.after or b"", *traits)
        else:
            place = _rank(db, subject, which.order, which.after)
            rows = fetch(db, ranked, subject.key, *wanted, which.order.number, *place, *traits)
        return memories_within(db, subject, [MemoryId(id_text(id_)) for (id_,) in rows])


def _traits(which: _Selection) -> Row:
    """Return what memories have in common as statements take it."""
    where, conversation = which.where, b""
    if where.conversation is not None:
        conversation = id_bytes(where.conversation) or b""
    return (
        *(int(bool(which.tag)), clean(which.tag), clean(where.type)),
        *(int(bool(where.category)), clean(where.category)),
        0 if where.since is None else to_micros(where.since),
        _LAST_MICROS if where.until is None else to_micros(where.until),
        *(int(where.conversation is not None), conversation),
    )


def _rank(db: SqlConnection, subject: Subject, order: MemoryOrder, after: bytes | None) -> tuple[float, bytes]:
    """Return the rank and id that come right before the memories after one; without one, before all."""
    if after is None:
        return _MAX_RANK, _LAST_ID
    if order is MemoryOrder.NEWEST:  # by id alone
        return 0.0, after
    found = fetch_value(db, SQL["rank"], subject.key, after, order.number)
    return _MIN_RANK if found is None else found, after


def formed_from(db: SqlConnection, subject: Subject, source: Conversation, *, limit: int = 100) -> list[Memory]:
    """List what is open and listed of a subject, with evidence in a conversation, newest first."""
    rows = rows_of(db, subject, TAGGED["formed_of"], source.subject.key, id_bytes(source.id), limit)
    return read_memories(subject, rows)


def facts(db: SqlConnection, subject: Subject, *, most: int | None = None) -> list[Memory]:
    """Read all active facts.

    Raises:
        TooLargeError: there are more than `most`.
    """
    if most is not None and fetch(db, SQL["facts_beyond"], subject.key, most):
        raise TooLargeError
    return read_memories(subject, rows_of(db, subject, SQL["facts"]))


def in_slot(db: SqlConnection, subject: Subject, category: str, key: str) -> Memory | None:
    """Read the active fact of a slot; None if there is none."""
    with db:  # one snapshot
        id_ = fetch_value(db, SQL["in_slot"], subject.key, category, key)
        found = [] if id_ is None else memories_within(db, subject, [MemoryId(id_text(id_))])
    return found[0] if found else None


def held(db: SqlConnection, subject: Subject, *, limit: int = 100, after: MemoryId | None = None) -> list[Memory]:
    """Read the memories that wait for review, oldest first; those after the memory `after`."""
    first = (id_bytes(after) if after else None) or b""
    return read_memories(subject, rows_of(db, subject, REVIEW_SQL["held"], limit, first))


def memories_from(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, seq: int | None = None
) -> list[Memory]:
    """Read memories of any kind and state with evidence in a conversation, or in one of its messages; by id."""
    return read_memories(subject, rows_of(db, subject, UNDO_SQL["from_source"], id_bytes(conversation), seq))


def closed_from(db: SqlConnection, subject: Subject, log: Subject, first: MessageRef, *, last: int) -> list[Memory]:
    """Read closed memories, but episodes, with evidence in a stretch of a conversation; by id.

    Args:
        subject: Whose memories these are.
        log: Who the conversation belongs to.
        first: The first message of the stretch.
        last: `seq` of its last message.
    """
    stretch = (log.key, id_bytes(first.conversation), first.seq, last)
    return read_memories(subject, rows_of(db, subject, UNDO_SQL["closed_of"], *stretch))


def memories_beside(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId]) -> list[Memory]:
    """Read memories with evidence in a message that one of these has evidence in."""
    return read_memories(subject, rows_of(db, subject, UNDO_SQL["from_same_messages"], json.dumps(ids)))


def memories_since(db: SqlConnection, subject: Subject, since: datetime) -> list[Memory]:
    """Read memories of any kind that were stored or closed at `since` or later, ordered by id."""
    return read_memories(subject, rows_of(db, subject, UNDO_SQL["changed_since"], to_micros(since)))


def memories_at(
    db: SqlConnection, subject: Subject, kinds: Sequence[MemoryKind] | None, *, at: datetime, known_at: datetime
) -> list[Memory]:
    """Read what was true at one instant as far as it was known at another, ordered by id.

    True at `at`: it had begun and had not ended. Known at `known_at`: it was stored then or before; an end that was
    learnt later does not count. Held memories never come back. Each memory is returned as it was then: active, with
    `closed_at` None, and without an end that was not known yet.
    """
    rows = rows_of(db, subject, UNDO_SQL["at"], to_micros(at), to_micros(known_at), _kind_bits(kinds))
    return [_as_then(memory, known_at) for memory in read_memories(subject, rows)]


def _as_then(memory: Memory, known_at: datetime) -> Memory:
    """Show a memory as it was known at an instant: what closed it later had not happened."""
    later = memory.closed_at is not None and memory.closed_at > known_at
    return replace(memory, state=MemoryState.ACTIVE, closed_at=None, valid_to=None if later else memory.valid_to)


def last_injection(db: SqlConnection, subject: Subject, memory: MemoryId) -> InjectionSite | None:
    """Find the newest of the subject's prompts that a memory was injected into; None if it never was."""
    row = row_of(db, subject, UNDO_SQL["last_recall"], memory)
    if row is None:
        return None
    conversation, seq, at = row
    return InjectionSite(conversation=ConversationId(id_text(conversation)), seq=seq, at=from_micros(at))
