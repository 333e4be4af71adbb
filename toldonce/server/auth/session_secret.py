"""The secret under which sessions are signed. Reads and writes a file.

It is kept apart from the database: who gets a copy of that, with the hashes of all keys, cannot begin a session.
"""

import logging
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from stat import S_IRWXU

from toldonce.hook.places import state_folder
from toldonce.settings import Settings

logger = logging.getLogger(__name__)
_BYTES = 32
_FILE = "session-secret"


def session_secret(settings: Settings) -> bytes:
    """Return the secret of the settings, else the one of this user of this machine, which is made where it is missing.

    Where no file can be kept, it is one of this process: its sessions end with it.
    """
    if settings.session_secret:
        return settings.session_secret.get_secret_value().encode()
    path = Path(state_folder()) / _FILE
    try:
        path.parent.mkdir(mode=S_IRWXU, parents=True, exist_ok=True)
        if not path.exists():
            _make(path)
        return _read(path)
    except OSError as error:
        logger.warning(
            "sessions of the dashboard end with this process: set TOLDONCE_SESSION_SECRET",
            extra={"path": str(path), "error": error.strerror or str(error)},
        )
        return secrets.token_bytes(_BYTES)


def _make(path: Path) -> None:
    """Write a new secret, whole or not at all; of several processes at once, one does."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{_FILE}.")  # its user alone may read it
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)


def _read(path: Path) -> bytes:
    """Read the secret.

    Raises:
        OSError: Others may read it or have written it, or it is none.
    """
    with path.open("rb") as file:
        found = os.fstat(file.fileno())
        if os.name == "posix" and (found.st_uid != os.getuid() or found.st_mode & 0o077):
            raise PermissionError("it is not its user's alone (chmod 600)")
        secret = file.read(1024)
    if len(secret) < _BYTES:
        raise OSError("it is too short to be a secret; remove it")
    return secret
