"""`memory.traces`: what memory did for requests, across conversations. Reads the store."""

from collections.abc import Set
from dataclasses import replace

from toldonce.engine.components import Components
from toldonce.engine.prompt_traces import read_detail, readable
from toldonce.engine.results import ListOf, TraceDetail
from toldonce.errors import UnknownConversationError, UnknownTraceError
from toldonce.types import ConversationId, RequestTrace, Subject, TracePlace


class TraceService:
    """Traces of recorded requests, in the order in which their turns were stored."""

    def __init__(self, components: Components) -> None:
        """Read the components' store."""
        self._components = components
        self._store = components.store

    async def list(
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
        subject = self._components.subject(user)
        found = await self._store.traces.list(subject, before=before, after=after, limit=limit)
        owners = {owner for trace in found for owner, _, _ in trace.record.items}
        read = await readable(self._store, subject, owners)
        return [trace if owners <= read else _without_others(trace, read) for trace in found]

    async def list_all(
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
        return await self._store.traces.list_all(tenant=tenant, before=before, after=after, limit=limit)

    async def get(self, conversation: str, trace: str, *, user: str | Subject | None = None) -> TraceDetail:
        """Show one request in full: its memories, and what its prompt had from memory, as the model saw it.

        Args:
            conversation: Your id of the conversation, or ToldOnce's.
            trace: Id of the request's record: `RequestTrace.record.id`.
            user: User who has the conversation.

        Raises:
            UnknownConversationError: this user has no conversation with this id.
            UnknownTraceError: the conversation has no request with this id, or memory had nothing to do with it.
        """
        subject = self._components.subject(user)
        conversations = self._store.conversations
        known = await conversations.get(subject, external_id=conversation)
        known = known or await conversations.get(subject, id=ConversationId(conversation))
        if known is None:
            raise UnknownConversationError(conversation)
        found = await self._store.traces.within(known.subject, known.id, id=trace, limit=1)
        if not found:
            raise UnknownTraceError(f"no request {trace[:80]!r} in this conversation; its trace lists the ids")
        return await read_detail(self._store, found[0])


def _without_others(trace: RequestTrace, read: Set[Subject]) -> RequestTrace:
    """Return a trace without the memories of subjects that are not read any more."""
    items = tuple(item for item in trace.record.items if item[0] in read)
    return replace(trace, record=replace(trace.record, items=items))
