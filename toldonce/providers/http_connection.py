"""HTTP connections of `JsonClient`, with aiohttp. Connects to the configured address only.

Loaded with the first request: a process that asks no model needs no HTTP client.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp

from toldonce.http_stream import read_parts

_READ_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReply:
    """An answer as it was received."""

    status: int
    retry_after: str | None
    body: bytes


class ConnectionFailedError(Exception):
    """The server cannot be reached, or broke off."""

    def __init__(self, name: str, *, reached: bool) -> None:
        super().__init__(name)
        self.name, self.reached = name, reached


class RequestInvalidError(Exception):
    """The request cannot be sent, or the answer is not HTTP."""


class ReplyTooLargeError(Exception):
    """The answer is larger than allowed."""


class HttpConnection:
    """A connection pool. Used from one event loop."""

    def __init__(self, headers: Mapping[str, str], *, max_bytes: int) -> None:
        """Create a pool; it connects with the first request.

        Args:
            headers: Sent with each request.
            max_bytes: Maximum size of an answer.
        """
        self._headers = headers
        self._max_bytes = max_bytes
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=None), trust_env=False, cookie_jar=aiohttp.DummyCookieJar()
        )

    async def post(self, url: str, data: bytes) -> RawReply:
        """Post `data`; redirects are not followed.

        Raises:
            ConnectionFailedError: The server cannot be reached, or broke off.
            RequestInvalidError: The request cannot be sent, or the answer is not HTTP.
            ReplyTooLargeError: The answer is too large.
        """
        try:
            return await self._post(url, data)
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
            reached = not isinstance(error, aiohttp.ClientConnectorError)
            raise ConnectionFailedError(type(error).__name__, reached=reached) from None
        except (aiohttp.ClientError, ValueError) as error:
            raise RequestInvalidError(type(error).__name__) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def _post(self, url: str, data: bytes) -> RawReply:
        async with self._session.post(url, data=data, headers=self._headers, allow_redirects=False) as response:
            body = bytearray()
            async for part in read_parts(response.content, _READ_BYTES):
                body += part
                if len(body) > self._max_bytes:
                    response.close()
                    raise ReplyTooLargeError
            return RawReply(status=response.status, retry_after=response.headers.get("Retry-After"), body=bytes(body))
