"""HTTP client for OpenAI-compatible JSON APIs. Connects to the configured address only."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from toldonce.clock import Clock, SystemClock
from toldonce.errors import ModelError, ModelFault, SetupError
from toldonce.http_stream import read_parts
from toldonce.lazy_pattern import LazyPattern

if TYPE_CHECKING:
    import aiohttp

_READ_BYTES = 64 * 1024
# A longer wait would only hold a formation's lease: the formation is retried later anyway.
MAX_RETRY_AFTER_S = 10.0
# Without Retry-After: long enough for a restarted server or a dropped connection.
_RETRY_AFTER_S = 0.5
_TRIES = 2
# Each further wait is twice as long: restarting a server takes some seconds.
_BACKOFF = 2.0
# Parts of a server's error that may be shown: names such as `context_length_exceeded`, never sentences, which can
# quote the prompt or a part of the key.
_NAME = LazyPattern(r"[A-Za-z][\w.-]{0,63}")
_HINTS: Mapping[int, str] = {
    HTTPStatus.UNAUTHORIZED: "check the key",
    HTTPStatus.FORBIDDEN: "check the key and its permissions",
    HTTPStatus.NOT_FOUND: "check the URL (it usually ends in /v1) and the model's name",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the request is too long for it",
    HTTPStatus.TOO_MANY_REQUESTS: "its limit is reached",
}
# All requests fail: wrong key, or rate limit reached.
_ALL_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)


class ApiRefusedError(ModelError):
    """The server refused the request."""

    def __init__(self, where: str, status: int, *, name: str = "", param: str = "") -> None:
        named = f" ({name})" if name else ""
        hint = _HINTS.get(status)
        if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
            hint = "redirects are not followed; set the URL it redirects to"
        super().__init__(f"{where} answered {status}{named}" + (f": {hint}" if hint else ""), fault=_fault(status))
        self.status, self.param = status, param


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonReply:
    """A successful answer."""

    body: object
    """The decoded JSON."""
    requests: int
    """Number of requests, including retries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _RawReply:
    """An answer as it was received."""

    status: int
    retry_after: str | None
    body: bytes


