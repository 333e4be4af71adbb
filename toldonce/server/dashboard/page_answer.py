"""Sends what a page answers: HTML for people, JSON for programs, with the headers that keep it safe. Raw ASGI."""

import json
from collections.abc import Mapping
from hmac import compare_digest
from typing import Any
from urllib.parse import quote

from toldonce.errors import BadRequestError
from toldonce.server.asgi import Headers, Scope, Send, header, send_body, send_start
from toldonce.server.auth.guard import is_by_cookie
from toldonce.server.auth.sessions import form_token, guest_cookie, session_cookie, set_cookie
from toldonce.server.dashboard.forms import Form, decoded_query
from toldonce.server.dashboard.navigation import navigation
from toldonce.server.dashboard.page import HtmlPage, PageError, PageRequest
from toldonce.server.dashboard.paths import LOGIN
from toldonce.server.dashboard.renderer import CONTENT_SECURITY_POLICY, render
from toldonce.server.path_table import sent_path
from toldonce.server.status import FORBIDDEN, NOT_FOUND, OK, SEE_OTHER, UNAUTHORIZED

_HTML = b"text/html; charset=utf-8"
_JSON = b"application/json"
# `same-origin`: with `no-referrer`, browsers send forms with `Origin: null`.
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
        called = (header(tuple(scope["headers"]), b"host") or b"localhost").decode("latin-1")
        self.base_url = public_url or f"{scope.get('scheme', 'http')}://{called}"
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
        target = sent_path(scope) + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
        await answer.see_other(f"{LOGIN}?next={quote(target, safe='')}")
    else:
        await answer.error(status, message)
