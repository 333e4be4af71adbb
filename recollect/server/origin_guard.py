"""Keep web pages out: which `Host` and `Origin` may speak with the server, and CORS for those listed. Raw ASGI.

Any page a person visits can make the browser call a server on their machine, and a name that is pointed at 127.0.0.1
(DNS rebinding) can read its answers. Programs that are no browsers send no `Origin` and are not concerned.
"""

from collections.abc import Iterable, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from recollect.server.asgi import Headers, Receive, Scope, Send, header, send_body, send_json, send_start
from recollect.server.host import HostRule, parse_authority
from recollect.server.status import FORBIDDEN, error_body, error_kind

_CORS = b"access-control-"
_METHODS = b"GET, POST, PUT, PATCH, DELETE, OPTIONS"
# How long a browser may keep the answer to a preflight, in seconds: one for many turns, gone soon after a change.
_PREFLIGHT_S = b"600"


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_own_name(host: str) -> bool:
    """Tell whether a `Host` value names this machine whatever a name server says.

    >>> is_own_name("[::1]:8765"), is_own_name("Chat.localhost"), is_own_name("localhost.example")
    (True, True, False)
    """
    authority = parse_authority(host)
    return authority is not None and authority.is_loopback


class OriginGuard:
    """Middleware around all routes that refuses foreign pages."""

    def __init__(
        self, app: ASGIApp, *, loopback: bool, origins: Iterable[str], hosts: Iterable[str] | None = None
    ) -> None:
        """Guard an application.

        Args:
            app: What is guarded.
            loopback: Whether it listens on a loopback address.
            origins: Foreign origins whose pages may call; their hosts are answered to as well.
            hosts: Further hosts that are answered to; None: on an open address any well-formed one is.
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
        why = self._why_not(headers)
        if why is not None:
            await send_json(send, FORBIDDEN, error_body(why, kind=error_kind(FORBIDDEN)))
            return
        origin = header(headers, b"origin")
        if origin is None or _text(origin) not in self._origins:
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS" and header(headers, b"access-control-request-method") is not None:
            await _allow(send, origin, header(headers, b"access-control-request-headers") or b"*")
        else:
            await self._app(scope, receive, _with_cors(send, origin))

    def _why_not(self, headers: Headers) -> str | None:
        hosts = [_text(value) for value in _all(headers, b"host")]
        origins = [_text(value) for value in _all(headers, b"origin")]
        if len(hosts) > 1:
            return "the request names more than one Host"
        if hosts and not self._hosts.allows(hosts[0]):
            return (
                f"the host {hosts[0][:200]!r} is not this server's: call it as localhost or by its address, list the "
                "name as you call it in RECOLLECT_HOSTS, or list http://HOST:PORT in RECOLLECT_ORIGINS"
            )
        foreign = [one for one in origins if one not in self._origins]
        for origin in foreign:
            if not hosts or _netloc(origin) != hosts[0]:
                return f"a page of {origin!r} may not call this server; list that origin in RECOLLECT_ORIGINS if it may"
        crosses = b"cross-site" in (value.strip().lower() for value in _all(headers, b"sec-fetch-site"))
        if crosses and (foreign or not origins):
            return "a page of another site may not call this server; list its origin in RECOLLECT_ORIGINS if it may"
        return None


def _with_cors(send: Send, origin: bytes) -> Send:
    """Return `send`, letting the page of `origin` read the answer; what upstream says of that is ours to say."""

    async def sending(event: MutableMapping[str, Any]) -> None:
        if event["type"] == "http.response.start":
            kept = [pair for pair in event.get("headers", ()) if not pair[0].lower().startswith(_CORS)]
            event = {**event, "headers": [*kept, *_naming(origin), (_CORS + b"expose-headers", b"*")]}
        await send(event)

    return sending


async def _allow(send: Send, origin: bytes, asked: bytes) -> None:
    allowed = [
        (_CORS + b"allow-methods", _METHODS),
        (_CORS + b"allow-headers", asked),
        (_CORS + b"max-age", _PREFLIGHT_S),
    ]
    await send_start(send, 204, [*_naming(origin), *allowed])
    await send_body(send, b"", more=False)


def _naming(origin: bytes) -> list[tuple[bytes, bytes]]:
    return [(_CORS + b"allow-origin", origin), (b"vary", b"Origin")]


def _all(headers: Headers, name: bytes) -> list[bytes]:
    return [value for key, value in headers if key.lower() == name]


def _text(value: bytes) -> str:
    return value.decode("latin-1").strip(" \t").lower()


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:  # brackets that hold no address
        return ""
