"""Turns on their way to memory: a private file each, so that no kill loses one. Reads and writes files.

A hook writes its turn before it sends it, and removes the file once memory has it. It holds the file locked meanwhile;
the system frees the lock with the process, however that ends, and the next process delivers what is free. Memory
recognizes a turn that comes twice.
"""

import os
import time

from toldonce.file_lock import HAS_LOCKS, lock_alone
from toldonce.hook.places import PREFIX, conversation_name, is_private, log, spool_folder
from toldonce.hook.quick_json import read_json, write_json

MAX_FILES = 1000
MAX_TOTAL_BYTES = 64 * 1024 * 1024
MAX_AGE_S = 7 * 24 * 3600
"""What no server or database took for so long is dropped."""
POLL_S = 0.01
WAITING, REFUSED = ".json", ".refused"
_PARTIAL = ".partial"
_STALE_S = 3600
# The spool is not encrypted: who encrypts the database wants no plain words beside it.
# Each has several forms, such as `…_KEY_FILE` and `…_KEY_COMMAND_FILE`.
_KEYS = (f"{PREFIX}DATABASE_KEY", f"{PREFIX}MASTER_KEY")


class SpooledTurn:
    """A turn in the spool, locked until it is let go."""

    __slots__ = ("_file", "path", "request")

    def __init__(self, path: str, file: int, request: dict[str, str]) -> None:
        self.path = path
        self.request = request
        """With `at`, when it was said."""
        self._file = file

    def remove(self) -> None:
        """Drop it: memory has it."""
        _unlink(self.path)
        self._close()

    def keep(self) -> None:
        """Leave it to the next process."""
        try:  # noqa: SIM105  # contextlib takes a hook's time
            os.fsync(self._file)
        except OSError:
            pass  # it is there as long as the machine does not fail
        self._close()

    def refuse(self) -> None:
        """Put it aside: memory does not take it, and later turns need not wait for it."""
        try:
            os.replace(self.path, self.path.removesuffix(WAITING) + REFUSED)
        except OSError:
            _unlink(self.path)
        self._close()

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def is_encrypted() -> bool:
    """Return whether the settings encrypt the database: then nothing is spooled."""
    return any(value and name.upper().startswith(_KEYS) for name, value in os.environ.items())


def add_turn(request: dict[str, str], target: str) -> SpooledTurn | None:
    """Write a turn down and lock it; None where nothing can be written or locked."""
    if not HAS_LOCKS:
        return None
    folder = spool_folder()
    now = time.time_ns()
    said = dict(request, at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now // 1_000_000_000)))
    name = f"{now:020d}-{target}-{conversation_name(request['conversation'])}-{os.urandom(4).hex()}"
    path = os.path.join(folder, name)
    file = -1
    try:
        if not is_private(folder):
            return None
        file = os.open(path + _PARTIAL, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        lock_alone(file)
        _write(file, write_json(said))
        os.rename(path + _PARTIAL, path + WAITING)
    except OSError:
        if file >= 0:
            _unlink(path + _PARTIAL)
            os.close(file)
        return None
    return SpooledTurn(path + WAITING, file, said)


def waiting_turns(target: str) -> list[str]:
    """Return the paths of the turns that wait for a memory, oldest first."""
    return [path for path in undelivered_turns() if path.endswith(WAITING) and f"-{target}-" in path]


def undelivered_turns() -> list[str]:
    """Return the paths of all turns that wait or were refused, oldest first."""
    folder = spool_folder()
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if name.endswith((WAITING, REFUSED))]


def conversation_of(path: str) -> str:
    """Return the conversation's part of a file's name."""
    return os.path.basename(path).split("-")[2]


def take_turn(path: str, until: float = 0.0) -> SpooledTurn | None:
    """Lock a turn; None if it is gone.

    Args:
        path: From `waiting_turns`.
        until: How long to wait for another process that delivers it, on `time.monotonic`.

    Raises:
        TimeoutError: Another process still delivers it.
    """
    while True:
        try:
            file = os.open(path, os.O_RDWR)
        except OSError:
            return None
        try:
            lock_alone(file)
        except OSError:
            os.close(file)
            if time.monotonic() >= until:
                raise TimeoutError("an earlier turn is still being delivered") from None
            time.sleep(POLL_S)
            continue
        return _locked(path, file)


def erase_turns(target: str, user: str, default_user: str, until: float) -> tuple[int, int]:
    """Remove a user's turns that wait for a memory or were refused by it.

    Args:
        target: Name of the memory.
        user: Whose turns.
        default_user: Whose turns are those that name no user.
        until: How long to wait for processes that deliver them, on `time.monotonic`.

    Returns:
        How many were removed, and how many are still being delivered.
    """
    removed = busy = 0
    for path in undelivered_turns():
        if f"-{target}-" not in path or _user_of(path, default_user) != user:
            continue
        try:
            turn = take_turn(path, until)
        except TimeoutError:
            busy += 1
            continue
        if turn is not None:
            turn.remove()
            removed += 1
    return removed, busy


def trim_spool() -> None:
    """Drop what is too old or too much, oldest first; tells the log."""
    folder = spool_folder()
    try:
        found = sorted((entry.name, entry.stat()) for entry in os.scandir(folder))
    except OSError:
        return
    now, total = time.time(), sum(stat.st_size for _, stat in found)
    dropped = 0
    for place, (name, stat) in enumerate(found):
        is_old = stat.st_mtime < now - (_STALE_S if name.endswith(_PARTIAL) else MAX_AGE_S)
        if is_old or len(found) - place > MAX_FILES or total > MAX_TOTAL_BYTES:
            _unlink(os.path.join(folder, name))
            total -= stat.st_size
            dropped += not name.endswith(_PARTIAL)
    if dropped:
        log(f"SpoolError: turns too old or too many to keep were dropped: {dropped}")


def _user_of(path: str, default_user: str) -> str | None:
    """Read whose turn a file holds; None if it is gone or broken."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            request = read_json(file.read())
    except (OSError, ValueError, RecursionError):
        return None
    user = request.get("user") if isinstance(request, dict) else None
    return user if isinstance(user, str) and user else default_user


def _locked(path: str, file: int) -> SpooledTurn | None:
    """Read a turn whose file is locked; None if its holder has removed it meanwhile."""
    try:
        if os.stat(path).st_ino != os.fstat(file).st_ino:
            raise FileNotFoundError
        raw = os.read(file, os.fstat(file).st_size)
    except OSError:
        os.close(file)
        return None
    try:
        request = read_json(raw.decode("utf-8", "replace"))
        if not isinstance(request, dict) or not all(isinstance(value, str) for value in request.values()):
            raise ValueError
    except (ValueError, RecursionError):
        SpooledTurn(path, file, {}).refuse()
        return None
    return SpooledTurn(path, file, request)


def _write(file: int, raw: bytes) -> None:
    while raw:
        raw = raw[os.write(file, raw) :]


def _unlink(path: str) -> None:
    try:  # noqa: SIM105  # contextlib takes a hook's time
        os.unlink(path)
    except OSError:
        pass  # it is gone already
