"""Reads forms and the parameters of a page's URL. Reads bodies through ASGI."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from toldonce.errors import BadRequestError
from toldonce.server.asgi import Headers, Receive, Scope, header, read_body
from toldonce.server.dashboard.page import PageError
from toldonce.server.status import BAD_REQUEST

Form = Mapping[str, list[str]]
MAX_FORM_BYTES = 2_000_000
_MAX_FIELDS = 5000
_FORM = "application/x-www-form-urlencoded"


async def read_form(headers: Headers, receive: Receive) -> Form:
    """Read a form.

    Raises:
        PageError: It is no form.
        BadRequestError: It cannot be decoded.
        BodyTooLargeError: It is larger than `MAX_FORM_BYTES`.
    """
    raw = await read_body(receive, max_bytes=MAX_FORM_BYTES)
    given = header(headers, b"content-type") or b""
    if raw and given.decode("latin-1").partition(";")[0].strip().lower() != _FORM:
        raise PageError(BAD_REQUEST, f"Forms are sent as {_FORM}.")
    form: dict[str, list[str]] = {}
    for name, value in _decoded_pairs(raw):
        form.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return form


def decoded_query(scope: Scope) -> dict[str, str]:
    """Return the parameters of a request's URL; of a repeated name the last value.

    Raises:
        BadRequestError: They cannot be decoded.
    """
    return dict(_decoded_pairs(scope.get("query_string", b"")))


def _decoded_pairs(raw: bytes) -> list[tuple[str, str]]:
    """Decode what a form or a URL says.

    Raises:
        BadRequestError: It cannot be decoded, has too many fields, or a NUL character.
    """
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise BadRequestError("the form or URL cannot be decoded as UTF-8, or has too many fields") from None
    if any("\0" in text for pair in pairs for text in pair):
        raise BadRequestError("the form or URL holds a NUL character")
    return pairs
