"""One POST to a server, over HTTP/1.0. Opens a socket.

`http.client` loads a mail parser, and that takes longer than a hook's whole request. An answer over HTTP/1.0 comes in
one piece and ends with the connection. TLS is left to `http.client`.
"""

import time
from _socket import IPPROTO_TCP, SOCK_STREAM, TCP_NODELAY, getaddrinfo, socket

MAX_ANSWER_BYTES = 4 * 1024 * 1024
_MIN_TIMEOUT_S = 0.05


class BadAnswerError(Exception):
    """What came back is no HTTP."""


class NotConnectedError(ConnectionError):
    """No connection: the request was not sent."""


class ServerAddress:
    """Where a server is."""

    __slots__ = ("host", "is_tls", "path", "port")

    def __init__(self, url: str) -> None:
        """Read a URL.

        Raises:
            ValueError: It is none of a server.
        """
        scheme, _, rest = url.partition("://")
        place, _, path = rest.partition("/")
        host, _, port = place.rpartition(":") if _has_port(place) else (place, "", "")
        self.is_tls = scheme.lower() == "https"
        if scheme.lower() not in ("http", "https") or "@" in place or not host.strip("[]"):
            raise ValueError("no URL of a server")
        if any(character <= " " or character in "?#" for character in rest):
            raise ValueError("no URL of a server")
        self.host = host.strip("[]")
        self.port = int(port) if port else 443 if self.is_tls else 80
        self.path = f"/{path}".rstrip("/").removesuffix("/v1")
        """Without a slash at its end; empty for the root."""


def post(address: ServerAddress, path: str, headers: dict[str, str], body: bytes, until: float) -> tuple[int, bytes]:
    """Send a request; return the status and the body of the answer.

    Raises:
        NotConnectedError: The server cannot be reached.
        OSError: It broke off, or is silent until `until` (on `time.monotonic`).
        BadAnswerError: It does not speak HTTP.
    """
    if address.is_tls:
        return _post_tls(address, path, headers, body, until)
    host = f"[{address.host}]" if ":" in address.host else address.host
    lines = [f"POST {address.path}{path} HTTP/1.0", f"host: {host}:{address.port}", f"content-length: {len(body)}"]
    head = "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""])
    connection = _connect(address, until)
    try:
        connection.settimeout(_left(until))
        connection.sendall(head.encode("utf-8", "replace") + body)
        return _read(_received(connection, until))
    finally:
        connection.close()


def _has_port(place: str) -> bool:
    return ":" in place.rpartition("]")[2]


def _left(until: float) -> float:
    return max(_MIN_TIMEOUT_S, until - time.monotonic())


def _connect(address: ServerAddress, until: float) -> socket:
    failure: OSError | None = None
    try:
        # For a name that is text, the codec of international names is loaded, whatever it is.
        name = address.host.encode() if address.host.isascii() else address.host
        places = getaddrinfo(name, address.port, 0, SOCK_STREAM)
    except OSError as error:
        raise NotConnectedError(str(error)) from None
    for family, kind, protocol, _, place in places:
        connection = socket(family, kind, protocol)
        try:
            connection.settimeout(_left(until))
            connection.connect(place)
            connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    raise NotConnectedError(str(failure or "the server has no address"))


def _received(connection: socket, until: float) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        connection.settimeout(_left(until))
        piece = connection.recv(65536)
        pieces.append(piece)
        size += len(piece)
        if not piece or size > MAX_ANSWER_BYTES:
            return b"".join(pieces)
        if time.monotonic() > until:
            raise TimeoutError("the answer took too long")


def _read(raw: bytes) -> tuple[int, bytes]:
    head, _, body = raw.partition(b"\r\n\r\n")
    version, _, rest = head.partition(b" ")
    if not version.startswith(b"HTTP/1.") or not rest[:3].isdigit():
        raise BadAnswerError("no HTTP")
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit() and len(body) < int(value):
            raise BadAnswerError("half an answer")
    return int(rest[:3]), body


def _post_tls(
    address: ServerAddress, path: str, headers: dict[str, str], body: bytes, until: float
) -> tuple[int, bytes]:
    import http.client

    connection = http.client.HTTPSConnection(address.host, address.port, timeout=_left(until))
    try:
        connection.request("POST", address.path + path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read(MAX_ANSWER_BYTES)
    except (http.client.HTTPException, UnicodeError) as error:
        raise BadAnswerError(type(error).__name__) from None
    finally:
        connection.close()
