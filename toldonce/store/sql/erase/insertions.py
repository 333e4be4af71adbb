"""Remove erased words from what was inserted into prompts. Works on a connection, in a transaction.

A row that showed what was erased stays without text, as a mark that tells why the prompts before and after differ.
"""

import json
from collections.abc import Iterable

from toldonce.ids import id_bytes
from toldonce.store.executor import Executor
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.rows import fetch, fetch_one
from toldonce.types import Subject

SQL = load("insertion")
# Insertions that one transaction empties: it holds the one writer for some 10 ms.
MAX_EMPTIED = 100
_ALL = 2**62


def drop_shown(db: SqlConnection, key: int, chain: int, thread: int) -> None:
    """Remove what an insertion shows and withdraws from the index of memories."""
    row = fetch_one(db, SQL["listed_items"], key, chain, thread)
    if row is None:
        return
    ids = [memory for _, memory in json.loads(row[0])] + json.loads(row[1])
    if ids:
        db.executemany(SQL["drop_shown"], [(key, id_bytes(memory), chain, thread) for memory in ids])


def empty_showing(db: SqlConnection, owner: int, memories: Iterable[bytes]) -> int:
    """Empty the insertions, of all subjects, that show or withdraw these memories of `owner`; return how many."""
    rows = dict.fromkeys(row for memory in memories for row in fetch(db, SQL["showing"], owner, memory))
    return sum(_empty(db, *row) for row in rows)


def empty_showing_any(db: SqlConnection, owner: int) -> int:
    """Empty the insertions of other subjects that show any memory of `owner`; return how many."""
    return sum(_empty(db, *row) for row in fetch(db, SQL["showing_any"], owner))


def empty_quoting(db: SqlConnection, key: int, *, limit: int = _ALL) -> int:
    """Empty insertions of a subject that have words of messages of other conversations; return how many."""
    return sum(_empty(db, key, *row) for row in fetch(db, SQL["quoting_messages"], key, limit))


def has_many_quoting(db: SqlConnection, key: int) -> bool:
    """Return whether so many insertions of a subject have such words that one transaction should not empty them."""
    return len(fetch(db, SQL["quoting_messages"], key, MAX_EMPTIED)) == MAX_EMPTIED


async def empty_most_quoting(executor: Executor, home: Subject) -> int:
    """Empty the insertions that quote messages, before words of the subject are erased or forgotten; return how many.

    Others write between the transactions. The last few are left to the one that erases or forgets, as are those that
    are inserted meanwhile.
    """
    emptied = 0
    while await executor.read_inline(lambda db: has_many_quoting(db, home.key)):
        emptied += await executor.write(lambda db: empty_quoting(db, home.key, limit=MAX_EMPTIED), home, synced=False)
    return emptied


def empty_from(db: SqlConnection, ledger: TombstoneLedger, conversation: bytes, seq: int) -> int:
    """Empty the insertions of a conversation from a message on, and mask the chains that cover it; return how many."""
    rows = _rows_from(db, ledger.subject, conversation, seq)
    emptied = 0
    for chain, thread, _, is_answer, masked in rows:
        emptied += 0 if is_answer else _empty(db, ledger.subject, chain, thread)
        if not masked:
            _mask(db, ledger, chain, thread)
    return emptied


def delete_conversation(db: SqlConnection, key: int, conversation: bytes) -> int:
    """Delete all rows of a conversation, and those of its threads that are not recorded yet; return how many."""
    rows = _rows_from(db, key, conversation, 0)
    for chain, thread, *_ in rows:
        drop_shown(db, key, chain, thread)
        db.execute(SQL["drop_insertion"], (key, chain, thread))
    return len(rows)


def _rows_from(db: SqlConnection, key: int, conversation: bytes, seq: int) -> list[Row]:
    rows = fetch(db, SQL["from_message"], key, conversation, seq)
    for (thread,) in fetch(db, SQL["threads_of"], key, conversation):
        rows += fetch(db, SQL["unlinked_in"], key, thread)
    return sorted(rows, key=lambda row: row[2])


def _empty(db: SqlConnection, key: int, chain: int, thread: int) -> int:
    drop_shown(db, key, chain, thread)
    db.execute(SQL["empty_insertion"], (key, chain, thread))
    emptied = db.changes()
    db.execute(SQL["forget_hashes"], (key, thread, chain))
    return emptied


def _mask(db: SqlConnection, ledger: TombstoneLedger, chain: int, thread: int) -> None:
    masked = ledger.mask(chain)
    drop_shown(db, ledger.subject, masked, thread)
    db.execute(SQL["drop_insertion"], (ledger.subject, masked, thread))
    db.execute(SQL["mask_chain"], (ledger.subject, chain, thread, masked))
