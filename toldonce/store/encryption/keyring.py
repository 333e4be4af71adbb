"""The keyring: the subjects' data keys, each encrypted by the master key, outside of the database. Works on a link.

Of a destroyed key the number stays, so that it is never used again. Who reads the keyring without the master key
learns how many subjects there are, and hashes of their names.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value

T = TypeVar("T")
MASTER = "master"
"""Name of the value that is the id of the master key."""

_ADD_INFO = "INSERT INTO keyring_info (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING"
_INFO = "SELECT value FROM keyring_info WHERE name = ?1"
_SET_INFO = (
    "INSERT INTO keyring_info (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
# The row stays locked until the key is added, so that a change of the master key waits for it.
_HOLD_MASTER = "UPDATE keyring_info SET value = value WHERE name = 'master' RETURNING value"
_ADD = (
    "INSERT INTO keyring_key (subject, generation, wrapped, master) VALUES (?1, ?2, ?3, ?4) "
    "ON CONFLICT (subject, generation) DO NOTHING"
)
_KEY = "SELECT wrapped, master FROM keyring_key WHERE subject = ?1 AND generation = ?2"
_TO_DESTROY = "SELECT count(*) FROM keyring_key WHERE subject = ?1 AND generation <= ?2 AND wrapped IS NOT NULL"
_DESTROY = (
    "UPDATE keyring_key SET wrapped = NULL, master = NULL "
    "WHERE subject = ?1 AND generation <= ?2 AND wrapped IS NOT NULL"
)
_NOT_BY = (
    "SELECT subject, generation, wrapped, master FROM keyring_key "
    "WHERE wrapped IS NOT NULL AND master <> ?1 ORDER BY subject, generation LIMIT ?2"
)
_REWRAP = "UPDATE keyring_key SET wrapped = ?3, master = ?4 WHERE subject = ?1 AND generation = ?2 AND master = ?5"
_COUNT = (
    "SELECT count(DISTINCT CASE WHEN wrapped IS NOT NULL THEN subject END), "
    "count(*) FILTER (WHERE wrapped IS NULL), count(*) FILTER (WHERE wrapped IS NOT NULL AND master <> ?1) "
    "FROM keyring_key"
)


@dataclass(frozen=True, slots=True)
class WrappedKey:
    """A data key as the keyring holds it."""

    subject: int
    generation: int
    wrapped: bytes | None
    """Encrypted by the master key; None: it was destroyed."""
    master: bytes | None
    """Id of that master key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyringCounts:
    """How many keys there are."""

    subjects: int
    """Subjects with a key."""
    destroyed: int
    """Destroyed keys."""
    others: int
    """Keys encrypted by another master key than the one asked for."""


class KeyringLink(Protocol):
    """A way to the tables of a keyring, for any thread. Errors of the driver are translated."""

    where: str
    """Address, without a password."""
    near: bool
    """Whether an answer takes microseconds."""

    def read(self, work: Callable[[SqlConnection], T]) -> T:
        """Do work that only reads."""
        ...

    def write(self, work: Callable[[SqlConnection], T]) -> T:
        """Do work in one transaction; it is durable on return."""
        ...

    def scrub(self) -> None:
        """Remove the bytes of overwritten rows from the keyring's own files."""
        ...

    def close(self) -> None:
        """Close it. Idempotent."""
        ...


class Keyring:
    """The rows of a keyring."""

    def __init__(self, link: KeyringLink) -> None:
        self._link = link
        self.where, self.near = link.where, link.near

    def info(self, name: str) -> bytes | None:
        """Return a named value; None where there is none."""
        found = self._link.read(lambda db: fetch_value(db, _INFO, name))
        return None if found is None else bytes(found)

    def begin(self, values: dict[str, bytes]) -> None:
        """Write named values that are not there yet."""

        def work(db: SqlConnection) -> None:
            for name, value in values.items():
                db.execute(_ADD_INFO, (name, value))

        self._link.write(work)

    def key(self, subject: int, generation: int) -> WrappedKey | None:
        """Return a subject's key by its number; None where there never was one."""
        row = self._link.read(lambda db: fetch_one(db, _KEY, subject, generation))
        return None if row is None else WrappedKey(subject, generation, *row)

    def set_master(self, master: bytes) -> None:
        """Note which master key encrypts new keys from now on: no process adds one by another key after that."""
        self._link.write(lambda db: db.execute(_SET_INFO, (MASTER, master)))

    def find_or_add(self, subject: int, generation: int, wrap: Callable[[bytes], WrappedKey]) -> WrappedKey:
        """Return a subject's key by its number, added if there is none. Durable on return.

        Args:
            subject: Whose key it is.
            generation: Its number.
            wrap: Makes the key to add, encrypted by the master key with this id.
        """

        def work(db: SqlConnection) -> WrappedKey:
            there = fetch_one(db, _KEY, subject, generation)
            if there is not None:
                return WrappedKey(subject, generation, *there)
            key = wrap(bytes(fetch_value(db, _HOLD_MASTER)))
            db.execute(_ADD, (subject, generation, key.wrapped, key.master))
            return WrappedKey(subject, generation, *fetch(db, _KEY, subject, generation)[0])

        return self._link.write(work)

    def destroy(self, subject: int, up_to: int) -> int:
        """Destroy a subject's keys up to a number; return how many. No byte of them stays in the keyring's files."""

        def work(db: SqlConnection) -> int:
            found = int(fetch_value(db, _TO_DESTROY, subject, up_to))
            db.execute(_DESTROY, (subject, up_to))
            return found

        return self._link.write(work)

    def not_by(self, master: bytes, limit: int) -> list[WrappedKey]:
        """List keys that another master key encrypts."""
        return [WrappedKey(*row) for row in self._link.read(lambda db: fetch(db, _NOT_BY, master, limit))]

    def rewrap(self, pairs: Iterable[tuple[WrappedKey, WrappedKey]]) -> None:
        """Put each second key in the place of the first, unless that was changed meanwhile; in one transaction."""

        def work(db: SqlConnection) -> None:
            for old, new in pairs:
                db.execute(_REWRAP, (old.subject, old.generation, new.wrapped, new.master, old.master))

        self._link.write(work)

    def counts(self, master: bytes) -> KeyringCounts:
        """Count the keys; `master` is the id of the master key."""
        subjects, destroyed, others = self._link.read(lambda db: fetch(db, _COUNT, master))[0]
        return KeyringCounts(subjects=subjects, destroyed=destroyed, others=others)

    def scrub(self) -> None:
        """Remove the bytes of overwritten rows from the keyring's own files."""
        self._link.scrub()

    def close(self) -> None:
        """Close the link."""
        self._link.close()
