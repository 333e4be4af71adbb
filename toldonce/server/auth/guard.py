"""Middleware that lets no request through without the credential it needs, nor more than it may send. Raw ASGI."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from math import ceil
from time import monotonic

from starlette.types import ASGIApp

from toldonce import former_name
from toldonce.engine import acting_for
from toldonce.errors import StoreUnavailableError, ToldOnceError
from toldonce.server.asgi import Headers, Receive, Scope, Send, path_user
from toldonce.server.auth.authenticator import Authenticated, Authenticator, UnauthenticatedError
from toldonce.server.dashboard.paths import is_dashboard_path, is_open_page
from toldonce.server.database_wait import MAX_DATABASE_WAIT_S
from toldonce.server.resource_metadata import MCP_PATH, METADATA_PATH
from toldonce.server.status import (
    BAD_REQUEST,
    TOO_MANY_REQUESTS,
    UNAUTHORIZED,
    message_of,
    retry_headers,
    status_of,
)
from toldonce.types import ANONYMOUS, ApiKey, Caller

_CALLER = "toldonce.caller"
_BODY_BYTES = "toldonce.body_bytes"
_BY_COOKIE = "toldonce.by_cookie"
HELLO = "/api/hello"
"""Where Claude Code looks whether a server is there."""
# What a server says to everyone: whether it is alive, what it is, and how it is used.
_PUBLIC = frozenset(
    {"/", "/livez", "/readyz", "/healthz", HELLO, "/openapi.json", "/docs", METADATA_PATH, METADATA_PATH + MCP_PATH}
)
# How long such a request waits to learn who makes it, in seconds: monitoring tools have time limits themselves.
_PUBLIC_WAIT_S = 1.0
_READING = frozenset({"GET", "HEAD"})


_CHALLENGE = ((b"www-authenticate", b'Bearer realm="toldonce"'),)

Refuse = Callable[[Scope, Send, int, str, Sequence[tuple[bytes, bytes]]], Awaitable[None]]
"""Sends a status, a message and headers as the answer to a request."""


class AccessGuard:
    """Authenticates each request, and counts it against the limits of its key."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator, refuse: Refuse) -> None:
        """Guard an application.

        Args:
            app: The application.
            authenticator: Finds out who sends a request.
            refuse: Sends a refusal in the shape that the path's errors have.
        """
        self._app = app
        self._authenticator = authenticator
        self._refuse = refuse
        self._limiter = KeyLimiter()
        self._user_rates = RateLimiter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it: 400 with a header of the former name, 401 without a valid credential, 429
        beyond the limits of its key.
        """
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: Headers = tuple((bytes(name), bytes(value)) for name, value in scope["headers"])
        if is_public(scope["method"], scope["path"]):
            scope[_CALLER] = await self._caller_if_known(headers)
            await self._app(scope, receive, send)
            return
        former = next((name for name, _ in headers if name.lower().startswith(former_name.HEADERS)), None)
        if former is not None:  # ignored, it would mix what belongs to different people
            why = f"the header {former.decode('latin-1')} is {former_name.present_header(former).decode('latin-1')} now"
            await self._refuse(scope, send, BAD_REQUEST, why, ())
            return
        try:
            async with asyncio.timeout(MAX_DATABASE_WAIT_S):
                found = await self._authenticator.authenticate(headers, with_session=is_dashboard_path(scope["path"]))
        except UnauthenticatedError as error:
            await self._refuse(scope, send, UNAUTHORIZED, str(error), _CHALLENGE)
            return
        except TimeoutError:
            await self._refuse_for(StoreUnavailableError("the database did not answer in time"), scope, send)
            return
        except ToldOnceError as error:
            await self._refuse_for(error, scope, send)
            return
        scope[_CALLER], scope["headers"] = found.caller, list(found.headers)
        scope[_BY_COOKIE] = found.by_cookie
        with acting_for(None if found.caller is None else found.caller.tenant):
            await self._serve_within_rate(found, scope, receive, send)

    async def _refuse_for(self, error: ToldOnceError, scope: Scope, send: Send) -> None:
        status = status_of(error)
        await self._refuse(scope, send, status, message_of(error), retry_headers(status))

    async def _caller_if_known(self, headers: Headers) -> Caller | None:
        """Return who makes a request that everyone may make: it does not wait for the database."""
        try:
            async with asyncio.timeout(_PUBLIC_WAIT_S):
                return (await self._authenticator.authenticate(headers)).caller
        except (UnauthenticatedError, ToldOnceError, TimeoutError):
            return ANONYMOUS

    async def _serve_within_rate(self, found: Authenticated, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request unless its user has made as many as users may; those count against no key."""
        per_minute = self._authenticator.user_requests_per_minute
        user = self._authenticator.user_of(found, path_user(scope)) if per_minute else None
        wait_s = self._user_rates.draw(user.text, per_minute) if user is not None else 0.0
        if wait_s:
            message = f"this user may make {per_minute:,} requests a minute; try again in {ceil(wait_s)} s"
            await self._refuse_for_now(wait_s, message, scope, send)
            return
        await self._serve(found, scope, receive, send)

    async def _refuse_for_now(self, wait_s: float, message: str, scope: Scope, send: Send) -> None:
        retry = [(b"retry-after", str(ceil(wait_s)).encode())]
        await self._refuse(scope, send, TOO_MANY_REQUESTS, message, retry)

    async def _serve(self, found: Authenticated, scope: Scope, receive: Receive, send: Send) -> None:
        key = found.key
        if key is None:
            await self._app(scope, receive, send)
            return
        wait_s = self._limiter.begin(key)
        if wait_s:
            message = (
                f"the API key {key.id} may make no more requests a minute, or at a time; try again in {ceil(wait_s)} s"
            )
            await self._refuse_for_now(wait_s, message, scope, send)
            return
        try:
            scope[_BODY_BYTES] = key.limits.body_bytes
            await self._app(scope, receive, send)
        finally:
            self._limiter.end(key)


