"""What answers chats: the configured API, or the built-in model. Connects upstream through `http_upstream.py`."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from toldonce.chat.formats.base import ChatRequest, OwnAnswer, WireFormat
from toldonce.chat.messages import query_of
from toldonce.clock import Clock
from toldonce.ids import new_id
from toldonce.providers.offline_model import MODEL, MODEL_LIST, OLLAMA_MODEL_LIST, offline_answer, without_promise
from toldonce.providers.protocols import TokenCounter
from toldonce.server.asgi import OWN_HEADERS, Headers, upstream_headers
from toldonce.server.status import NOT_FOUND, OK, format_of
from toldonce.server.upstream import BackendResponse

if TYPE_CHECKING:
    from toldonce.server.http_upstream import HttpUpstream
from toldonce.types import RecalledMemory

_JSON: Headers = ((b"content-type", b"application/json"), *OWN_HEADERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendRequest:
    """A chat request for a backend."""

    wire: WireFormat
    """The format it is written in."""
    headers: Headers
    body: bytes
    request: ChatRequest | None
    items: Sequence[RecalledMemory]
    """Memories recalled for it; the built-in model answers only from these."""
    plain: bool
    """Whether the answer will be read, so that it must come uncompressed."""
    record: Callable[[str], Awaitable[bool]] | None
    """Records the turn with this answer, and returns whether it is durable; None: the turn is not recorded."""
    path: str
    """Its path without `/u/NAME`, with its query, as it came."""
    carries_key: bool = False
    """Whether the request carries our key upstream, in all its rounds."""


class Backend(Protocol):
    """Answers chats and other API requests."""

    @property
    def needs_valid_requests(self) -> bool:
        """Whether a request that cannot be read is refused here instead of relayed."""
        ...

    def chat(self, ask: BackendRequest) -> AbstractAsyncContextManager[BackendResponse]:
        """Ask for an answer to a chat.

        Raises:
            UpstreamError: No answer came.
        """
        ...

    def forward(
        self, method: str, path: str, headers: Headers, body: bytes, *, carries_key: bool
    ) -> AbstractAsyncContextManager[BackendResponse]:
        """Relay any other request unchanged; `path` is without `/u/NAME` and with the query.

        With `carries_key` it goes with our key instead of the client's own.

        Raises:
            UpstreamError: No answer came.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class UpstreamBackend:
    """The configured API."""

    needs_valid_requests = False

    def __init__(self, upstream: "HttpUpstream", key: str | None) -> None:
        self._upstream = upstream
        self._key = key

    def chat(self, ask: BackendRequest) -> AbstractAsyncContextManager[BackendResponse]:
        """Send the request's bytes."""
        headers = self._headers(ask.path, ask.headers, carries_key=ask.carries_key, plain=ask.plain)
        return self._upstream.send("POST", ask.path, headers, ask.body)

    def forward(
        self, method: str, path: str, headers: Headers, body: bytes, *, carries_key: bool
    ) -> AbstractAsyncContextManager[BackendResponse]:
        """Send any other request's bytes."""
        passed = self._headers(path, headers, carries_key=carries_key, plain=False)
        return self._upstream.send(method, path, passed, body)

    def _headers(self, path: str, headers: Headers, *, carries_key: bool, plain: bool) -> Headers:
        key, wire = self._key if carries_key else None, format_of(path)
        return upstream_headers(headers, key=key, plain=plain, anthropic=wire.takes_api_key)

    async def close(self) -> None:
        """Close the connections."""
        await self._upstream.close()


@dataclass(frozen=True, slots=True)
class _BuiltInAnswer:
    status: int
    headers: Headers
    parts: Sequence[bytes]

    async def chunks(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part
            await asyncio.sleep(0)  # lets a disconnect be noticed between two parts


class OfflineBackend:
    """The built-in model `toldonce/offline`, which answers from recalled memories if no API is configured."""

    needs_valid_requests = True

    def __init__(self, clock: Clock, counter: TokenCounter) -> None:
        self._clock = clock
        self._counter = counter
        self._lists = {
            "/v1/models": json.dumps(MODEL_LIST).encode(),
            "/api/tags": json.dumps(OLLAMA_MODEL_LIST).encode(),
        }

    @asynccontextmanager
    async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
        """Answer from the recalled memories."""
        if ask.request is None:
            raise AssertionError("requests that cannot be read are refused before this backend is asked")
        answer = offline_answer(question=query_of(ask.request), recalled=ask.items, remembers=ask.record is not None)
        if ask.record is not None and not await ask.record(answer):
            answer = without_promise(answer)
        own = OwnAnswer(
            id=new_id(self._clock),
            created=int(self._clock.now().timestamp()),
            model=MODEL,
            text=answer,
            count=self._counter.count,
        )
        parts = ask.wire.write_answer(ask.request, own)
        streamed: Headers = ((b"content-type", ask.wire.stream_type), *OWN_HEADERS)
        yield _BuiltInAnswer(OK, streamed if ask.request.stream else _JSON, parts)

    @asynccontextmanager
    async def forward(
        self, method: str, path: str, headers: Headers, body: bytes, *, carries_key: bool
    ) -> AsyncIterator[BackendResponse]:
        """List the one model; all other requests need an API."""
        del headers, body, carries_key
        listed = self._lists.get(path.split("?")[0].rstrip("/")) if method == "GET" else None
        if listed is not None:
            yield _BuiltInAnswer(OK, _JSON, (listed,))
            return
        message = f"{method} {path} needs an upstream API: set TOLDONCE_UPSTREAM_URL"
        yield _BuiltInAnswer(NOT_FOUND, _JSON, (format_of(path).error(NOT_FOUND, message),))

    async def close(self) -> None:
        """Do nothing: there are no connections."""
