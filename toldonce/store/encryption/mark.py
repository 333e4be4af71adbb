"""The mark in a database whose subjects are encrypted, and what a subject's row of `subject_key` says. On a connection.

The mark names the keyring, so that the database is not opened without it or with another one.
"""

import json
from dataclasses import asdict, dataclass
from enum import IntEnum, StrEnum

from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch_value

SQL = load("keys")


class Extent(StrEnum):
    """How much of a database is encrypted."""

    PLAIN = "plain"
    """Nothing any more: it was decrypted."""
    MIXED = "mixed"
    """What was written since it was turned on, and what `encrypt_subjects` has reached."""
    WHOLE = "whole"
    """Everything."""
    LEAVING = "leaving"
    """What `decrypt_subjects` has not reached."""


class RowState(IntEnum):
    """How much of a subject is encrypted: `subject_key.state`."""

    NONE = 0
    """It has no key: nothing."""
    WHOLE = 1
    MIXED = 2
    LEAVING = 3
    """New rows are plain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionMark:
    """Which keyring a database needs."""

    keyring: str
    """Id of the keyring."""
    extent: Extent


def read_mark(db: SqlConnection) -> EncryptionMark | None:
    """Return the mark; None where subjects were never encrypted."""
    value = fetch_value(db, SQL["mark"])
    if value is None:
        return None
    known = json.loads(bytes(value))
    return EncryptionMark(keyring=known["keyring"], extent=Extent(known["extent"]))


def set_mark(db: SqlConnection, mark: EncryptionMark) -> None:
    """Write the mark."""
    db.execute(SQL["set_mark"], (json.dumps(asdict(mark)).encode(),))


def needs_keyring(mark: EncryptionMark | None) -> bool:
    """Return whether a database with this mark cannot be read without its keyring."""
    return mark is not None and mark.extent is not Extent.PLAIN
