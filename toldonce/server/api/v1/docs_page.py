"""Routes about the server itself: `GET /`, `/openapi.json`, and `/docs`. Serves through Starlette.

The documentation is one HTML page without scripts, rendered from the OpenAPI document.
"""

import json
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from html import escape
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toldonce.server.api.v1.openapi import openapi_document
from toldonce.server.api.v1.operation import ResourceOperation
from toldonce.server.api.v1.problems import KINDS
from toldonce.server.api.v1.request import JSON
from toldonce.server.front_proxy import url_prefix
from toldonce.server.status import SEE_OTHER

_STYLE = """
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 20%,transparent)}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
code,pre{font-family:ui-monospace,monospace;font-size:.9em}
pre{overflow-x:auto;padding:.7rem;border:1px solid var(--line);border-radius:.4rem}
table{border-collapse:collapse;width:100%}
td,th{border-top:1px solid var(--line);padding:.3rem .6rem .3rem 0;text-align:left;vertical-align:top}
details{border-top:1px solid var(--line);padding:.5rem 0}
summary{cursor:pointer}
.method{display:inline-block;min-width:4.5rem;font-weight:600}
"""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)
"""Nothing but the page's own style is loaded or run."""
_SAMPLES: Mapping[str, str] = {
    "subject": "user:ana",
    "memory": "0199f3a2-7c1e-7d3a-9b0e-3f1d5c7a9b21",
    "conversation": "trip",
    "decision": "0199f3a2-7c1e-7d3a-9b0e-3f1d5c7a9b22",
    "profile": "default",
    "app": "calendar",
    "character": "Kira",
    "key": "k_5f0c12ab34de",
    "formation": "KEY",
}
# Levels of nested objects in the example of a body.
_MAX_DEPTH = 5


def docs_page(document: Mapping[str, Any], base_url: str) -> str:
    """Render an OpenAPI document of this server; `base_url` is for the examples."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(document['info']['title'])} REST API</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(document['info']['title'])} REST API</h1><p>{_prose(document['info']['description'])}</p>",
        '<p>The same as a document for tools: <a href="openapi.json">openapi.json</a>.</p>',
    ]
    for tag in document["tags"]:
        operations = list(_operations(document, tag["name"]))
        if operations:
            parts.append(f"<h2>{escape(tag['name'].capitalize())}</h2><p>{_prose(tag['description'])}</p>")
            parts += [_operation(document, *operation, base_url) for operation in operations]
    parts.append("<h2>Schemas</h2>")
    parts += [_schema(name, schema) for name, schema in document["components"]["schemas"].items()]
    parts.append("<h2>Problems</h2><table><tr><th>type</th><th>meaning</th></tr>")
    parts += [
        f'<tr id="{escape(kind)}"><td><code>/docs#{escape(kind)}</code></td><td>{_prose(text)}</td></tr>'
        for kind, text in KINDS.items()
    ]
    parts.append("</table></body></html>")
    return "\n".join(parts)


def _operations(document: Mapping[str, Any], tag: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield method.upper(), path, operation


def _operation(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any], base_url: str) -> str:
    parameters = "".join(
        f"<tr><td><code>{escape(each['name'])}</code></td><td>{escape(each['in'])}</td>"
        f"<td>{escape(_type(each['schema']))}</td><td>{_prose(each.get('description', ''))}</td></tr>"
        for each in operation["parameters"]
    )
    answers = "".join(
        f"<tr><td>{escape(status)}</td><td>{escape(answer['description'])}</td><td>{_content(answer)}</td></tr>"
        for status, answer in operation["responses"].items()
    )
    body = _content(operation.get("requestBody", {}))
    return (
        f'<details id="{escape(operation["operationId"])}"><summary><span class="method">{escape(method)}</span>'
        f"<code>{escape(path)}</code> {_prose(operation['summary'])}</summary>"
        f"<p>{_prose(operation['description'])}</p>"
        + (f"<table>{parameters}</table>" if parameters else "")
        + (f"<p>Body: {body}</p>" if body else "")
        + f"<pre>{escape(_curl(document, method, path, operation, base_url))}</pre><table>{answers}</table></details>"
    )


def _content(described: Mapping[str, Any]) -> str:
    return ", ".join(
        f"<code>{escape(kind)}</code> {_linked(content['schema'])}"
        for kind, content in described.get("content", {}).items()
    )


def _schema(name: str, schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code>{' *' if field in required else ''}</td>"
        f"<td>{_linked(described)}</td><td>{_prose(described.get('description', ''))}</td></tr>"
        for field, described in schema.get("properties", {}).items()
    )
    values = ", ".join(f"<code>{escape(str(value))}</code>" for value in schema.get("enum", ()))
    return (
        f'<details id="schema-{escape(name)}"><summary><code>{escape(name)}</code> '
        f"{_prose(schema.get('description', '').split(chr(10))[0])}</summary>"
        + (f"<p>{values}</p>" if values else "")
        + (f"<table>{rows}</table>" if rows else "")
        + "</details>"
    )


def _linked(schema: Mapping[str, Any]) -> str:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if name:
        return f'<a href="#schema-{escape(name)}">{escape(name)}</a>'
    if "anyOf" in schema:
        return " or ".join(_linked(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"array of {_linked(schema.get('items', {}))}"
    return escape(_type(schema))


def _type(schema: Mapping[str, Any]) -> str:
    """Describe a schema in few words.

    >>> _type({"type": "integer", "minimum": 1, "maximum": 9}), _type({"type": "string", "format": "date-time"})
    ('integer, 1 to 9', 'string, date-time')
    """
    words = [str(schema.get("type") or str(schema.get("$ref", "any")).rpartition("/")[2])]
    if "minimum" in schema and "maximum" in schema:
        words.append(f"{schema['minimum']} to {schema['maximum']}")
    if "format" in schema:
        words.append(str(schema["format"]))
    return ", ".join(words)


def _curl(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any], base_url: str) -> str:
    for name, sample in _SAMPLES.items():
        path = path.replace("{" + name + "}", sample)
    words = ["curl", "" if method == "GET" else f"-X {method}", f"'{base_url}{path}'"]
    [(kind, content), *_] = operation.get("requestBody", {}).get("content", {}).items() or [("", {})]
    if kind:
        sample = _sample(document, content["schema"])
        data = json.dumps(sample) if isinstance(sample, dict) else "@export.jsonl"
        flag = "-d" if isinstance(sample, dict) else "--data-binary"
        words.append(f"-H 'Content-Type: {kind}' {flag} '{data}'")
    return " ".join(word for word in words if word)


def _sample(document: Mapping[str, Any], schema: Mapping[str, Any], depth: int = 0) -> Any:
    """Return an example of a schema: of objects, what is required."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][str(schema["$ref"]).rpartition("/")[2]]
    if depth > _MAX_DEPTH or "examples" in schema:
        return schema.get("examples", [None])[0]
    match schema.get("type"):
        case "object":
            wanted = schema.get("required", ())
            return {name: _sample(document, schema["properties"][name], depth + 1) for name in wanted}
        case "array":
            return [_sample(document, schema.get("items", {}), depth + 1)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return schema.get("enum", ["…" if depth else ""])[0]


def _prose(text: str) -> str:
    """Escape a text, and set what is in backticks as code.

    >>> _prose("`a<b` or c")
    '<code>a&lt;b</code> or c'
    """
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))


