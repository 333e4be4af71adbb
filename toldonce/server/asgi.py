"""ASGI and HTTP basics: read bodies, send answers, choose the headers to relay. Does I/O through ASGI's callables."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable, MutableMapping
from typing import Any, Self
from urllib.parse import unquote_to_bytes

from toldonce.chat.identity import is_private_header

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]
Headers = tuple[Header, ...]

OWN_HEADERS: Headers = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
"""Headers of the answers that are written here: nothing keeps, frames, runs or guesses what they hold."""

# RFC 9110 section 7.6.1, and headers that older proxies treat the same way.
_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
CREDENTIALS = frozenset({b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key"})
"""Headers in which clients send a key of their own."""
# The version of Anthropic's API whose shapes we know: it refuses requests that name none.
_ANTHROPIC_VERSION = (b"anthropic-version", b"2023-06-01")
# Set again for the next hop, or not meant for upstream (a browser's cookies for this server).
_NOT_UPSTREAM = frozenset({b"host", b"content-length", b"authorization", b"cookie", b"expect"})

# Some servers take the method or path from these headers. A request with our key must go to the route that was checked.
_REROUTING = frozenset(
    {
        b"x-http-method",
        b"x-http-method-override",
        b"x-method-override",
        b"x-original-url",
        b"x-original-uri",
        b"x-rewrite-url",
    }
)

_MEMORY = b"x-toldonce-memory"
# What may follow `/u/NAME/`.
_USER_ROUTES = frozenset({b"v1", b"api", b"apps", b"conversations"})


class ClientDisconnectedError(ConnectionError):
    """The client hung up, or does not read its answer."""


class BodyTooLargeError(ValueError):
    """The request's body is larger than the server accepts."""


class MediaTypeError(ValueError):
    """The request's body has another content type than its route reads."""


async def read_body(receive: Receive, *, max_bytes: int) -> bytes:
    """Read a request's whole body, counting bytes rather than trusting Content-Length.

    Raises:
        BodyTooLargeError: More than `max_bytes` came.
        ClientDisconnectedError: The client hung up.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ClientDisconnectedError
        part = event.get("body", b"")
        size += len(part)
        if size > max_bytes:
            raise BodyTooLargeError(
                f"the body is larger than {max_bytes} bytes, the limit of this API key or of the server "
                "(TOLDONCE_MAX_BODY_BYTES)"
            )
        parts.append(part)
        if not event.get("more_body", False):
            return b"".join(parts)


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client hangs up; to be called after the body was read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def upstream_headers(
    headers: Iterable[tuple[bytes, bytes]], *, key: str | None, plain: bool, anthropic: bool = False
) -> Headers:
    """Choose the request headers to send upstream.

    Args:
        headers: The client's.
        key: Our key, which replaces all keys of the client; None keeps them.
        plain: Ask for an uncompressed answer, because it will be read.
        anthropic: Send our key as Anthropic's API expects it.
    """
    connection_headers = _named_by_connection(headers)
    kept: list[tuple[bytes, bytes]] = []
    for name, value in headers:
        low = name.lower()
        if low == b"authorization" and key is None:
            kept.append((name, value))
        if low in _HOP_BY_HOP or low in _NOT_UPSTREAM or low in connection_headers or is_private_header(low):
            continue
        if (plain and low == b"accept-encoding") or (key is not None and low in _REROUTING | CREDENTIALS):
            continue
        kept.append((name, value))
    if key is not None:
        kept += _key_headers(key, kept, anthropic=anthropic)
    if plain:
        kept.append((b"accept-encoding", b"identity"))
    return tuple(kept)


def _key_headers(key: str, headers: Iterable[tuple[bytes, bytes]], *, anthropic: bool) -> Headers:
    version = _ANTHROPIC_VERSION[0]
    has_version = any(name.lower() == version for name, _ in headers)
    if not (anthropic or has_version):
        return ((b"authorization", b"Bearer " + key.encode()),)
    return ((b"x-api-key", key.encode()), *(() if has_version else (_ANTHROPIC_VERSION,)))


def answer_headers(headers: Iterable[tuple[bytes, bytes]], *, length: int | None) -> list[tuple[bytes, bytes]]:
    """Choose the answer headers to send to the client, and add the length if it is known."""
    connection_headers = _named_by_connection(headers)
    kept = [
        (name, value)
        for name, value in headers
        if (low := name.lower()) not in _HOP_BY_HOP
        and low not in (b"content-length", _MEMORY)
        and low not in connection_headers
    ]
    if length is not None:
        kept.append((b"content-length", str(length).encode()))
    return kept


def _named_by_connection(headers: Iterable[tuple[bytes, bytes]]) -> frozenset[bytes]:
    return frozenset(
        token.strip().lower() for name, value in headers if name.lower() == b"connection" for token in value.split(b",")
    )


def header(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """Return the first value of a header, or None."""
    return next((value for key, value in headers if key.lower() == name), None)


def is_compressed(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Return whether an answer's body is encoded, so that it cannot be read as it comes."""
    return header(headers, b"content-encoding") not in (None, b"", b"identity")


