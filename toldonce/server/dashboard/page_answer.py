"""Writes and sends what a page answers: HTML for people, JSON for programs, safe headers. Reads templates; raw ASGI."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hmac import compare_digest
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from toldonce.errors import BadRequestError
from toldonce.server.asgi import Headers, Scope, Send, header, send_body, send_start
from toldonce.server.auth.guard import is_by_cookie
from toldonce.server.auth.sessions import form_token, guest_cookie, session_cookie, set_cookie
from toldonce.server.dashboard.demonstration import is_demonstration
from toldonce.server.dashboard.filters import FILTERS
from toldonce.server.dashboard.page import Download, Form, HtmlPage, PageError, PageRequest, decoded_query
from toldonce.server.dashboard.paths import page_path, static_url
from toldonce.server.front_proxy import base_url, url_prefix
from toldonce.server.request_target import path_steps, sent_path
from toldonce.server.status import FORBIDDEN, NOT_FOUND, OK, SEE_OTHER, UNAUTHORIZED

if TYPE_CHECKING:
    from jinja2 import Environment


_HTML = b"text/html; charset=utf-8"
_JSON = b"application/json"
# `same-origin`: with `no-referrer`, browsers send forms with `Origin: null`.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing is loaded from another host, and nothing runs that is written into a page."""
_SECURITY: Headers = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"referrer-policy", b"same-origin"),
    (b"vary", b"Accept, Cookie"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)


