"""Pages that log people in and out: with an API key, or at an OpenID provider. Works through the authenticator."""

from http.cookies import CookieError, SimpleCookie

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadIdentityError
from toldonce.server.asgi import Headers, header
from toldonce.server.auth.authenticator import Authenticator, UnauthenticatedError
from toldonce.server.auth.oidc import LOGIN_S, OidcLogin
from toldonce.server.auth.sessions import guest_cookie
from toldonce.server.dashboard.forms import Form
from toldonce.server.dashboard.page_answer import PageResponder
from toldonce.server.dashboard.paths import LOGIN, LOGOUT, PROVIDER, RETURN, ROOT, is_own_page
from toldonce.server.status import OK, UNAUTHORIZED

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
            await answer.see_other(LOGIN)
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
            await self._ask(answer, ROOT, f"{error}.", UNAUTHORIZED, gone)
            return
        answer.new_cookie = await self._sessions.begin_for(finished.person)
        await answer.logged_in(finished.target, gone)

    async def _ask(self, answer: PageResponder, target: str, message: str, status: int, extra: Headers = ()) -> None:
        await answer.login(target, message, status, provider=PROVIDER if self._oidc else None, extra=extra)


def _own(target: str) -> str:
    """Return a target if it is a page of the dashboard, and else the first page."""
    return target if is_own_page(target) else ROOT


def _last(form: Form, name: str) -> str:
    return form.get(name, [""])[-1]


def _login_cookie(value: str, *, secure: bool) -> tuple[bytes, bytes]:
    """Return the header that keeps what a login began with.

    `Lax`, as the provider's page leads back here; it is sent to the pages of the login alone.
    """
    age, flags = (LOGIN_S if value else 0), "; Secure" if secure else ""
    cookie = f"{_COOKIE}={value}; Path={LOGIN}; Max-Age={age}; HttpOnly; SameSite=Lax{flags}"
    return b"set-cookie", cookie.encode()


def _kept(headers: Headers) -> str | None:
    try:
        found = SimpleCookie((header(headers, b"cookie") or b"").decode("latin-1")).get(_COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value
