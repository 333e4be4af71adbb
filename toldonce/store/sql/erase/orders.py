"""Records of erasures, and the orders of those that have not ended. Works on a connection, in a transaction.

A large subject is erased in several transactions. The record that the first one writes has the order before the
counts, in the same JSON; the last transaction leaves it out. So an interrupted erasure can be continued by any process.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from toldonce.clock import Clock, from_micros, to_micros
from toldonce.ids import id_text, new_id
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value, instant, micros
from toldonce.types import EraseRequest, ErasureRecord, Subject

SQL = load("erase")
# First in the JSON: the queries `cleaned`, `unfinished` and `begun` look for it there.
_ORDER = "order"


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunErasure:
    """An erasure of a whole subject that has not ended."""

    order: EraseRequest
    record: ErasureRecord
    """Pending, with the rows counted so far."""


def begun_erasure(db: SqlConnection, subject: Subject) -> BegunErasure | None:
    """Return the erasure of a subject that was begun and has not ended."""
    row = fetch_one(db, SQL["begun"], subject.key)
    return BegunErasure(order=_order(row[3]), record=_record(row)) if row else None


def begin_or_continue(db: SqlConnection, order: EraseRequest, clock: Clock) -> BegunErasure:
    """Return the begun erasure of a subject, with what `order` adds to it; or a new one."""
    begun = begun_erasure(db, order.subject)
    if begun:
        return replace(begun, order=joined(order, begun))
    record = ErasureRecord(id=new_id(clock), at=clock.now(), cleaned_at=None, counts={})
    return BegunErasure(order=order, record=record)


def joined(order: EraseRequest, begun: BegunErasure) -> EraseRequest:
    """Return an order that reaches as far as the begun one, too."""
    return replace(order, everywhere=order.everywhere or begun.order.everywhere)


def unfinished_orders(db: SqlConnection) -> list[EraseRequest]:
    """List the orders of all erasures that have not ended, the oldest first."""
    return [_order(counts) for (counts,) in fetch(db, SQL["unfinished"])]


def erasures(db: SqlConnection, subject: Subject, *, limit: int = 100) -> list[ErasureRecord]:
    """List the erasures of a subject, newest first; they hold counts only."""
    return [_record(row) for row in fetch(db, SQL["erasure"], subject.key, limit)]


def note_begun(db: SqlConnection, begun: BegunErasure) -> None:
    """Note how far an erasure came, with its order."""
    order = {"subject": begun.order.subject.text, "everywhere": begun.order.everywhere}
    _note(db, begun.order.subject, begun.record, {_ORDER: order, **begun.record.counts})


def note_erasure(db: SqlConnection, subject: Subject, erasure: ErasureRecord) -> None:
    """Note an erasure that ended: until it is cleaned, its bytes may be in the database's files."""
    _note(db, subject, erasure, erasure.counts)


def stamp_erasure(db: SqlConnection, clock: Clock) -> None:
    """Let all processes see that something was erased. Last in a transaction: all erasures write the same row."""
    db.execute(SQL["stamp_erasure"], (UUID(new_id(clock)).bytes,))


def erasure_stamp(db: SqlConnection) -> bytes:
    """Return what changes with every erasure; empty where there was none."""
    return bytes(fetch_value(db, SQL["erasure_stamp"]) or b"")


def _note(db: SqlConnection, subject: Subject, erasure: ErasureRecord, counts: Mapping[str, object]) -> None:
    values = (to_micros(erasure.at), UUID(erasure.id).bytes, micros(erasure.cleaned_at), json.dumps(dict(counts)))
    db.execute(SQL["note_erasure"], (subject.key, *values))


def _record(row: Row) -> ErasureRecord:
    id_, at, cleaned_at, counts = row
    return ErasureRecord(
        id=id_text(id_),
        at=from_micros(at),
        cleaned_at=instant(cleaned_at),
        counts={name: count for name, count in json.loads(counts).items() if name != _ORDER},
    )


def _order(counts: str) -> EraseRequest:
    order = json.loads(counts)[_ORDER]
    return EraseRequest(subject=Subject.parse(order["subject"]), everything=True, everywhere=order["everywhere"])
