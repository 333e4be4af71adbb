"""Part of the API: a whole database into another. Opens both."""

from contextlib import closing

from recollect.errors import BadRequestError
from recollect.store.factory import open_end
from recollect.store.sql.transfer.copy_database import CopyReport, copy
from recollect.store.sql.transfer.endpoint import EndpointMode
from recollect.types import ProgressReporter

__all__ = ["CopyReport", "copy_database"]


def copy_database(source: str, destination: str, *, bar: ProgressReporter) -> CopyReport:
    """Copy all there is into another database, or go on where an earlier call was ended.

    A finished copy is compared once more, and nothing is changed.

    Args:
        source: URL of the database to read. Others may go on using it.
        destination: URL of an empty one, made where there is none; or one that the same copy was begun into.
        bar: Shows how far it is.

    Raises:
        BadRequestError: the destination holds something, or a copy of another database was begun into it.
        SetupError: one of them cannot be opened.
        StoreUnavailableError: one does not answer, or somebody else writes to the destination.
    """
    if source == destination:
        raise BadRequestError("source and destination are the same database: name another destination")
    with (
        closing(open_end(source, EndpointMode.READ)) as here,
        closing(open_end(destination, EndpointMode.FILL)) as there,
    ):
        return copy(here, there, bar)
