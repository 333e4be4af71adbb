"""Client of the configured API, with a deadline for each phase. Connects upstream.

A server without such an API loads no HTTP client.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from toldonce.http_stream import read_part
from toldonce.server.asgi import Headers
from toldonce.server.upstream import BackendResponse, Deadlines, UpstreamBrokenError, UpstreamError

_V1 = "/v1"
# The most of an answer that is relayed in one go, so that others get their turn.
_CHUNK_BYTES = 64 * 1024
# Larger bodies are written piece by piece: the client library would copy the rest of one into its buffer.
_PIECE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class _HttpAnswer:
    response: aiohttp.ClientResponse
    deadlines: Deadlines
    started: float

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def headers(self) -> Headers:
        return tuple((bytes(name), bytes(value)) for name, value in self.response.raw_headers)

    async def chunks(self) -> AsyncIterator[bytes]:
        content = self.response.content
        watchdog = _Watchdog(content, self.deadlines, self.started)
        try:
            while True:
                watchdog.begin()
                chunk = await read_part(content, _CHUNK_BYTES)
                watchdog.end()
                if not chunk:
                    return
                yield chunk
        except _OverdueError as error:
            raise UpstreamBrokenError(f"upstream's answer {error}") from None
        except (aiohttp.ClientError, OSError) as error:
            # A cut that comes with the last bytes is reported before them: no public method reads what is left.
            if rest := content._read_nowait(-1):
                yield rest
            raise UpstreamBrokenError(f"upstream's answer broke off: {type(error).__name__}") from error
        finally:
            watchdog.stop()


class _OverdueError(Exception):
    """An answer is silent, or takes too long as a whole."""


class _Watchdog:
    """The time limits of an answer's body, with one timer for all of it instead of one for each chunk.

    Limits only move on, so that the timer may ring early; it is then set to the limit of that moment.
    """

    def __init__(self, content: aiohttp.StreamReader, deadlines: Deadlines, started: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._content = content
        self._silence_s = deadlines.first_byte_s
        self._idle_s = deadlines.idle_s
        self._end = started + deadlines.total_s
        self._limit: float | None = None
        """When the chunk that is waited for is overdue; None while no chunk is."""
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Begin to wait for a chunk."""
        self._bytes = self._content.total_bytes
        self._limit = limit = min(self._loop.time() + self._silence_s, self._end)
        if self._timer is None or limit < self._timer.when():
            self._set_timer(limit)

    def end(self) -> None:
        """Note that a chunk came."""
        self._limit = None
        self._silence_s = self._idle_s

    def stop(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self, when: float) -> None:
        self.stop()
        self._timer = self._loop.call_at(when, self._ring)

    def _ring(self) -> None:
        now = self._loop.time()
        # A process that did not run for a while finds both the chunk and the end of its time.
        if self._limit is None or self._content.total_bytes > self._bytes:
            self._set_timer(now + self._idle_s)
        elif now < self._limit:
            self._set_timer(self._limit)
        else:
            is_total = self._limit == self._end
            reason = "took longer than its total time" if is_total else f"was silent for {self._silence_s:g} s"
            self._content.set_exception(_OverdueError(reason))


def upstream_url(base_url: str, path: str) -> str:
    """Return where upstream has a path: `/v1/…` below the base URL, however that ends, others beside its `/v1`.

    >>> upstream_url("http://127.0.0.1:11434/v1", "/v1/models"), upstream_url("http://127.0.0.1:11434/v1", "/api/tags")
    ('http://127.0.0.1:11434/v1/models', 'http://127.0.0.1:11434/api/tags')
    """
    if path.startswith(f"{_V1}/"):
        return base_url + path.removeprefix(_V1)
    return base_url.removesuffix(_V1) + path


class HttpUpstream:
    """Sends requests to one API: bytes as given, no redirects, no proxy variables."""

    def __init__(self, base_url: str, deadlines: Deadlines) -> None:
        """Take the base URL with its `/v1`; no connection is made yet."""
        self.base_url = base_url
        self._deadlines = deadlines
        self._session: aiohttp.ClientSession | None = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                auto_decompress=False,
                trust_env=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers={"User-Agent", "Accept", "Accept-Encoding", "Content-Type"},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._deadlines.connect_s),
                read_bufsize=256 * 1024,
            )
        return self._session

    @asynccontextmanager
    async def send(self, method: str, path: str, headers: Headers, body: bytes) -> AsyncIterator[BackendResponse]:
        """Send a request; on exit the connection is closed unless the answer was read to its end.

        Args:
            method: HTTP method.
            path: Path with its query, already encoded; see `upstream_url`.
            headers: All headers to send.
            body: The body to send.

        Raises:
            UpstreamError: There was no connection, or no headers in time.
        """
        loop = asyncio.get_running_loop()
        started = loop.time()
        named: CIMultiDict[str] = CIMultiDict()
        for name, value in headers:
            named.add(name.decode("latin-1"), _readable(value))
        if len(body) > _PIECE_BYTES:
            named["Content-Length"] = str(len(body))
        try:
            async with asyncio.timeout(min(self._deadlines.first_byte_s, self._deadlines.total_s)):
                response = await self._open().request(
                    method,
                    URL(upstream_url(self.base_url, path), encoded=True),
                    headers=named,
                    data=_pieces(body) if len(body) > _PIECE_BYTES else body or None,
                    allow_redirects=False,
                )
        except TimeoutError as error:
            raise UpstreamError(
                f"no answer from {self.base_url} in time ({error or 'first byte'})", timed_out=True
            ) from None
        except (aiohttp.ClientError, OSError) as error:
            raise UpstreamError(f"no connection to {self.base_url}: {error}", timed_out=False) from error
        except (
            ValueError
        ) as error:  # a control character in a header that our server accepts and the client library does not
            raise UpstreamError(f"the request cannot be sent to {self.base_url}: {error}", timed_out=False) from error
        try:
            yield _HttpAnswer(response, self._deadlines, started)
        finally:
            if response.content.at_eof():
                response.release()
            else:
                response.close()

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), _PIECE_BYTES):
        yield body[start : start + _PIECE_BYTES]


def _readable(value: bytes) -> str:
    """Decode a header so that the client library's UTF-8 encoding gives the same bytes if possible."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
