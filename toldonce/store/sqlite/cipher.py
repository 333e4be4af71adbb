"""Unlock an encrypted SQLite file, or say why that cannot be. Works on a connection that has read nothing yet.

The cipher is the default of SQLite3 Multiple Ciphers: ChaCha20 with Poly1305, a nonce for each page. Its file begins
with 16 random bytes, the salt; the 8 bytes after it stay plain, and tell such a file from anything else.
"""

import os
from contextlib import closing

import apsw

from toldonce.errors import BadSettingError, DatabaseKeyError
from toldonce.settings import KEY_FILE_SETTING, KEY_SETTING
from toldonce.store.database_key import DatabaseKey

CIPHER = "chacha20"
SALT_BYTES = 16
_PLAIN = b"SQLite format 3\0"
# Bytes 21 to 23 of each SQLite file are these constants; byte 20 is the room at the end of a page: nonce and tag.
_CONSTANTS, _ROOM = slice(20, 24), b"\x20\x40\x20\x20"


def require_ciphers() -> None:
    """Check that the installed `apsw` has ciphers.

    Raises:
        BadSettingError: another package brought the plain one.
    """
    if not hasattr(apsw, "mc_version"):
        raise BadSettingError(
            KEY_SETTING,
            "…",
            "the installed SQLite cannot encrypt: the package `apsw` has replaced files of `apsw-sqlite3mc`, which "
            "has the same modules; run: pip install --force-reinstall --no-deps apsw-sqlite3mc",
        )


def is_encrypted(head: bytes) -> bool:
    """Say whether a file with these first 24 bytes is an encrypted SQLite file."""
    return head[_CONSTANTS] == _ROOM and not head.startswith(_PLAIN)


def key_text(key: DatabaseKey, salt: bytes) -> str:
    """Write a key as the cipher takes it, with the salt of the file."""
    return f"raw:{key.bits(salt).hex()}{salt.hex()}"


def unlock(db: apsw.Connection, key: DatabaseKey | None, where: str, *, again: bool = False) -> bool:
    """Make `db` read and write with `key`; a file without a byte becomes an encrypted one.

    Args:
        db: A connection that has read nothing yet.
        key: The key; None for a plain file.
        where: Path for errors.
        again: Whether a file that the key does not fit is to be opened once more: its first page may be being written.

    Returns:
        False if the file is to be opened once more, as another process wrote its first bytes meanwhile.

    Raises:
        BadSettingError: the installed SQLite cannot encrypt.
        DatabaseKeyError: the key is wrong or missing, or the file is not encrypted; nothing was changed.
    """
    head = _head(db)
    if key is None:
        if is_encrypted(head):
            raise DatabaseKeyError(
                f"{where} is encrypted (nothing was changed): set {KEY_SETTING} or {KEY_FILE_SETTING} to its key"
            )
        return True
    require_ciphers()
    _require_encrypted(head, where)
    db.pragma("cipher", CIPHER)
    db.pragma("key", key_text(key, head[:SALT_BYTES] or os.urandom(SALT_BYTES)))
    try:
        db.pragma("schema_version")
    except apsw.NotADBError:
        if again or _head_again(db) != head:
            return False
        if is_encrypted(head):
            raise DatabaseKeyError(
                f"{where} is encrypted with another key (nothing was changed): correct {KEY_SETTING} or "
                f"{KEY_FILE_SETTING}"
            ) from None
        raise
    return True


def _head(db: apsw.Connection) -> bytes:
    """Read the first bytes as they are on the disk; none of an empty file.

    Through the connection: closing a second descriptor would drop the locks of this process's other connections.
    """
    whole, head = db.read("main", 0, 0, 24)
    return head if whole else b""


def _head_again(db: apsw.Connection) -> bytes:
    """Read the first bytes once more, where `db` has a key that does not fit them."""
    with closing(apsw.Connection(db.filename, flags=apsw.SQLITE_OPEN_READONLY, vfs=db.open_vfs)) as other:
        return _head(other)


def _require_encrypted(head: bytes, where: str) -> None:
    if head.startswith(_PLAIN):
        raise DatabaseKeyError(
            f"{where} is not encrypted, but a key is set (nothing was changed): encrypt it with `toldonce db "
            "encrypt`, or unset the key"
        )