def is_public(method: str, path: str) -> bool:
    """Return whether everyone may make a request.

    >>> is_public("GET", "/livez"), is_public("GET", "/metrics"), is_public("POST", "/")
    (True, False, False)
    """
    if is_open_page(path):
        return True
    return method in _READING and (path in _PUBLIC or path.startswith("/docs/"))


def caller_of(scope: Scope) -> Caller | None:
    """Return who sends a request; None if everyone who can connect is trusted."""
    caller: Caller | None = scope.get(_CALLER)
    return caller


def is_by_cookie(scope: Scope) -> bool:
    """Return whether a browser would send the request's credential by itself, whatever page made it."""
    by_cookie: bool = scope.get(_BY_COOKIE, True)
    return by_cookie


def is_operator(scope: Scope) -> bool:
    """Return whether the sender administers the whole server."""
    caller = caller_of(scope)
    return caller is None or caller.is_operator


def max_body_bytes(scope: Scope, limit: int) -> int:
    """Return the maximum size of a request's body: the server's limit, or that of its key if it is smaller."""
    own: int | None = scope.get(_BODY_BYTES)
    return limit if own is None else min(limit, own)


_MINUTE_S = 60.0
# A second is a sensible time to try again when others of the same key are still being answered.
_BUSY_S = 1.0
_MAX_BUCKETS = 10_000


@dataclass(slots=True)
class _Bucket:
    """Requests that may still be made, refilled steadily (a token bucket)."""

    left: float
    at: float


class RateLimiter:
    """Counts requests a minute by name: of keys, of users."""

    def __init__(self, *, timer: Callable[[], float] = monotonic) -> None:
        """Count from zero; `timer` counts seconds."""
        self._timer = timer
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def draw(self, name: str, per_minute: int) -> float:
        """Count a request; return 0 if it may be served, or the seconds after which to try again."""
        now = self._timer()
        bucket = self._buckets.setdefault(name, _Bucket(float(per_minute), now))
        self._buckets.move_to_end(name)
        while len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
        bucket.left = min(per_minute, bucket.left + (now - bucket.at) * per_minute / _MINUTE_S)
        bucket.at = now
        if bucket.left < 1:
            return (1 - bucket.left) * _MINUTE_S / per_minute
        bucket.left -= 1
        return 0.0


class KeyLimiter:
    """Counts the requests of each key."""

    def __init__(self, *, timer: Callable[[], float] = monotonic) -> None:
        """Count from zero; `timer` counts seconds."""
        self._rates = RateLimiter(timer=timer)
        self._running: Counter[str] = Counter()

    def begin(self, key: ApiKey) -> float:
        """Count a request; return 0 if it may be served, or the seconds after which to try again.

        A request that may be served is to be ended by `end`.
        """
        limits = key.limits
        if limits.concurrent_requests is not None and self._running[key.id] >= limits.concurrent_requests:
            return _BUSY_S
        per_minute = limits.requests_per_minute
        wait_s = 0.0 if per_minute is None else self._rates.draw(key.id, per_minute)
        if not wait_s:
            self._running[key.id] += 1
        return wait_s

    def end(self, key: ApiKey) -> None:
        """Note that a request was served."""
        self._running[key.id] -= 1
        if self._running[key.id] <= 0:
            del self._running[key.id]