# Where a client may reach the server, in the examples of the documentation.
_EXAMPLE_URL = "http://127.0.0.1:8765"
_HTML = "text/html; charset=utf-8"
# A server is mostly reached at one place.
_MAX_PREFIXES = 4
_SECURITY: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_INDEX = {
    "openai": "/v1/chat/completions",
    "documentation": "/docs",
    "openapi": "/openapi.json",
    "health": "/healthz",
}
_INDEX_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>ToldOnce</title></head><body>
<h1>ToldOnce</h1><p>Long-term memory for LLM chat.
Chat clients use the base URL <code>{prefix}/v1</code> of this server.</p>
<ul><li><a href="{prefix}/docs">Documentation of the REST API</a></li>
<li><a href="{prefix}/openapi.json">The same as OpenAPI</a></li>
<li><a href="{prefix}/healthz">Health</a></li></ul></body></html>"""


def page_routes(operations: Sequence[ResourceOperation], people: str | None, public_url: str | None) -> list[Route]:
    """Build the routes; the document is generated at its first use.

    Args:
        operations: What the document describes.
        people: Where `GET /` sends people, who ask for HTML; None: it says what the server is.
        public_url: Where a client reaches the server, in the examples of the documentation; None: on this machine.
    """

    @cache
    def document() -> dict[str, Any]:
        return openapi_document(operations, version("toldonce"))

    @lru_cache(maxsize=_MAX_PREFIXES)
    def written(prefix: str) -> bytes:
        servers = {"servers": [{"url": prefix}]} if prefix else {}
        return json.dumps({**document(), **servers}, ensure_ascii=False).encode()

    @cache
    def page() -> bytes:
        return docs_page(document(), public_url or _EXAMPLE_URL).encode()

    return [
        Route("/", _index_for(people), methods=["GET"]),
        Route("/openapi.json", _serving(lambda: written(url_prefix()), JSON), methods=["GET"]),
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
            paths = {**_INDEX, **({"dashboard": people} if people else {})}
            shown = {
                "name": "ToldOnce",
                "what": "long-term memory for LLM chat",
                **{name: url_prefix() + path for name, path in paths.items()},
                "version": version("toldonce"),
            }
            return Response(json.dumps(shown), headers=_SECURITY, media_type=JSON)
        if people is not None:
            return Response(status_code=SEE_OTHER, headers={**_SECURITY, "Location": url_prefix() + people})
        return Response(_INDEX_PAGE.format(prefix=url_prefix()), headers=_SECURITY, media_type=_HTML)

    return index
