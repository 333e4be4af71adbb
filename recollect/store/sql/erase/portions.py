"""Erase most of a large subject in small transactions, before the one that ends its erasure. Works on a connection.

Each portion takes memories away with what is kept of each of them alone. What depends on all of a subject (what other
subjects quote of it, its messages, its name) is left to the last transaction.
"""

from collections import Counter
from dataclasses import dataclass, replace

from recollect.ids import new_id
from recollect.store.sql import subjects
from recollect.store.sql.database import SqlConnection, load
from recollect.store.sql.erase.erase import EraseServices, note_erasure
from recollect.store.sql.rows import fetch_value
from recollect.types import ErasureRecord, Subject

SQL = load("erase")
# Memories of one transaction: it holds the one writer for some 10 ms.
MAX_MEMORIES = 500
# Statements that take a range of memories away, with the line of the receipt on which their rows are counted.
_ROWS = (
    ("portion_vectors", "vectors"),
    ("portion_hot", "terms"),
    ("portion_evidence", "evidence"),
    ("portion_tags", "tags"),
    ("portion_decisions", "decisions"),
    ("portion_memories", "memories"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedPortions:
    """How far the erasure of a subject came."""

    record: ErasureRecord
    """Pending, with the rows counted so far."""
    after: bytes
    """Newest memory that was erased: ids are made in the order of time."""


def erase_portion(
    db: SqlConnection, subject: Subject, so_far: ErasedPortions | None, services: EraseServices
) -> ErasedPortions | None:
    """Erase the next memories of a subject; None, and nothing is done, if fewer than a portion are left.

    Args:
        db: A connection in a transaction that is rolled back if this raises.
        subject: The subject, which is within no other: what its owner recorded of it is found by its memories.
        so_far: What the call before returned; None at the first one.
        services: Clock, key and failpoint.
    """
    if subject.owners or subjects.version_of(db, subject) is None:
        return None
    after = so_far.after if so_far else b""
    last = fetch_value(db, SQL["portion_end"], subject.key, after, MAX_MEMORIES - 1)
    if last is None:
        return None
    if so_far is None:
        record = ErasureRecord(id=new_id(services.clock), at=services.clock.now(), cleaned_at=None, counts={})
    else:
        record = so_far.record
    version = subjects.move_version(db, subject)
    db.execute(SQL["portion_gone"], (subject.key, after, last, version))
    counts = Counter(record.counts)
    for statement, line in _ROWS:
        db.execute(SQL[statement], (subject.key, after, last))
        counts[line] += db.changes()
    services.midway()
    record = replace(record, counts={name: count for name, count in counts.items() if count})
    note_erasure(db, subject, record)
    return ErasedPortions(record=record, after=bytes(last))
