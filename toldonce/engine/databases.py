"""Whole databases: copy, encrypt, index vectors, distribute over Citus. Opens the databases."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from toldonce.clock import SystemClock
from toldonce.engine.keys import act
from toldonce.engine.results import NO_PROGRESS
from toldonce.errors import BadRequestError
from toldonce.settings import POSTGRES, shown_url
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.vault_opener import KeyringPlace, look, marking, open_vault
from toldonce.store.factory import dialect_of, driver_of, migrate_store, open_end, reencrypt_store, sqlite_place
from toldonce.store.sql.access import add_audit
from toldonce.store.sql.transfer.copy_database import CopyReport, copy
from toldonce.store.sql.transfer.endpoint import EndpointMode, read_mark
from toldonce.store.sqlite.migration_copy import migration_copies
from toldonce.store.store_reports import (
    CitusReport,
    ConversionReport,
    IndexReport,
    KeyReport,
    MigrationReport,
    RotationReport,
    RowSecurityReport,
    SubjectEncryption,
    SubjectIndex,
)
from toldonce.types import ProgressReporter

if TYPE_CHECKING:
    from toldonce.store.encryption.convert import Conversion
    from toldonce.store.sql.transfer.endpoint import CopyEndpoint

__all__ = [
    "MIN_INDEXED_VECTORS",
    "SHARDS",
    "CitusReport",
    "ConversionReport",
    "CopyReport",
    "DatabaseKey",
    "IndexReport",
    "KeyReport",
    "KeyringPlace",
    "MigrationReport",
    "RotationReport",
    "RowSecurityReport",
    "SubjectEncryption",
    "SubjectIndex",
    "build_indexes",
    "change_database_key",
    "change_master_key",
    "copy_database",
    "decrypt_database",
    "decrypt_subjects",
    "disable_row_security",
    "distribute_database",
    "drop_indexes",
    "enable_row_security",
    "encrypt_database",
    "encrypt_subjects",
    "migrate_database",
    "migration_copies",
    "note_database_act",
    "row_security",
]

# With fewer vectors, comparing all is as fast as an index and finds all: see docs/benchmarks.md.
MIN_INDEXED_VECTORS = 100_000
# The default of Citus: enough for as many nodes.
SHARDS = 32
_MAX_SHARDS = 1024


def copy_database(
    source: str,
    destination: str,
    *,
    progress: ProgressReporter = NO_PROGRESS,
    key: DatabaseKey | None = None,
    actor: str | None = None,
    migration_copy: bool = False,
) -> CopyReport:
    """Copy a whole database into another, or resume an interrupted copy.

    A finished copy is compared once more, and nothing is changed.

    Args:
        source: URL of the database to read. Others may go on using it.
        destination: URL of an empty database, created if there is none; or one that the same copy was begun into.
        progress: Shows how far it is; by default nothing does.
        key: Of the SQLite files among them, both of which are encrypted then; None: they are not.
        actor: Noted in the source's audit log as who copies it, when the copy begins; None notes nothing.
        migration_copy: Keep a copy of a source that is a SQLite file beside it, before its schema is migrated.

    Raises:
        BadRequestError: the destination is not empty, or a copy of another database was begun into it.
        SetupError: one of them cannot be opened.
        StoreUnavailableError: one does not answer, or another process writes to the destination.
    """
    if source == destination:
        raise BadRequestError("source and destination are the same database: name another destination")
    with (
        closing(open_end(source, EndpointMode.READ, key, migration_copy=migration_copy)) as reader,
        closing(open_end(destination, EndpointMode.FILL, key)) as writer,
    ):
        reader.require_own_schema()
        writer.require_own_schema()
        if actor is not None and read_mark(writer.db) is None:  # before, so that the copy has it, too
            note_database_act(source, "databases.copy", actor=actor, key=key)
        return copy(reader, writer, progress)


def migrate_database(url: str, *, key: DatabaseKey | None = None, migration_copy: bool = False) -> MigrationReport:
    """Create a database, or bring it to the newest schema, as the first process of a new version does.

    Processes that do it at the same time wait for one another.

    Args:
        url: URL of the database.
        key: Of an encrypted SQLite file.
        migration_copy: Keep a copy of a SQLite file beside it before it is migrated.

    Raises:
        BadRequestError: it is in memory.
        SetupError: it cannot be opened, or a newer ToldOnce wrote it; nothing was changed.
        StoreUnavailableError: it does not answer, or another process holds it.
        StoreFullError: the disk has no room for the copy or the migration.
    """
    return migrate_store(url, key=key, migration_copy=migration_copy)


def note_database_act(url: str, action: str, *, actor: str, key: DatabaseKey | None = None, count: int = 0) -> None:
    """Append an act on a whole database to its audit log.

    Args:
        url: URL of the database.
        action: What was done, such as `databases.encrypt`.
        actor: Who did it.
        key: Of an encrypted SQLite file.
        count: Number of things it was done to.

    Raises:
        SetupError: the database cannot be opened.
        StoreUnavailableError: it does not answer.
    """
    entry = act(SystemClock(), action, actor=actor, count=count)
    with closing(open_end(url, EndpointMode.WRITE, key)) as end, end.speaking():
        end.write(lambda: add_audit(end.db, entry))


def encrypt_database(url: str, key: DatabaseKey, *, progress: ProgressReporter = NO_PROGRESS) -> KeyReport:
    """Encrypt a SQLite file. Its old content stays in free blocks of the disk, until they are overwritten.

    The file is replaced by an encrypted copy of it, at once and whole; after an interruption, call it again.

    Args:
        url: URL of the file, which no other process may have open.
        key: Key that it gets.
        progress: Shows how far it is; by default nothing does.

    Raises:
        BadRequestError: it is no SQLite file, or is not there.
        SetupError: it is encrypted with another key, or cannot be read.
        StoreUnavailableError: another process has it open.
        StoreFullError: the disk has no room for a copy of it.
    """
    return reencrypt_store(url, key=None, new=key, bar=progress)


def decrypt_database(url: str, key: DatabaseKey, *, progress: ProgressReporter = NO_PROGRESS) -> KeyReport:
    """Decrypt a SQLite file: see `encrypt_database`, whose arguments and errors it has."""
    return reencrypt_store(url, key=key, new=None, bar=progress)


def change_database_key(
    url: str, key: DatabaseKey, new: DatabaseKey, *, progress: ProgressReporter = NO_PROGRESS
) -> KeyReport:
    """Encrypt an encrypted SQLite file with another key: see `encrypt_database`, whose errors it has.

    Args:
        url: URL of the file, which no other process may have open.
        key: Key that it has.
        new: Key that it gets.
        progress: Shows how far it is; by default nothing does.
    """
    return reencrypt_store(url, key=key, new=new, bar=progress)


def encrypt_subjects(
    url: str,
    keyring: KeyringPlace,
    *,
    progress: ProgressReporter = NO_PROGRESS,
    key: DatabaseKey | None = None,
    rewrite: bool = False,
) -> ConversionReport:
    """Encrypt the rows that subjects have already, each with its subject's key; call it again after an interruption.

    Processes that were opened with the keyring may use the database meanwhile; stop others first.

    Args:
        url: URL of the database.
        keyring: Where the keys are, and the master key.
        progress: Shows how far it is; by default nothing does.
        key: Of an encrypted SQLite file.
        rewrite: Rewrite the tables afterwards: until then the database's own files keep what was plain.

    Raises:
        SetupError: the database or the keyring cannot be opened, or they do not belong together.
        StoreUnavailableError: one of them does not answer, or another process holds it.
    """
    with _conversion(url, key, keyring, progress, encrypt=True) as (end, run):
        done = run.encrypt()
        if rewrite:
            end.finish(rewrite=True)
    return done


def decrypt_subjects(
    url: str, keyring: KeyringPlace, *, progress: ProgressReporter = NO_PROGRESS, key: DatabaseKey | None = None
) -> ConversionReport:
    """Decrypt the rows of all subjects: see `encrypt_subjects`. The keys stay, for backups made before."""
    with _conversion(url, key, keyring, progress, encrypt=False) as (_, run):
        return run.decrypt()


@contextmanager
def _conversion(
    url: str, key: DatabaseKey | None, place: KeyringPlace, progress: ProgressReporter, *, encrypt: bool
) -> "Iterator[tuple[CopyEndpoint, Conversion]]":
    """Open a database with its keyring, which are closed at the end of the context."""
    from toldonce.store.encryption.convert import Conversion

    with closing(open_end(url, EndpointMode.WRITE, key)) as end, end.speaking():
        end.require_own_schema()
        path = None if url.startswith(POSTGRES) else sqlite_place(url, key).path
        found = look(end.db, where=end.where, path=path)
        if encrypt and path is None:
            from toldonce.store.postgres.hnsw_index import require_no_indexes

            require_no_indexes(end.db, end.where)
        with closing(open_vault(place, found)) as vault:
            if encrypt:
                mark = marking(vault.keyring)
                end.write(lambda: mark(end.db))
            yield end, Conversion(end, vault, dialect_of(url), progress)


def change_master_key(
    url: str, keyring: KeyringPlace, *, progress: ProgressReporter = NO_PROGRESS, key: DatabaseKey | None = None
) -> RotationReport:
    """Encrypt all data keys by the master key of `keyring`, whose other key they have now. Rows are not touched.

    Args:
        url: URL of the database, which others may use meanwhile, with both keys.
        keyring: Where the keys are, the new master key, and the old one as the other.
        progress: Shows how far it is; by default nothing does.
        key: Of an encrypted SQLite file.

    Raises:
        BadRequestError: no subject was ever encrypted.
        SetupError: the database or the keyring cannot be opened, or neither master key is right.
        StoreUnavailableError: one of them does not answer, or another process holds it.
    """
    with closing(open_end(url, EndpointMode.READ, key)) as end, end.speaking():
        path = None if url.startswith(POSTGRES) else sqlite_place(url, key).path
        found = look(end.db, where=end.where, path=path)
    if found.mark is None:
        raise BadRequestError(f"the subjects of {end.where} are not encrypted: there are no keys")
    with closing(open_vault(keyring, found)) as vault:
        progress.begin("changing", "keys", vault.counts().others)
        changed = vault.rotate(progress.reach)
        return RotationReport(keyring=vault.keyring.where, changed=changed, keys=vault.counts().subjects)


def build_indexes(
    url: str, *, progress: ProgressReporter = NO_PROGRESS, minimum: int = MIN_INDEXED_VECTORS
) -> IndexReport:
    """Index the vectors of each subject that has very many, so that recall need not read all of them.

    Existing indexes stay; indexes of subjects that have fewer by now, or are read in another space, are dropped. After
    an interruption, call it again. Others may use the database meanwhile.

    Args:
        url: URL of a PostgreSQL database; the schema is created if it is missing.
        progress: Shows how far it is; by default nothing does.
        minimum: Minimum number of vectors of an indexed subject, 1 or more.

    Raises:
        BadRequestError: it is not a PostgreSQL database, or the number is out of range.
        SetupError: the database cannot have such indexes; the message says why.
        StoreUnavailableError: the server does not answer, or another call is running.
    """
    if minimum < 1:
        raise BadRequestError(f"indexes are asked for from {minimum} vectors on, it takes 1 or more", param="minimum")
    return _index(url, minimum, progress)


def drop_indexes(url: str, *, progress: ProgressReporter = NO_PROGRESS) -> IndexReport:
    """Drop the indexes of all subjects: recall compares all vectors of a subject again.

    Raises:
        BadRequestError: it is not a PostgreSQL database.
        StoreUnavailableError: the server does not answer, or another call is running.
    """
    return _index(url, None, progress)


def _index(url: str, minimum: int | None, progress: ProgressReporter) -> IndexReport:
    if not url.startswith(POSTGRES):
        raise BadRequestError(
            f"{shown_url(url)} is no PostgreSQL database, and SQLite compares all vectors: for a user with so many "
            "memories, copy it into one (`toldonce db copy`)"
        )
    with driver_of(url):
        from toldonce.store.postgres.hnsw_index import index
    return index(url, least=minimum, bar=progress)


def distribute_database(url: str, *, shards: int = SHARDS) -> CitusReport:
    """Distribute a database over the nodes of Citus: all rows of a subject on one node, small tables on every node.

    Tables that are distributed already stay as they are: after an interruption, or a migration that made a table, call
    it again. Stop servers and workers first: each table is locked while its rows move.

    Args:
        url: URL of the coordinator's database; the schema is created if it is missing.
        shards: Number of shards, 1 to 1024, if the tables are not distributed yet.

    Raises:
        BadRequestError: it is not a PostgreSQL database, or the number is out of range.
        SetupError: it cannot be distributed; the message says why.
        StoreUnavailableError: the server does not answer.
    """
    if not 1 <= shards <= _MAX_SHARDS:
        raise BadRequestError(f"{shards} shards are asked for, it goes from 1 to {_MAX_SHARDS}", param="shards")
    if not url.startswith(POSTGRES):
        raise BadRequestError(f"{shown_url(url)} is no PostgreSQL database: only one with Citus can be distributed")
    with driver_of(url):
        from toldonce.store.postgres.citus import distribute
    return distribute(url, shards=shards)


def enable_row_security(url: str) -> RowSecurityReport:
    """Let PostgreSQL itself show requests with a tenant's credential no rows of another tenant. Idempotent.

    Raises:
        BadRequestError: It is not a PostgreSQL database.
        UnreadableStoreError: The user bypasses row-level security or does not own the tables, or the database is one of
            Citus.
        StoreUnavailableError: The server does not answer.
    """
    return _row_security(url, guard=True)


def disable_row_security(url: str) -> RowSecurityReport:
    """End what `enable_row_security` began. Idempotent; it raises the same."""
    return _row_security(url, guard=False)


def row_security(url: str) -> RowSecurityReport:
    """Return which tables are guarded by row-level security.

    Raises:
        BadRequestError: It is not a PostgreSQL database.
        StoreUnavailableError: The server does not answer.
    """
    return _row_security(url, guard=None)


def _row_security(url: str, *, guard: bool | None) -> RowSecurityReport:
    """Guard tables, or end that; None: only say which are guarded."""
    if not url.startswith(POSTGRES):
        raise BadRequestError(f"{shown_url(url)} is no PostgreSQL database: only that has row-level security")
    with driver_of(url):
        from toldonce.store.postgres import row_security as postgres
    if guard is None:
        return postgres.row_security(url)
    return postgres.enable_row_security(url) if guard else postgres.disable_row_security(url)
