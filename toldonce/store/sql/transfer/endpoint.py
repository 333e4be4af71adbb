"""Endpoints of a copy, and the mark of how far it is. Works on a connection.

While the mark says that the copy is not finished, no store opens the database: half of the memories would be taken for
all of them.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Protocol, TypeVar

from toldonce.errors import UnreadableStoreError
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import fetch_value
from toldonce.store.sql.tables import Table

T = TypeVar("T")
# What a subject's key can be: 64 bits with a sign.
MIN_KEY, MAX_KEY = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Subjects with adjacent keys."""

    first: int = MIN_KEY
    last: int = MAX_KEY
    """Included."""


class EndpointMode(StrEnum):
    """What an end is opened for."""

    READ = "read"
    """Other processes may go on using it."""
    FILL = "fill"
    """No other process may use it."""
    WRITE = "write"
    """Other processes may go on using it."""


class CopyEndpoint(Protocol):
    """A database that is copied, or copied into. One connection, for one thread."""

    where: str
    """Its address, without a password."""

    @property
    def db(self) -> SqlConnection:
        """Its connection."""
        ...

    def speaking(self) -> AbstractContextManager[None]:
        """Translate the driver's errors within the context into ToldOnce's."""
        ...

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the sorted column names of a table; for vectors, those of one packed row per memory."""
        ...

    def rows(self, table: Table, columns: tuple[str, ...], span: KeyRange) -> Iterator[Row]:
        """Read the rows of some subjects one by one, in the order of the key; of a global table, all rows."""
        ...

    def add(self, table: Table, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
        """Add rows, within a transaction. No more than a batch of them is held at a time."""
        ...

    def require_own_schema(self) -> None:
        """Refuse a database that a newer version has migrated: of what it added this one knows nothing.

        Raises:
            NewerSchemaError: It has newer migrations, if additive ones.
        """
        ...

    def share(self) -> None:
        """Let other processes open a destination; they are told that it is not finished."""
        ...

    def write(self, work: Callable[[], T], *subjects: int) -> T:
        """Do `work` in one transaction that locks the subjects; it is durable on return."""
        ...

    def finish(self, *, rewrite: bool) -> None:
        """Finish after all rows were added; with `rewrite`, remove the bytes of deleted rows."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


SQL = load("copy")
SUBJECT_SQL = load("subject")
MARK_NAME = "copy"
"""Name of the mark's row in `meta`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyMarker:
    """How far a copy is."""

    source: str
    """Identity of the source database: see `identity`."""
    next_subject: int
    """All rows of subjects with a lower key are there."""
    finished: bool = False
    """All rows are there, and both were compared: it is a database like any other now."""


def quoted(names: Iterable[str]) -> str:
    """Return a list of columns, as both databases read it."""
    return ", ".join(f'"{name}"' for name in names)


def identity(db: SqlConnection) -> str:
    """Return an identity of the database, derived from its key without revealing it."""
    return blake2b(b"copy", key=bytes(fetch_value(db, SUBJECT_SQL["term_key"])), digest_size=16).hexdigest()


def read_mark(db: SqlConnection) -> CopyMarker | None:
    """Return the mark; None if the database is not a copy."""
    value = fetch_value(db, SQL["copied_up_to"])
    return None if value is None else CopyMarker(**json.loads(bytes(value)))


def set_mark(db: SqlConnection, mark: CopyMarker) -> None:
    """Write the mark, in the transaction of the rows that it describes."""
    db.execute(SQL["note_copied"], (json.dumps(asdict(mark)).encode(),))


def refuse_unfinished(db: SqlConnection, where: str) -> None:
    """Refuse a database that is half a copy.

    Raises:
        UnreadableStoreError: it is one.
    """
    mark = read_mark(db)
    if mark is not None and not mark.finished:
        raise UnreadableStoreError(
            f"{where} is a copy that is not finished: run the same `toldonce db copy` again, it goes on where it ended"
        )
