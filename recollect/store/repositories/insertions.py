"""Repository of the injection ledger: what was inserted into prompts, so that the next prompts repeat it."""

from collections.abc import Sequence
from datetime import datetime

from recollect.store.executor import StoreContext, check_limit
from recollect.store.sql.log import insertions
from recollect.types import LedgerRows, PromptInsertion, Subject


class InsertionRepository:
    """Insertions into prompts, and the answers that threads went on with; the subject is the turn's home.

    `conversations.record` links a thread's insertions with the conversation, and marks answers (`Turn.thread`).
    """

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._context = context
        self._executor = context.executor

    async def find(self, subject: Subject, chains: Sequence[int]) -> LedgerRows:
        """Read all rows of the subject whose chain is among `chains`, of all threads; with the chains as given."""
        term_key = self._context.term_key
        return await self._executor.read_inline(lambda db: insertions.find(db, subject, chains, term_key))

    async def newest(self, subject: Subject, thread: int) -> PromptInsertion | None:
        """Return the newest insertion of a thread; None if there is none.

        Its chain may be masked: compare it with rows of `find` by their `id`.
        """
        return await self._executor.read_inline(lambda db: insertions.newest(db, subject, thread))

    async def add(self, subject: Subject, insertion: PromptInsertion) -> None:
        """Store an insertion while its prompt is on its way; it replaces the row of the same thread and chain.

        It outlives this process however that ends, but not the machine: the disk is not waited for. If the thread's
        text would exceed `MAX_INSERTIONS_PER_THREAD` or `MAX_THREAD_CHARACTERS`, all its earlier rows but the profile
        block are removed.

        Raises:
            StaleSubjectError: Something in its text was erased since `insertion.at`: prepare it again.
        """
        term_key = self._context.term_key
        await self._executor.write(
            lambda db: insertions.add(db, subject, insertion, term_key), subject, synced=False, urgent=True
        )

    async def drop(self, subject: Subject, thread: int, chain: int) -> None:
        """Empty an insertion whose prompt was refused and sent without it: nothing was inserted at this turn."""
        term_key = self._context.term_key
        await self._executor.write(
            lambda db: insertions.drop(db, subject, thread, chain, term_key), subject, synced=False, urgent=True
        )

    async def prune(self, subject: Subject, before: datetime, *, limit: int = 1000) -> int:
        """Delete up to `limit` insertions made before an instant whose turns were never recorded; return how many.

        Such a turn got no answer, or the process died with it. What has a conversation stays as long as that does.
        """
        check_limit(limit)
        if not await self._executor.read_inline(lambda db: insertions.has_orphans(db, subject, before)):
            return 0
        return await self._executor.write(lambda db: insertions.prune(db, subject, before, limit), subject)
