"""Routes about the server itself: `GET /`, `/openapi.json` and `/docs`. Serves through Starlette."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toldonce.server.api.v1.docs_page import CONTENT_SECURITY_POLICY, docs_page
from toldonce.server.api.v1.openapi import openapi_document
from toldonce.server.api.v1.operation import ResourceOperation
from toldonce.server.api.v1.request import JSON
from toldonce.server.status import SEE_OTHER

# Where a client may reach the server, in the examples of the documentation.
_EXAMPLE_URL = "http://127.0.0.1:8765"
_HTML = "text/html; charset=utf-8"
_SECURITY: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_INDEX = {
    "name": "ToldOnce",
    "what": "long-term memory for LLM chat",
    "openai": "/v1/chat/completions",
    "documentation": "/docs",
    "openapi": "/openapi.json",
    "health": "/healthz",
}
_INDEX_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>ToldOnce</title></head><body>
<h1>ToldOnce</h1><p>Long-term memory for LLM chat. Chat clients use the base URL <code>/v1</code> of this server.</p>
<ul><li><a href="/docs">Documentation of the REST API</a></li><li><a href="/openapi.json">The same as OpenAPI</a></li>
<li><a href="/healthz">Health</a></li></ul></body></html>"""


def page_routes(operations: Sequence[ResourceOperation], people: str | None) -> list[Route]:
    """Build the routes; the document is generated at its first use.

    Args:
        operations: What the document describes.
        people: Where `GET /` sends people, who ask for HTML; None: it says what the server is.
    """

    @cache
    def document() -> dict[str, Any]:
        return openapi_document(operations, version("toldonce"))

    @cache
    def written() -> bytes:
        return json.dumps(document(), ensure_ascii=False).encode()

    @cache
    def page() -> bytes:
        return docs_page(document(), _EXAMPLE_URL).encode()

    return [
        Route("/", _index_for(people), methods=["GET"]),
        Route("/openapi.json", _serving(written, JSON), methods=["GET"]),
        Route("/docs", _serving(page, _HTML), methods=["GET"]),
    ]


def _serving(content: Callable[[], bytes], kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        del request
        return Response(content(), headers=_SECURITY, media_type=kind)

    return serve


def _index_for(people: str | None) -> Callable[[Request], Awaitable[Response]]:
    async def index(request: Request) -> Response:
        """Say what this server is, to programs in JSON and to people as a page."""
        if "text/html" not in request.headers.get("accept", ""):
            shown = {**_INDEX, **({"dashboard": people} if people else {}), "version": version("toldonce")}
            return Response(json.dumps(shown), headers=_SECURITY, media_type=JSON)
        if people is not None:
            return Response(status_code=SEE_OTHER, headers={**_SECURITY, "Location": people})
        return Response(_INDEX_PAGE, headers=_SECURITY, media_type=_HTML)

    return index
