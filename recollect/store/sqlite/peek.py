"""See from the event loop's own thread whether cached subjects still stand. Works on a connection of its own; locks."""

import threading
from collections.abc import Sequence

import apsw

from recollect.store.sqlite.subjects import version_of
from recollect.types import Hot


class Peek:
    """Looks at versions without a way to another thread, which takes ten times as long as the look.

    It never waits: where another thread looks at this moment, or another process holds the file, nothing is known.
    """

    def __init__(self, db: apsw.Connection) -> None:
        """Take a connection that reads; it belongs to this from now on."""
        db.set_busy_timeout(0)
        self._db = db
        self._free = threading.Lock()

    def unchanged(self, hots: Sequence[Hot]) -> bool:
        """Tell whether all of them are known to stand as they are.

        Raises:
            BadSubjectError: another subject's name has the same 64-bit key.
        """
        if not self._free.acquire(blocking=False):
            return False
        try:
            return all(version_of(self._db, hot.subject) == hot.version for hot in hots)
        except apsw.Error:  # who reads in earnest next says what is wrong
            return False
        finally:
            self._free.release()

    def close(self) -> None:
        """Close the connection; nothing is known from now on. Idempotent."""
        with self._free:
            self._db.close()
