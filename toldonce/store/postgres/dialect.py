"""How PostgreSQL runs the store's statements: its own versions of them, COPY, and texts from another subject's log.

The header of a statement says what is special about it (see `sql/database.py`). Reads files of the package; the rest
works on a connection.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import psycopg

from toldonce.lazy_pattern import LazyPattern
from toldonce.store.sql.database import Row, SqlConnection, Statement, parse
from toldonce.store.sql.rows import REMEMBERED, fetch

_VALUE = LazyPattern(r"\?(\d+)")
# SQLite is told which index to take where it has no statistics; PostgreSQL has some, and chooses.
_INDEX = LazyPattern(r" INDEXED BY \w++")
# Which memories are meant is asked first. Without statistics, of a new database, all rows of the subject were read with
# the view, and each compared with those that are meant.
_MEANT = LazyPattern(
    r"(FROM remembered\n WHERE subject = \?1\n   AND id) IN "
    r"\((SELECT [^;]{1,2000})\)(?=\n ORDER BY (?:id|importance)\b)"
)
# From so many rows on COPY is faster than the statement sent for each, though answers are not waited for then.
MIN_COPIED_ROWS = 8
_INSERT = LazyPattern(r"INSERT INTO (\w+) \(([\w\s,]++)\)\s*+VALUES \(([$\d\s,]++)\)")
_TYPES = """
SELECT CAST(attname AS TEXT), CAST(atttypid AS BIGINT)
  FROM pg_attribute
 WHERE attrelid = CAST($1 AS REGCLASS) AND attnum > 0 AND NOT attisdropped
"""
REMEMBERED_COLUMNS = (*REMEMBERED, "home")
"""Columns of the view `remembered` on PostgreSQL, which ends with the subject in whose log the source is."""
# Rows may have other columns first: counted from the end.
_TEXT, _CONVERSATION, _SEQ, _HOME = (
    REMEMBERED_COLUMNS.index(name) - len(REMEMBERED_COLUMNS) for name in ("text", "conversation", "seq", "home")
)

Say = Callable[[str, Sequence[Any]], Iterable[Row]]
"""Runs a statement and returns its rows."""


@cache
def dialect_statements(group: str) -> dict[str, Statement]:
    """Read PostgreSQL's versions of the statements of a group; empty if it has none."""
    file = files(__package__) / "queries" / f"{group}.sql"
    return parse(group, file.read_text("utf-8")) if file.is_file() else {}


@cache
def to_postgres(statement: str) -> str:
    """Return a statement as PostgreSQL reads it, its values as `$1`, `$2`, … and no index named.

    >>> to_postgres("SELECT name FROM subject WHERE key = ?1")
    'SELECT name FROM subject WHERE key = $1'
    """
    if isinstance(statement, Statement):
        statement = dialect_statements(statement.group).get(statement.name, statement)
    return _VALUE.sub(r"$\1", _MEANT.sub(r"\1 = ANY (ARRAY(\2))", _INDEX.sub("", statement)))


def own_version(statement: Statement) -> Statement:
    """Return PostgreSQL's version of a statement; the statement itself where it has none."""
    return dialect_statements(statement.group).get(statement.name, statement)


def handling(statement: Statement) -> Mapping[str, str]:
    """Return what the headers of a statement, and of PostgreSQL's version of it, say."""
    return _handling(statement.group, statement.name) or statement.handling


@cache
def _handling(group: str, name: str) -> Mapping[str, str]:
    own = dialect_statements(group).get(name)
    return {} if own is None else own.handling


class BulkCopy:
    """What one connection has to know of its tables in order to copy into them."""

    def __init__(self, schema: str) -> None:
        self._schema = schema
        self._types: dict[str, dict[str, int]] = {}

    def copy(self, insert: str, rows: Sequence[Row], *, cursor: psycopg.Cursor[Row], say: Say) -> bool:
        """Copy rows; False, and nothing done, if there are few.

        Args:
            insert: A plain INSERT as PostgreSQL reads it.
            rows: The values of each.
            cursor: What is copied on; it knows how to send what the table holds.
            say: Asks the database for the types of a table's columns, once.
        """
        if len(rows) < MIN_COPIED_ROWS:
            return False
        table, columns = target_of(insert)
        if table not in self._types:
            self._types[table] = dict(say(_TYPES, (f"{self._schema}.{table}",)))
        with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
            copy.set_types([self._types[table][column] for column in columns])
            for row in rows:
                copy.write_row(row)
        return True


@cache
def target_of(insert: str) -> tuple[str, tuple[str, ...]]:
    """Return table and columns of a plain INSERT: one row of its values in their order, and nothing else.

    >>> target_of("INSERT INTO link (subject, memory) VALUES ($1, $2)")
    ('link', ('subject', 'memory'))

    Raises:
        ValueError: The statement does more, so COPY cannot replace it.
    """
    plain = _INSERT.fullmatch(insert)
    if plain is None:
        raise ValueError(f"not a plain INSERT: {insert}")
    table, names, values = plain.groups()
    columns = tuple(name.strip() for name in names.split(","))
    if [value.strip() for value in values.split(",")] != [f"${place}" for place in range(1, len(columns) + 1)]:
        raise ValueError(f"values are in another order than the columns: {insert}")
    return table, columns


def fill_text(db: SqlConnection, rows: Sequence[Row]) -> list[Row]:
    """Fill in texts that are in another subject's log, and drop the column that names the log."""
    lacking: defaultdict[tuple[int, bytes], set[int]] = defaultdict(set)
    for row in rows:
        if row[_TEXT] is None and row[_HOME] is not None:
            lacking[row[_HOME], row[_CONVERSATION]].add(row[_SEQ])
    words = {
        (home, conversation, seq): text
        for (home, conversation), seqs in lacking.items()
        for seq, text in fetch(db, dialect_statements("recall")["words"], home, conversation, sorted(seqs))
    }
    if not lacking:
        return [row[:_HOME] for row in rows]
    return [_with_text(row, words) for row in rows]


def _with_text(row: Row, words: dict[tuple[int, bytes, int], str]) -> Row:
    if row[_TEXT] is not None or row[_HOME] is None:
        return row[:_HOME]
    text = words.get((row[_HOME], row[_CONVERSATION], row[_SEQ]), "")
    return (*row[:_TEXT], text, *row[_TEXT + 1 : _HOME])