def with_write_timeout(send: Send, idle_s: float) -> Send:
    """Return `send` with a deadline: a connected client that does not read counts as disconnected.

    The returned function raises ClientDisconnectedError if nothing could be sent for `idle_s` seconds. A timer is set
    only if `send` has to wait, because most writes go to the socket at once.
    """

    async def send_in_time(event: MutableMapping[str, Any]) -> None:
        sending = send(event).__await__()
        try:
            waits_for = next(sending)
        except StopIteration:
            return
        try:
            async with asyncio.timeout(idle_s):
                await _BegunCall(sending, waits_for)
        except TimeoutError:
            raise ClientDisconnectedError(f"the client read nothing for {idle_s:g} s") from None

    return send_in_time


class _BegunCall:
    """A coroutine whose first step was taken: awaiting it goes on from there."""

    def __init__(self, call: Generator[Any, Any, None], waits_for: object) -> None:
        self._call = call
        self._first: list[object] = [waits_for]
        self.throw, self.close = call.throw, call.close

    def __await__(self) -> Self:
        return self

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> object:
        return self._first.pop() if self._first else next(self._call)

    def send(self, arrived: object) -> object:
        return self._call.send(arrived)


def query_of_scope(scope: Scope) -> str:
    """Return a request's query with its question mark, as it came; empty if it has none."""
    query: bytes = scope.get("query_string", b"")
    return f"?{query.decode('latin-1')}" if query else ""


def path_user(scope: Scope) -> str | None:
    """Return NAME of `/u/NAME/v1/…` and the like.

    Bytes that are not UTF-8 become surrogates, which no valid name holds.

    >>> path_user({"path": "", "raw_path": b"/u/jos%C3%A9%2Fa/v1/models"}), path_user({"path": "/v1/models"})
    ('josé/a', None)
    """
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    steps = [unquote_to_bytes(step) for step in raw.split(b"?")[0].split(b"/")]
    if len(steps) < 4 or steps[0] or steps[1] != b"u" or steps[3] not in _USER_ROUTES:
        return None
    return steps[2].decode("utf-8", "surrogateescape")


async def send_start(send: Send, status: int, headers: list[tuple[bytes, bytes]]) -> None:
    """Send an answer's status and headers."""
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def send_body(send: Send, data: bytes, *, more: bool) -> None:
    """Send part of an answer's body."""
    await send({"type": "http.response.body", "body": data, "more_body": more})


def with_own_headers(app: App) -> App:
    """Return an application whose answers have `OWN_HEADERS`, except those that it sets itself."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(event: MutableMapping[str, Any]) -> None:
            if event["type"] == "http.response.start":
                own = list(event.get("headers", ()))
                named = {name.lower() for name, _ in own}
                event = {**event, "headers": own + [pair for pair in OWN_HEADERS if pair[0] not in named]}
            await send(event)

        await app(scope, receive, send_with_headers)

    return serve


async def send_json(send: Send, status: int, body: bytes, extra: Iterable[Header] = ()) -> None:
    """Send a whole JSON answer of our own."""
    length = (b"content-length", str(len(body)).encode())
    headers = [(b"content-type", b"application/json"), length, *OWN_HEADERS, *extra]
    await send_start(send, status, headers)
    await send_body(send, body, more=False)
