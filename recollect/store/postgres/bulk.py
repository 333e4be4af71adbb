"""Many rows into one table: what a plain INSERT says of each goes in by COPY. Network."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import psycopg

from recollect.store.sql.database import Row

# From so many rows on COPY is quicker than the statement sent for each, though answers are not waited for then.
MIN_COPIED_ROWS = 8
_INSERT = re.compile(r"INSERT INTO (\w+) \(([\w\s,]++)\)\s*+VALUES \(([$\d\s,]++)\)")
_TYPES = """
SELECT CAST(attname AS TEXT), CAST(atttypid AS BIGINT)
  FROM pg_attribute
 WHERE attrelid = CAST($1 AS REGCLASS) AND attnum > 0 AND NOT attisdropped
"""

Say = Callable[[str, Sequence[Any]], Iterable[Row]]
"""Runs a statement and returns its rows."""


class BulkCopy:
    """What one connection has to know of its tables in order to copy into them."""

    def __init__(self, schema: str) -> None:
        """Know nothing yet."""
        self._schema = schema
        self._types: dict[str, dict[str, int]] = {}

    def copy(self, insert: str, rows: Sequence[Row], *, cursor: psycopg.Cursor[Row], say: Say) -> bool:
        """Copy rows; False, and nothing done, where there are few, or the statement says more than to insert them.

        Args:
            insert: As PostgreSQL reads it.
            rows: The values of each.
            cursor: What is copied on; it knows how to send what the table holds.
            say: Asks the database for the types of a table's columns, once.
        """
        plain = into(insert)
        if plain is None or len(rows) < MIN_COPIED_ROWS:
            return False
        table, columns = plain
        if table not in self._types:
            self._types[table] = dict(say(_TYPES, (f"{self._schema}.{table}",)))
        with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
            copy.set_types([self._types[table][column] for column in columns])
            for row in rows:
                copy.write_row(row)
        return True


@cache
def into(insert: str) -> tuple[str, tuple[str, ...]] | None:
    """Return table and columns of a statement that inserts one row of its values in their order, and does no more.

    >>> into("INSERT INTO link (subject, memory) VALUES ($1, $2)")
    ('link', ('subject', 'memory'))
    >>> into("INSERT INTO link (subject, memory) VALUES ($1, $2) ON CONFLICT DO NOTHING")
    >>> into("INSERT INTO link (subject, memory) VALUES ($2, $1)")
    """
    found = _INSERT.fullmatch(insert)
    if found is None:
        return None
    table, names, values = found.groups()
    columns = tuple(name.strip() for name in names.split(","))
    in_order = [value.strip() for value in values.split(",")] == [f"${place}" for place in range(1, len(columns) + 1)]
    return (table, columns) if in_order else None
