"""Bring a database to the newest schema, one server at a time. Reads files of the package, writes the database."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from toldonce import former_name
from toldonce.errors import NewerSchemaError, StoreUnavailableError, UnreadableStoreError
from toldonce.settings import DATABASE_SETTING, shown_url
from toldonce.store.postgres.connection import SCHEMA, PostgresConnection, connect
from toldonce.store.postgres.errors import FORGETFUL, fault
from toldonce.store.sql import app_numbers, inner
from toldonce.store.sql.database import Row, is_additive, load, log_migration, read_migrations
from toldonce.store.sql.rows import fetch_value
from toldonce.store.sql.transfer.endpoint import refuse_unfinished
from toldonce.store.store_reports import MigrationReport

SQL = load("subject")
# What a migration does after its statements, by its number.
_STEPS = {4: inner.register_all, 6: app_numbers.upgrade}
# "Rclt" twice: the lock of a process that migrates or distributes.
LOCK = 0x52636C7452636C74
REQUIRED_SCHEMA = "SELECT coalesce(max(number), 0) FROM migration WHERE NOT additive"
"""The number of the migration that a version has to know to use a database that has newer, additive ones."""
_HAS_ADDITIVE = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'additive'"
_HAS_TABLES = "SELECT 1 FROM pg_tables WHERE schemaname = $1 LIMIT 1"
_HAS_FORMER = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename IN ('migration', 'keyring_info') LIMIT 1"
_POLICIES = "SELECT tablename, policyname, qual, with_check FROM pg_policies WHERE schemaname = $1"


def migrations() -> tuple[tuple[int, str], ...]:
    """Read all migrations with their numbers, in order."""
    return read_migrations(__package__)


def newest_schema() -> int:
    """Return the number of the newest migration."""
    return migrations()[-1][0]


def schema_of(db: psycopg.Connection[Row]) -> int:
    """Return the number of the last migration that was applied; 0 where there is none."""
    if db.execute("SELECT to_regclass($1)", (f"{SCHEMA}.migration",)).fetchone() == (None,):
        return 0
    row = db.execute("SELECT coalesce(max(number), 0) FROM migration").fetchone()
    return int(row[0]) if row else 0


def migrate(db: psycopg.Connection[Row], where: str) -> int:
    """Apply missing migrations, each in a transaction of its own, one process after the other.

    Returns:
        Number of the schema that was there; 0 where there was none.

    Raises:
        NewerSchemaError: a newer ToldOnce wrote it, and not all of its migrations are additive; it is left as it is.
        UnreadableStoreError: the server has no pgvector, and its user may not add it.
    """
    newest = newest_schema()
    found = schema_of(db)
    if found > newest and int(fetch_value(PostgresConnection(db), REQUIRED_SCHEMA)) > newest:
        raise NewerSchemaError(where=where, found=found, known=newest)
    if found >= newest:
        return found
    db.execute("SET statement_timeout = 0")  # another may be at it, and a table of millions takes longer than a request
    db.execute("SELECT pg_advisory_lock($1)", (LOCK,))
    try:
        _begin(db, where)
        found = schema_of(db)  # another process may have been quicker
        for number, sql in migrations():
            if found < number:
                with db.transaction():
                    db.cursor().execute(sql.encode())
                    if number in _STEPS:
                        _STEPS[number](PostgresConnection(db))
                    values = (number, int(is_additive(sql)))
                    db.execute("INSERT INTO migration (number, additive) VALUES ($1, $2 = 1)", values)
        if 0 < found < newest:
            log_migration(where, found, newest)
        return found
    finally:
        db.execute("SELECT pg_advisory_unlock($1)", (LOCK,))


def make_schema(db: psycopg.Connection[Row], where: str) -> None:
    """Make the schema unless it is there: its owner need not be allowed to make one.

    Raises:
        UnreadableStoreError: It is not there, and this user may not make it.
    """
    rename_former_schema(db, where)
    if db.execute("SELECT to_regnamespace($1)", (SCHEMA,)).fetchone() != (None,):
        return
    try:
        db.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    except psycopg.errors.InsufficientPrivilege as error:
        raise UnreadableStoreError(
            f"{where} has no schema `{SCHEMA}`, and its user may make none: run "
            f"`CREATE SCHEMA {SCHEMA} AUTHORIZATION …` with that user's name as its administrator"
        ) from error


def rename_former_schema(db: psycopg.Connection[Row], where: str) -> None:
    """Rename the schema of the former name, if that alone is there, and the variable of which its policies ask.

    Raises:
        UnreadableStoreError: This user may not rename it, or an empty schema has its name.
    """
    former = former_name.NAME
    if not db.execute(_HAS_FORMER, (former,)).fetchone() or db.execute(_HAS_TABLES, (SCHEMA,)).fetchone():
        return
    if db.execute("SELECT to_regnamespace($1)", (SCHEMA,)).fetchone() != (None,):
        raise UnreadableStoreError(
            f"{where} has its memories in the schema `{former}`, as the version before named it, and an empty schema "
            f"`{SCHEMA}`: run `DROP SCHEMA {SCHEMA}` as its administrator, then the other one is renamed"
        )
    try:
        with db.transaction():
            db.execute(f"ALTER SCHEMA {former} RENAME TO {SCHEMA}")
            for table, policy, *rules in db.execute(_POLICIES, (SCHEMA,)).fetchall():
                using, check = (str(rule).replace(f"{former}_rls.", f"{SCHEMA}_rls.") for rule in rules)
                name = f'"{policy}" ON {SCHEMA}."{table}"'
                db.execute(f"ALTER POLICY {name} USING ({using}) WITH CHECK ({check})".encode())
    except psycopg.errors.InsufficientPrivilege as error:
        raise UnreadableStoreError(
            f"{where} has its memories in the schema `{former}`, as the version before named it, and its user may not "
            f"rename it: run `ALTER SCHEMA {former} RENAME TO {SCHEMA}` as its administrator"
        ) from error


def _begin(db: psycopg.Connection[Row], where: str) -> None:
    """Make what the migrations rest on. What is there is not asked for: a user without rights could not."""
    make_schema(db, where)
    try:
        if not db.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
            db.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.UndefinedFile,
        psycopg.errors.FeatureNotSupported,
    ) as error:
        raise UnreadableStoreError(
            f"{where} has no pgvector ({str(error).strip().splitlines()[0]}): install it on the server and run "
            "`CREATE EXTENSION vector` as its administrator"
        ) from error
    db.execute(
        "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())"
    )
    if not db.execute(_HAS_ADDITIVE, (f"{SCHEMA}.migration",)).fetchone():
        db.execute("ALTER TABLE migration ADD COLUMN additive BOOLEAN NOT NULL DEFAULT FALSE")


def prepare(url: str, *, unfinished: bool = False) -> bytes:
    """Make or migrate the schema; return the key of the term hashes.

    Args:
        url: Of the database.
        unfinished: Whether it may be a copy that is not finished.

    Raises:
        NewerSchemaError: a newer ToldOnce wrote it.
        BadSettingError: the URL cannot be read.
        UnreadableStoreError: it has no pgvector, may not be used, or has a pooler in front that pools by transaction.
        StoreUnavailableError: the server does not answer, lets this user not in, or has no such database.
    """
    where = shown_url(url)
    with _connected(url, where) as db:
        migrate(db, where)
        if not unfinished:
            refuse_unfinished(PostgresConnection(db), where)
        return bytes(fetch_value(PostgresConnection(db), SQL["term_key"]))


def migrate_server(url: str) -> MigrationReport:
    """Make or migrate the schema, and say what was done; the errors are those of `prepare`."""
    where = shown_url(url)
    with _connected(url, where) as db:
        before = migrate(db, where)
        return MigrationReport(where=where, before=before, after=schema_of(db))


@contextmanager
def _connected(url: str, where: str) -> Iterator[psycopg.Connection[Row]]:
    """Connect to a server, and translate the driver's errors within the context."""
    try:
        with connect(url) as db:
            _require_session(db, url, where)
            yield db
    except psycopg.Error as error:
        if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:  # the connection was refused
            said = str(error).strip().partition("\n")[0].rpartition(" failed: ")[2]
            raise StoreUnavailableError(
                f"{where} cannot be opened ({said}): check that the server runs, and "
                f"address, user, password and database in {DATABASE_SETTING}"
            ) from error
        raise fault(error, where) from error


def _require_session(db: psycopg.Connection[Row], url: str, where: str) -> None:
    """See that a connection is one to the server: a pooler that pools by transaction hands out another each time.

    Raises:
        UnreadableStoreError: it forgot what it was told.
    """
    with connect(url) as other:
        other.execute("BEGIN")  # takes what another client let go of last
        if db.execute("SHOW search_path").fetchone() != other.execute("SHOW search_path").fetchone():
            raise UnreadableStoreError(f"{where} {FORGETFUL}")
