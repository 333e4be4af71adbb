"""Repository of traces: what memory did for requests, across conversations."""

import builtins
from collections.abc import Sequence
from datetime import datetime

from toldonce.store.executor import INLINE_ROWS, StoreContext, check_limit
from toldonce.store.sql.log import traces
from toldonce.types import ConversationId, LedgerBlock, RequestTrace, Subject, TracePlace, TreeMessage


class TraceRepository:
    """Traces of requests, newest first, in the order in which their turns were recorded."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._executor = context.executor

    async def list_all(
        self,
        *,
        tenant: str | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> builtins.list[RequestTrace]:
        """List requests of all subjects of a tenant, of those without one if it is empty, or of all if it is None.

        Args:
            tenant: The tenant.
            before: Only requests recorded before this place; None begins with the newest.
            after: Only requests recorded after this place; None goes back to the first.
            limit: Maximum number of requests to return.
        """
        check_limit(limit)
        return await self._executor.read(
            lambda db: traces.traces_of_all(db, tenant, before=before, after=after, limit=limit)
        )

    async def list(
        self,
        subject: Subject,
        *,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> builtins.list[RequestTrace]:
        """List requests of one home subject; arguments as in `list_all`."""
        check_limit(limit)
        return await self._executor.read(
            lambda db: traces.traces_of_subject(db, subject, before=before, after=after, limit=limit)
        )

    async def within(
        self, subject: Subject, conversation: ConversationId, *, id: str | None = None, limit: int = 100
    ) -> builtins.list[RequestTrace]:
        """List requests of one conversation in the order of their prompts, or read the one with an id."""
        check_limit(limit)
        return await self._executor.read_inline(
            lambda db: traces.traces_within(db, subject, conversation, id_=id, limit=limit), small=limit <= INLINE_ROWS
        )

    async def blocks(
        self, subject: Subject, conversation: ConversationId, *, seq: int, until: datetime
    ) -> builtins.list[LedgerBlock]:
        """Read what the prompts on the way to a message had from memory, up to an instant, the latest first."""
        return await self._executor.read(
            lambda db: traces.blocks_until(db, subject, conversation, seq=seq, until=until)
        )

    async def tree(
        self,
        subject: Subject,
        conversation: ConversationId,
        owners: Sequence[Subject],
        *,
        after_seq: int = 0,
        limit: int = 1000,
    ) -> builtins.list[TreeMessage]:
        """Read the messages of all branches after `after_seq`, with their places and what they left.

        Args:
            subject: Owner of the conversation.
            conversation: The conversation.
            owners: Subjects whose memories are looked for.
            after_seq: Only messages with a larger `seq`.
            limit: Maximum number of messages.
        """
        check_limit(limit)
        return await self._executor.read(
            lambda db: traces.message_tree(db, subject, conversation, owners, after_seq=after_seq, limit=limit)
        )
