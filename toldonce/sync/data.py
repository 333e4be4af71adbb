"""Namespaces of `ToldOnce`: apps, erasure, transfer, embedder. Made by tools/make_sync.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, BinaryIO

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import NO_PROGRESS, ListOf, silent
from toldonce.types import (
    AppRecord,
    AppSummary,
    EmbedderSpec,
    EraseReceipt,
    Memory,
    ProgressReporter,
    ReembedReport,
    Subject,
)

if TYPE_CHECKING:
    from toldonce.engine import AppMemoryPage, EmbedderStatus, EmbedderTrial, ReembedProgress, TransferReport


class BlockingAppService:
    """Apps of a user, and their memories by number."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def register(self, app: str, *, user: str | Subject | None = None) -> AppRecord:
        """Register an app; an app that was removed returns with the memories it had.

        Raises:
            BadSubjectError: the name cannot be an app's.
        """
        return self._engine.run(self._engine.core.apps.register(app, user=user))

    def list(self, *, tenant: str = "", after: str = "", limit: int = 100) -> ListOf[AppSummary]:
        """List the apps of all users of a tenant by name: registered, with memories or with conversations.

        Args:
            tenant: Tenant whose users; empty for those of no tenant.
            after: Name of the last app of the page before; empty lists from the first on.
            limit: Maximum number of apps to return, 1 to 10,000.
        """
        return self._engine.run(self._engine.core.apps.list(tenant=tenant, after=after, limit=limit))

    def remove(self, app: str, *, purge: bool = False, user: str | Subject | None = None) -> int:
        """Remove an app; with `purge`, erase its memories. Return the number of memories erased.

        Raises:
            UnknownAppError: no such app was registered, and no memories of that name exist.
        """
        return self._engine.run(self._engine.core.apps.remove(app, purge=purge, user=user))

    def memories(self, app: str, *, user: str | Subject | None = None) -> ListOf[Memory]:
        """List an app's active memories, last updated first: the user's own, and those it keeps for all users."""
        return self._engine.run(self._engine.core.apps.memories(app, user=user))

    def count(self, app: str, *, user: str | Subject | None = None) -> int:
        """Count an app's active memories: see `memories`."""
        return self._engine.run(self._engine.core.apps.count(app, user=user))

    def delete_memory(self, app: str, number: int, *, user: str | Subject | None = None) -> None:
        """Erase the memory that an app knows by this number; the messages it was formed from stay.

        Raises:
            UnknownMemoryError: the app has no memory with this number.
        """
        self._engine.run(self._engine.core.apps.delete_memory(app, number, user=user))

    def delete_memories(self, app: str, *, user: str | Subject | None = None) -> int:
        """Erase all memories of an app, closed and held ones too; the messages they were formed from stay.

        Returns:
            The number of active memories erased.
        """
        return self._engine.run(self._engine.core.apps.delete_memories(app, user=user))

    def memories_of_all_users(self, app: str, *, tenant: str = "", after: str = "", limit: int = 1000) -> AppMemoryPage:
        """List an app's active memories of all users of a tenant, subject by subject, last updated first.

        Args:
            app: Name of the app.
            tenant: Tenant whose users; empty for those of no tenant.
            after: `after` of the page before; empty lists from the first subject on.
            limit: Number of memories after which a page ends; the last subject's are complete.
        """
        return self._engine.run(
            self._engine.core.apps.memories_of_all_users(app, tenant=tenant, after=after, limit=limit)
        )

    def delete_memories_of_all_users(self, app: str, *, tenant: str = "") -> int:
        """Erase all memories of an app in a tenant, closed and held ones too; the messages they came from stay.

        Returns:
            The number of active memories erased.
        """
        return self._engine.run(self._engine.core.apps.delete_memories_of_all_users(app, tenant=tenant))

    def delete_memory_of_all_users(self, app: str, number: int, *, tenant: str = "") -> None:
        """Erase the memory that an app knows by this number, whosever it is; see `delete_memory`."""
        self._engine.run(self._engine.core.apps.delete_memory_of_all_users(app, number, tenant=tenant))

    def remove_for_all_users(self, app: str, *, purge: bool = False, tenant: str = "") -> int:
        """Remove an app for all users of a tenant; with `purge`, erase its memories. Return the number erased.

        Raises:
            UnknownAppError: it was never registered, and has no memories.
        """
        return self._engine.run(self._engine.core.apps.remove_for_all_users(app, purge=purge, tenant=tenant))


