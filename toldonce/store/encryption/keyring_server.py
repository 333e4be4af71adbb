"""A keyring in a PostgreSQL database of its own. Network, locks."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import psycopg

from toldonce.errors import BadSettingError, UnreadableStoreError
from toldonce.settings import KEYRING_SETTING, shown_url
from toldonce.store.failpoint import Failpoint
from toldonce.store.postgres.connection import SCHEMA, PostgresConnection, ReconnectingConnection, connect
from toldonce.store.postgres.errors import fault
from toldonce.store.postgres.migrate import make_schema, rename_former_schema
from toldonce.store.sql.database import Row, SqlConnection

T = TypeVar("T")
# "Rckr" twice: the lock of a process that makes the tables.
_LOCK = 0x52636B7252636B72
_TABLES = f"""
CREATE TABLE IF NOT EXISTS {SCHEMA}.keyring_info (name TEXT PRIMARY KEY, value BYTEA NOT NULL);
CREATE TABLE IF NOT EXISTS {SCHEMA}.keyring_key (
    subject    BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    wrapped    BYTEA,
    master     BYTEA,
    PRIMARY KEY (subject, generation)
)
"""


class ServerLink:
    """One connection to the server, used by one thread at a time."""

    near = False

    def __init__(self, url: str, *, create: bool) -> None:
        """Connect; `create` makes the tables where they are missing.

        Raises:
            BadSettingError: The URL cannot be read, or names the database that the keys are for.
            UnreadableStoreError: There is no keyring, or its user may not make one.
            StoreUnavailableError: The server does not answer.
        """
        self.where = shown_url(url)
        self._free = threading.Lock()
        try:
            with connect(url) as db:
                _prepare(db, self.where, create=create)
        except psycopg.Error as error:
            raise fault(error, self.where) from error
        self._connection = ReconnectingConnection(url, Failpoint())

    def read(self, work: Callable[[SqlConnection], T]) -> T:
        """Do work that only reads."""
        with self._speaking():
            return self._connection.read(work)

    def write(self, work: Callable[[SqlConnection], T]) -> T:
        """Do work in one transaction; it is durable on return."""
        with self._speaking():
            # Each work of a keyring may be repeated, so it is, where a lost connection hid whether it happened.
            return self._connection.use(lambda session: session.write(work, (), Failpoint()))

    def scrub(self) -> None:
        """Rewrite the table without its old rows; the server's log keeps them until it is rotated."""
        with self._speaking():
            self._connection.use(_rewrite)

    def close(self) -> None:
        """Close it. Idempotent."""
        with self._free:
            self._connection.close()

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        with self._free:
            try:
                yield
            except psycopg.Error as error:
                raise fault(error, self.where) from error


def _rewrite(session: PostgresConnection) -> None:
    session.execute(f"VACUUM (FULL) {SCHEMA}.keyring_key")


def _prepare(db: psycopg.Connection[Row], where: str, *, create: bool) -> None:
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
        rename_former_schema(db, where)
    if db.execute("SELECT to_regclass($1)", (f"{SCHEMA}.meta",)).fetchone() != (None,):
        raise BadSettingError(
            KEYRING_SETTING,
            where,
            "names a database that ToldOnce stores memories in: the keys must be kept in another one, with backups of "
            "its own, or a backup would hold the keys of what it holds",
        )
    if db.execute("SELECT to_regclass($1)", (f"{SCHEMA}.keyring_key",)).fetchone() != (None,):
        return
    if not create:
        raise UnreadableStoreError(
            f"{where} has no keyring, and without it no row of the database can be decrypted: restore it from a backup"
        )
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
        make_schema(db, where)
        db.cursor().execute(_TABLES.encode())
