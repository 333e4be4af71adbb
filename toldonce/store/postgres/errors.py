"""Translation of PostgreSQL's errors into ToldOnce's. Pure."""

import psycopg
from psycopg import errors

from toldonce.errors import (
    StaleSubjectError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
    ToldOnceError,
    UnreadableStoreError,
)

# Nothing of the transaction happened, and it may succeed if it is repeated.
AGAIN = (errors.DeadlockDetected, errors.SerializationFailure)


# Classes of SQLSTATE (PostgreSQL's Appendix A): the connection failed, and the server or its administrator ended it.
_LOST = ("08", "57P")

# Text of a unique violation in English, in which Citus passes on what its nodes report.
_DUPLICATE = "duplicate key value violates unique constraint"

# What no connection does that is one to the server.
FORGETFUL = "forgets what a connection was told: let the pooler before it pool by session, or connect past it"


def lost_by(error: psycopg.OperationalError) -> bool:
    """Return whether the connection was lost, rather than a statement refused."""
    return error.sqlstate is None or error.sqlstate.startswith(_LOST)


def _is_duplicate(error: psycopg.Error) -> bool:
    """Return whether a key is there already; within a COPY, Citus reports that as an internal error."""
    if isinstance(error, errors.UniqueViolation):
        return True
    return isinstance(error, errors.InternalError_) and _DUPLICATE in str(error)


def fault(error: psycopg.Error, where: str) -> ToldOnceError:
    """Translate what the server at `where` reports; `where` has no password."""
    said = str(error).strip().split("\n")[0]
    match error:
        case errors.DiskFull() | errors.OutOfMemory() | errors.ConfigurationLimitExceeded():
            return StoreFullError(f"{where} cannot grow ({said}): free some room on the server (nothing was written)")
        case _ if _is_duplicate(error):
            return StaleSubjectError(
                f"something equal was stored in {where} meanwhile ({said}): read again, then decide again"
            )
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return UnreadableStoreError(f"{where} is damaged ({said}): restore a backup, or run `toldonce doctor`")
        case errors.ReadOnlySqlTransaction():
            return StoreReadOnlyError(
                f"{where} may be read but not written ({said}; nothing was written): check "
                "`default_transaction_read_only`, and whether the server is a standby"
            )
        case errors.QueryCanceled():
            return StoreUnavailableError(f"{where} took too long for a statement ({said}): try again")
        case errors.InsufficientPrivilege() if "CHECKPOINT" in said:
            return UnreadableStoreError(
                f"{where}: the tables were rewritten, but its user may not let the server write them out ({said}): run "
                "`GRANT pg_checkpoint TO …` with that user's name as an administrator, then this once more"
            )
        case errors.InsufficientPrivilege():
            return UnreadableStoreError(
                f"{where} refuses what ToldOnce needs ({said}): give its user the rights to the schema `toldonce`"
            )
        case errors.UndefinedTable() | errors.InvalidSqlStatementName() | errors.DuplicatePreparedStatement():
            return StoreUnavailableError(f"{where} {FORGETFUL} ({said})")
        case _:
            return StoreUnavailableError(f"{where} does not answer ({said}): check the server, then try again")


def as_ours(error: Exception, where: str) -> Exception:
    """Translate the driver's exceptions; others are ToldOnce's already."""
    return fault(error, where) if isinstance(error, psycopg.Error) else error
