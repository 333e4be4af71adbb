"""`memory.transfer` without asyncio. Made by tools/make_sync.py from engine/transfer.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import NO_PROGRESS
from toldonce.types import ProgressReporter, Subject

if TYPE_CHECKING:
    from toldonce.engine import TransferReport


class BlockingTransferService:
    """Export and import, in threads: others are answered meanwhile."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def export_to(self, file: BinaryIO, *, user: str | Subject | None = None, everybody: bool = False) -> int:
        """Export a user, or everybody, as JSON lines; return the number of lines.

        The file has one state of the database, whatever is written meanwhile. Secrets are removed from messages.
        Derived data, records of prompts and budgets are left out.

        Args:
            file: Binary file to write to, from a thread.
            user: User to export; None is the settings' default user.
            everybody: Export all subjects; `user` is ignored.

        Raises:
            BadRequestError: nothing is stored of that user, or the database is in memory.
            StoreUnavailableError: the database failed, or is being closed: the file is incomplete.
        """
        return self._engine.run(self._engine.core.transfer.export_to(file, user=user, everybody=everybody))

    def import_from(
        self,
        file: BinaryIO,
        *,
        progress: ProgressReporter = NO_PROGRESS,
        only_missing: bool = False,
        trusted: bool = False,
    ) -> TransferReport:
        """Import what `export_to` wrote; vectors and other derived data are computed again.

        The whole file is checked before anything is written; small subjects share a transaction, and no subject is
        split. A file is hostile input: secrets are removed, memories that need review are held whatever the file says
        of approvals, and nothing in it may point into another subject's log that is not in the file.

        Args:
            file: Binary file, read from its beginning up to three times.
            progress: Shows how far it is; by default nothing does.
            only_missing: Skip subjects that the database has already.
            trusted: The file is your own, and no one else could write to it: import it as it is.

        Raises:
            BadRequestError: a line is malformed, or the database has a subject already: nothing was written.
            ModelError: the embedder failed; earlier subjects are imported, and `only_missing` resumes after them.
            StoreUnavailableError: the database failed or is being closed; `only_missing` resumes in the same way.
        """
        return self._engine.run(
            self._engine.core.transfer.import_from(file, progress=progress, only_missing=only_missing, trusted=trusted)
        )
