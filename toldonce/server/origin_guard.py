"""Keep foreign web pages out: check `Host` and `Origin`, and answer CORS for listed origins. Raw ASGI.

Any page that a person visits can make the browser call a server on their machine, and a page under a name that points
to 127.0.0.1 (DNS rebinding) can read its answers. Programs other than browsers send no `Origin` and are not affected.
"""

from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import Headers, Receive, Scope, Send, header, send_body, send_start
from toldonce.server.status import FORBIDDEN, NO_CONTENT, send_error

# `host[:port]` of RFC 3986 without user information, percent signs and zones, in lower case.
_AUTHORITY = LazyPattern(r"(?:\[(?P<v6>[0-9a-f:.]{2,45})\]|(?P<name>[a-z0-9_.-]{1,254}))(?::(?P<port>[0-9]{1,5}))?")
_LABEL = LazyPattern(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = LazyPattern(r"[0-9]{1,10}|0x[0-9a-f]{0,8}")
_MAX_NAME, _MAX_PORT = 253, 65535
# Endings that no public name server resolves, so that no stranger can point such a name at this machine: reserved ones
# (RFC 6761, 6762, 8375, ICANN's `internal`) and Kubernetes' `svc` and `cluster.local`.
_PRIVATE = (".local", ".internal", ".home.arpa", ".test", ".svc")


@dataclass(frozen=True, slots=True)
class Authority:
    """A host and its port."""

    host: str
    """Name in lower case without the dot of the root, or an address in its shortest form, without brackets."""
    port: int | None
    is_address: bool

    @property
    def is_loopback(self) -> bool:
        """Whether it names this machine, whatever a name server answers."""
        if self.is_address:
            return (IPv6Address(self.host) if ":" in self.host else IPv4Address(self.host)).is_loopback
        return self.host == "localhost" or self.host.endswith(".localhost")

    @property
    def is_private(self) -> bool:
        """Whether no public name server can resolve it: an address, a single label or a reserved ending."""
        return self.is_address or "." not in self.host or self.host.endswith(_PRIVATE)


def parse_authority(value: str) -> Authority | None:
    """Parse `host[:port]` strictly; None if it is anything else.

    >>> parse_authority("LOCALHOST.:8765")
    Authority(host='localhost', port=8765, is_address=False)
    >>> parse_authority("[::1]:80"), parse_authority("[::1].evil.example"), parse_authority("0x7f.1")
    (Authority(host='::1', port=80, is_address=True), None, None)
    """
    match = _AUTHORITY.fullmatch(value.lower()) if value.isascii() else None
    if match is None or (match["port"] and int(match["port"]) > _MAX_PORT):
        return None
    port = int(match["port"]) if match["port"] else None
    if match["v6"] is not None:
        try:
            return Authority(str(IPv6Address(match["v6"])), port, is_address=True)
        except ValueError:
            return None
    return _named(match["name"], port)


def _named(name: str, port: int | None) -> Authority | None:
    """Parse a name or an IPv4 address; if the last label is a number, it must be a complete address."""
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > _MAX_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    if not _NUMBER.fullmatch(labels[-1]):
        return Authority(name, port, is_address=False)
    try:
        return Authority(str(IPv4Address(name)), port, is_address=True)
    except ValueError:
        return None


class HostRule:
    """Which hosts a server answers to: its own names, and listed ones."""

    def __init__(self, *, loopback: bool, listed: Iterable[str], guarded: bool = True) -> None:
        """Create a rule.

        Args:
            loopback: The server listens on a loopback address, so that only names of this machine are its own.
            listed: Further hosts, as `name` (any port) or `name:port`.
            guarded: On an open address, refuse names that a public name server can resolve.
        """
        self._loopback = loopback
        self._guarded = guarded
        known = [authority for host in listed if (authority := parse_authority(host)) is not None]
        self._listed = frozenset((authority.host, authority.port) for authority in known)

    def allows(self, value: str) -> bool:
        """Return whether a request with this `Host` is answered."""
        authority = parse_authority(value)
        if authority is None:
            return False
        if authority.is_loopback or not {(authority.host, authority.port), (authority.host, None)}.isdisjoint(
            self._listed
        ):
            return True
        return not self._loopback and (not self._guarded or authority.is_private)


_CORS = b"access-control-"
_METHODS = b"GET, POST, PUT, PATCH, DELETE, OPTIONS"
# Seconds that a browser may cache a preflight: it serves many turns, and a changed setting takes effect soon.
_PREFLIGHT_S = b"600"


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached only from this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class OriginGuard:
    """Middleware that refuses requests of foreign web pages on all routes."""

    def __init__(
        self, app: ASGIApp, *, loopback: bool, origins: Iterable[str], hosts: Iterable[str] | None = None
    ) -> None:
        """Guard an application.

        Args:
            app: The application.
            loopback: Whether it listens on a loopback address.
            origins: Foreign origins whose pages may call; their hosts are accepted, too.
            hosts: Further accepted hosts; None: on an open address, any well-formed one.
        """
        self._app = app
        self._origins = frozenset(origins)
        listed = (*(_netloc(origin) for origin in self._origins), *(hosts or ()))
        self._hosts = HostRule(loopback=loopback, listed=listed, guarded=hosts is not None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, refuse, or answer a listed page's preflight."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: Headers = tuple(scope["headers"])
        reason = self._refusal_reason(headers)
        if reason is not None:
            await send_error(send, FORBIDDEN, reason)
            return
        origin = header(headers, b"origin")
        if origin is None or _text(origin) not in self._origins:
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS" and header(headers, b"access-control-request-method") is not None:
            await _answer_preflight(send, origin, header(headers, b"access-control-request-headers") or b"*")
        else:
            await self._app(scope, receive, _with_cors(send, origin))

    def _refusal_reason(self, headers: Headers) -> str | None:
        hosts = [_text(value) for value in _all(headers, b"host")]
        origins = [_text(value) for value in _all(headers, b"origin")]
        if len(hosts) > 1:
            return "the request names more than one Host"
        if hosts and not self._hosts.allows(hosts[0]):
            return (
                f"the host {hosts[0][:200]!r} is not this server's: call it as localhost or by its address, list the "
                "name as you call it in TOLDONCE_HOSTS, or list http://HOST:PORT in TOLDONCE_ORIGINS"
            )
        foreign = [origin for origin in origins if origin not in self._origins]
        for origin in foreign:
            if not hosts or _netloc(origin) != hosts[0]:
                return f"a page of {origin!r} may not call this server; list that origin in TOLDONCE_ORIGINS if it may"
        crosses = b"cross-site" in (value.strip().lower() for value in _all(headers, b"sec-fetch-site"))
        if crosses and (foreign or not origins):
            return "a page of another site may not call this server; list its origin in TOLDONCE_ORIGINS if it may"
        return None


def _with_cors(send: Send, origin: bytes) -> Send:
    """Return `send` with headers that let the page of `origin` read the answer; upstream's own are replaced."""

    async def send_with_cors(event: MutableMapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            kept = [pair for pair in event.get("headers", ()) if not pair[0].lower().startswith(_CORS)]
            event = {**event, "headers": [*kept, *_origin_headers(origin), (_CORS + b"expose-headers", b"*")]}
        await send(event)

    return send_with_cors


async def _answer_preflight(send: Send, origin: bytes, requested_headers: bytes) -> None:
    allowed = [
        (_CORS + b"allow-methods", _METHODS),
        (_CORS + b"allow-headers", requested_headers),
        (_CORS + b"max-age", _PREFLIGHT_S),
    ]
    await send_start(send, NO_CONTENT, [*_origin_headers(origin), *allowed])
    await send_body(send, b"", more=False)


def _origin_headers(origin: bytes) -> list[tuple[bytes, bytes]]:
    return [(_CORS + b"allow-origin", origin), (b"vary", b"Origin")]


def _all(headers: Headers, name: bytes) -> list[bytes]:
    return [value for key, value in headers if key.lower() == name]


def _text(value: bytes) -> str:
    return value.decode("latin-1").strip(" \t").lower()


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:  # brackets without an address in them
        return ""
