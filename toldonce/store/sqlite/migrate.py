"""Bring a database to the newest schema. Reads files of the package, writes the database."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from toldonce.store.sql import app_numbers, inner
from toldonce.store.sql.database import is_additive, log_migration, read_migrations

# Marks the file as ours (PRAGMA application_id): "Rclt" in ASCII.
APPLICATION_ID = 0x52636C74
# Bits of PRAGMA user_version with the number of the last migration. Those above them have the number of the last one
# that was not additive, where it is another.
_NUMBER_BITS = 16
# What a migration does after its statements, by its number.
_STEPS = {9: inner.register_all, 11: app_numbers.upgrade}
# Columns that a migration adds before its statements where they are lacking: SQLite cannot say that in SQL.
_COLUMNS = {
    11: (("memory", "app", "TEXT"),),
    13: (
        ("recall", "replayed", "INTEGER NOT NULL DEFAULT 0"),
        ("recall", "omitted", "TEXT NOT NULL DEFAULT '[]'"),
        ("recall", "prefix", "TEXT NOT NULL DEFAULT ''"),
    ),
    19: (
        ("recall", "recorded", "INTEGER NOT NULL DEFAULT 0"),
        ("recall", "tenant", "TEXT NOT NULL DEFAULT ''"),
        ("recall", "request", "TEXT NOT NULL DEFAULT '{}'"),
    ),
    23: (("message", "zone", "TEXT"),),
}


def migrations() -> tuple[tuple[int, str], ...]:
    """Read all migrations with their numbers, in order."""
    return read_migrations(__package__)


def newest_schema() -> int:
    """Return the number of the newest migration."""
    return migrations()[-1][0]


def schema_of(db: apsw.Connection) -> int:
    """Return the number of the last migration that was applied."""
    return _numbers(db)[0]


def required_schema(db: apsw.Connection) -> int:
    """Return the number of the migration that a version has to know to use the database: later ones are additive."""
    return _numbers(db)[1]


def _numbers(db: apsw.Connection) -> tuple[int, int]:
    """Return the numbers of the last migration, and of the last one that was not additive."""
    required, number = divmod(int(db.pragma("user_version")), 1 << _NUMBER_BITS)
    return number, required or number


def has_rows(db: apsw.Connection) -> bool:
    """Return whether a database with a schema holds anything of a subject."""
    return bool(db.execute("SELECT 1 FROM subject LIMIT 1").fetchall())


@contextmanager
def writing(db: apsw.Connection) -> Iterator[None]:
    """Hold the write lock; commit at the end, roll back on an error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def migrate(db: apsw.Connection) -> None:
    """Apply what is missing, each migration in a transaction of its own; log it, unless the database is new."""
    found = schema_of(db)
    applied = 0
    for number, sql in migrations():
        if schema_of(db) >= number:
            continue
        with writing(db):
            if schema_of(db) < number:  # another process may have been quicker
                _add_columns(db, number)
                db.execute(sql)
                if number in _STEPS:
                    _STEPS[number](db)
                db.pragma("application_id", APPLICATION_ID)
                required = required_schema(db) << _NUMBER_BITS if is_additive(sql) else 0
                db.pragma("user_version", required | number)
                applied = number
    if found and applied:
        log_migration(db.filename, found, applied)


def _add_columns(db: apsw.Connection, number: int) -> None:
    for table, column, type_ in _COLUMNS.get(number, ()):
        if not db.execute("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", (table, column)).fetchall():
            db.execute(f'ALTER TABLE "{table}" ADD COLUMN "{column}" {type_}')
