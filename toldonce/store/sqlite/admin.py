"""What operators ask of a SQLite file: its schema, its health, its counts, and cleaning it. Reads file sizes."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import apsw

from toldonce.clock import Clock
from toldonce.errors import NewerSchemaError, StoreReadOnlyError
from toldonce.store.sql import formations
from toldonce.store.sql.stats import counted
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation
from toldonce.store.sqlite.executor import SqliteExecutor
from toldonce.store.sqlite.migrate import newest_schema, required_schema, schema_of
from toldonce.store.sqlite.secure_delete import clean
from toldonce.store.store_reports import StoreStats
from toldonce.types import StorageKind


class SqliteAdmin:
    """Operators' view of one SQLite file: see `DatabaseAdmin`."""

    def __init__(self, executor: SqliteExecutor, clock: Clock) -> None:
        self._executor = executor
        self._place = executor.place
        self._clock = clock

    @property
    def storage_kind(self) -> StorageKind:
        """Return that the data is in a file."""
        return StorageKind.FILE

    async def schema_version(self) -> int:
        """Return the number of the newest applied migration."""

        def read(db: apsw.Connection) -> int:
            self._executor.file_guard.check()
            found, known = schema_of(db), newest_schema()
            if required_schema(db) > known:
                raise NewerSchemaError(where=self._place.path, found=found, known=known)
            return found

        return await self._executor.look(read)

    async def ping(self) -> None:
        """Read from the file, and check that it was not moved, deleted or replaced."""

        def read(db: apsw.Connection) -> None:
            self._executor.file_guard.check()  # the readers have the old file open, too
            formations.next_due(db)

        await self._executor.look(read)

    async def ping_all(self) -> None:
        """Do as `ping`: one file is all there is."""
        await self.ping()

    async def require_writable(self) -> None:
        """Check that the file was opened for writing."""
        if self._place.read_only:
            raise StoreReadOnlyError(f"{self._place.path} may be read but not written")

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is stored, and check the file if asked."""
        return await self._executor.look(lambda db: file_stats(db, self._place, self._clock, check=check))

    async def scrub(self, *, wait_ms: int, rewrite: bool = False) -> bool:
        """Clean the file; it is rewritten if that is needed, whatever `rewrite` says."""
        del rewrite
        return await self._executor.run_alone(
            partial(
                clean,
                clock=self._clock,
                wait_ms=wait_ms,
                midway=self._executor.failpoint.reach,
                encrypted=self._place.key is not None and self._place.path != MEMORY,
            )
        )

    async def close(self) -> None:
        """Finish accepted work and close the file. Idempotent."""
        await self._executor.close()


def file_stats(db: apsw.Connection, place: DatabaseLocation, clock: Clock, *, check: bool) -> StoreStats:
    """Count what is stored in a file, and check it if asked."""
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
