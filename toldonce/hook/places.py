"""Where hooks find the resident process, the spool and their log. Reads the environment; makes folders."""

import os
import stat
import sys

from toldonce.former_name import NAME
from toldonce.hook.quick_hash import hex_digest

# Unix sockets take paths of some 100 bytes.
_MAX_SOCKET_PATH = 100
_MAX_LOG_BYTES = 1_000_000
PREFIX = "TOLDONCE_"
_SQLITE = "sqlite:///"
# Ends of the names of settings that are paths.
_PATHS = ("_FILE", "_PATH", "_PROFILES")


def socket_path(database: str | None) -> str:
    """Return the socket of the resident process for these settings; its folder is this user's alone.

    Another setting or installation means another process. Raises OSError if there is no safe folder.
    """
    parts = [sys.prefix, __file__, absolute_url(database or ""), os.path.expanduser("~")]
    name = _digest((parts, sorted(absolute_settings().items())))
    for folder in _folders():
        path = os.path.join(folder, f"{name}.sock")
        if len(os.fsencode(path)) <= _MAX_SOCKET_PATH and is_private(folder):
            return path
    raise OSError("no folder for the socket")


def target_name(*, url: str | None, database: str | None, user: str | None) -> str:
    """Name the memory that a hook delivers to: what waits for one must not reach another user's, or another database.

    A server's key may decide whose memory it is, so another key is another memory.
    """
    if url is not None:
        return _digest(("server", url, user or "", os.environ.get(f"{PREFIX}KEY", "")))
    chosen = absolute_url(database or os.environ.get(f"{PREFIX}DATABASE_URL", ""))
    return _digest(("database", chosen, "", os.environ.get(f"{PREFIX}DEFAULT_USER", "")))


def conversation_name(conversation: str) -> str:
    """Name a conversation in a file's name."""
    return _digest(conversation)


def absolute_settings() -> dict[str, str]:
    """Return the settings of the environment; paths in them mean the same in any folder."""
    found = {name: value for name, value in os.environ.items() if name.upper().startswith(PREFIX)}
    return {
        name: os.path.abspath(value) if value and name.upper().endswith(_PATHS) else absolute_url(value)
        for name, value in found.items()
    }


def absolute_url(url: str) -> str:
    """Return a URL; the path of a SQLite file in it means the same in any folder.

    >>> absolute_url("sqlite:////data/memory.db"), absolute_url("http://127.0.0.1:8765")
    ('sqlite:////data/memory.db', 'http://127.0.0.1:8765')
    """
    path = url.removeprefix(_SQLITE)
    return url if path in (url, "", ":memory:") else _SQLITE + os.path.abspath(path)


def state_folder() -> str:
    """Return the folder of the log and the spool."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    folder, former = os.path.join(state, "toldonce"), os.path.join(state, NAME)
    if not os.path.exists(folder) and os.path.isdir(former):
        try:
            os.rename(former, folder)
        except OSError:
            return folder  # another hook was faster
    return folder


def spool_folder() -> str:
    """Return the folder of the turns that were not delivered yet."""
    return os.path.join(state_folder(), "spool")


def backup_path(path: str) -> str:
    """Return where the backup of an agent's configuration is."""
    return os.path.join(state_folder(), "backups", f"{_digest(path)}.json")


def log_path() -> str:
    """Return the log file of hooks."""
    return os.path.join(state_folder(), "hook.log")


def log(line: str) -> None:
    """Add a line to the log; never fails. It has no text of the user's."""
    from time import strftime

    try:
        path = log_path()
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if os.path.exists(path) and os.path.getsize(path) > _MAX_LOG_BYTES:
            os.replace(path, f"{path}.1")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as file:
            file.write(f"{strftime('%Y-%m-%dT%H:%M:%S')} {line}\n")
    except (OSError, ValueError):
        return


def is_private(folder: str) -> bool:
    """Make a folder that only this user may enter; false if it is another's or cannot be made."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    # On Windows, what is in a user's own folder is that user's.
    return os.name != "posix" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)


def _digest(parts: object) -> str:
    return hex_digest(repr(parts).encode("utf-8", "surrogateescape"))[:16]


def _folders() -> list[str]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    # Not `tempfile`, which takes longer to load than the rest of a hook.
    own = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"toldonce-{os.getuid()}")  # checked: ours
    return [os.path.join(runtime, "toldonce"), own] if runtime else [own]
