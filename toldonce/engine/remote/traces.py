"""`memory.traces` over HTTP. Asks one server."""

from collections.abc import Mapping
from typing import Any

from toldonce.clock import to_micros
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient
from toldonce.engine.results import ListOf, TraceDetail
from toldonce.engine.traces import TraceService
from toldonce.errors import UnknownConversationError, UnknownTraceError
from toldonce.types import RequestTrace, Subject, TracePlace


class RemoteTraceService(TraceService):
    """Traces of recorded requests."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def list(
        self,
        *,
        user: str | Subject | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of one user: see `TraceService.list`."""
        return await self._list(self._client.path(user, "traces"), {}, before, after, limit)

    async def list_all(
        self,
        *,
        tenant: str | None = None,
        before: TracePlace | None = None,
        after: TracePlace | None = None,
        limit: int = 100,
    ) -> ListOf[RequestTrace]:
        """List what memory did for the requests of all users: see `TraceService.list_all`."""
        return await self._list("/v1/traces", {"tenant": tenant}, before, after, limit)

    async def get(self, conversation: str, trace: str, *, user: str | Subject | None = None) -> TraceDetail:
        """Show one request in full: see `TraceService.get`."""
        if not conversation:
            raise UnknownConversationError(conversation)
        if not trace:
            raise UnknownTraceError("the id of a request is empty")
        path = self._client.path(user, "conversations", conversation, "traces", trace)
        return values.trace_detail(await self._client.ask(Call(method="GET", path=path)), self._client)

    async def _list(
        self,
        path: str,
        query: Mapping[str, Any],
        before: TracePlace | None,
        after: TracePlace | None,
        limit: int,
    ) -> ListOf[RequestTrace]:
        call = Call(method="GET", path=path, query={**query, "after": _cursor(after)})
        raws = await self._client.pages(call, "traces", limit, cursor=_cursor(before))
        return [values.request_trace(raw, self._client) for raw in raws]


def _cursor(place: TracePlace | None) -> str | None:
    """Return a place as the server's cursors write it."""
    return None if place is None else f"{to_micros(place[0])}.{place[1]}"
