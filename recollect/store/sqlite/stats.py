"""What a SQLite file has to say of itself beside what every store counts. Works on a connection, reads file sizes."""

from dataclasses import replace
from pathlib import Path

import apsw

from recollect.clock import Clock
from recollect.store.operators import StoreStats
from recollect.store.sql.stats import counted
from recollect.store.sqlite.connection import MEMORY, DatabaseLocation
from recollect.store.sqlite.migrate import schema_of


def stats(db: apsw.Connection, place: DatabaseLocation, clock: Clock, *, check: bool) -> StoreStats:
    """Count, and check if asked: see `Store.stats`."""
    with db:  # one snapshot
        found = counted(db, clock, check=check)
        broken = [row[0] for row in db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"] if check else []
        schema, size = schema_of(db), _size(db, place)
    return replace(found, url=f"sqlite:///{place.path}", schema=schema, bytes=size, problems=(*broken, *found.problems))


def _size(db: apsw.Connection, place: DatabaseLocation) -> int:
    if place.path == MEMORY:
        return int(db.pragma("page_count")) * int(db.pragma("page_size"))
    files = (Path(place.path), Path(f"{place.path}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
