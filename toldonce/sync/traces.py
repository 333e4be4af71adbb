"""`memory.traces` without asyncio. Made by tools/make_sync.py from engine/traces.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import ListOf
from toldonce.types import RequestTrace, Subject, TracePlace

if TYPE_CHECKING:
    from toldonce.engine import TraceDetail


class BlockingTraceService:
    """Traces of recorded requests, in the order in which their turns were stored."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def list(
        self,
        *,
        user: str | Subject | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of one user, newest first.

        A page costs the same however many requests there are. Memories are ids: `get` reads them.

        Args:
            user: User or subject whose conversations they are in.
            before: `place` of the last one of the page before; None begins with the newest.
            after: Only requests recorded after this place, for a client that asks again; None goes back to the first.
            limit: Maximum number of requests to return.

        Returns:
            One trace for each recorded request for which there was a memory to consider, or whose recall failed. What
            is of a shared subject that the user no longer reads is left out of `record.items`.
        """
        return self._engine.run(self._engine.core.traces.list(user=user, before=before, after=after, limit=limit))

    def list_all(
        self,
        *,
        tenant: str | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of all users, newest first, for operators.

        Args:
            tenant: Only requests of this tenant's subjects, or of those without one if it is empty; None lists all.
            before: As in `list`.
            after: As in `list`.
            limit: Maximum number of requests to return.
        """
        return self._engine.run(
            self._engine.core.traces.list_all(tenant=tenant, before=before, after=after, limit=limit)
        )

    def get(self, conversation: str, trace: str, *, user: str | Subject | None = None) -> TraceDetail:
        """Show one request in full: its memories, and what its prompt had from memory, as the model saw it.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            trace: Id of the request's record: `RequestTrace.record.id`.
            user: User who has the conversation.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            UnknownTraceError: the conversation has no request with this id, or memory had nothing to do with it.
        """
        return self._engine.run(self._engine.core.traces.get(conversation, trace, user=user))
