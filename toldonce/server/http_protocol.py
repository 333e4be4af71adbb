"""HTTP/1.1 on the server's side: uvicorn's protocol over httptools, with the checks and limits that its parser lacks.

httptools parses in C. Its parser (llhttp) sets no limit on the size of a head, needs no `Host`, knows HTTP/0.9 and 2.0,
reports trailers as if they were headers, and skips the body of a request that asks for another protocol. uvicorn sets
no deadline but that between two requests, writes a refusal even into the middle of an answer, and queues as many
requests as a client sends at once. Reads and writes sockets.
"""

import asyncio
from collections import deque
from threading import Thread
from typing import Any
from urllib.parse import unquote

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from toldonce.freed_memory import return_freed_memory
from toldonce.server.connection_table import SMALL_BODY_BYTES, ConnectionTable, address_group
from toldonce.server.refusals import (
    BAD_TARGET,
    BUSY,
    HOLDS_ENOUGH,
    INVALID,
    NO_WEBSOCKET,
    SLOW_BODY,
    SLOW_HEAD,
    TOO_MANY,
    RefusedError,
    is_acceptable,
    refusal_bytes,
    too_large,
    too_long,
    too_many_headers,
)
from toldonce.server.request_target import is_plain_target
from toldonce.server.status import Refusal
from toldonce.settings.bounds import BoundSettings