class JsonClient:
    """Client for one API with one key and one connection pool. Used from one event loop."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout_s: float,
        max_bytes: int,
        tries: int = _TRIES,
        clock: Clock | None = None,
    ) -> None:
        """Create a client; it connects on the first call.

        Args:
            url: Base URL, including `/v1`.
            key: Sent as bearer token; None sends none.
            timeout_s: Timeout for an answer, including retries.
            max_bytes: Maximum size of an answer.
            tries: Maximum number of requests, if the connection fails or the server is busy.
            clock: Resolves Retry-After dates.
        """
        self._url = url.rstrip("/")
        self.where = re.sub(r"^(\w+://)(?:[^/@]*@)?([^/?#]*).*$", r"\1\2", self._url)
        """Scheme, host and port, for messages."""
        if key is not None and not (key.isascii() and key.isprintable()):
            raise SetupError(
                f"the key for {self.where} contains a character that is not allowed in a header; copy it again"
            )
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._tries = tries
        self._clock = clock or SystemClock()
        self._session: aiohttp.ClientSession | None = None

    async def post(self, path: str, body: Mapping[str, Any]) -> JsonReply:
        """Post `body`, and retry if the connection fails or the server is busy.

        Raises:
            ApiRefusedError: The server refused the request.
            ModelError: No answer in time, a busy or failing server, or an answer that is too large or not JSON.
        """
        data = json.dumps(body).encode()
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._post(f"{self._url}{path}", data)
        except TimeoutError:
            raise ModelError(
                f"{self.where} gave no answer within {self._timeout_s:g} s", fault=ModelFault.UNKNOWN
            ) from None

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _post(self, url: str, data: bytes) -> JsonReply:
        failure = ModelError(f"{self.where} was not asked")
        for request in range(1, self._tries + 1):
            wait_s = min(_RETRY_AFTER_S * _BACKOFF ** (request - 1), MAX_RETRY_AFTER_S)
            reply = await self._send(url, data)
            if isinstance(reply, ModelError):
                failure = reply
            elif reply.status == HTTPStatus.OK:
                return JsonReply(body=self._decode(reply.body), requests=request)
            else:
                failure = self._refusal(reply)
                if reply.status != HTTPStatus.TOO_MANY_REQUESTS and reply.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise failure
                wait_s = max(wait_s, retry_delay_s(reply.retry_after, self._clock.now()))
            if request < self._tries:
                await asyncio.sleep(wait_s)
        raise failure

    async def _send(self, url: str, data: bytes) -> _RawReply | ModelError:
        """Send one request; return the error if another try may help. Redirects are not followed.

        Raises:
            ModelError: Another try is useless.
        """
        import aiohttp  # a process that asks no model needs no HTTP client

        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None), trust_env=False, cookie_jar=aiohttp.DummyCookieJar()
            )
        try:
            async with self._session.post(url, data=data, headers=self._headers, allow_redirects=False) as response:
                body = bytearray()
                async for part in read_parts(response.content, _READ_BYTES):
                    body += part
                    if len(body) > self._max_bytes:
                        response.close()
                        raise ModelError(f"{self.where} answered with more than {self._max_bytes} bytes")
                retry_after = response.headers.get("Retry-After")
                return _RawReply(status=response.status, retry_after=retry_after, body=bytes(body))
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
            return ModelError(
                f"{self.where} cannot be reached or broke off ({type(error).__name__})",
                fault=ModelFault.SERVER if isinstance(error, aiohttp.ClientConnectorError) else ModelFault.UNKNOWN,
            )
        except (aiohttp.ClientError, ValueError) as error:
            raise ModelError(f"{self.where} cannot be asked ({type(error).__name__})") from None

    def _decode(self, body: bytes) -> object:
        try:
            decoded: object = json.loads(body)
        except (ValueError, RecursionError):
            raise ModelError(f"{self.where} answered {len(body)} bytes that are no JSON") from None
        return decoded

    def _refusal(self, raw: _RawReply) -> ApiRefusedError:
        try:
            body = json.loads(raw.body)
        except (ValueError, RecursionError):
            body = None
        error = body.get("error") if isinstance(body, dict) else None
        fields = error if isinstance(error, dict) else {}
        names = [_name(fields.get(field)) for field in ("code", "type")]
        return ApiRefusedError(
            self.where, raw.status, name=next(filter(None, names), ""), param=_name(fields.get("param"))
        )


def _fault(status: int) -> ModelFault:
    """Return whether the request or the server caused a status; 500 can be either.

    >>> [str(_fault(status)) for status in (400, 401, 500, 503)]
    ['request', 'server', 'unknown', 'server']
    """
    if status in _ALL_REFUSED or status > HTTPStatus.INTERNAL_SERVER_ERROR:
        return ModelFault.SERVER
    return ModelFault.UNKNOWN if status == HTTPStatus.INTERNAL_SERVER_ERROR else ModelFault.REQUEST


def _name(value: object) -> str:
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


def retry_delay_s(header: str | None, now: datetime) -> float:
    """Parse a Retry-After header, in seconds or as a date; return a wait of at most ten seconds.

    >>> retry_delay_s("3", datetime(2026, 1, 1, tzinfo=UTC))
    3.0
    >>> retry_delay_s("Thu, 01 Jan 2026 00:00:05 GMT", datetime(2026, 1, 1, tzinfo=UTC))
    5.0
    """
    if header is None:
        return _RETRY_AFTER_S
    try:
        wait_s = float(header) if header.strip().isdigit() else _until(header, now)
    except (ValueError, TypeError, OverflowError):
        return _RETRY_AFTER_S
    return min(max(wait_s, 0.0), MAX_RETRY_AFTER_S)


def _until(date: str, now: datetime) -> float:
    when = parsedate_to_datetime(date)
    return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - now).total_seconds()
