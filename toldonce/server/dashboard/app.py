"""The dashboard as an ASGI application: finds the page of a request, checks its form, and answers. Raw ASGI."""

from starlette.routing import Route
from starlette.types import ASGIApp

from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.errors import ToldOnceError
from toldonce.server.api.v1.access import requester_of
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Receive,
    Scope,
    Send,
    header,
    with_write_timeout,
)
from toldonce.server.auth.authenticator import Authenticator
from toldonce.server.auth.guard import caller_of
from toldonce.server.dashboard.forms import Form, decoded_query, read_form
from toldonce.server.dashboard.login import LoginPages
from toldonce.server.dashboard.page import BadFormError, PageError, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.page_answer import PageResponder, send_page_refusal
from toldonce.server.dashboard.pages import PAGES
from toldonce.server.dashboard.paths import ROOT, STATIC
from toldonce.server.dashboard.rest_client import RestCaller, RestError
from toldonce.server.dashboard.static_files import static_file
from toldonce.server.path_table import PathTable, path_steps, sent_path
from toldonce.server.status import (
    BAD_REQUEST,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
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
        if method == "POST":
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
        self._require_access(scope, answer, request, Access.READ if method == "GET" else Access.WRITE)
        answer.request = request
        result = await route.handler(request)
        if isinstance(result, SeeOther):
            await answer.see_other(result.url)
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
            origin=f"{scope.get('scheme', 'http')}://{(header(answer.headers, b'host') or b'').decode('latin-1')}",
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


def dashboard_routes(dashboard: Dashboard) -> list[Route]:
    """Build the routes of the dashboard."""
    return [Route(ROOT, dashboard), Route(f"{ROOT}/{{rest:anything}}", dashboard)]


async def _send_file(answer: PageResponder, scope: Scope) -> None:
    found = static_file(scope["path"].removeprefix(STATIC))
    if found is None:
        await answer.file(b"no such file", [(b"content-type", b"text/plain")], NOT_FOUND)
        return
    kept = b"public, max-age=31536000, immutable"
    await answer.file(found.content, [(b"content-type", found.kind.encode()), (b"cache-control", kept)])
