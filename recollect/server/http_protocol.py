"""HTTP/1.1 on the server's side: uvicorn's protocol over httptools, with the checks that its parser leaves out.

httptools parses in C. Its parser (llhttp) sets no limit on the size of a head, needs no `Host`, knows HTTP/0.9 and 2.0,
reports trailers as if they were headers, and skips the body of a request that asks for another protocol. uvicorn writes
a refusal even into the middle of an answer. Reads and writes sockets.
"""

from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from recollect.server.status import BAD_REQUEST, error_body

# Bytes that may arrive without completing a head or a part of a body. A browser's largest head is 16 KiB; this bounds
# trailers and chunk extensions, too.
MAX_UNFINISHED_BYTES = 64 * 1024
_INVALID = "Invalid HTTP request received."


class BadHeadError(ValueError):
    """The head of a request is not HTTP/1.1, although the parser takes it."""


class HttpProtocol(HttpToolsProtocol):
    """One connection of a client."""

    _unfinished_bytes = 0
    _is_in_head = False
    _is_refused = False

    def data_received(self, data: bytes) -> None:
        """Parse what arrived."""
        if self._is_refused:
            return
        self._unset_keepalive_if_required()
        self._unfinished_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._hand_over(data[upgrade.args[0] :])
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
        under_way = self.cycle is not None and not self.cycle.response_complete
        if under_way and not self.cycle.more_body:
            self.cycle.keep_alive = False  # what is wrong came after its request
            return
        if not under_way or not self.cycle.response_started:
            body = error_body(BAD_REQUEST, msg)
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            self.transport.write(STATUS_LINE[BAD_REQUEST] + head + body)
        self.transport.close()

    def _hand_over(self, rest: bytes) -> None:
        """Let uvicorn's other protocol serve a connection whose client asks for another one, such as HTTP/2.

        That protocol reads the body of such a request, and answers it over HTTP/1.1.
        """
        from uvicorn.protocols.http.h11_impl import H11Protocol  # rarely needed, and slow to import

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
