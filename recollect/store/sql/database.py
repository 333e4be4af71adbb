"""A connection as the parts of a relational store use it, and what may be said on it. Pure."""

from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

Row = tuple[Any, ...]
"""A row as the driver gives it; the statement says what stands where."""


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
