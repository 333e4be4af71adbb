"""Die at a named point, for crash tests: `TOLDONCE_FAILPOINT`. Reads the environment, kills its own process.

A testing aid. Unset (the normal case) it does nothing. `before-commit` kills the process with SIGKILL just before the
first commit of the store's writer, `after-commit` just after it, `after-commit:7` after the seventh. The others are in
an erasure: when part of it is deleted, when it is committed, before the log is emptied, before it counts as clean, and
when a subject's key is destroyed; and
in re-embedding: before and after the commit of a batch's vectors, of a subject's switch, and of dropping the old ones;
and in changing a file's key: before and after the new file takes the place of the old one.
"""

import os
import signal

from toldonce.errors import BadSettingError

VARIABLE = "TOLDONCE_FAILPOINT"
_ERASING = ("erasing", "erased", "cleaning", "cleaned", "destroyed")
_EMBEDDING = ("embedding", "embedded", "switching", "switched", "dropping", "dropped")
_REENCRYPTING = ("reencrypting", "reencrypted")
NAMES = ("before-commit", "after-commit", *_ERASING, *_EMBEDDING, *_REENCRYPTING)


class Failpoint:
    """One point at which the process dies, or none."""

    def __init__(self, spec: str = "") -> None:
        """Read `name` or `name:N`; the empty text is no point at all.

        Raises:
            BadSettingError: no such point, or N is no positive number.
        """
        self._name, _, count = spec.partition(":")
        if spec and (self._name not in NAMES or not (count or "1").isdecimal() or int(count or "1") < 1):
            raise BadSettingError(VARIABLE, spec, f"takes one of {', '.join(NAMES)}, with `:N` for the N-th time")
        self._left = int(count or "1")

    @classmethod
    def from_environment(cls) -> "Failpoint":
        """Read `TOLDONCE_FAILPOINT`."""
        return cls(os.environ.get(VARIABLE, ""))

    def reach(self, name: str) -> None:
        """Die here, if this is the point and the time."""
        if self._name and name == self._name:
            self._left -= 1
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)
