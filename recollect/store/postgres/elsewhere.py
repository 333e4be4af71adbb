"""The words of quotations whose messages lie in another subject's log: that log is asked for them. On a connection.

Joined in one statement the two subjects could lie on two machines.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from recollect.store.postgres.dialect import own
from recollect.store.sql.database import Database, Row
from recollect.store.sql.rows import fetch

SQL = own("recall")
# Where a row of the view `remembered` has them, counted from its end.
_TEXT, _CONVERSATION, _SEQ, _HOME = -27, -8, -7, -1


@cache
def remembers(statement: str) -> bool:
    """Tell whether a statement's rows end with those of `remembered`.

    >>> remembers("SELECT * FROM remembered WHERE subject = ?1"), remembers("SELECT id FROM memory")
    (True, False)
    """
    return "remembered" in statement


def with_words(db: Database, rows: Sequence[Row]) -> list[Row]:
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
