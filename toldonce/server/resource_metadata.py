"""Where to get a token for /mcp (RFC 9728), if an identity provider is configured. Raw ASGI."""

import json
from collections.abc import Sequence

from toldonce.server.asgi import Header, Receive, Scope, Send, header, send_json
from toldonce.server.front_proxy import url_prefix
from toldonce.server.status import NOT_FOUND, OK, send_error

MCP_PATH = "/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource"
_CHALLENGE = b"www-authenticate"


class ResourceMetadata:
    """The page that names the identity provider, and the challenge that names the page."""

    def __init__(self, issuer: str | None) -> None:
        """Name this issuer; None: there is none, and so no page: an API key is no token that a client can ask for."""
        self._issuer = issuer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the page."""
        del receive
        if self._issuer is None:
            await send_error(send, NOT_FOUND, "no identity provider is configured: send an API key of ToldOnce")
            return
        page = {
            "resource": _origin(scope) + MCP_PATH,
            "authorization_servers": [self._issuer],
            "bearer_methods_supported": ["header"],
        }
        await send_json(send, OK, json.dumps(page).encode())

    def challenge(self, scope: Scope, headers: Sequence[Header]) -> list[Header]:
        """Add the page's address to the challenge of a request for /mcp."""
        if self._issuer is None or scope["path"].rstrip("/") != MCP_PATH:
            return list(headers)
        page = f', resource_metadata="{_origin(scope)}{METADATA_PATH}{MCP_PATH}"'.encode("latin-1")
        return [(name, value + page if name == _CHALLENGE else value) for name, value in headers]


def _origin(scope: Scope) -> str:
    """Return the server's URL as the client wrote it; a proxy in front of the server names the scheme."""
    host = (header(scope["headers"], b"host") or b"localhost").decode("latin-1")
    scheme = (header(scope["headers"], b"x-forwarded-proto") or scope.get("scheme", "http").encode()).decode("latin-1")
    return f"{'https' if scheme.strip().lower() == 'https' else 'http'}://{host}{url_prefix()}"
