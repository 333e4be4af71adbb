"""Open the store that a database URL names. Opens files."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from toldonce.clock import Clock
from toldonce.errors import BadRequestError, BadSettingError, ToldOnceError
from toldonce.settings import DATABASE_SETTING, KEY_SETTING, POSTGRES, SQLITE, TAKES_URL, shown_url
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.mark import needs_keyring
from toldonce.store.encryption.vault_opener import (
    KeyringPlace,
    look,
    marking,
    open_vault,
    require_none,
)
from toldonce.store.executor import DatabaseAdmin, Executor, StoreContext
from toldonce.store.sql.recall.rank_and_fetch import ExactSnapshotReader
from toldonce.store.sql.recall.snapshot_cache import SnapshotCache
from toldonce.store.sql.transfer.endpoint import CopyEndpoint, EndpointMode
from toldonce.store.sqlite.admin import SqliteAdmin
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, migrate_file
from toldonce.store.sqlite.endpoint import SqliteEnd
from toldonce.store.sqlite.executor import SqliteExecutor
from toldonce.store.sqlite.reencrypt import reencrypt
from toldonce.store.store import Store
from toldonce.store.store_reports import KeyReport, MigrationReport
from toldonce.types import ProgressReporter

if TYPE_CHECKING:
    from toldonce.store.encryption.connection import Dialect
    from toldonce.store.encryption.vault import SubjectVault

# A subject with 10,000 memories takes some 13 MB: twenty of those.
CACHE_BYTES = 256 * 1024 * 1024


async def open_store(
    url: str,
    *,
    clock: Clock,
    cache_bytes: int = CACHE_BYTES,
    key: DatabaseKey | None = None,
    keyring: KeyringPlace | None = None,
    migration_copy: bool = False,
) -> Store:
    """Open a store; the database is created or migrated if needed.

    Args:
        url: `sqlite:///relative/path`, `sqlite:////absolute/path`, `sqlite:///C:/path` or `sqlite:///:memory:`;
            `postgresql://user:password@host:port/database`.
        clock: Source of the rows' timestamps.
        cache_bytes: Maximum memory for cached subjects; 0 caches none.
        key: Of an encrypted SQLite file.
        keyring: Of subjects that are encrypted, or are to be from now on.
        migration_copy: Keep a copy of a SQLite file beside it before it is migrated.

    Raises:
        BadSettingError: the URL is not one of these, or there is a key and nothing that it encrypts.
        DatabaseKeyError: a key is wrong or missing, or the file is not encrypted; nothing was changed.
        NewerSchemaError: a newer ToldOnce wrote it; nothing was changed.
        UnreadableStoreError: not a ToldOnce database, or not readable and writable; nothing was changed.
        StoreUnavailableError: another process holds it.
    """
    if not url.startswith(POSTGRES):
        place = replace(sqlite_place(url, key), migration_copy=migration_copy)
        return await open_sqlite(place, clock=clock, cache_bytes=cache_bytes, keyring=keyring)
    if key is not None:
        raise BadSettingError(
            KEY_SETTING, "…", "encrypts SQLite files, not PostgreSQL: encrypt the server's disk, and unset the key"
        )
    return await _open_postgres(url, clock=clock, cache_bytes=cache_bytes, keyring=keyring)


async def open_sqlite(
    place: DatabaseLocation, *, clock: Clock, cache_bytes: int, keyring: KeyringPlace | None = None
) -> Store:
    """Open a store over a SQLite file: see `open_store`."""
    executor = await SqliteExecutor.open(place, clock)
    admin = SqliteAdmin(executor, clock)
    vault = await _vault(executor, admin, keyring, where=f"{SQLITE}{place.path}", path=place.path)
    context = StoreContext(
        executor=executor if vault is None else _sealing(executor, vault, lambda statement: statement),
        clock=clock,
        term_key=executor.term_key,
        cache=SnapshotCache(cache_bytes),
        failpoint=executor.failpoint,
        vault=vault,
    )
    return Store(context, ExactSnapshotReader(context), admin)


async def _vault(
    executor: Executor, admin: DatabaseAdmin, keyring: KeyringPlace | None, *, where: str, path: str | None
) -> "SubjectVault | None":
    """Open the keyring of a database, and mark the database as encrypted; close it where that fails."""
    try:
        found = await executor.read(lambda db: look(db, where=where, path=path))
        if keyring is None:
            require_none(found)
            return None
        vault = await asyncio.to_thread(open_vault, keyring, found)
        try:
            if not needs_keyring(found.mark):
                await executor.write(marking(vault.keyring))
        except ToldOnceError:
            vault.close()
            raise
    except ToldOnceError:
        await admin.close()
        raise
    return vault


def _sealing(executor: Executor, vault: "SubjectVault", dialect: "Dialect") -> Executor:
    from toldonce.store.encryption.executor import SealingExecutor

    return SealingExecutor(executor, vault, dialect)


async def _open_postgres(url: str, *, clock: Clock, cache_bytes: int, keyring: KeyringPlace | None) -> Store:
    with driver_of(url):
        from toldonce.store.postgres.admin import PostgresAdmin
        from toldonce.store.postgres.dialect import own_version
        from toldonce.store.postgres.executor import PostgresExecutor
        from toldonce.store.postgres.hnsw_index import require_no_indexes
        from toldonce.store.postgres.snapshot_reader import PostgresSnapshotReader
    executor = await PostgresExecutor.open(url)
    admin = PostgresAdmin(executor, clock)
    if keyring is not None:
        try:
            await executor.read(lambda db: require_no_indexes(db, shown_url(url)))
        except ToldOnceError:
            await executor.close()
            raise
    vault = await _vault(executor, admin, keyring, where=shown_url(url), path=None)
    context = StoreContext(
        executor=executor if vault is None else _sealing(executor, vault, own_version),
        clock=clock,
        term_key=executor.term_key,
        cache=SnapshotCache(cache_bytes),
        failpoint=executor.failpoint,
        vault=vault,
    )
    return Store(context, PostgresSnapshotReader(context), admin)


def open_end(
    url: str, use: EndpointMode, key: DatabaseKey | None = None, *, migration_copy: bool = False
) -> CopyEndpoint:
    """Open one end of a copy.

    Args:
        url: As for `open_store`, but for a database in memory.
        use: What for.
        key: Of an encrypted SQLite file.
        migration_copy: Keep a copy of a SQLite file beside it before it is migrated.

    Raises:
        BadSettingError: the URL is not one of these.
        BadRequestError: there is nothing to copy from, or it would be gone at once.
        DatabaseKeyError: the file's key is wrong or missing, or it is not encrypted; nothing was changed.
        NewerSchemaError: a newer ToldOnce wrote it; nothing was changed.
        UnreadableStoreError: not a ToldOnce database, or not readable and writable; nothing was changed.
        StoreUnavailableError: another process holds it, or it does not answer.
    """
    if url.startswith(POSTGRES):
        with driver_of(url):
            from toldonce.store.postgres.endpoint import PostgresEnd
        return PostgresEnd.destination(url) if use is EndpointMode.FILL else PostgresEnd.source(url)
    place = replace(sqlite_place(url, key), migration_copy=migration_copy)
    if place.path == MEMORY:
        raise BadRequestError(f"{url} is there for one process alone: name a file")
    kinds = {
        EndpointMode.READ: SqliteEnd.source,
        EndpointMode.FILL: SqliteEnd.destination,
        EndpointMode.WRITE: SqliteEnd.beside,
    }
    return kinds[use](place)


def open_sealed_end(url: str, use: EndpointMode, key: DatabaseKey | None, vault: "SubjectVault | None") -> CopyEndpoint:
    """Do as `open_end`, for plain rows of a database whose subjects may be encrypted."""
    end = open_end(url, use, key)
    if vault is None:
        return end
    from toldonce.store.encryption.endpoint import SealedEnd

    return SealedEnd(end, vault, dialect_of(url))


def dialect_of(url: str) -> "Dialect":
    """Return how statements are written for the database of a URL."""
    if not url.startswith(POSTGRES):
        return lambda statement: statement
    from toldonce.store.postgres.dialect import own_version

    return own_version


def migrate_store(url: str, *, key: DatabaseKey | None, migration_copy: bool) -> MigrationReport:
    """Create a database, or bring it to the newest schema, as the first process that opens it does.

    Args:
        url: As for `open_store`, but for a database in memory.
        key: Of an encrypted SQLite file.
        migration_copy: Keep a copy of a SQLite file beside it before it is migrated.

    Raises:
        BadRequestError: it is in memory.
        SetupError: it cannot be opened; nothing was changed.
        StoreUnavailableError: another process holds it, or it does not answer.
        StoreFullError: the disk has no room.
    """
    if url.startswith(POSTGRES):
        with driver_of(url):
            from toldonce.store.postgres.migrate import migrate_server
        return migrate_server(url)
    place = replace(sqlite_place(url, key), migration_copy=migration_copy)
    if place.path == MEMORY:
        raise BadRequestError(f"{url} is there for one process alone: name a file")
    return migrate_file(place)


def reencrypt_store(url: str, *, key: DatabaseKey | None, new: DatabaseKey | None, bar: ProgressReporter) -> KeyReport:
    """Encrypt a SQLite file, decrypt it, or change its key. Blocks until it is done; a crash leaves it as it was.

    Args:
        url: Of the file, which no other process may have open.
        key: That it has; None: it is not encrypted.
        new: That it gets; None: it is decrypted.
        bar: Shows how far it is.

    Raises:
        BadRequestError: it is no file, or is not there.
        BadSettingError: the installed SQLite cannot encrypt.
        DatabaseKeyError: `key` is not the file's; nothing was changed.
        StoreUnavailableError: another process has it open; nothing was changed.
        StoreFullError: the disk has no room for a copy; nothing was changed.
    """
    if url.startswith(POSTGRES):
        raise BadRequestError(f"{shown_url(url)} is no SQLite file: encrypt the server's disk")
    place = sqlite_place(url, key)
    if place.path == MEMORY or not os.path.exists(place.path):
        raise BadRequestError(f"{url} is no file that is there already: one that is opened with a key is made with it")
    return reencrypt(place, new, bar)


@contextmanager
def driver_of(url: str) -> Iterator[None]:
    """Say which extra is missing where the driver of a PostgreSQL database cannot be imported within the context.

    Raises:
        BadSettingError: It cannot.
    """
    try:
        yield
    except ImportError as error:
        raise BadSettingError(
            DATABASE_SETTING,
            f"{url.partition(':')[0]}://…",
            f"needs the extra `postgres` ({error}): `make extras` installs it",
        ) from error


def sqlite_place(url: str, key: DatabaseKey | None) -> DatabaseLocation:
    """Return the file that a URL names.

    Raises:
        BadSettingError: It is no URL of a file.
    """
    path = url.removeprefix(SQLITE)
    if path == url or not path or "\0" in path:
        shown = url if url.startswith("sqlite:") else f"{url.partition(':')[0]}:…"
        raise BadSettingError(DATABASE_SETTING, shown, TAKES_URL)
    return DatabaseLocation(path=path if path == MEMORY else os.path.abspath(path), key=key)
