"""The library over HTTP in tests: a connection to an application in the same process, whose answers are checked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from answer_checks import CheckingTransport
from toldonce.engine import AsyncToldOnce
from toldonce.errors import ServerUnreachableError
from toldonce.remote import RemoteToldOnce
from toldonce.remote.client import RemoteOptions
from toldonce.remote.transport import HttpAnswer, HttpRequest
from toldonce.server.app import build_app

URL = "http://localhost"


class ApplicationTransport:
    """Sends requests to an ASGI application, without a socket."""

    def __init__(self, engine: AsyncToldOnce) -> None:
        transport = CheckingTransport(httpx.ASGITransport(app=build_app(engine)))
        self._client = httpx.AsyncClient(transport=transport, base_url=URL)
        self.sent: list[HttpRequest] = []

    @asynccontextmanager
    async def open(self, request: HttpRequest) -> AsyncIterator[HttpAnswer]:
        self.sent.append(request)
        headers = {name.encode(): value.encode() for name, value in request.headers.items()}
        try:
            async with self._client.stream(
                request.method, request.path, headers=headers, content=request.body
            ) as answer:
                named = {name.lower(): value for name, value in answer.headers.items()}
                yield HttpAnswer(status=answer.status_code, headers=named, parts=answer.aiter_bytes())
        except httpx.TransportError as error:
            raise ServerUnreachableError(str(error), is_sent=True) from None

    async def close(self) -> None:
        await self._client.aclose()


@asynccontextmanager
async def connected(engine: AsyncToldOnce, key: str | None = None) -> AsyncIterator[RemoteToldOnce]:
    """Connect to a server of an engine."""
    async with await RemoteToldOnce.reach(
        URL, RemoteOptions(key=key), transport=ApplicationTransport(engine)
    ) as remote:
        yield remote


SERVER_SIDE = ("turns", "clock", "settings", "counter", "metrics")
"""What tests do or look at in the server's process: a chat, and the time."""


@asynccontextmanager
async def far_engine(engine: AsyncToldOnce) -> AsyncIterator[RemoteToldOnce]:
    """Connect to a server of an engine; chats are prepared and recorded at the server."""
    async with connected(engine) as remote:
        for name in SERVER_SIDE:
            vars(remote)[name] = getattr(engine, name)
        yield remote
