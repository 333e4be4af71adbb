"""Refusals of the HTTP protocol: requests that no route gets to see. Pure."""

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from toldonce.server.asgi import OWN_HEADERS, Headers
from toldonce.server.status import (
    BAD_REQUEST,
    HEADERS_TOO_LARGE,
    REQUEST_TIMEOUT,
    SERVICE_UNAVAILABLE,
    TOO_LARGE,
    TOO_MANY_REQUESTS,
    UPGRADE_REQUIRED,
    Refusal,
    error_body,
    retry_headers,
)
from toldonce.settings.bounds import BoundSettings

INVALID = Refusal(BAD_REQUEST, "Invalid HTTP request received.")
BAD_TARGET = Refusal(
    BAD_REQUEST, "The request's target must be a path that begins with a slash, without #, \\ or control characters."
)
# Answered at once: an agent then goes on over HTTP.
NO_WEBSOCKET = Refusal(UPGRADE_REQUIRED, "No WebSocket is relayed: use HTTP.")
# RFC 9110, sections 7.8 and 15.5.22: a 426 names the protocol that is required.
_GO_ON_OVER_HTTP: Headers = ((b"connection", b"close, upgrade"), (b"upgrade", b"HTTP/1.1"))
BUSY = Refusal(SERVICE_UNAVAILABLE, "The server has as many connections as it takes; try again later.")
TOO_MANY = Refusal(TOO_MANY_REQUESTS, "Too many requests of this address are under way; try again when one has ended.")
HOLDS_ENOUGH = Refusal(SERVICE_UNAVAILABLE, "The server holds as many large requests as it takes; try again later.")
SLOW_HEAD = Refusal(REQUEST_TIMEOUT, "The head of the request did not come in time.")
SLOW_BODY = Refusal(REQUEST_TIMEOUT, "The body of the request did not come in time.")


class RefusedError(ValueError):
    """A request is refused; the parser turns it into an error of its own."""


def too_large(limits: BoundSettings, *, in_head: bool) -> Refusal:
    """Refuse what came without completing a head, or a part of a body."""
    if not in_head:
        return Refusal(BAD_REQUEST, f"A trailer or chunk is larger than {limits.max_header_bytes} bytes.")
    return Refusal(HEADERS_TOO_LARGE, f"The head of the request is larger than {limits.max_header_bytes} bytes.")


def too_many_headers(limits: BoundSettings) -> Refusal:
    """Refuse a head with too many headers."""
    return Refusal(HEADERS_TOO_LARGE, f"The request has more than {limits.max_headers} headers.")


def too_long(limits: BoundSettings, *, is_import: bool) -> Refusal:
    """Refuse a body, or a file that is imported."""
    limit, setting = (
        (limits.max_import_bytes, "TOLDONCE_MAX_IMPORT_BYTES")
        if is_import
        else (limits.max_body_bytes, "TOLDONCE_MAX_BODY_BYTES")
    )
    return Refusal(TOO_LARGE, f"the body is larger than {limit} bytes; raise {setting} if it should be taken")


def refusal_bytes(refusal: Refusal) -> bytes:
    """Write the answer of a refusal."""
    body = error_body(refusal.status, refusal.message)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        *(_GO_ON_OVER_HTTP if refusal.status == UPGRADE_REQUIRED else ((b"connection", b"close"),)),
        *OWN_HEADERS,
        *retry_headers(refusal.status),
    ]
    lines = b"".join([b"%s: %s\r\n" % header for header in headers])
    return STATUS_LINE[refusal.status] + lines + b"\r\n" + body


def is_acceptable(version: str, headers: list[tuple[bytes, bytes]]) -> bool:
    """Return whether a head is HTTP/1.0 or 1.1, names its host once, and has a body that is read as it was sent."""
    hosts = sum(name == b"host" for name, _ in headers)
    codings = [value.lower() for name, value in headers if name == b"transfer-encoding"]
    host_is_given = hosts == 1 or (hosts == 0 and version == "1.0")
    return version in ("1.0", "1.1") and host_is_given and codings in ([], [b"chunked"])
