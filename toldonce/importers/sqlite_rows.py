"""Rows of another product's SQLite database, read only. Reads a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from toldonce.datasets.recordings import BadRecordError

# Bytes of one value or row: a chat of a year has a few million.
_MAX_VALUE_BYTES = 256_000_000


def read_rows(path: Path, sql: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query with these values.

    Raises:
        BadRecordError: the database is damaged, locked or has other columns.
    """
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            db.limit(apsw.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
            # What a hostile file has in its schema must not run.
            db.execute("PRAGMA trusted_schema = 0")
            db.execute("PRAGMA cell_size_check = 1")
            yield from db.execute(sql, values)
        finally:
            db.close()
    except (apsw.Error, UnicodeDecodeError) as error:
        raise BadRecordError(f"the database cannot be read: {error}") from None


def tables(path: Path) -> frozenset[str]:
    """Return the names of a database's tables."""
    return frozenset(str(name) for (name,) in read_rows(path, "SELECT name FROM sqlite_schema WHERE type = 'table'"))
