"""How a statement of the relational store reads on PostgreSQL: by its own wording where there is one. Pure.

Reads files of the package.
"""

import re
from functools import cache
from importlib.resources import files

from recollect.store.sql.statements import Statement, parse

_VALUE = re.compile(r"\?(\d+)")


@cache
def dialect_statements(room: str) -> dict[str, Statement]:
    """Read PostgreSQL's wordings for a room of statements; empty where it has none."""
    file = files(__package__) / "queries" / f"{room}.sql"
    return parse(room, file.read_text("utf-8")) if file.is_file() else {}


@cache
def to_postgres(statement: str) -> str:
    """Return a statement as PostgreSQL reads it, its values as `$1`, `$2`, …

    >>> to_postgres("SELECT name FROM subject WHERE key = ?1")
    'SELECT name FROM subject WHERE key = $1'
    """
    if isinstance(statement, Statement):
        statement = dialect_statements(statement.room).get(statement.name, statement)
    return _VALUE.sub(r"$\1", statement)
