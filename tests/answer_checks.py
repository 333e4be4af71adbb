"""Check every answer of the REST API under `/v1` against its own OpenAPI document."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx
import jsonschema_rs

from toldonce.server.api.v1 import OPERATIONS
from toldonce.server.api.v1.openapi import openapi_document


@cache
def document() -> dict[str, Any]:
    return openapi_document(OPERATIONS, "test")


@cache
def _validator(reference: str) -> jsonschema_rs.Draft202012Validator:
    schema = {"$ref": reference, "components": document()["components"]}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def operation_of(method: str, path: str) -> Mapping[str, Any] | None:
    """Find the operation of a request by the path as it was sent."""
    steps = path.split("?")[0].split("/")
    if steps[1:2] == ["u"]:
        del steps[1:3]
    for known, methods in document()["paths"].items():
        own = known.split("/")
        if len(own) == len(steps) and all(a == b or (a.startswith("{") and b) for a, b in zip(own, steps, strict=True)):
            found: Mapping[str, Any] | None = methods.get("get" if method == "HEAD" else method.lower())
            return found
    return None


def check_answer(method: str, path: str, answer: httpx.Response) -> None:
    """Fail if an operation answers what its document does not say."""
    operation = operation_of(method, path)
    if operation is None or method == "HEAD":
        return
    described = operation["responses"].get(str(answer.status_code))
    assert described is not None, f"{method} {path} answers {answer.status_code}, which is not documented"
    content = described.get("content")
    if content is None:
        assert answer.content == b""
        return
    kind = answer.headers["content-type"]
    assert kind in content, f"{method} {path} answers {kind}"
    if "json" not in kind or "x-ndjson" in kind:
        return
    errors = _validator(content[kind]["schema"]["$ref"]).iter_errors(answer.json())
    assert [f"{error.instance_path}: {error.message}" for error in errors] == []


class CheckingTransport(httpx.AsyncBaseTransport):
    """Sends requests, and checks what comes back."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._inner.handle_async_request(request)
        await answer.aread()
        check_answer(request.method, request.url.raw_path.decode(), answer)
        return answer