class PageResponder:
    """Sends the answer to one request, in the form it wants: a page, or JSON."""

    def __init__(self, scope: Scope, send: Send, public_url: str | None) -> None:
        """Answer the request of `scope`; browsers reach the server at `public_url` (None: as they call it)."""
        self._scope = scope
        self._send = send
        self.base_url = base_url(scope, public_url)
        """The server's URL, as the browser knows it."""
        self.headers: Headers = tuple(scope["headers"])
        try:
            self.query = decoded_query(scope)
        except BadRequestError:
            self.query = {}  # told when the page's request is read
        accept = (header(self.headers, b"accept") or b"").decode("latin-1")
        self.wants_json = self.query.get("format") == "json" or (
            "application/json" in accept and "text/html" not in accept
        )
        known = session_cookie(self.headers)
        self.cookie = known or guest_cookie()
        self.new_cookie = "" if known else self.cookie
        """A cookie to set; empty: none."""
        self.request: PageRequest | None = None
        """Once its sender may see the page: errors keep the links around it."""

    @property
    def is_secure(self) -> bool:
        """Whether the browser calls over HTTPS."""
        return self.base_url.startswith("https:")

    @property
    def token(self) -> str:
        """What forms of this session send back."""
        return form_token(self.new_cookie or self.cookie)

    def require_token(self, form: Form) -> None:
        """Check that a form comes from a page of this session.

        Raises:
            PageError: It does not.
        """
        given = (form.get("csrf") or [""])[-1]
        if is_by_cookie(self._scope) and not compare_digest(given.encode(), form_token(self.cookie).encode()):
            raise PageError(FORBIDDEN, "This form is out of date: go back, load the page again, and send it once more.")

    async def page(self, page: HtmlPage, request: PageRequest) -> None:
        """Send a page."""
        if self.wants_json:
            body = json.dumps({"page": page.template, **page.data}, ensure_ascii=False, default=str)
            await self._whole(page.status, _JSON, body)
            return
        values = {**page.data, "ui": self._frame(page.title, navigation(request))}
        await self._whole(page.status, _HTML, render(page.template, values))

    async def login(self, target: str, message: str, status: int, *, provider: str | None, extra: Headers = ()) -> None:
        """Send the page that asks for a key, or leads to the provider with this URL."""
        values = {"ui": self._frame("Log in", None), "next": target, "message": message, "provider": provider}
        await self._whole(status, _HTML, render("login", values), extra)

    async def error(self, status: int, message: str) -> None:
        """Send a page that says what is wrong."""
        if self.wants_json:
            await self._whole(status, _JSON, json.dumps({"error": {"status": status, "message": message}}))
            return
        title = "Not found" if status == NOT_FOUND else "This did not work"
        around = navigation(self.request) if self.request else None
        values = {"ui": self._frame(title, around), "status": status, "message": message}
        await self._whole(status, _HTML, render("error", values))

    async def logged_in(self, target: str, extra: Headers) -> None:
        """Send a page that goes on to another by itself.

        A redirect would not do: the browser came from the provider's site, and would leave the new cookie out.
        """
        values = {"ui": self._frame("Logged in", None), "next": target}
        await self._whole(OK, _HTML, render("logged_in", values), extra)

    async def see_other(self, url: str, extra: Headers = ()) -> None:
        """Send the browser on to another page."""
        location = (b"location", quote(url, safe="/:?&=#%+~.,!*'();@[]$-_").encode())
        await self._start(SEE_OTHER, [location, (b"content-length", b"0"), *extra])
        await send_body(self._send, b"", more=False)

    async def file(self, content: bytes, headers: list[tuple[bytes, bytes]], status: int = OK) -> None:
        """Send a file, without a cookie."""
        length = (b"content-length", str(len(content)).encode())
        own = [pair for pair in _SECURITY if pair[0] not in {name for name, _ in headers}]
        await send_start(self._send, status, [*headers, length, *own])
        await send_body(self._send, b"" if self._scope["method"] == "HEAD" else content, more=False)

    async def download(self, file: Download, request: PageRequest) -> None:
        """Send what the API answers as a file to keep, as it comes.

        Raises:
            RestError: The API answered with a problem; nothing was sent.
        """
        name = (b"content-disposition", f'attachment; filename="{file.filename}"'.encode())
        await request.rest.relay(self._send, [name, *_SECURITY], *file.steps, query=file.query)

    def _frame(self, title: str, around: Mapping[str, Any] | None) -> dict[str, Any]:
        return {
            "title": title,
            "csrf": self.token,
            "around": around,
            "path": self._scope["path"],
            "is_logged_in": not (self.new_cookie or self.cookie).startswith("guest"),
            "done": self.query.get("done", ""),
            "is_form": self._scope["method"] == "POST",
            "query": self.query,
        }

    async def _whole(self, status: int, kind: bytes, text: str, extra: Headers = ()) -> None:
        body = text.encode("utf-8", "replace")
        length = (b"content-length", str(len(body)).encode())
        await self._start(status, [(b"content-type", kind), length, *extra])
        await send_body(self._send, b"" if self._scope["method"] == "HEAD" else body, more=False)

    async def _start(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        if self.new_cookie:
            headers = [*headers, (b"set-cookie", set_cookie(self.new_cookie, secure=self.is_secure))]
        await send_start(self._send, status, [*headers, *_SECURITY])


async def send_page_refusal(scope: Scope, send: Send, status: int, message: str, *, public_url: str | None) -> None:
    """Refuse a request before a page sees it; a browser without a session is sent to the login."""
    answer = PageResponder(scope, send, public_url)
    if status == UNAUTHORIZED and scope["method"] == "GET" and not answer.wants_json:
        target = (
            url_prefix()
            + sent_path(scope)
            + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
        )
        await answer.see_other(f"{page_path('login')}?next={quote(target, safe='')}")
    else:
        await answer.error(status, message)


def render(template: str, values: Mapping[str, Any]) -> str:
    """Write a page.

    Args:
        template: Name of its file, without `.html`.
        values: What the template names. Text in them is escaped.
    """
    return _environment().get_template(f"{template}.html").render(values)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # not loaded by servers that show no page

    environment = Environment(
        loader=PackageLoader("toldonce.server.dashboard"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    environment.globals.update(
        is_demonstration=is_demonstration,
        messages=MESSAGES,
        page_path=page_path,
        static_url=static_url,
        url_prefix=url_prefix,
    )
    return environment


MESSAGES: Mapping[str, str] = MappingProxyType(
    {
        "added": "Added. It is recalled from now on.",
        "approved": "Approved. It is recalled from now on.",
        "approved-many": "Approved. They are recalled from now on.",
        "corrected": "Corrected. This is what holds now; the old one is in its history.",
        "erasures-done": "No erasure is pending.",
        "erasures-pending": "Some erasures are still pending: the server tries again in the background.",
        "forgot": "Forgotten: no later answer has it. Its history stays.",
        "forgot-many": "Forgotten: no later answer has them. Their history stays.",
        "embedder-answers": "The embedder answered.",
        "erased-one": "Erased: nothing is left of it. The messages it was formed from stay.",
        "erased-many": "Erased: nothing is left of them.",
        "shared-many": "Shared: the other subject has them, too.",
        "shared": "Shared: the other subject has it, too.",
        "unlinked": "Removed from here. The other subjects keep it.",
        "formed": "All that was due is formed.",
        "kept-one": "Kept. The other one is not recalled any more; its history stays.",
        "kept-other-words": "Your words are kept in its place.",
        "purged": "Erased: nothing is left of the app's memories.",
        "rejected": "Rejected: it is never recalled. Its history stays.",
        "rejected-many": "Rejected: they are never recalled. Their history stays.",
        "retried": "It is due again: the server forms it in the background.",
        "retried-all": "All parked work is due again: the server forms it in the background.",
        "revoked": "Revoked: this server refuses it at once, others within five seconds.",
        "undone": "Undone.",
        "demonstration-added": "This is demonstration data: the person does not exist. Remove it on the overview.",
        "demonstration-erased": "The demonstration data is erased: nothing is left of it.",
        "trial-erased": "Erased: nothing is left of what you typed.",
        "ended": "Ended. What it has waiting is formed in the background.",
        "saving": "Its memories are being formed in the background.",
        "nothing-waits": "Nothing of it waits to be formed.",
    }
)


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """A link to a page."""

    name: str
    url: str
    is_current: bool


_FIRST = ("subjects", "{subject}")
_OF_ALL = (
    ("Overview", ()),
    ("Memories", ("subjects",)),
    ("Live", ("live",)),
    ("Apps", ("apps",)),
    ("Work", ("work",)),
    ("Statistics", ("statistics",)),
)
_OF_ADMINISTRATORS = (("Keys", ("keys",)), ("Audit log", ("audit",)))
_OF_OPERATORS = (("Settings", ("settings",)),)
_OF_A_SUBJECT = (
    ("Memories", ()),
    ("Reviews", ("reviews",)),
    ("Conversations", ("conversations",)),
    ("Live", ("live",)),
    ("Health", ("health",)),
    ("Statistics", ("statistics",)),
)


def navigation(request: PageRequest) -> dict[str, Any]:
    """Return the links around a page: to the server's pages, and to those of the page's subject."""
    subject = request.parameters.get("subject")
    whole = []
    if request.is_administrator:
        wanted = (*_OF_ALL, *_OF_ADMINISTRATORS, *(_OF_OPERATORS if request.is_operator else ()))
        whole = [_link(request, name, steps, is_whole=subject is None) for name, steps in wanted]
    own = []
    if subject is not None:
        own = [_link(request, name, ("subjects", subject, *steps), is_whole=False) for name, steps in _OF_A_SUBJECT]
    return {"links": whole, "subject": subject, "of_subject": own, "may_write": request.may_write}


def _link(request: PageRequest, name: str, steps: Sequence[str], *, is_whole: bool) -> NavigationLink:
    here = path_steps(request.path.rstrip("/"))[1:]
    # A subject's memories are its first page: their address begins those of all its pages.
    is_first = len(steps) in (0, len(_FIRST)) and steps[:1] in ((), _FIRST[:1])
    is_below = here[: len(steps)] == list(steps) and (not is_first or here[len(steps) :][:1] == ["memories"])
    is_current = here == list(steps) or is_below or (steps == _FIRST[:1] and not is_whole)
    return NavigationLink(name, page_path(*steps), is_current)
