"""The stores there are: what `--store` chooses among, and what the tests of each row and of the protocol run on."""

import os
from copy import copy
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from postgres_server import programs, shared_server
from toldonce.clock import Clock
from toldonce.engine.databases import distribute_database
from toldonce.store.database_key import DatabaseKey
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.factory import open_store
from toldonce.store.postgres.connection import SCHEMA, TABLES, connect
from toldonce.store.postgres.migrate import prepare
from toldonce.store.store import Store

CITUS = os.environ.get("TOLDONCE_TEST_CITUS")
"""URL of the coordinator's database of a Citus cluster that the tests may empty; PyPI has none to bring along."""

STORES = ("memory", "file", *(("postgres",) if programs() else ()), *(("citus",) if CITUS else ()))
"""SQLite in memory (read and written by one thread) and in a file (one writer, several readers); PostgreSQL; Citus."""

DIALECTS = tuple(kind for kind in STORES if kind != "file")
"""One store for each dialect of SQL: for what a store's threads and files do not change."""

SEALED = ("sealed", *(("sealed_postgres",) if programs() else ()))
"""With encrypted subjects: a SQLite file, and PostgreSQL."""

DURABLE = tuple(kind for kind in STORES if kind not in ("memory", "citus"))
"""Those that outlive their process, and of which a test can have two."""

MASTER = "0123456789abcdef" * 4
"""Master key of the stores that are sealed."""
OTHER_MASTER = "f" * 64

_numbers = count(1)
_databases: dict[str, Path] = {}
"""Folder of the test that uses a database."""
_made: set[str] = set()
_free: list[str] = []
_CATALOGS = (
    *("pg_class", "pg_attribute", "pg_attrdef", "pg_constraint", "pg_index", "pg_namespace", "pg_proc", "pg_type"),
    *("pg_trigger", "pg_policy", "pg_extension", "pg_statistic", "pg_default_acl", "pg_sequence", "pg_db_role_setting"),
)
_END_OTHERS = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_COUNT_ANEW = "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences"
_USED = (
    "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS used FROM pg_tables WHERE schemaname = %s "
    "AND pg_relation_size((quote_ident(schemaname) || '.' || quote_ident(tablename))::regclass) > 0"
)
"""Tables that have pages: one without any was never written."""
_STATES = ", ".join(f"(SELECT (count(*), max(xmin::text::bigint))::text FROM {name})" for name in _CATALOGS)  # noqa: S608
_STATE = f"SELECT pg_database_size(current_database()), ARRAY[{_STATES}]"
"""Its size, and what is different after each change of the schema, of rights or of the planner's statistics."""
_MAX_REUSED_BYTES = 20_000_000
"""Of a larger one, deleted rows would slow down the tests after it."""


def url_of(kind: str, folder: Path) -> str:
    """Say where the new store of that kind and folder lies."""
    match kind:
        case "memory":
            return "sqlite:///:memory:"
        case "postgres" | "sealed_postgres":
            return _new_database(folder)
        case "citus":
            return _emptied(folder)
        case _:
            return f"sqlite:///{folder / 'toldonce.sqlite3'}"


@cache
def _new_database(folder: Path) -> str:
    """Make a database, once for each folder: a copy of an empty one with its tables, or a used one that was emptied."""
    _take_back()
    name = _free.pop() if _free else f"test{next(_numbers)}"
    url = shared_server().url_of(name)
    if url not in _made:
        _made.add(shared_server().new_database(name, template=_template()))
    _databases[name] = next(place for place in (folder, *folder.parents) if place.exists())
    return url


def _take_back() -> None:
    """Empty the databases whose folder is gone, as that of a test that has passed.

    Copying one costs the server 0.2 s of CPU time; emptying one took a third of the time. Each takes 11 MB of the disk.
    """
    for name in [name for name, folder in _databases.items() if not folder.exists()]:
        del _databases[name]
        url = shared_server().url_of(name)
        if empty_again(url):
            _free.append(name)
        else:
            shared_server().drop_database(name)
            _made.remove(url)


def empty_again(url: str) -> bool:
    """Give a used copy of the template its rows; return whether it is like a new one: not if its schema was changed."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(_END_OTHERS)
        schema, rows = _template_state()
        [(size, state)] = db.execute(_STATE)
        if state != schema or size > _MAX_REUSED_BYTES:
            return False
        used = {table for (table,) in db.execute(_USED, (SCHEMA,))}
        # Neither foreign keys nor triggers; all at once, since most of the time would go by between the statements.
        orders = ["SET session_replication_role = replica", _COUNT_ANEW, *(f"DELETE FROM {name}" for name in used)]  # noqa: S608
        with db.transaction():
            db.execute("; ".join(orders))
            for table, lines in rows.items():
                for line in lines:
                    places = ", ".join(["%s"] * len(line))
                    db.execute(f"INSERT INTO {table} VALUES ({places})", line)  # noqa: S608  (of the catalog)
    return True


@cache
def _template_state() -> tuple[object, dict[str, list[tuple[Any, ...]]]]:
    """Return the state of the schema of the template, and the rows of each of its tables."""
    with psycopg.connect(shared_server().url_of(_template()), autocommit=True) as db:
        rows = {table: db.execute(f"TABLE {table}").fetchall() for (table,) in db.execute(_USED, (SCHEMA,))}
        [(_, state)] = db.execute(_STATE)
        return state, rows


@cache
def _emptied(_folder: Path) -> str:
    """Distribute the one database there is and empty it, once for each folder."""
    assert CITUS is not None
    distribute_database(CITUS, shards=4)
    with connect(CITUS) as db:
        tables = [name for (name,) in db.execute(TABLES, (SCHEMA,)) if name not in ("meta", "migration")]
        db.execute(f"TRUNCATE {', '.join(tables)}")
    return CITUS


@cache
def _template() -> str:
    prepare(shared_server().new_database("toldonce_template"))
    return "toldonce_template"


def with_repository(store: Store, name: str, repository: object) -> Store:
    """Copy a store, with another repository (or something that wraps one) in place of its own."""
    changed = copy(store)
    setattr(changed, name, repository)
    return changed


async def new_store(kind: str, folder: Path, clock: Clock) -> Store:
    """Open an empty store."""
    return await open_store(url_of(kind, folder), clock=clock, keyring=keyring_of(kind, folder))


def keyring_of(kind: str, folder: Path) -> KeyringPlace | None:
    """Return the keyring of the store of that kind and folder, if it has one."""
    if kind not in SEALED:
        return None
    return KeyringPlace(url=f"sqlite:///{folder / 'toldonce.keys'}", master=DatabaseKey(MASTER))
