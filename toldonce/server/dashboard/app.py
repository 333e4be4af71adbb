"""The dashboard as an ASGI application: finds the page of a request, checks its form, and answers. Raw ASGI.

People log in with an API key, or at an OpenID provider.
"""

from dataclasses import replace
from http.cookies import CookieError, SimpleCookie

from starlette.types import ASGIApp

from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadIdentityError, ToldOnceError
from toldonce.server.api.v1.access import requester_of
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Headers,
    Receive,
    Scope,
    Send,
    header,
    with_write_timeout,
)
from toldonce.server.auth.authenticator import Authenticator, UnauthenticatedError
from toldonce.server.auth.guard import caller_of
from toldonce.server.auth.oidc import LOGIN_S, OidcLogin
from toldonce.server.auth.sessions import guest_cookie
from toldonce.server.dashboard.page import (
    BadFormError,
    Download,
    Form,
    PageError,
    PageRequest,
    PageRoute,
    SeeOther,
    decoded_query,
    read_form,
)
from toldonce.server.dashboard.page_answer import PageResponder, send_page_refusal
from toldonce.server.dashboard.pages import PAGES
from toldonce.server.dashboard.paths import (
    LOGIN,
    LOGOUT,
    PROVIDER,
    RETURN,
    ROOT,
    STATIC,
    is_own_page,
    page_path,
    static_file,
)
from toldonce.server.dashboard.rest_client import RestCaller, RestError
from toldonce.server.dashboard.upload import is_upload, read_upload
from toldonce.server.request_target import PathTable, path_steps, sent_path
from toldonce.server.status import (
    BAD_REQUEST,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    OK,
    TOO_LARGE,
    UNAUTHORIZED,
    message_of,
    status_of,
)
from toldonce.types import ANONYMOUS, Access


