"""Where hooks find the resident process and write their log. Reads the environment; makes folders."""

import hashlib
import os
import stat
import sys
import tempfile

# Unix sockets take paths of some 100 bytes.
_MAX_SOCKET_PATH = 100
_MAX_LOG_BYTES = 1_000_000
PREFIX = "RECOLLECT_"


def socket_path(database: str | None) -> str:
    """Return the socket of the resident process for these settings; its folder is this user's alone.

    Another setting or installation means another process. Raises OSError if there is no safe folder.
    """
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith(PREFIX))
    chosen = database or os.environ.get(f"{PREFIX}DATABASE_URL", "")
    relative = chosen.startswith("sqlite:///") and not chosen.startswith("sqlite:////")
    parts = [sys.prefix, __file__, database or "", os.path.expanduser("~"), os.getcwd() if relative else ""]
    name = hashlib.sha256(repr((parts, settings)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    for folder in _folders():
        path = os.path.join(folder, f"{name}.sock")
        if len(os.fsencode(path)) <= _MAX_SOCKET_PATH and _is_ours(folder):
            return path
    raise OSError("no folder for the socket")


def log_path() -> str:
    """Return the log file of hooks."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "recollect", "hook.log")


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


def _folders() -> list[str]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    own = os.path.join(tempfile.gettempdir(), f"recollect-{os.getuid()}")
    return [os.path.join(runtime, "recollect"), own] if runtime else [own]


def _is_ours(folder: str) -> bool:
    """Make a folder that only this user may enter; false if it is another's or cannot be made."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
