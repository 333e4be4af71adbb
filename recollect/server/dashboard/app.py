"""The dashboard as an ASGI application: finds the page of a request, checks its form, and answers. Raw ASGI."""

from starlette.types import ASGIApp

from recollect.engine import AsyncRecollect
from recollect.errors import RecollectError
from recollect.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Receive,
    Scope,
    Send,
    header,
    with_write_timeout,
)
from recollect.server.auth.authenticator import Authenticator, UnauthenticatedError
from recollect.server.auth.guard import caller_of
from recollect.server.auth.sessions import guest_cookie
from recollect.server.dashboard.forms import Form, decoded_query, read_form
from recollect.server.dashboard.page import BadFormError, PageError, PageRequest, PageRoute, SeeOther
from recollect.server.dashboard.page_answer import PageAnswer, send_page_refusal
from recollect.server.dashboard.pages import PAGES
from recollect.server.dashboard.paths import LOGIN, LOGOUT, ROOT, STATIC, is_own_page
from recollect.server.dashboard.rest_client import RestClient, RestError
from recollect.server.dashboard.static_files import static_file
from recollect.server.path_table import PathTable, path_steps, sent_path
from recollect.server.status import (
    BAD_REQUEST,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    OK,
    UNAUTHORIZED,
    message_of,
    status_of,
)
from recollect.types import ANONYMOUS


class Dashboard:
    """Serves the pages."""

    def __init__(self, engine: AsyncRecollect, authenticator: Authenticator, api: ASGIApp) -> None:
        """Create the application.

        Args:
            engine: The engine that the API serves through.
            authenticator: Begins and ends sessions.
            api: The REST API, which does all the work.
        """
        self._engine = engine
        self._authenticator = authenticator
        self._api = api
        self._pages = PathTable((page.method, ROOT + page.path, page) for page in PAGES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        send = with_write_timeout(send, self._engine.settings.idle_timeout_s)
        answer = PageAnswer(scope, send)
        if scope["path"].startswith(STATIC):
            await _send_file(answer, scope)
            return
        try:
            await self._serve(answer, scope, receive, send)
        except ClientDisconnectedError:
            return
        except (PageError, RestError) as error:
            await answer.error(error.status, str(error))
        except (BadFormError, BodyTooLargeError) as error:
            await answer.error(BAD_REQUEST, str(error))
        except RecollectError as error:
            await answer.error(status_of(error), message_of(error))

    async def _serve(self, answer: PageAnswer, scope: Scope, receive: Receive, send: Send) -> None:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        form: Form = {}
        if method == "POST":
            form = await read_form(answer.headers, receive)
            answer.require_token(form)
        if scope["path"] == LOGIN:
            await self._log_in(answer, method, form)
            return
        if scope["path"] == LOGOUT and method == "POST":
            self._authenticator.sessions.end(answer.cookie)
            answer.new_cookie = guest_cookie()
            await answer.see_other(LOGIN)
            return
        if caller_of(scope) is ANONYMOUS:
            await send_page_refusal(scope, send, UNAUTHORIZED, "This page needs a credential.")
            return
        request, route = self._find(scope, method, form, answer)
        result = await route.handler(request)
        if isinstance(result, SeeOther):
            await answer.see_other(result.url)
        else:
            await answer.page(result, request)

    def _find(self, scope: Scope, method: str, form: Form, answer: PageAnswer) -> tuple[PageRequest, PageRoute]:
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
            rest=RestClient(self._api, scope),
            caller=caller_of(scope),
            path=path,
            parameters=found.parameters,
            query=decoded_query(scope),
            form=form,
            wants_json=answer.wants_json,
            origin=f"{scope.get('scheme', 'http')}://{(header(answer.headers, b'host') or b'').decode('latin-1')}",
        )
        return request, route

    async def _log_in(self, answer: PageAnswer, method: str, form: Form) -> None:
        """Show the login, or begin a session with the key that was sent."""
        target = (form.get("next") or [answer.query.get("next", "")])[-1]
        target = target if is_own_page(target) else ROOT
        if method != "POST":
            await answer.login(target, "", OK)
            return
        secret = (form.get("key") or [""])[-1].strip()
        try:
            answer.new_cookie = await self._authenticator.log_in(secret)
        except UnauthenticatedError as error:
            await answer.login(target, f"{error}.", UNAUTHORIZED)
            return
        await answer.see_other(target)


async def _send_file(answer: PageAnswer, scope: Scope) -> None:
    found = static_file(scope["path"].removeprefix(STATIC))
    if found is None:
        await answer.file(b"no such file", [(b"content-type", b"text/plain")], NOT_FOUND)
        return
    kept = b"public, max-age=31536000, immutable"
    await answer.file(found.content, [(b"content-type", found.kind.encode()), (b"cache-control", kept)])
