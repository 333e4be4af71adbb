"""Tell whether the file that is open still lies where it was opened. Looks at the file system."""

import os
from dataclasses import dataclass

import apsw

from recollect.errors import StoreUnavailableError
from recollect.store.sqlite.connection import Place


@dataclass(frozen=True, slots=True)
class Presence:
    """A database file as it was when it was opened."""

    path: str = ""
    known: tuple[int, int] | None = None
    """Device and inode; None where there is no file to look at."""

    @classmethod
    def of(cls, db: apsw.Connection, place: Place) -> "Presence":
        """Note the file behind a connection."""
        if place.alone or not db.filename:
            return cls(place.path, None)
        return cls(place.path, _seen(place.path))

    def check(self) -> None:
        """Look whether the file is still there.

        Raises:
            StoreUnavailableError: it was moved, deleted or replaced; what is written now would vanish with it.
        """
        if self.known is not None and _seen(self.path) != self.known:
            raise StoreUnavailableError(
                f"the database file {self.path} was moved, deleted or replaced under the running program: "
                "put it back, or restart"
            )


def _seen(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
