"""Counts, and checks of consistency. Works on a connection."""

import json

from toldonce.clock import Clock, to_micros
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.store.sql.subjects import version_of
from toldonce.store.store_reports import StoreStats
from toldonce.types import StoreTotals, Subject, SubjectTotals

SQL, KEYS_SQL = load("subject"), load("keys")

# Statements that count what must not be, with what each says about it.
_CHECKS = {
    "gaps": "conversations with a gap in their messages",
    "active_without_hot": "active memories that recall cannot see",
    "hot_without_active": "rows that recall sees without an active memory",
    "vectors_without_hot": "vectors without an active memory",
    "turns_without_words": "quotations whose message is missing",
    "log_without_subject": "conversations without a subject",
}


def counted(db: SqlConnection, clock: Clock, *, check: bool) -> StoreStats:
    """Count what is stored; `url`, `schema` and `bytes` are left for the backend."""
    row = fetch_one(db, SQL["count"], to_micros(clock.now()))
    counts = [0] * 6 if row is None else [int(value) for value in row]
    return StoreStats(
        url="",
        schema=0,
        subjects=counts[0],
        conversations=counts[1],
        messages=counts[2],
        memories=counts[3],
        formations_due=counts[4],
        formations_parked=counts[5],
        bytes=0,
        spaces=tuple(row[0] for row in fetch(db, SQL["spaces"])),
        problems=_problems(db) if check else (),
    )


def store_totals(db: SqlConnection, clock: Clock) -> StoreTotals:
    """Count for the operator's metrics."""
    memories, apps, remembering, due, parked = fetch(db, SQL["sums"], to_micros(clock.now()))[0]
    return StoreTotals(
        memories=memories, apps=apps, apps_with_memories=remembering, formations_due=due, formations_parked=parked
    )


def subject_totals(db: SqlConnection, subject: Subject) -> SubjectTotals:
    """Count what is stored of one subject."""
    if version_of(db, subject) is None:
        return SubjectTotals(memories=0, decisions={}, recalled=0, hits=0)
    with db:  # one snapshot
        memories, recalled, hits = fetch(db, SQL["subject_sums"], subject.key)[0]
        decisions = {action: count for action, count in fetch(db, SQL["decisions_by_action"], subject.key)}
    return SubjectTotals(memories=memories, decisions=decisions, recalled=recalled or 0, hits=hits or 0)


def count_encrypted(db: SqlConnection) -> tuple[int, int, int, int, str]:
    """Count subjects with all rows encrypted, with some, and all; and keys to be destroyed. Last, how far it goes."""
    encrypted, mixed, subjects, pending = fetch(db, KEYS_SQL["count_keyed"])[0]
    mark = fetch_value(db, KEYS_SQL["mark"])
    return encrypted, mixed, subjects, pending, str(json.loads(bytes(mark))["extent"]) if mark else ""


def _problems(db: SqlConnection) -> tuple[str, ...]:
    found: list[str] = []
    for name, what in _CHECKS.items():
        count = fetch_value(db, SQL[name])
        if count:
            found.append(f"{count} {what}")
    return tuple(found)
