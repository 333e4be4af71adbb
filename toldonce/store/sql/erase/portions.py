"""Erase most of a large subject in small transactions, before the one that ends its erasure. Works on a connection.

Each portion takes memories away with what is kept of each of them alone. What depends on all of a subject (what other
subjects quote of it, its messages, its name) is left to the last transaction.
"""

from collections import Counter
from dataclasses import replace

from toldonce.store.sql import subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase.erase import EraseServices
from toldonce.store.sql.erase.orders import begin_or_continue, begun_erasure, note_begun
from toldonce.store.sql.rows import fetch_value
from toldonce.types import EraseRequest

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


def erase_portion(
    db: SqlConnection, order: EraseRequest, after: bytes, services: EraseServices, *, continues: bool
) -> bytes | None:
    """Erase the next memories of a subject; None, and nothing is done, if fewer than a portion are left.

    The record is read again each time: another process may continue the same erasure.

    Args:
        db: A connection in a transaction that is rolled back if this raises.
        order: Names the subject; one within another has no portions, as what its owner recorded of it is found by its
            memories.
        after: What the call before returned, the newest memory that was erased; empty at the first one.
        services: Clock, key and failpoint.
        continues: See `erase_whole`.
    """
    subject = order.subject
    if subject.owners or subjects.version_of(db, subject) is None:
        return None
    if continues and begun_erasure(db, subject) is None:
        return None
    last = fetch_value(db, SQL["portion_end"], subject.key, after, MAX_MEMORIES - 1)
    if last is None:
        return None
    begun = begin_or_continue(db, order, services.clock)
    version = subjects.move_version(db, subject)
    db.execute(SQL["portion_gone"], (subject.key, after, last, version))
    counts = Counter(begun.record.counts)
    for statement, line in _ROWS:
        db.execute(SQL[statement], (subject.key, after, last))
        counts[line] += db.changes()
    services.midway()
    record = replace(begun.record, counts={name: count for name, count in counts.items() if count})
    note_begun(db, replace(begun, record=record))
    return bytes(last)
