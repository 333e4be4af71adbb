"""Repository of the injection ledger: what was inserted into prompts, so that the next prompts repeat it."""

from collections.abc import Sequence
from datetime import datetime

from toldonce.store.executor import Executor, StoreContext, check_limit
from toldonce.store.sql.erase.insertions import MAX_EMPTIED, empty_quoting, has_many_quoting
from toldonce.store.sql.log import insertions as insertions_sql
from toldonce.types import LedgerRows, PromptInsertion, Subject


async def empty_most_quoting(executor: Executor, home: Subject) -> int:
    """Empty the insertions that quote messages, before words of the subject are erased or forgotten; return how many.

    Others write between the transactions. The last few are left to the one that erases or forgets, as are those that
    are inserted meanwhile.
    """
    emptied = 0
    while await executor.read_inline(lambda db: has_many_quoting(db, home.key)):
        emptied += await executor.write(lambda db: empty_quoting(db, home.key, limit=MAX_EMPTIED), home, synced=False)
    return emptied


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
        return await self._executor.read_inline(lambda db: insertions_sql.find(db, subject, chains, term_key))

    async def find_lost(self, subject: Subject, memory: Subject, insertions: Sequence[PromptInsertion]) -> set[str]:
        """Find which insertions that are not stored may have words that were erased or forgotten since `insertion.at`.

        Memories that they show are not looked at: their states show whether they were forgotten.

        Args:
            subject: Home of the turns.
            memory: Subject of the memory that they read.
            insertions: What is kept elsewhere.
        """
        return await self._executor.read_inline(lambda db: insertions_sql.find_lost(db, subject, memory, insertions))

    async def add(
        self, subject: Subject, insertions: Sequence[PromptInsertion], *, closed_since: datetime | None = None
    ) -> None:
        """Store insertions of one thread while their prompt is on its way, all or none.

        Each replaces the row of the same thread and chain. They outlive this process however that ends, but not the
        machine: the disk is not waited for. If the thread's text would exceed `MAX_INSERTIONS_PER_THREAD` or
        `MAX_THREAD_CHARACTERS`, all its earlier rows but the profile block are removed.

        Raises:
            BadRequestError: They are of several threads.
            StaleSubjectError: Something in their text was erased since `insertion.at`, or a memory was closed by what
                was said since then or `closed_since`: prepare them again.
        """
        term_key = self._context.term_key
        await self._executor.write(
            lambda db: insertions_sql.add(db, subject, insertions, term_key, closed_since=closed_since),
            subject,
            synced=False,
            urgent=True,
        )

    async def drop(self, subject: Subject, thread: int, chains: Sequence[int]) -> None:
        """Empty insertions of a thread whose prompt was refused and sent without them: nothing was inserted there."""
        term_key = self._context.term_key
        await self._executor.write(
            lambda db: insertions_sql.drop(db, subject, thread, chains, term_key), subject, synced=False, urgent=True
        )

    async def prune(self, subject: Subject, before: datetime, *, limit: int = 1000) -> int:
        """Delete up to `limit` insertions made before an instant whose turns were never recorded; return how many.

        Such a turn got no answer, or the process died with it. What has a conversation stays as long as that does.
        """
        check_limit(limit)
        if not await self._executor.read_inline(lambda db: insertions_sql.has_orphans(db, subject, before)):
            return 0
        return await self._executor.write(lambda db: insertions_sql.prune(db, subject, before, limit), subject)
