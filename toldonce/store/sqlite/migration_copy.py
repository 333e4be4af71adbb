"""The copy of a SQLite file that is kept beside it before a migration. File I/O.

It is the way back to the version before, and holds what was stored then. So an erasure removes it: what it holds of
the erased rows cannot be taken out of a file of an older schema.
"""

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from toldonce.errors import StoreFullError, StoreUnavailableError

logger = logging.getLogger(__name__)

COPY_SETTING = "TOLDONCE_MIGRATION_COPY"
_MEGABYTE = 1_000_000
_UNFINISHED = ".unfinished"


def migration_copies(path: str) -> tuple[Path, ...]:
    """Return the copies beside a database, by name; one that was not finished is among them."""
    file = Path(os.path.realpath(path))
    begin = f"{file.name}.schema-"
    beside = [entry for entry in file.parent.iterdir() if entry.name.startswith(begin)]
    return tuple(
        sorted(entry for entry in beside if entry.name.removeprefix(begin).removesuffix(_UNFINISHED).isdecimal())
    )


def keep_copy(db: apsw.Connection, schema: int) -> None:
    """Copy the live rows of a database to `<file>.schema-<number>`, and remove the copy of an earlier migration.

    It is encrypted as the database is, and has its owner and rights. A crash leaves a whole copy or one that the next
    call removes.

    Args:
        db: A connection that is in no transaction, while another one keeps the database from being written.
        schema: Number of the schema that the database has.

    Raises:
        StoreFullError: The disk has no room for it.
    """
    path = db.filename
    _require_room(db)
    kept = f"{path}.schema-{schema}"
    unfinished = f"{kept}{_UNFINISHED}"
    with fresh_file(path, unfinished):
        try:
            db.execute("VACUUM INTO ?", (unfinished,))
        except apsw.FullError as error:
            raise _no_room(path, "the disk is full") from error
        sync(unfinished, os.O_RDWR)
        os.replace(unfinished, kept)
        sync_folder(path)
    for copy in migration_copies(path):
        if copy.name != os.path.basename(kept):
            copy.unlink(missing_ok=True)
    logger.info("database copied before its migration", extra={"database": path, "copy": kept})


def remove_copies(path: str) -> None:
    """Remove all copies beside a database, which hold what has to be gone.

    Raises:
        StoreUnavailableError: One cannot be removed.
    """
    copies = migration_copies(path)
    for copy in copies:
        try:
            copy.unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailableError(
                f"{copy} cannot be removed ({error.strerror}): remove it, as it holds what is to be gone"
            ) from error
        logger.info("copy of before a migration removed", extra={"database": path, "copy": str(copy)})
    if copies:
        sync_folder(path)


@contextmanager
def fresh_file(path: str, copy: str) -> Iterator[None]:
    """Make the empty file of a copy, with the owner and rights of the file; it is removed unless it was moved."""
    like = os.stat(path)
    Path(copy).unlink(missing_ok=True)
    os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        if (like.st_uid, like.st_gid) != (os.stat(copy).st_uid, os.stat(copy).st_gid):
            os.chown(copy, like.st_uid, like.st_gid)
        os.chmod(copy, like.st_mode & 0o777)
        yield
    finally:
        Path(copy).unlink(missing_ok=True)


def sync(path: str, flags: int) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: str) -> None:
    """Wait until the names of the files beside a database are on the disk."""
    with suppress(PermissionError):  # Windows opens no folders
        sync(os.path.dirname(path), os.O_RDONLY)


def _require_room(db: apsw.Connection) -> None:
    pages, free, size = (int(db.pragma(name)) for name in ("page_count", "freelist_count", "page_size"))
    needed, there = (pages - free) * size, shutil.disk_usage(os.path.dirname(db.filename)).free
    if needed > there:
        raise _no_room(
            db.filename, f"it needs {needed / _MEGABYTE:,.1f} MB, and the disk has {there / _MEGABYTE:,.1f} MB"
        )


def _no_room(path: str, why: str) -> StoreFullError:
    return StoreFullError(
        f"{path} is to be migrated, and there is no room for the copy that is kept of it ({why}; nothing was changed): "
        f"free some room, or copy it elsewhere and set {COPY_SETTING}=false"
    )
