"""What a page of the dashboard is asked, with its form and URL, and what it answers. Reads bodies through ASGI."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.server.asgi import Headers, Receive, Scope, header, read_body
from toldonce.server.dashboard.rest_client import RestCaller
from toldonce.server.status import BAD_REQUEST, OK
from toldonce.types import Access, Caller


class PageError(Exception):
    """A request for a page is refused. The message is for the person who made it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class BadFormError(ValueError):
    """A form was filled in wrongly. The message is for the person who did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request for a page, or a form that was sent."""

    engine: AsyncToldOnce
    rest: RestCaller
    """The REST API, as this request's sender may use it."""
    caller: Caller | None
    """None: everybody who can connect is trusted."""
    path: str
    """As it was sent, without the query."""
    parameters: Mapping[str, str]
    """Of the path, by name, decoded."""
    query: Mapping[str, str]
    """Of the URL; of a repeated name the last value."""
    form: Mapping[str, list[str]] = field(default_factory=dict)
    """Fields of the form; empty if none was sent."""
    file: Receive | None = None
    """Reads the file of the form as if it were a body; None: there is none."""
    wants_json: bool = False
    base_url: str = ""
    """The server's URL as the sender knows it, such as `http://127.0.0.1:8765`."""

    @property
    def subject(self) -> str:
        """The subject of the path."""
        return self.parameters["subject"]

    @property
    def is_administrator(self) -> bool:
        """Whether the sender may see more than one user's or app's memory."""
        caller = self.caller
        return caller is None or (caller.access is Access.ADMIN and caller.user is None and caller.app is None)

    @property
    def is_operator(self) -> bool:
        """Whether the sender administers the whole server."""
        return self.caller is None or self.caller.is_operator

    @property
    def may_write(self) -> bool:
        """Whether the sender's credential allows changes at all."""
        return self.caller is None or self.caller.access.includes(Access.WRITE)

    def field(self, name: str) -> str:
        """Return a field of the form without white space around it; empty if it was not sent."""
        return self.form.get(name, [""])[-1].strip()

    def ticked(self, name: str, most: int, what: str) -> list[str]:
        """Return the values of boxes that were ticked, 1 to `most`.

        Raises:
            BadFormError: None was, or too many.
        """
        values = self.form.get(name, [])
        if not 1 <= len(values) <= most:
            raise BadFormError(f"Tick 1 to {most} {what} first.")
        return values

    def require_sure(self, of_what: str = "erasing cannot be undone") -> None:
        """Check that the sender ticked the box that warns.

        Raises:
            BadFormError: They did not.
        """
        if self.field("sure") != "yes":
            raise BadFormError(f"Tick the box that says that {of_what}.")

    def chosen(self, name: str) -> str | None:
        """Return a parameter of the URL; None if it is empty or absent."""
        return self.query.get(name) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlPage:
    """A page to show."""

    template: str
    """Name of its file in `templates/`, without `.html`."""
    title: str
    data: Mapping[str, Any]
    """What it shows: for the template, and as JSON for programs."""
    status: int = OK


@dataclass(frozen=True, slots=True)
class SeeOther:
    """Go on to another page, after a form has done its work."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Send what the API answers to a `GET` as a file to keep."""

    steps: tuple[str, ...]
    """Path below `/v1`."""
    query: Mapping[str, str]
    filename: str
    """ASCII without quotes."""


PageHandler = Callable[[PageRequest], Awaitable[HtmlPage | SeeOther | Download]]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A page, or the target of a form."""

    method: str
    path: str
    """Below `/dashboard`, such as `/subjects/{subject}`; empty: the first page."""
    handler: PageHandler


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
