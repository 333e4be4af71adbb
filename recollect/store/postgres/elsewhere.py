"""The words of quotations whose messages lie in another subject's log: that log is asked for them. On a connection.

Joined in one statement the two subjects could lie on two machines.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from recollect.store.postgres.dialect import dialect_statements
from recollect.store.sql.database import Row, SqlConnection
from recollect.store.sql.rows import fetch

SQL = dialect_statements("recall")
# Where a row of the view `remembered` has them, counted from its end.
_TEXT, _CONVERSATION, _SEQ, _HOME = -27, -8, -7, -1


@cache
def reads_remembered_view(statement: str) -> bool:
    """Tell whether a statement's rows end with those of `remembered`.

    >>> reads_remembered_view("SELECT * FROM remembered WHERE subject = ?1")
    True
    >>> reads_remembered_view("SELECT id FROM memory")
    False
    """
    return "remembered" in statement


def fill_text(db: SqlConnection, rows: Sequence[Row]) -> list[Row]:
    """Put the words that lie elsewhere into rows of `remembered`; take the name of the log away."""
    lacking: defaultdict[tuple[int, bytes], set[int]] = defaultdict(set)
    for row in rows:
        if row[_TEXT] is None and row[_HOME] is not None:
            lacking[row[_HOME], row[_CONVERSATION]].add(row[_SEQ])
    words = {
        (home, conversation, seq): text
        for (home, conversation), seqs in lacking.items()
        for seq, text in fetch(db, SQL["words"], home, conversation, sorted(seqs))
    }
    if not lacking:
        return [row[:_HOME] for row in rows]
    return [_spoken(row, words) for row in rows]


def _spoken(row: Row, words: dict[tuple[int, bytes, int], str]) -> Row:
    if row[_TEXT] is not None or row[_HOME] is None:
        return row[:_HOME]
    text = words.get((row[_HOME], row[_CONVERSATION], row[_SEQ]), "")
    return (*row[:_TEXT], text, *row[_TEXT + 1 : _HOME])
