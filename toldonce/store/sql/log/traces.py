"""Traces of requests: what memory did for them, across conversations."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from toldonce.clock import from_micros, to_micros
from toldonce.ids import id_bytes, id_text
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import STATE_ORDER, cursor_id, fetch, fetch_value, read_message, read_recall, read_request
from toldonce.store.sql.subjects import rows_of, version_of
from toldonce.types import (
    KIND_ORDER,
    BlockState,
    ConversationId,
    FormedMemory,
    LedgerBlock,
    MemoryId,
    PromptBlock,
    RequestTrace,
    Subject,
    TracePlace,
    TreeMessage,
)

SQL, LOG_SQL = load("trace"), load("log")
# Before and after every place.
_FIRST: Row = (-1, b"")
_LAST: Row = (2**63 - 1, b"\xff" * 16)
# Columns of `read_recall`; those after them are of the trace.
_RECALL = slice(10)
# Rows of a conversation's ledger that are looked at, and messages that are climbed, to find one prompt's blocks.
_MAX_BLOCKS, _MAX_CLIMB = 1000, 10_000


def traces_of_all(
    db: SqlConnection,
    *,
    tenant: str | None = None,
    before: TracePlace | None = None,
    after: TracePlace | None = None,
    limit: int = 100,
) -> list[RequestTrace]:
    """List requests of all subjects of a tenant, of those without one if it is empty, or of all if it is None.

    Args:
        tenant: The tenant.
        before: Only requests recorded before this place; None begins with the newest.
        after: Only requests recorded after this place; None goes back to the first.
        limit: Maximum number of requests to return.
    """
    places = (*_place(before, _LAST), *_place(after, _FIRST), limit)
    with db:  # one snapshot
        if tenant is None:
            return _read(db, fetch(db, SQL["traces_of_all"], *places))
        return _read(db, fetch(db, SQL["traces_of_tenant"], *places, tenant))


def traces_of_subject(
    db: SqlConnection,
    subject: Subject,
    *,
    before: TracePlace | None = None,
    after: TracePlace | None = None,
    limit: int = 100,
) -> list[RequestTrace]:
    """List requests of one home subject; arguments as in `traces_of_all`."""
    places = (*_place(before, _LAST), *_place(after, _FIRST), limit)
    with db:  # one snapshot
        return _read(db, rows_of(db, subject, SQL["traces_of_subject"], *places))


def traces_within(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, id: str | None = None, limit: int = 100
) -> list[RequestTrace]:
    """List requests of one conversation in the order of their prompts, or read the one with an id."""
    within, wanted = id_bytes(conversation), None if id is None else id_bytes(id)
    if within is None or (id is not None and wanted is None):
        return []
    with db:  # one snapshot
        if wanted is None:
            return _read(db, rows_of(db, subject, SQL["traces_within"], within, limit))
        return _read(db, rows_of(db, subject, SQL["trace_within"], within, wanted))


def blocks_until(
    db: SqlConnection, subject: Subject, conversation: ConversationId, *, seq: int, until: datetime
) -> list[LedgerBlock]:
    """Read what the prompts on the way to a message had from memory, up to an instant, the latest first."""
    within = id_bytes(conversation)
    if within is None:
        return []
    with db:  # one snapshot
        path = {row[0] for row in rows_of(db, subject, LOG_SQL["thread"], within, seq, _MAX_CLIMB)}
        rows = fetch(db, SQL["blocks_until"], subject.key, within, to_micros(until), _MAX_BLOCKS)
    return [_read_block(row) for row in rows if row[4] is None or row[4] in path]


def message_tree(
    db: SqlConnection,
    subject: Subject,
    conversation: ConversationId,
    owners: Sequence[Subject],
    *,
    after_seq: int = 0,
    limit: int = 1000,
) -> list[TreeMessage]:
    """Read the messages of all branches after `after_seq`, with their places and what they left.

    Args:
        subject: Owner of the conversation.
        conversation: The conversation.
        owners: Subjects whose memories are looked for.
        after_seq: Only messages with a larger `seq`.
        limit: Maximum number of messages.
    """
    within = id_bytes(conversation)
    with db:  # one snapshot
        if within is None or version_of(db, subject) is None:
            return []
        rows = fetch(db, LOG_SQL["messages"], subject.key, within, after_seq, limit)
        messages = [read_message(conversation, row) for row in rows]
        newest = fetch_value(db, LOG_SQL["last_seq"], subject.key, within) or 0
        path = {row[0] for row in fetch(db, LOG_SQL["thread"], subject.key, within, newest, newest or 1)}
        left: defaultdict[int, list[FormedMemory]] = defaultdict(list)
        for owner in owners if messages else ():
            version_of(db, owner)
            place = (owner.key, subject.key, within, after_seq, messages[-1].seq)
            for seq, memory, kind, state in fetch(db, SQL["left_by_messages"], *place):
                known = FormedMemory(
                    id=MemoryId(id_text(memory)), subject=owner, kind=KIND_ORDER[kind], state=STATE_ORDER[state]
                )
                if known not in left[seq]:  # it may quote a message twice
                    left[seq].append(known)
    return [
        TreeMessage(message=message, active=message.seq in path, memories=tuple(left[message.seq]))
        for message in messages
    ]


def _place(place: TracePlace | None, otherwise: Row) -> Row:
    """Return what a list is ordered by."""
    return otherwise if place is None else (to_micros(place[0]), cursor_id(place[1]))


def _read(db: SqlConnection, rows: Sequence[Row]) -> list[RequestTrace]:
    read = [_read_trace(row) for row in rows]
    keys = sorted({key for _, found in read for key in found})
    names = {}
    if keys:
        names = {key: Subject.parse(name) for key, name in fetch(db, SQL["names_of"], json.dumps(keys))}
    return [_with_names(trace, [names[key] for key in found if key in names]) for trace, found in read]


def _with_names(trace: RequestTrace, reads: Sequence[Subject]) -> RequestTrace:
    request = replace(trace.record.request, reads=tuple(reads))
    return replace(trace, record=replace(trace.record, request=request))


def _read_trace(row: Row) -> tuple[RequestTrace, list[int]]:
    """Read a row; return the keys of its reading list with it."""
    written, recorded, conversation, external_id, name = row[_RECALL.stop :]
    request, keys = read_request(written)
    trace = RequestTrace(
        record=replace(read_recall(row[_RECALL]), request=request),
        home=Subject.parse(name),
        conversation=ConversationId(id_text(conversation)),
        external_id=external_id,
        recorded_at=from_micros(recorded),
    )
    return trace, keys


def _read_block(row: Row) -> LedgerBlock:
    thread, depth, _, at, seq, standing, recalled, items, erased, held = row
    state = BlockState.ERASED if erased or held else BlockState.KEPT
    shown = state is BlockState.KEPT
    return LedgerBlock(
        block=PromptBlock(
            at=from_micros(at),
            seq=seq,
            standing=standing if shown else "",
            recalled=recalled if shown else "",
            state=state,
        ),
        thread=thread,
        depth=depth,
        items=tuple((Subject.parse(owner), MemoryId(memory)) for owner, memory in json.loads(items)),
    )


class TraceRepository(Repository):
    """Traces of requests, newest first, in the order in which their turns were recorded."""

    list_all = Reads(traces_of_all)
    list = Reads(traces_of_subject)
    within = Reads(traces_within, inline=True)
    blocks = Reads(blocks_until)
    tree = Reads(message_tree)
