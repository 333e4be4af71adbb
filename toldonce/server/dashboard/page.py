"""What a page of the dashboard is asked, and what it answers. Pure."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toldonce.engine import AsyncToldOnce
from toldonce.server.dashboard.rest_client import RestCaller
from toldonce.server.status import OK
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
    wants_json: bool = False
    origin: str = ""
    """How the sender calls the server, such as `http://127.0.0.1:8765`."""

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


PageHandler = Callable[[PageRequest], Awaitable[HtmlPage | SeeOther]]


@dataclass(frozen=True, slots=True)
class PageRoute:
    """A page, or the target of a form."""

    method: str
    path: str
    """Below `/dashboard`, such as `/subjects/{subject}`; empty: the first page."""
    handler: PageHandler
