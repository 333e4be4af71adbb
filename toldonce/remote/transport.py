"""Requests to a server: its URL, and one connection to it. Connects to the configured address only."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from toldonce.errors import BadRequestError, BadSettingError, ServerUnreachableError
from toldonce.http_stream import read_parts

if TYPE_CHECKING:
    import aiohttp

CONNECT_TIMEOUT_S = 10.0
"""How long connecting may take."""
MAX_CONNECTIONS = 100
"""Connections of one pool: the calls that run at the same time; further ones wait."""
_READ_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request to the server."""

    method: str
    path: str
    """With the query; percent-encoded."""
    headers: Mapping[str, str]
    body: bytes | AsyncIterator[bytes] | None = field(default=None, repr=False)
    timeout_s: float
    """How long the server may be silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """The head of an answer, and its body as it arrives."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    parts: AsyncIterator[bytes] = field(repr=False)


class Transport(Protocol):
    """Sends requests to one server. Used from one event loop."""

    def open(self, request: HttpRequest) -> AbstractAsyncContextManager[HttpAnswer]:
        """Send a request; the answer can be read until the context ends. Redirects are not followed.

        Raises:
            ServerUnreachableError: The server cannot be reached, broke off, or is silent for too long; so does reading.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


class AiohttpTransport:
    """Sends requests through a pool of connections, which opens with the first request."""

    def __init__(self, base_url: str) -> None:
        """Send to a server.

        Args:
            base_url: Scheme, host, port and the path before `/v1`, without a slash at its end.
        """
        self._base_url = base_url
        self._opened: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def open(self, request: HttpRequest) -> AsyncIterator[HttpAnswer]:
        """Send a request: see `Transport.open`."""
        import aiohttp
        from yarl import URL

        try:
            async with self._session.request(
                request.method,
                URL(self._base_url + request.path, encoded=True),
                data=request.body,
                headers=request.headers,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=request.timeout_s),
            ) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                yield HttpAnswer(
                    status=response.status, headers=headers, parts=read_parts(response.content, _READ_BYTES)
                )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise ServerUnreachableError(f"{self._base_url} does not answer: {error}", is_sent=False) from None
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError, OSError) as error:
            what = "is silent for too long" if isinstance(error, TimeoutError) else "broke off"
            raise ServerUnreachableError(f"{self._base_url} {what} ({type(error).__name__})", is_sent=True) from None
        except (aiohttp.InvalidURL, aiohttp.ClientError, ValueError) as error:
            raise BadRequestError(f"the request cannot be sent to {self._base_url}: {error}") from None

    async def close(self) -> None:
        """Close all connections."""
        if self._opened is not None:
            await self._opened.close()
            # aiohttp closes the sockets in the next rounds of the event loop.
            await asyncio.sleep(0)

    @property
    def _session(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._opened is None:
            self._opened = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=MAX_CONNECTIONS),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
            )
        return self._opened


def base_url(url: str) -> str:
    """Return a server's URL without a slash at its end, and without `/v1`.

    >>> base_url("http://127.0.0.1:8765/v1/")
    'http://127.0.0.1:8765'

    Raises:
        BadSettingError: It is no URL of a server.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise BadSettingError("url", _without_password(url), "is no URL of a server; write http://127.0.0.1:8765")
    if parts.username or parts.password:
        raise BadSettingError("url", _without_password(url), "holds a password; pass the API key as key=")
    return url.rstrip("/").removesuffix("/v1").rstrip("/")


def _without_password(url: str) -> str:
    head, at, rest = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{rest}" if at else url
