"""What is said of a request from outside: when its answer began, and a refusal where the server failed."""

import logging
import time
from collections.abc import Awaitable, Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toldonce.guard import guarded
from toldonce.metrics import Metrics
from toldonce.server.api.v1 import failure_body, is_resource_path
from toldonce.server.asgi import OWN_HEADERS, send_body, send_start
from toldonce.server.status import INTERNAL_SERVER_ERROR, format_of

logger = logging.getLogger(__name__)

_MESSAGE = "the server failed; see its log"


def failure_answer(path: str) -> tuple[bytes, str]:
    """Return what a request to a path gets where the server failed, and its type: no path of a file, no cause.

    >>> failure_answer("/v1/chat/completions")[1]
    'application/json'
    """
    if is_resource_path(path):
        return failure_body(path)
    return format_of(path).error(INTERNAL_SERVER_ERROR, _MESSAGE), "application/json"


def with_failures_answered(app: ASGIApp, metrics: Metrics, kind_of: Callable[[str], str]) -> ASGIApp:
    """Answer where `app` raises before its answer begins, and log the traceback. Measure when each answer begins.

    An error after that goes on to the HTTP server, which breaks the connection off: the client must see that the answer
    is incomplete.

    Args:
        app: The application.
        metrics: Count the answers.
        kind_of: Names the kind of route that a path is for.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        watched = _Watched(send, kind_of(scope["path"]), metrics)
        with guarded(logger, "a request failed unexpectedly", passes=lambda: watched.began) as guard:
            await app(scope, receive, watched)
        if guard.failure is not None:
            body, kind = failure_answer(scope["path"])
            headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()), *OWN_HEADERS]
            await send_start(watched, INTERNAL_SERVER_ERROR, headers)
            await send_body(watched, body, more=False)

    return serve


class _Watched:
    """`send`, and whether an answer has begun; counts how long that took."""

    def __init__(self, send: Callable[[Message], Awaitable[None]], kind: str, metrics: Metrics) -> None:
        self._send = send
        self._kind, self._metrics = kind, metrics
        self._asked_at = time.perf_counter()
        self.began = False

    async def __call__(self, message: Message) -> None:
        if not self.began:
            self.began = True
            self._metrics.observe_answer(self._kind, message["status"], time.perf_counter() - self._asked_at)
        await self._send(message)
