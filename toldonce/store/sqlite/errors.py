"""The one place where the driver's errors become ours. Pure."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from toldonce.errors import (
    StaleSubjectError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
    ToldOnceError,
    UnreadableStoreError,
)

_DUPLICATE = {apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID}


def fault(error: apsw.Error, where: str) -> ToldOnceError:
    """Say in our words what the driver reports of the database at `where` while it is in use."""
    match error:
        case apsw.FullError():
            return StoreFullError(f"{where} cannot grow: the disk is full; free some room (nothing was written)")
        case apsw.NotADBError() | apsw.CorruptError():
            return UnreadableStoreError(
                f"{where} is damaged or not a database ({error}): restore a backup, or run `toldonce doctor`"
            )
        case apsw.ConstraintError() if error.extendedresult in _DUPLICATE:  # type: ignore[attr-defined]  # not in stub
            return StaleSubjectError(
                f"something equal was stored in {where} meanwhile ({error}): read again, then decide again"
            )
        case apsw.BusyError() | apsw.LockedError():
            return StoreUnavailableError(f"{where} is locked by another process ({error}): try again")
        case apsw.ReadOnlyError():
            return StoreReadOnlyError(
                f"{where} may be read but not written ({error}; nothing was written): give the user that runs "
                "ToldOnce the right to write file and folder"
            )
        case _:
            return StoreUnavailableError(f"{where} does not answer ({error}): check the disk, then try again")


def as_ours(error: Exception, where: str) -> Exception:
    """Say in our words what went wrong; what is not the driver's is ours already."""
    return fault(error, where) if isinstance(error, apsw.Error) else error


def opening_fault(error: apsw.Error | OSError, where: str) -> ToldOnceError:
    """Say in our words why the database at `where` cannot be opened."""
    match error:
        case apsw.NotADBError():
            return UnreadableStoreError(
                f"{where} is not a database (nothing was changed): point TOLDONCE_DATABASE_URL at another file"
            )
        case apsw.CantOpenError() | apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError() | OSError():
            return UnreadableStoreError(
                f"{where} cannot be opened for writing ({error}): check that the folder is there and that file and "
                "folder belong to the user that runs ToldOnce, or point TOLDONCE_DATABASE_URL elsewhere"
            )
        case _:
            return fault(error, where)


@contextmanager
def opening(where: str) -> Iterator[None]:
    """Turn what goes wrong while opening into our errors."""
    try:
        yield
    except (apsw.Error, OSError) as error:
        raise opening_fault(error, where) from error
