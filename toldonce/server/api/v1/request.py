"""One request of the REST API under `/v1`: its parts, checked and decoded. Reads bodies through ASGI."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

from pydantic import ValidationError
from pydantic_core import from_json

from toldonce.chat.identity import Headers
from toldonce.chat.json_depth import has_more_values
from toldonce.engine import AsyncToldOnce, run_in_thread_if_large
from toldonce.errors import BadRequestError
from toldonce.server.api.v1.access import Requester
from toldonce.server.api.v1.fields import Answer, Body, PageAnswer, UrlQuery
from toldonce.server.api.v1.operation import NDJSON, OCTETS, ResourceOperation, ResourceReply
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.asgi import Receive, header, read_body
from toldonce.server.json_body import too_many_values
from toldonce.server.status import UNSUPPORTED_MEDIA_TYPE
from toldonce.types import Access, Caller, Subject

BodyShape = TypeVar("BodyShape", bound=Body)
QueryShape = TypeVar("QueryShape", bound=UrlQuery)
JSON = "application/json"
_MAX_PARAMETERS = 1100
_MAX_INTEGER_DIGITS = 15
# Of what a field holds, in characters of an error.
_MAX_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRequest:
    """A request whose parts are as its operation declares."""

    engine: AsyncToldOnce
    operation: ResourceOperation
    requester: Requester
    path: Mapping[str, str]
    """Path parameters by name, decoded."""
    raw_path: str
    """The path as it was sent."""
    headers: Headers
    query: UrlQuery
    body: Body | None = field(default=None, repr=False)
    raw_body: bytes = field(default=b"", repr=False)
    receive: Receive | None = field(default=None, repr=False)
    """Reads the body, where the operation takes a file."""
    max_stream_bytes: int = 0
    """Maximum size of that file."""

    @property
    def caller(self) -> Caller | None:
        """What the credential allows; None: everybody who can connect is trusted."""
        return self.requester.caller

    @property
    def target(self) -> Subject:
        """The subject of the path, which the request may use as its operation does."""
        return self.subject(self.path["subject"], self.operation.access)

    def subject(self, text: str, access: Access) -> Subject:
        """Return a subject that the request may use in this way: see `Requester.subject`."""
        return self.requester.subject(text, access)

    def reaches_others(self, everywhere: bool) -> bool:
        """Return `everywhere`, an erasure's reach into other subjects than that of the path.

        Raises:
            ProblemError: It is true, but the request is bound to one user or app.
        """
        if everywhere:
            self.requester.require_all_subjects()
        return everywhere

    def profile(self, given: str | None = None) -> str | None:
        """Return the profile that the body or the header `x-toldonce-profile` names."""
        return given or self.requester.identity.scope.profile

    def body_as(self, shape: type[BodyShape]) -> BodyShape:
        """Return the body, which has the operation's shape."""
        body = shape() if self.body is None else self.body
        if not isinstance(body, shape):
            raise TypeError(f"the operation {self.operation.id} declares another body than {shape.__name__}")
        return body

    def query_as(self, shape: type[QueryShape]) -> QueryShape:
        """Return the parameters of the URL, which have the operation's shape."""
        if not isinstance(self.query, shape):
            raise TypeError(f"the operation {self.operation.id} declares another query than {shape.__name__}")
        return self.query

    def reply(self, shape: type[Answer], value: object) -> ResourceReply:
        """Answer a value of the library, or a mapping with values of it."""
        return ResourceReply(answer=shape.of(value, self.requester))

    def page(self, shape: type[PageAnswer], items: Sequence[object], following: str | None) -> ResourceReply:
        """Answer a page of a list: `following` is the cursor of the next one, None on the last."""
        [name] = shape.model_fields.keys() - PageAnswer.model_fields.keys()
        answer = shape.of({name: items, "next_cursor": following}, self.requester)
        return ResourceReply(answer=answer, next_cursor=following)

    def header(self, name: str) -> str | None:
        """Return a header's value, or None."""
        value = header(self.headers, name.encode())
        return None if value is None else value.decode("latin-1").strip()


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
