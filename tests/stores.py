"""The stores there are: what `--store` chooses among, and what the tests of each row and of the protocol run on."""

import os
from copy import copy
from functools import cache
from itertools import count
from pathlib import Path

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
    """Make a database, once for each folder; those after the first are copies of an empty one with its tables."""
    _drop_databases()
    url = shared_server().new_database(f"test{next(_numbers)}", template=_template())
    made = next(place for place in (folder, *folder.parents) if place.exists())
    _databases[url.rpartition("/")[2]] = made
    return url


def _drop_databases() -> None:
    """Drop the databases whose folder is gone, as that of a test that has passed: each takes 11 MB of the disk."""
    for name in [name for name, folder in _databases.items() if not folder.exists()]:
        shared_server().drop_database(name)
        del _databases[name]


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
