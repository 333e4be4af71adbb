"""HTTP/1.1 on the server's side: uvicorn's protocol over httptools, with the checks that its parser leaves out.

httptools parses in C. Its parser (llhttp) sets no limit on the size of a head, needs no `Host`, knows HTTP/0.9 and 2.0,
reports trailers as if they were headers, and skips the body of a request that asks for another protocol. uvicorn writes
a refusal even into the middle of an answer, and queues as many requests as a client sends at once. Reads and writes
sockets.
"""

import asyncio
from collections import deque
from importlib import import_module
from typing import Any
from urllib.parse import unquote

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from recollect.server.status import BAD_REQUEST, error_body

# Bytes that may arrive without completing a head or a part of a body. A browser's largest head is 16 KiB; this bounds
# trailers and chunk extensions, too.
MAX_UNFINISHED_BYTES = 64 * 1024
# Bytes parsed before looking whether a request is queued, which bounds the queue: the shortest request has 25 bytes.
_SLICE_BYTES = 4096
_UPGRADE_MODULE = "uvicorn.protocols.http.h11_impl"
_INVALID = "Invalid HTTP request received."


class BadHeadError(ValueError):
    """The head of a request is not HTTP/1.1, although the parser takes it."""


async def load_upgrade_protocol() -> None:
    """Import the protocol for upgrades in a thread: it takes 30 ms, and no request should wait for it."""
    await asyncio.to_thread(import_module, _UPGRADE_MODULE)


class _Flow(FlowControl):
    """Flow control that does not resume reading while requests are queued, although an application waits for more."""

    def __init__(self, transport: asyncio.Transport, queued: deque[Any]) -> None:
        super().__init__(transport)
        self._queued = queued

    def resume_reading(self) -> None:
        """Read on, unless requests are queued."""
        if not self._queued:
            super().resume_reading()


class HttpProtocol(HttpToolsProtocol):
    """One connection of a client."""

    _unparsed = memoryview(b"")
    """Bytes that follow a queued request; they are parsed when the queue is empty."""
    _answered: RequestResponseCycle | None = None
    """The request that is or was answered last; `cycle` is the one that was received last."""
    _unfinished_bytes = 0
    _is_in_head = False
    _is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        """Begin a connection."""
        super().connection_made(transport)
        self.flow = _Flow(transport, self.pipeline)

    def connection_lost(self, exc: Exception | None) -> None:
        """Notify the request that is answered, and drop those that are queued."""
        self._drop_queue()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived, as far as no request is queued."""
        if self._is_refused:
            return
        self._unparsed = memoryview(self._unparsed.tobytes() + data if self._unparsed else data)
        self._parse()

    def on_response_complete(self) -> None:
        """Answer the next request, and parse on when none is queued."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self.flow.resume_reading()
            if self._unparsed:
                self._parse()

    def _parse(self) -> None:
        self._unset_keepalive_if_required()
        while self._unparsed and not self.pipeline:
            data, rest = self._unparsed[:_SLICE_BYTES], self._unparsed[_SLICE_BYTES:]
            self._unparsed = rest or memoryview(b"")  # an empty slice would keep what arrived in memory
            self._parse_slice(data)

    def _parse_slice(self, data: memoryview) -> None:
        self._unfinished_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            rest = data[upgrade.args[0] :].tobytes() + self._unparsed.tobytes()
            self._unparsed = memoryview(b"")
            self._hand_over(rest)
        except httptools.HttpParserError:
            self.logger.warning(_INVALID)
            self.send_400_response(_INVALID)
        else:
            if self._unfinished_bytes > MAX_UNFINISHED_BYTES:
                self.send_400_response(f"The head of the request is larger than {MAX_UNFINISHED_BYTES} bytes.")

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; trailers are dropped, because a proxy in front may have checked the head alone."""
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Check the head, and start the application.

        Raises:
            BadHeadError: The parser turns it into an error of its own, which `data_received` answers with 400.
        """
        self._is_in_head = False
        self._unfinished_bytes = 0
        if not _is_acceptable(self.parser.get_http_version(), self.headers):
            raise BadHeadError
        if self.parser.should_upgrade():
            return  # the parser stops after this head
        super().on_headers_complete()
        # As the client wrote it: uvicorn drops what follows a `#`, and the host of an absolute target.
        path, _, query = self.url.partition(b"?")
        self.scope["path"], self.scope["raw_path"] = unquote(path.decode("ascii")), path
        self.scope["query_string"] = query

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._unfinished_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._unfinished_bytes = 0
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what arrived in the shape of all errors; an answer under way ends before the connection is closed."""
        self._is_refused = True
        self._drop_queue()
        under_way = self.cycle is not None and not self.cycle.response_complete
        if under_way and not self.cycle.more_body:
            self.cycle.keep_alive = False  # what is wrong came after its request
            self.flow.resume_reading()  # so that it is noticed when the client hangs up
            return
        if not under_way or not self.cycle.response_started:
            body = error_body(BAD_REQUEST, msg)
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            self.transport.write(STATUS_LINE[BAD_REQUEST] + head + body)
        self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def _drop_queue(self) -> None:
        """Forget what was received after the request that is answered."""
        self._unparsed = memoryview(b"")
        if self.pipeline and self._answered is not None:
            self.pipeline.clear()
            self.cycle = self._answered

    def _hand_over(self, rest: bytes) -> None:
        """Let uvicorn's other protocol serve a connection whose client asks for another one, such as HTTP/2.

        That protocol reads the body of such a request, and answers it over HTTP/1.1.
        """
        from uvicorn.protocols.http.h11_impl import H11Protocol  # see `load_upgrade_protocol`

        if self.cycle is not None and not self.cycle.response_complete:
            self.send_400_response(_INVALID)
            return
        self.connections.discard(self)
        head = b"".join([self.parser.get_method(), b" ", self.url, b" HTTP/1.1\r\n"])
        lines = b"".join([b"%s: %s\r\n" % header for header in self.headers])
        other = H11Protocol(self.config, self.server_state, self.app_state)
        other.connection_made(self.transport)
        self.transport.set_protocol(other)
        other.data_received(head + lines + b"\r\n" + rest)


def _is_acceptable(version: str, headers: list[tuple[bytes, bytes]]) -> bool:
    """Return whether a head is HTTP/1.0 or 1.1, names its host once, and has a body that is read as it was sent."""
    hosts = sum(name == b"host" for name, _ in headers)
    codings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    host_is_given = hosts == 1 or (hosts == 0 and version == "1.0")
    return version in ("1.0", "1.1") and host_is_given and codings in ([], [b"chunked"])
