"""A proxy in front of the server: the scheme, and the path below which browsers reach the server. Raw ASGI."""

from collections.abc import Iterable
from contextvars import ContextVar
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import ASGIApp

from toldonce.server.asgi import Receive, Scope, Send, header
from toldonce.server.status import BAD_REQUEST, send_error
from toldonce.settings.checks import origin_of, sub_path

_PREFIX: ContextVar[str] = ContextVar("toldonce_url_prefix", default="")


def url_prefix() -> str:
    """Return what the paths of this server begin with for the sender of the request, such as `/memory`; mostly empty.

    Links, redirects and cookies' paths need it. Paths that the server reads itself never have it.
    """
    return _PREFIX.get()


def base_url(scope: Scope, public_url: str | None) -> str:
    """Return the server's URL as the sender of a request knows it, with the prefix and without a slash at its end.

    Args:
        scope: The request.
        public_url: URL at which browsers reach the server; None: as this one called it.
    """
    host = (header(scope["headers"], b"host") or b"localhost").decode("latin-1")
    origin = origin_of(public_url) if public_url else f"{scope.get('scheme', 'http')}://{host}"
    return origin + url_prefix()


class FrontProxy:
    """Middleware that serves below a path of another server: the application sees the path without the prefix.

    The prefix is what a trusted proxy says in `X-Forwarded-Prefix`, or else the path of the server's public URL,
    or else the `root_path` of the ASGI server. The proxy may cut it off the path or leave it there.
    """

    def __init__(self, app: ASGIApp, *, public_path: str, proxies: Iterable[str]) -> None:
        """Serve an application.

        Args:
            app: The application.
            public_path: Path of the server's public URL; empty: it is reached at the root.
            proxies: Addresses and networks whose forwarded headers are believed.
        """
        self._app = app
        self._public_path = public_path
        self._proxies = tuple(ip_network(proxy, strict=False) for proxy in proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse a prefix that is no path with 400."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        forwarded = [pair for pair in scope["headers"] if pair[0].lower().startswith(b"x-forwarded-p")]
        trusted = forwarded if forwarded and self._is_trusted(scope) else []
        proto = (header(trusted, b"x-forwarded-proto") or b"").strip().lower()
        if proto in (b"http", b"https"):
            scope = {**scope, "scheme": proto.decode()}
        named = b",".join(value for name, value in trusted if name.lower() == b"x-forwarded-prefix").decode("latin-1")
        try:
            prefix = sub_path(named.strip())
        except ValueError as error:
            await send_error(send, BAD_REQUEST, f"X-Forwarded-Prefix {error}")
            return
        prefix = prefix or self._public_path or scope.get("root_path", "")
        if not prefix:
            await self._app(scope, receive, send)
            return
        token = _PREFIX.set(prefix)
        try:
            await self._app(_without(prefix, scope), receive, send)
        finally:
            _PREFIX.reset(token)

    def _is_trusted(self, scope: Scope) -> bool:
        try:
            address = ip_address((scope.get("client") or ("",))[0])
        except ValueError:
            return False
        if isinstance(address, IPv6Address):
            address = address.ipv4_mapped or address
        return any(address in proxy for proxy in self._proxies)


def _without(prefix: str, scope: Scope) -> Scope:
    """Return a request with a path without the prefix, if it has it."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    scope = {**scope, "root_path": ""}
    if scope["path"] != prefix and not scope["path"].startswith(f"{prefix}/"):
        return scope
    if not raw.startswith(prefix.encode()):  # an encoded prefix is not cut off: the two paths would differ
        return scope
    return {**scope, "path": scope["path"][len(prefix) :] or "/", "raw_path": raw[len(prefix) :] or b"/"}