# Bytes parsed before looking whether a request is queued, which bounds the queue: the shortest request has 25 bytes.
_SLICE_BYTES = 4096
# A body may take its time as long as so many bytes of it come each second.
MIN_BODY_BYTES_PER_S = 1024
# A refused client gets so long to read its answer while what it still sends is dropped.
LINGER_S = 3.0
# After the end of a request with a body of this size, memory that the C library keeps goes back to the system.
LARGE_BODY_BYTES = 1024 * 1024
# What the request left is free by then, its record mostly written.
_FREED_AFTER_S = 2.0
# Bodies of these paths go to a file while they come: they have a limit of their own, and no more of them is held.
_IMPORT = "/import"
# What a server that is full still answers, so that it is not taken for dead.
_MONITORING = frozenset({"/livez", "/readyz", "/healthz", "/metrics"})


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

    address = ""
    _unparsed = memoryview(b"")
    """Bytes that follow a queued request; they are parsed when the queue is empty."""
    _answered: RequestResponseCycle | None = None
    """The request that is or was answered last; `cycle` is the one that was received last."""
    _unfinished_bytes = 0
    """Bytes that came without completing a head or a part of a body."""
    _head_bytes = 0
    _body_bytes = 0
    _held_bytes = 0
    """Bytes of bodies that the table counts for this connection."""
    _is_in_head = False
    _is_in_body = False
    _is_import = False
    """Whether the body is a file that is imported."""
    _is_counted = False
    """Whether the table counts a request of this connection."""
    _is_spare = False
    """Whether the connection came beyond the limits, so that it serves monitoring alone."""
    _is_deaf = False
    """Whether what the client sends is dropped, because it is refused."""
    _lingering: asyncio.TimerHandle | None = None
    _head_since: float | None = None
    """When the wait for a head began; None during a request, and between two of them."""
    _slow_s = 0.0
    """How long the body's bytes were waited for."""
    _closing_s = 0.0
    """How long a closed connection has bytes left to send."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        table: ConnectionTable | None = None,
    ) -> None:
        """Create a connection as uvicorn does; `table` has those of the whole server."""
        super().__init__(config, server_state, app_state, _loop)
        self._table = ConnectionTable(BoundSettings.model_construct()) if table is None else table
        self._limits = self._table.limits

    # ---- the connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        """Begin a connection."""
        super().connection_made(transport)
        self.flow = _Flow(transport, self.pipeline)
        self.address = address_group(self.client[0] if self.client else "")
        self._head_since = self.loop.time()
        if not self._table.admit(self):
            transport.write(refusal_bytes(BUSY))
            self._is_deaf = True
            transport.close()
        self._is_spare = self._table.is_full_for(self.address)

    def connection_lost(self, exc: Exception | None) -> None:
        """Notify the request that is answered, and drop those that are queued."""
        self._drop_queue()
        self._end_request()
        self._table.discard(self)
        if self._lingering is not None:
            self._lingering.cancel()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close the connection at once, unread answers included."""
        self.transport.abort()

    def shutdown(self) -> None:
        """End the connection after its answer; called when the server stops."""
        super().shutdown()
        if self._lingering is not None:
            self.transport.abort()

    def check_deadlines(self, now: float, elapsed: float) -> None:
        """Refuse or end what is too slow.

        Args:
            now: The loop's time.
            elapsed: Seconds since the last call.
        """
        if self.transport.is_closing():
            self._closing_s += elapsed
            if self._closing_s > self._limits.body_timeout_s:
                self.transport.abort()  # the client does not read the end of its answer
        elif self._is_in_body:
            self._slow_s += 0.0 if self.flow.read_paused else elapsed
            if self._slow_s > self._limits.body_timeout_s + self._body_bytes / MIN_BODY_BYTES_PER_S:
                self._table.refused["slow body"] += 1
                self._refuse(SLOW_BODY)
        elif self._head_since is not None and now - self._head_since > self._limits.header_timeout_s:
            self._table.refused["slow head"] += 1
            if self._unfinished_bytes:
                self._refuse(SLOW_HEAD)
            else:
                self.transport.abort()

    # ---- what the client sends

    def data_received(self, data: bytes) -> None:
        """Parse what arrived, as far as no request is queued."""
        if self._is_deaf:
            return
        if self._head_since is None and not self._is_counted:
            self._head_since = self.loop.time()
        self._unparsed = memoryview(self._unparsed.tobytes() + data if self._unparsed else data)
        self._parse()

    def on_response_complete(self) -> None:
        """Answer the next request, and parse on when none is queued."""
        self._end_request()
        super().on_response_complete()
        if not self.transport.is_closing():
            self.flow.resume_reading()
            if self._unparsed:
                self._head_since = None if self._is_counted else self.loop.time()
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
            self._parse_without_upgrade(rest)
        except httptools.HttpParserError as error:
            cause = error.__context__
            refusal = cause.args[0] if isinstance(cause, RefusedError) else INVALID
            if refusal is INVALID:
                self.logger.warning(INVALID.message)
            self._refuse(refusal)
        else:
            if self._unfinished_bytes > self._limits.max_header_bytes:
                self._refuse(too_large(self._limits, in_head=self._is_in_head))

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of the target."""
        self._count_head(len(url))
        super().on_url(url)

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self._limits.max_header_bytes:
            raise RefusedError(too_large(self._limits, in_head=True))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; trailers are dropped, because a proxy in front may have checked the head alone.

        Raises:
            RefusedError: There are too many, or they are too large.
        """
        if not self._is_in_head:
            return
        self._count_head(len(name) + len(value))
        if len(self.headers) >= self._limits.max_headers:
            raise RefusedError(too_many_headers(self._limits))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Check the head, and start the application.

        Raises:
            RefusedError: The request is not HTTP/1.1, although the parser takes it, or exceeds a limit.
        """
        self._is_in_head = False
        self._unfinished_bytes = 0
        if not is_acceptable(self.parser.get_http_version(), self.headers):
            raise RefusedError(INVALID)
        path, _, query = self.url.partition(b"?")
        if not is_plain_target(path):
            raise RefusedError(BAD_TARGET)
        if self.parser.should_upgrade():
            if any(name == b"upgrade" and b"websocket" in value.lower() for name, value in self.headers):
                raise RefusedError(NO_WEBSOCKET)
            return  # the parser stops after this head
        self._admit_request(path.decode("latin-1"))
        self._is_in_body, self._body_bytes, self._slow_s, self._head_since = True, 0, 0.0, None
        super().on_headers_complete()
        # As the client wrote it: uvicorn drops what follows a `#`, and the host of an absolute target.
        self.scope["path"], self.scope["raw_path"] = unquote(path.decode("ascii")), path
        self.scope["query_string"] = query
        if self._is_spare:
            self.cycle.keep_alive = False

    def _admit_request(self, path: str) -> None:
        length = next((int(value) for name, value in self.headers if name == b"content-length"), 0)
        self._is_import = path.endswith(_IMPORT)
        self._require_room(length)
        if path not in _MONITORING:
            self._is_spare = self._is_spare and self._table.is_full_for(self.address)
            if self._is_spare:
                raise RefusedError(BUSY)
            if not self._is_counted and not self._table.begin_request(self):
                raise RefusedError(TOO_MANY)
            self._is_counted = True
        self._hold(length)

    def _require_room(self, size: int) -> None:
        limits = self._limits
        if size > (limits.max_import_bytes if self._is_import else limits.max_body_bytes):
            raise RefusedError(too_long(limits, is_import=self._is_import))

    def _hold(self, size: int) -> None:
        """Count bytes of a body, those that a head announces at once.

        Raises:
            RefusedError: The server holds as many as it takes.
        """
        size = min(size, SMALL_BODY_BYTES) if self._is_import else size
        more = size - self._held_bytes
        if more > 0:
            if not self._table.hold(self._held_bytes, more):
                raise RefusedError(HOLDS_ENOUGH)
            self._held_bytes = size

    def on_body(self, body: bytes) -> None:
        """Take a part of the body.

        Raises:
            RefusedError: It is too large.
        """
        self._unfinished_bytes = 0
        self._body_bytes += len(body)
        if self.cycle.response_complete:
            return
        self._require_room(self._body_bytes)
        self._hold(self._body_bytes)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End a request."""
        self._unfinished_bytes = 0
        self._is_in_body = False
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def _parse_without_upgrade(self, rest: bytes) -> None:
        """Serve a request whose client asks for another protocol, such as HTTP/2, over HTTP/1.1.

        The parser ended with its head, and would skip its body: another one gets it without that header.
        """
        head = b"".join([self.parser.get_method(), b" ", self.url, b" HTTP/1.1\r\n"])
        lines = b"".join([b"%s: %s\r\n" % (name, value) for name, value in self.headers if name != b"upgrade"])
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._unparsed = memoryview(head + lines + b"\r\n" + rest)

    # ---- refusals and ends

    def _refuse(self, refusal: Refusal) -> None:
        """Refuse what arrived in the shape of all errors; an answer under way ends before the connection is closed."""
        self._is_deaf = True
        self._drop_queue()
        under_way = self.cycle is not None and not self.cycle.response_complete
        if under_way and not self.cycle.more_body:
            self.cycle.keep_alive = False  # what is wrong came after its request
            self.flow.resume_reading()  # so that it is noticed when the client hangs up
            return
        is_answered = self.cycle.response_started if under_way else self._is_in_body
        if not is_answered:
            self.transport.write(refusal_bytes(refusal))
        if under_way:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._end_request()
        self._linger()

    def _linger(self) -> None:
        """End the connection when the client does, or after `LINGER_S`.

        If it were closed while the client sends, the client's system would drop the answer unread.
        """
        self._is_in_body, self._head_since = False, None
        self._unset_keepalive_if_required()
        if self.transport.is_closing():
            return
        self._lingering = self.loop.call_later(LINGER_S, self.transport.abort)
        self.flow.resume_reading()
        self.transport.write_eof()

    def _end_request(self) -> None:
        """Give back to the table what the request took."""
        self._table.release(self._held_bytes)
        if self._held_bytes > LARGE_BODY_BYTES:
            self.loop.call_later(_FREED_AFTER_S, _return_memory)
        self._held_bytes = 0
        if self._is_counted and not self.pipeline:
            self._is_counted = False
            self._table.end_request(self)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def _drop_queue(self) -> None:
        """Forget what was received after the request that is answered."""
        self._unparsed = memoryview(b"")
        if self.pipeline and self._answered is not None:
            self.pipeline.clear()
            self.cycle = self._answered


def _return_memory() -> None:
    """Return freed memory in a thread of its own: the loop's executor may have been shut down since the request."""
    Thread(target=return_freed_memory, name="toldonce-memory", daemon=True).start()
