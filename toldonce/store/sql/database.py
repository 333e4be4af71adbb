"""SQL statements, read by name from files, and the connection they run on. Reads files of the package.

A file in `queries/` holds statements, each after a line `-- name: what_it_does`. The line may go on with what a
database must do besides running the statement, as `key: value` (SQLite needs none of it):

- `lock: row`: in a transaction that writes, keep the rows that were read to itself until the end.
- `copy: rows`: a plain INSERT whose rows may go in by a faster way when there are many.
- `copy: vectors`: the same, and the last value holds the packed vectors of all chunks of a memory.
- `vectors: chunks`: each row ends with the vector of one chunk; those of a memory become one row.
- `vectors: behind_state`: the same, and before the columns of a memory are those of its subject's state.
- `vectors: packed`: each row ends with the numbers of all vectors of a memory.
- `text: elsewhere`: each row ends with the columns of the view `remembered`; its text may be in another subject's log.

What is encrypted where subjects have keys (`store/encryption/`); `?1` is the subject in each of these statements:

- `seals: 5,9`: these values are content.
- `matches: category=7,key=8`: so are these, of columns that the database compares: equal values stay equal.
"""

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import TracebackType
from typing import Any, Protocol, TypeVar

from toldonce.lazy_pattern import LazyPattern

logger = logging.getLogger(__name__)

T = TypeVar("T")

Row = tuple[Any, ...]
"""A row as the driver returns it, in the statement's order of columns."""


class SqlCursor(Protocol):
    """What a statement found."""

    def fetchall(self) -> list[Row]:
        """Return all rows, in order."""
        ...


class SqlConnection(Protocol):
    """A connection, used by one thread at a time.

    Statements are written in SQLite's dialect, with their values as `?1`, `?2`, …; a connection to another database
    brings its own wording of those that it would read otherwise. Outside of a transaction each statement is one.
    """

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> SqlCursor:
        """Run a statement."""
        ...

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run a statement for each row of values."""
        ...

    def changes(self) -> int:
        """Return how many rows the last statement inserted, changed or deleted."""
        ...

    def __enter__(self) -> object:
        """Begin what sees one snapshot and happens whole or not at all; within a transaction, a part of it."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        """Keep it, or undo it where it failed."""
        ...


Work = Callable[[SqlConnection], T]
"""What is done with a connection."""


class TooLargeError(Exception):
    """There is too much to be read on the event loop: said within the store, which then reads it in a thread."""


HANDLING = {
    "lock": {"row"},
    "copy": {"rows", "vectors"},
    "vectors": {"chunks", "packed", "behind_state"},
    "text": {"elsewhere"},
}
"""What the header of a statement may say after its name."""
SEALS, MATCHES = "seals", "matches"
_MIGRATION = LazyPattern(r"(\d{4})_\w{1,100}\.sql")
_HEADER = LazyPattern(r"^-- name: (\w++)((?: \w++: [\w,=]++)*+)$", re.MULTILINE)


class Statement(str):
    """A statement with its name, by which a database may have its own version of it."""

    __slots__ = ("group", "handling", "name")
    group: str
    """Name of its file."""
    name: str
    handling: Mapping[str, str]
    """What its header says after the name."""

    def __new__(cls, group: str, name: str, sql: str, handling: Mapping[str, str] | None = None) -> "Statement":
        """Make a statement of the text `sql`."""
        statement = super().__new__(cls, sql)
        statement.group, statement.name, statement.handling = group, name, handling or {}
        return statement


def parse(group: str, text: str) -> dict[str, Statement]:
    """Read the statements of a file.

    >>> parse("subject", "-- name: version lock: row\\nSELECT 1")["version"].handling
    {'lock': 'row'}

    Raises:
        ValueError: A header says something unknown.
    """
    parts = _HEADER.split(text)[1:]
    return {
        name: Statement(group, name, sql.strip(), _handling(name, header))
        for name, header, sql in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }


def _handling(name: str, header: str) -> dict[str, str]:
    words = header.replace(":", "").split()
    handling = dict(zip(words[::2], words[1::2], strict=True))
    for key, value in handling.items():
        if key in (SEALS, MATCHES):
            pairs = [part.rpartition("=") for part in value.split(",")]
            known = all(number.isdecimal() and bool(column) is (key == MATCHES) for column, _, number in pairs)
        else:
            known = value in HANDLING.get(key, ())
        if not known:
            raise ValueError(f"the header of the statement {name} says `{key}: {value}`, which is unknown")
    return handling


@cache
def read_migrations(package: str) -> tuple[tuple[int, str], ...]:
    """Read all files of the folder `migrations` of a package with their numbers, in order."""
    found = [
        (int(match.group(1)), entry.read_text("utf-8"))
        for entry in (files(package) / "migrations").iterdir()
        if (match := _MIGRATION.fullmatch(entry.name))
    ]
    return tuple(sorted(found))


def is_additive(sql: str) -> bool:
    """Return whether the version before a migration may use the schema that it makes: its first line says so.

    Then that version finds and writes all it knows as before, and what it writes or leaves out is right for the new
    version, too. It still erases whole: what is added holds nothing of a subject but in rows that it deletes or
    overwrites. So a further index is additive, and a further table of subjects is not.

    >>> is_additive("-- additive: an index\\nCREATE INDEX …"), is_additive("-- A table.\\nCREATE TABLE …")
    (True, False)
    """
    return sql.startswith("-- additive:")


def log_migration(where: str, before: int, after: int) -> None:
    """Log once that a database with rows was brought from one schema to another."""
    logger.info("database migrated", extra={"database": where, "before": before, "after": after})


@cache
def load(group: str) -> dict[str, Statement]:
    """Read all statements of `queries/<group>.sql`.

    >>> "add_subject" in load("subject")
    True
    """
    return parse(group, (files(__package__) / "queries" / f"{group}.sql").read_text("utf-8"))
