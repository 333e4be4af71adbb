"""The two ends of a copy: what every database brings. Pure."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

from recollect.store.sql.database import Row, SqlConnection
from recollect.store.sql.tables import Table

T = TypeVar("T")
# What a subject's key can be: 64 bits with a sign.
MIN_KEY, MAX_KEY = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Subjects whose keys lie next to one another."""

    first: int = MIN_KEY
    last: int = MAX_KEY
    """Included."""


class EndpointMode(StrEnum):
    """What an end is opened for."""

    READ = "read"
    """Others may go on using it."""
    FILL = "fill"
    """Nobody else may use it."""
    WRITE = "write"
    """Others may go on using it."""


class CopyEndpoint(Protocol):
    """A database that is copied, or copied into. One connection, for one thread."""

    where: str
    """Its address, without a password."""

    @property
    def db(self) -> SqlConnection:
        """Its connection."""
        ...

    def speaking(self) -> AbstractContextManager[None]:
        """Turn the driver's errors within into ours."""
        ...

    def columns(self, table: Table) -> tuple[str, ...]:
        """Return the names of a table's columns, sorted; a vector's are those of one packed row a memory."""
        ...

    def rows(self, table: Table, columns: tuple[str, ...], span: KeyRange) -> Iterator[Row]:
        """Read the rows of some subjects one by one, in the order of the key. Of what is nobody's: all rows."""
        ...

    def add(self, table: Table, columns: tuple[str, ...], rows: Iterable[Row]) -> None:
        """Add rows, within a transaction. No more than a batch of them is held at a time."""
        ...

    def share(self) -> None:
        """Let others look at a destination; they are told that it is not finished."""
        ...

    def write(self, work: Callable[[], T], *subjects: int) -> T:
        """Do `work` in one transaction, alone among those that name one of the subjects; it is durable on return."""
        ...

    def finish(self, *, rewrite: bool) -> None:
        """Do what is to be done once all rows are there; with `rewrite`, leave nothing of deleted ones."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...
