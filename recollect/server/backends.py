"""The two ways to an answer: the configured API, or the built-in model. Connects upstream through `upstream.py`."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from recollect.chat.messages import query_of
from recollect.clock import Clock
from recollect.ids import new_id
from recollect.providers.offline_model import MODEL_LIST, offline_answer, offline_chunks, offline_completion
from recollect.providers.protocols import TokenCounter
from recollect.server.asgi import Headers, upstream_headers
from recollect.server.status import NOT_FOUND, OK, error_body
from recollect.server.upstream import BackendResponse, HttpUpstream
from recollect.server.upstream_key import UpstreamKeyPolicy
from recollect.types import ChatRequest, RecalledMemory

_JSON: Headers = ((b"content-type", b"application/json"),)
_EVENTS: Headers = ((b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendRequest:
    """What a way needs to know of an exchange."""

    headers: Headers
    body: bytes
    request: ChatRequest | None
    items: Sequence[RecalledMemory]
    """What was recalled for it; the built-in model answers from these alone."""
    plain: bool
    """The answer will be read, so it must come uncompressed."""
    remembers: bool
    """The turn will be recorded."""
    query: str = ""
    """The request's query with its question mark, as it came."""
    carries_key: bool = False
    """The request carries our key upstream, all its rounds included."""


class Backend(Protocol):
    """Somebody who answers."""

    @property
    def needs_valid_requests(self) -> bool:
        """Whether a request that cannot be read is refused here rather than passed on."""
        ...

    def chat(self, ask: BackendRequest) -> AbstractAsyncContextManager[BackendResponse]:
        """Ask for a chat completion.

        Raises:
            UpstreamError: no answer came.
        """
        ...

    def forward(
        self, method: str, path: str, headers: Headers, body: bytes
    ) -> AbstractAsyncContextManager[BackendResponse]:
        """Pass any other request on as it is; `path` begins behind `/v1`, with its query.

        Raises:
            UpstreamError: no answer came.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class UpstreamBackend:
    """The configured API answers."""

    needs_valid_requests = False

    def __init__(self, upstream: HttpUpstream, key: str | None, keys: UpstreamKeyPolicy | None = None) -> None:
        """Take the API, our key for it, and which requests carry it; all others carry the client's own."""
        self._upstream = upstream
        self._key = key
        self._keys = keys

    def chat(self, ask: BackendRequest) -> AbstractAsyncContextManager[BackendResponse]:
        """Send the request's bytes."""
        headers = upstream_headers(ask.headers, key=self._key if ask.carries_key else None, plain=ask.plain)
        return self._upstream.send("POST", f"/chat/completions{ask.query}", headers, ask.body)

    def forward(
        self, method: str, path: str, headers: Headers, body: bytes
    ) -> AbstractAsyncContextManager[BackendResponse]:
        """Send any other request's bytes."""
        keyed = self._keys is not None and self._keys.is_ours(method, path, headers)
        passed = upstream_headers(headers, key=self._key if keyed else None, plain=False)
        return self._upstream.send(method, path, passed, body)

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
            await asyncio.sleep(0)  # lets the client's hanging up be noticed between two parts


class OfflineBackend:
    """No API is configured: the built-in model `recollect/offline` answers from what was recalled."""

    needs_valid_requests = True

    def __init__(self, clock: Clock, counter: TokenCounter) -> None:
        """Take the clock for its ids and the counter for its usage."""
        self._clock = clock
        self._counter = counter

    @asynccontextmanager
    async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
        """Answer from the recalled memories."""
        if ask.request is None:
            raise AssertionError("this way refuses requests that cannot be read before it is asked")
        answer = offline_answer(question=query_of(ask.request), recalled=ask.items, remembers=ask.remembers)
        prompt = [message.text for message in ask.request.messages]
        name = f"chatcmpl-{new_id(self._clock)}"
        created = int(self._clock.now().timestamp())
        if ask.request.stream:
            events = offline_chunks(
                completion_id=name,
                created=created,
                prompt=prompt,
                answer=answer,
                counter=self._counter,
                include_usage=ask.request.include_usage,
            )
            yield _BuiltInAnswer(OK, _EVENTS, tuple(events))
        else:
            whole = offline_completion(
                completion_id=name, created=created, prompt=prompt, answer=answer, counter=self._counter
            )
            yield _BuiltInAnswer(OK, _JSON, (json.dumps(whole).encode(),))

    @asynccontextmanager
    async def forward(self, method: str, path: str, headers: Headers, body: bytes) -> AsyncIterator[BackendResponse]:
        """List the one model; everything else needs an API."""
        del headers, body
        if method == "GET" and path.split("?")[0].rstrip("/") == "/models":
            yield _BuiltInAnswer(OK, _JSON, (json.dumps(MODEL_LIST).encode(),))
            return
        message = f"{method} /v1{path} needs an API behind it: set RECOLLECT_UPSTREAM_URL"
        yield _BuiltInAnswer(NOT_FOUND, _JSON, (error_body(NOT_FOUND, message),))

    async def close(self) -> None:
        """Nothing to let go of."""
