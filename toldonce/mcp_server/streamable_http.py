"""Streamable HTTP without sessions, on the SDK. Needs the extra `mcp`."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request

from toldonce.mcp_server.protocol import Context, build_server
from toldonce.mcp_server.toolbox import Toolbox

_TOOLBOX = "toldonce.toolbox"
# The caller has limited the body already.
_MAX_BODY_BYTES = 2**40

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Manager:
    """Serves requests, each with the memories of its sender."""

    def __init__(self) -> None:
        server = build_server(_toolbox_of)
        self._sessions = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=_MAX_BODY_BYTES
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while this is open; once per object."""
        async with self._sessions.run():
            yield

    async def serve(self, scope: Scope, receive: Receive, send: Send, toolbox: Toolbox) -> None:
        """Serve one request."""
        await self._sessions.handle_request({**scope, _TOOLBOX: toolbox}, receive, send)


def _toolbox_of(context: Context) -> Toolbox:
    request: Request | None = context.request
    if request is None:
        raise TypeError("the request came over no HTTP")
    toolbox: Toolbox = request.scope[_TOOLBOX]
    return toolbox
