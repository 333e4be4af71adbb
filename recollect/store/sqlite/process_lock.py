"""Tell whether other processes have the same database open. Opens a lock file beside it.

The lock goes with the process, however it ends: who finds nobody there knows that every lease is a dead worker's, and
need not wait for it to run out.
"""

import os
import sys
from contextlib import suppress

if sys.platform != "win32":
    import fcntl


class ProcessLock:
    """This process's mark that it has a database open."""

    def __init__(self, path: str) -> None:
        """Leave the mark for the database at `path`; `first` says whether nobody else had left one."""
        self.first = False
        self._file = -1
        if sys.platform == "win32":
            return  # no such locks: there a dead worker's lease runs out by itself
        with suppress(OSError):  # a folder that may not be written to, a file system without locks: nobody is told
            self._file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.first = True
            except BlockingIOError:
                fcntl.flock(self._file, fcntl.LOCK_SH)

    def share(self) -> None:
        """Let others come in beside; call it when what only the first may do is done."""
        if sys.platform != "win32" and self.first:
            with suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_SH)

    def close(self) -> None:
        """Take the mark away. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