class Dashboard:
    """Serves the pages."""

    def __init__(
        self, engine: AsyncToldOnce, policy: IdentityPolicy, authenticator: Authenticator, api: ASGIApp
    ) -> None:
        """Create the application.

        Args:
            engine: The engine that the API serves through.
            policy: Which claims of identity in headers are believed.
            authenticator: Begins and ends sessions.
            api: The REST API, which does all the work.
        """
        self._engine = engine
        self._policy = policy
        self._login = LoginPages(engine, authenticator)
        self._api = api
        self._pages = PathTable((page.method, ROOT + page.path, page) for page in PAGES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        send = with_write_timeout(send, self._engine.settings.idle_timeout_s)
        answer = PageResponder(scope, send, self._engine.settings.public_url)
        if scope["path"].startswith(STATIC):
            await _send_file(answer, scope)
            return
        try:
            await self._serve(answer, scope, receive, send)
        except ClientDisconnectedError:
            return
        except (PageError, RestError) as error:
            await answer.error(error.status, str(error))
        except ProblemError as error:
            await answer.error(error.status, error.detail)
        except BadFormError as error:
            await answer.error(BAD_REQUEST, str(error))
        except BodyTooLargeError as error:
            await answer.error(TOO_LARGE, str(error))
        except ToldOnceError as error:
            await answer.error(status_of(error), message_of(error))

    async def _serve(self, answer: PageResponder, scope: Scope, receive: Receive, send: Send) -> None:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        form: Form = {}
        file = None
        if method == "POST":
            if is_upload(answer.headers):
                form, file = await read_upload(answer.headers, receive)
            else:
                form = await read_form(answer.headers, receive)
            answer.require_token(form)
        if await self._login.serve(answer, scope["path"], method, form):
            return
        if caller_of(scope) is ANONYMOUS:
            await send_page_refusal(
                scope, send, UNAUTHORIZED, "This page needs a credential.", public_url=self._engine.settings.public_url
            )
            return
        request, route = self._find(scope, method, form, answer)
        request = replace(request, file=file)
        self._require_access(scope, answer, request, Access.READ if method == "GET" else Access.WRITE)
        answer.request = request
        result = await route.handler(request)
        if isinstance(result, SeeOther):
            await answer.see_other(result.url)
        elif isinstance(result, Download):
            await answer.download(result, request)
        else:
            await answer.page(result, request)

    def _find(self, scope: Scope, method: str, form: Form, answer: PageResponder) -> tuple[PageRequest, PageRoute]:
        """Find the page of a path.

        Raises:
            PageError: There is none, or it takes another method.
            BadRequestError: The path cannot be decoded.
        """
        path = sent_path(scope)
        found = self._pages.find(path_steps(path.rstrip("/")))
        if found is None:
            raise PageError(NOT_FOUND, "There is no such page.")
        route = found.by_method.get(method)
        if route is None:
            raise PageError(METHOD_NOT_ALLOWED, f"This page takes {' and '.join(sorted(found.by_method))}.")
        request = PageRequest(
            engine=self._engine,
            rest=RestCaller(self._api, scope),
            caller=caller_of(scope),
            path=path,
            parameters=found.parameters,
            query=decoded_query(scope),
            form=form,
            wants_json=answer.wants_json,
            base_url=answer.base_url,
        )
        return request, route

    def _require_access(self, scope: Scope, answer: PageResponder, request: PageRequest, access: Access) -> None:
        """Check what the credential allows before a form is looked at, as the REST API does.

        Raises:
            ProblemError: It does not allow that.
            ToldOnceError: Headers contradict it, or the subject is none.
        """
        requester = requester_of(scope, answer.headers, self._policy, self._engine.clock.now())
        requester.require(access)
        if "subject" in request.parameters:
            requester.subject(request.subject, access)


async def _send_file(answer: PageResponder, scope: Scope) -> None:
    found = static_file(scope["path"].removeprefix(STATIC))
    if found is None:
        await answer.file(b"no such file", [(b"content-type", b"text/plain")], NOT_FOUND)
        return
    kept = b"public, max-age=31536000, immutable"
    await answer.file(found.content, [(b"content-type", found.kind.encode()), (b"cache-control", kept)])


_COOKIE = "toldonce_login"


class LoginPages:
    """Serves the login, the way to the provider and back, and the logout."""

    def __init__(self, engine: AsyncToldOnce, authenticator: Authenticator) -> None:
        """Log in through the authenticator, and at the provider of the engine's settings.

        Raises:
            BadSettingError: There is a provider, but the extra that asks it is not installed.
        """
        settings = engine.settings
        self._sessions = authenticator.sessions
        self._authenticator = authenticator
        self._oidc = OidcLogin(settings, engine.clock) if settings.oidc_issuer else None

    async def serve(self, answer: PageResponder, path: str, method: str, form: Form) -> bool:
        """Answer a request to one of these pages; return False if it is to another."""
        if path == LOGIN:
            await self._log_in(answer, method, form)
        elif path == LOGOUT and method == "POST":
            self._sessions.end(answer.cookie)
            answer.new_cookie = guest_cookie()
            await answer.see_other(page_path("login"))
        elif path == PROVIDER and self._oidc is not None:
            await self._to_provider(answer, self._oidc)
        elif path == RETURN and self._oidc is not None:
            await self._back(answer, self._oidc)
        else:
            return False
        return True

    async def _log_in(self, answer: PageResponder, method: str, form: Form) -> None:
        """Show the login, or begin a session with the key that was sent."""
        target = _own(_last(form, "next") or answer.query.get("next", ""))
        if method != "POST":
            await self._ask(answer, target, "", OK)
            return
        try:
            answer.new_cookie = await self._authenticator.log_in(_last(form, "key").strip())
        except UnauthenticatedError as error:
            await self._ask(answer, target, f"{error}.", UNAUTHORIZED)
            return
        await answer.see_other(target)

    async def _to_provider(self, answer: PageResponder, oidc: OidcLogin) -> None:
        target = _own(answer.query.get("next", ""))
        try:
            begun = await oidc.begin(answer.base_url + RETURN, target)
        except BadIdentityError as error:
            await self._ask(answer, target, f"{error}.", UNAUTHORIZED)
            return
        await answer.see_other(begun.url, (_login_cookie(begun.cookie, secure=answer.is_secure),))

    async def _back(self, answer: PageResponder, oidc: OidcLogin) -> None:
        gone = (_login_cookie("", secure=answer.is_secure),)
        try:
            finished = await oidc.finish(answer.query, _kept(answer.headers))
        except BadIdentityError as error:
            await self._ask(answer, page_path(), f"{error}.", UNAUTHORIZED, gone)
            return
        answer.new_cookie = await self._sessions.begin_for(finished.person)
        await answer.logged_in(finished.target, gone)

    async def _ask(self, answer: PageResponder, target: str, message: str, status: int, extra: Headers = ()) -> None:
        await answer.login(
            target, message, status, provider=page_path("login", "provider") if self._oidc else None, extra=extra
        )


def _own(target: str) -> str:
    """Return a target if it is a page of the dashboard, and else the first page."""
    return target if is_own_page(target) else page_path()


def _last(form: Form, name: str) -> str:
    return form.get(name, [""])[-1]


def _login_cookie(value: str, *, secure: bool) -> tuple[bytes, bytes]:
    """Return the header that keeps what a login began with.

    `Lax`, as the provider's page leads back here; it is sent to the pages of the login alone.
    """
    age, flags = (LOGIN_S if value else 0), "; Secure" if secure else ""
    cookie = f"{_COOKIE}={value}; Path={page_path('login')}; Max-Age={age}; HttpOnly; SameSite=Lax{flags}"
    return b"set-cookie", cookie.encode()


def _kept(headers: Headers) -> str | None:
    try:
        found = SimpleCookie((header(headers, b"cookie") or b"").decode("latin-1")).get(_COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value
