"""Reads the parts of a request of the REST API under `/v1`: checked and decoded. Reads bodies through ASGI."""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, quote

from pydantic import ValidationError
from pydantic_core import from_json

from toldonce.chat.identity import Headers
from toldonce.chat.json_depth import has_more_values
from toldonce.engine import run_in_thread_if_large
from toldonce.errors import BadRequestError
from toldonce.server.api.v1.fields import Body, UrlQuery
from toldonce.server.api.v1.operation import NDJSON, OCTETS, ResourceOperation
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.asgi import Receive, header, read_body
from toldonce.server.json_body import too_many_values
from toldonce.server.status import UNSUPPORTED_MEDIA_TYPE

JSON = "application/json"
_MAX_PARAMETERS = 1100
_MAX_INTEGER_DIGITS = 15
# Of what a field holds, in characters of an error.
_MAX_SHOWN = 80


async def read_request_body(
    operation: ResourceOperation, headers: Headers, receive: Receive, *, max_bytes: int, max_values: int
) -> tuple[Body | None, bytes]:
    """Read and check the body that an operation declares; return it with its bytes.

    Raises:
        BadRequestError: It is not JSON, holds more than `max_values` values, or has another shape.
        ProblemError: It is not declared as JSON (415).
        BodyTooLargeError: It is larger than `max_bytes`.
        ClientDisconnectedError: The client hung up.
    """
    if operation.streams_body:
        _require_type(headers, (NDJSON, JSON, OCTETS))
        return None, b""
    raw = await read_body(receive, max_bytes=max_bytes)
    shape = operation.body
    if shape is None or (not raw and operation.has_optional_body):
        if raw.strip():
            raise BadRequestError("this operation takes no body")
        return None, raw
    _require_type(headers, (JSON,))
    return await run_in_thread_if_large(len(raw), lambda: _validated(shape, raw, max_values)), raw


def read_query(shape: type[UrlQuery], query_string: bytes) -> UrlQuery:
    """Read the parameters of a URL.

    Raises:
        BadRequestError: One is unknown, comes twice or has a wrong value.
    """
    try:
        pairs = parse_qsl(
            query_string.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MAX_PARAMETERS,
        )
    except ValueError:
        raise BadRequestError("the query of the URL cannot be decoded as UTF-8, or is too long") from None
    types = _parameter_types(shape)
    values: dict[str, Any] = {}
    for name, text in pairs:
        if "\0" in text or "\0" in name:
            raise BadRequestError("the query of the URL holds a NUL character", param=name.replace("\0", "")[:80])
        is_list, type_ = types.get(name, (False, ""))
        if is_list:
            values.setdefault(name, []).append(_as_typed(text, type_))
        elif name in values:
            raise BadRequestError(f"{name[:80]} is given more than once", param=name[:80])
        else:
            values[name] = _as_typed(text, type_)
    try:
        return shape.model_validate_json(json.dumps(values))
    except ValidationError as error:
        raise _bad(error, "the query") from None


def with_cursor(path: str, query: UrlQuery, cursor: str) -> str:
    """Return the URL of the next page: the same path and query with another cursor."""
    given = query.model_dump(mode="json", exclude_unset=True)
    pairs = []
    for name, value in {**given, "cursor": cursor}.items():
        for each in value if isinstance(value, list) else [value]:
            text = str(each).lower() if isinstance(each, bool) else str(each)
            pairs.append(f"{quote(name, safe='')}={quote(text, safe='')}")
    return f"{path}?{'&'.join(pairs)}"


def require_plain(value: object) -> None:
    """Check decoded JSON of any shape: no NUL characters, and finite numbers.

    Raises:
        BadRequestError: It has one.
    """
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if "\0" in part:
                raise BadRequestError("the body holds a NUL character (\\u0000)")
        elif isinstance(part, float):
            if not math.isfinite(part):
                raise BadRequestError("the body holds a number that is not finite")
        elif isinstance(part, dict):
            waiting += part.keys()
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _validated(shape: type[Body], raw: bytes, max_values: int) -> Body:
    if has_more_values(raw, max_values):
        raise BadRequestError(too_many_values(max_values))
    try:
        decoded = from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise BadRequestError(f"the body is not JSON: {str(error)[:200]}") from None
    require_plain(decoded)
    try:
        return shape.model_validate_json(raw)
    except ValidationError as error:
        raise _bad(error, "the body") from None


def _bad(error: ValidationError, what: str) -> BadRequestError:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    given = first["input"]
    shown = repr(given[:_MAX_SHOWN] if isinstance(given, str) else given)[:_MAX_SHOWN]
    return BadRequestError(f"{where or what}: {first['msg']} (it is {shown})", param=where or None)


def _require_type(headers: Headers, types: Sequence[str]) -> None:
    given = (header(headers, b"content-type") or b"").decode("latin-1")
    kind, _, parameters = given.partition(";")
    charset = parameters.replace(" ", "").lower().partition("charset=")[2].strip('"')
    if kind.strip().lower() not in types or charset not in ("", "utf-8"):
        message = f"the body is declared as {given[:100]!r}; send Content-Type: {types[0]}"
        raise ProblemError(UNSUPPORTED_MEDIA_TYPE, "not-json", message, headers={"Accept": ", ".join(types)})


@cache
def _parameter_types(shape: type[UrlQuery]) -> dict[str, tuple[bool, str]]:
    """Return of each parameter whether it may come several times, and the JSON type of its values."""
    properties: dict[str, Any] = shape.model_json_schema().get("properties", {})
    return {
        name: (True, _type_in(schema["items"])) if schema.get("type") == "array" else (False, _type_in(schema))
        for name, schema in properties.items()
    }


def _type_in(schema: Mapping[str, Any]) -> str:
    options = [schema, *schema.get("anyOf", ())]
    return next((str(option["type"]) for option in options if option.get("type") not in (None, "null")), "string")


def _as_typed(text: str, type_: str) -> object:
    """Return a parameter's value; a text of another type stays as it is, and is refused with the reason."""
    if type_ == "integer" and text.isascii() and text.isdigit() and len(text) <= _MAX_INTEGER_DIGITS:
        return int(text)
    if type_ == "boolean" and text in ("true", "false"):
        return text == "true"
    return text