class BlockingErasureService:
    """Permanent erasure of more than one memory. `AsyncToldOnce.erase` erases one."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def messages(
        self, conversation: str, seqs: Sequence[int], *, user: str | Subject | None = None, everywhere: bool = False
    ) -> EraseReceipt:
        """Erase messages of a conversation by their `seq`, with what was formed from them.

        Args:
            conversation: ToldOnce's id of the conversation.
            seqs: The `seq` of each message, at least one.
            user: User who has the conversation.
            everywhere: Also erase what other subjects have of these messages.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            BadRequestError: `seqs` is empty.
        """
        return self._engine.run(
            self._engine.core.erasure.messages(conversation, seqs, user=user, everywhere=everywhere)
        )

    def conversation(
        self, conversation: str, *, user: str | Subject | None = None, everywhere: bool = False
    ) -> EraseReceipt:
        """Erase all messages of a conversation, with what was formed from them alone.

        Args:
            conversation: ToldOnce's id of the conversation.
            user: User who has the conversation.
            everywhere: Also erase what other subjects have of its messages.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
        """
        return self._engine.run(self._engine.core.erasure.conversation(conversation, user=user, everywhere=everywhere))

    def subject(self, user: str | Subject, *, everywhere: bool = False) -> EraseReceipt:
        """Erase everything about a user or another subject, its name included. It may be used again afterwards.

        Once begun it is finished, even if the call is cancelled; after a crash, by the worker or by `finish`.
        """
        return self._engine.run(self._engine.core.erasure.subject(user, everywhere=everywhere))

    def finish(self, *, rewrite: bool = False) -> bool:
        """Finish pending erasures, also interrupted ones; return False if some are still pending.

        On SQLite an erasure is pending while another process holds the write-ahead log; on PostgreSQL until `rewrite`
        rewrites the tables, which locks each of them meanwhile.
        """
        return self._engine.run(self._engine.core.erasure.finish(rewrite=rewrite))


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


class BlockingEmbedderService:
    """The embedder in use, and its replacement."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def status(self) -> EmbedderStatus:
        """Return the embedder in use, the number of vectors in each space, and how many must be re-embedded."""
        return self._engine.run(self._engine.core.embedder.status())

    def check(self, text: str) -> None:
        """Embed a text with the embedder in use, to see that it answers.

        Raises:
            ModelError: it does not answer.
        """
        self._engine.run(self._engine.core.embedder.check(text))

    def try_out(self, spec: EmbedderSpec) -> EmbedderTrial:
        """Open an embedder, embed sample texts with it, and fit its calibration curve; change nothing.

        Raises:
            BadEmbedderError: it cannot be used.
        """
        return self._engine.run(self._engine.core.embedder.try_out(spec))

    def use(
        self, trial: EmbedderTrial, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Re-embed all memories of all subjects with another embedder, and use it from then on, without downtime.

        The choice is stored in the database. Each subject is served by its old vectors until it is complete; then it
        is switched in one commit. If this is interrupted, `reembed` resumes it.

        Args:
            trial: Result of `try_out`.
            dry_run: Change nothing, and return how much there is to do.
            tell: Called with each batch.

        Raises:
            BadEmbedderError: the library was opened with an embedder object, which the database cannot record.
            ModelError: the embedder failed: subjects switched so far stay so, the others are served as before.
        """
        return self._engine.run(self._engine.core.embedder.use(trial, dry_run=dry_run, tell=tell))

    def reembed(self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent) -> ReembedReport:
        """Resume an embedder change, and embed memories that lack vectors.

        Args:
            dry_run: Change nothing, and return how much there is to do.
            tell: Called with each batch.

        Raises:
            BadEmbedderError: the embedder in use cannot be opened.
            ModelError: it failed.
        """
        return self._engine.run(self._engine.core.embedder.reembed(dry_run=dry_run, tell=tell))
