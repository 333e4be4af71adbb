"""Open the keyring of a database, and see that the two belong together. Opens files, network; works on a connection.

Imports the ciphers only where subjects are encrypted.
"""

from dataclasses import dataclass
from os import urandom
from typing import TYPE_CHECKING, Self

from toldonce.errors import BadSettingError, DatabaseKeyError, ToldOnceError, UnreadableStoreError
from toldonce.settings import (
    KEYRING_SETTING,
    MASTER_KEY_SETTING,
    OTHER_MASTER_SETTING,
    POSTGRES,
    SQLITE,
    TAKES_URL,
    Settings,
)
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.mark import SQL, EncryptionMark, Extent, needs_keyring, read_mark, set_mark
from toldonce.store.sql.database import SqlConnection, Work
from toldonce.store.sql.rows import fetch_value
from toldonce.store.sql.transfer.endpoint import identity

if TYPE_CHECKING:
    from toldonce.store.encryption.keyring import Keyring, KeyringLink
    from toldonce.store.encryption.vault import MasterKey, SubjectVault

_ID_BYTES = 16
# The rows of `keyring_info`.
_ID, _SALT, _DATABASE = "id", "salt", "database"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyringPlace:
    """Where a keyring is, and the master keys that open it."""

    url: str | None
    """None: beside the SQLite file."""
    master: DatabaseKey
    other: DatabaseKey | None = None
    """Accepted for reading."""

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Return what the settings name; None where subjects are not encrypted.

        Raises:
            BadSettingError: A key cannot be read, or is none; or a setting has no effect without the master key.
        """
        url, other = settings.subject_keys, settings.other_master_key
        master = DatabaseKey.master_of(settings)
        if master is None:
            if url or other:
                name = KEYRING_SETTING if url else OTHER_MASTER_SETTING
                raise BadSettingError(name, "…", f"needs {MASTER_KEY_SETTING}: without it no subject is encrypted")
            return None
        return cls(
            url=url.get_secret_value() if url else None,
            master=master,
            other=DatabaseKey(other.get_secret_value(), given_by=OTHER_MASTER_SETTING) if other else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedDatabase:
    """What of a database decides which keyring it needs."""

    where: str
    """Address, without a password."""
    term_key: bytes
    identity: str
    mark: EncryptionMark | None
    path: str | None
    """Of a SQLite file; None: it is on a server."""


def look(db: SqlConnection, *, where: str, path: str | None) -> MarkedDatabase:
    """Read what decides which keyring a database needs."""
    term_key = bytes(fetch_value(db, "SELECT value FROM meta WHERE name = 'term_key'"))
    return MarkedDatabase(where=where, term_key=term_key, identity=identity(db), mark=read_mark(db), path=path)


def require_none(found: MarkedDatabase) -> None:
    """Refuse to open an encrypted database without its keyring.

    Raises:
        DatabaseKeyError: It is one.
    """
    if needs_keyring(found.mark):
        raise DatabaseKeyError(
            f"the subjects of {found.where} are encrypted (nothing was changed): set {MASTER_KEY_SETTING}, and "
            f"{KEYRING_SETTING} where the keyring is not beside the file"
        )


def open_vault(place: KeyringPlace, found: MarkedDatabase) -> "SubjectVault":
    """Open the keyring of a database; it is made where subjects are to be encrypted from now on.

    Raises:
        BadSettingError: `cryptography` is not installed, or the URL names no keyring or the database itself.
        DatabaseKeyError: The master key is another one.
        UnreadableStoreError: The keyring is missing, or is another database's.
        StoreUnavailableError: It does not answer.
    """
    from toldonce.store.encryption.keyring import Keyring
    from toldonce.store.encryption.sealer import Sealer
    from toldonce.store.encryption.vault import SubjectVault

    keyring = Keyring(_link(place, found))
    try:
        masters = _masters(keyring, place, found)
    except ToldOnceError:
        keyring.close()
        raise
    return SubjectVault(keyring, masters, Sealer(found.term_key))


def _link(place: KeyringPlace, found: MarkedDatabase) -> "KeyringLink":
    create = not needs_keyring(found.mark)
    url = place.url
    if url is None:
        if found.path is None:
            why = (
                "has to name a database for the keys: `sqlite:///…` or `postgresql://…`, another one than the memories'"
            )
            raise BadSettingError(KEYRING_SETTING, "", why)
        url = f"{SQLITE}{found.path if found.path == ':memory:' else found.path + '.keys'}"
    if url.startswith(POSTGRES):
        try:
            from toldonce.store.encryption.keyring_server import ServerLink
        except ImportError as error:
            why = f"needs the extra `postgres` ({error}): `make extras` installs it"
            raise BadSettingError(KEYRING_SETTING, "postgresql://…", why) from error
        return ServerLink(url, create=create)
    from toldonce.store.encryption.keyring_file import FileLink

    path = url.removeprefix(SQLITE)
    if path == url or not path:
        raise BadSettingError(KEYRING_SETTING, "…", TAKES_URL)
    return FileLink(path, create=create)


def _masters(keyring: "Keyring", place: KeyringPlace, found: MarkedDatabase) -> "list[MasterKey]":
    """Read which database the keyring is for, and check the master keys."""
    from toldonce.store.encryption.keyring import MASTER
    from toldonce.store.encryption.vault import MasterKey

    given = {_ID: urandom(_ID_BYTES), _SALT: urandom(_ID_BYTES), _DATABASE: found.identity.encode()}
    if keyring.info(MASTER) is None:
        keyring.begin(given)
    known = {name: keyring.info(name) or b"" for name in given}
    if known[_DATABASE] != given[_DATABASE]:
        raise UnreadableStoreError(
            f"the keyring {keyring.where} is another database's than {found.where}: check {KEYRING_SETTING} (nothing "
            "was changed)"
        )
    if found.mark is not None and needs_keyring(found.mark) and found.mark.keyring != known[_ID].hex():
        raise UnreadableStoreError(
            f"{found.where} was encrypted with another keyring than {keyring.where}: restore that one from its backup "
            "(nothing was changed)"
        )
    keys = [place.master] if place.other is None else [place.master, place.other]
    masters = [MasterKey(key.bits(known[_SALT])) for key in keys]
    if keyring.info(MASTER) is None:
        keyring.begin({MASTER: masters[0].id})
    if keyring.info(MASTER) not in {master.id for master in masters}:
        raise DatabaseKeyError(
            f"{MASTER_KEY_SETTING} is not the master key of the keyring {keyring.where} (nothing was changed)"
        )
    return masters


def marking(keyring: "Keyring") -> Work[None]:
    """Return the work that marks a database as encrypted with this keyring, unless it is marked."""
    name = (keyring.info(_ID) or b"").hex()

    def mark(db: SqlConnection) -> None:
        if not needs_keyring(read_mark(db)):
            extent = Extent.MIXED if fetch_value(db, SQL["any_subject"]) else Extent.WHOLE
            set_mark(db, EncryptionMark(keyring=name, extent=extent))

    return mark
