"""The Model Context Protocol at /mcp: streamable HTTP, both protocol eras. Raw ASGI; a request loads the SDK."""

import asyncio
from importlib.util import find_spec
from typing import TYPE_CHECKING

from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, app_of_all_users, owned_subject
from toldonce.errors import BadRequestError, ToldOnceError
from toldonce.mcp_server.toolbox import Toolbox
from toldonce.server.api.v1.access import ME, Requester, requester_of
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.asgi import BodyTooLargeError, ClientDisconnectedError, Headers, Receive, Scope, Send, read_body
from toldonce.server.auth.guard import max_body_bytes
from toldonce.server.json_body import has_too_many_values, is_too_deep, too_deep, too_many_values
from toldonce.server.status import FORBIDDEN, NOT_IMPLEMENTED, TOO_LARGE, message_of, send_error, status_of
from toldonce.text.visible_json import without_lone_surrogates
from toldonce.types import Access, MemoryMode, Subject

if TYPE_CHECKING:
    from toldonce.mcp_server.streamable_http import Manager


class McpEndpoint:
    """Serves the tools over HTTP. Without sessions: any server can answer a request, by its credential."""

    def __init__(self, engine: AsyncToldOnce, policy: IdentityPolicy) -> None:
        """Serve an engine's memories to those whom the policy believes."""
        self._engine = engine
        self._policy = policy
        self._running: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Manager] | None = None
        self._stop = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a POST."""
        if find_spec("mcp") is None:
            await send_error(send, NOT_IMPLEMENTED, "MCP needs the extra `mcp`: `make extras` installs it")
            return
        settings = self._engine.settings
        try:
            toolbox = self._toolbox(scope)
            body = await read_body(receive, max_bytes=max_body_bytes(scope, settings.max_body_bytes))
            if await is_too_deep(body, settings.max_json_depth):
                raise BadRequestError(too_deep(settings.max_json_depth))
            if await has_too_many_values(body, settings.max_json_values):
                raise BadRequestError(too_many_values(settings.max_json_values))
        except ProblemError as error:
            await send_error(send, error.status, error.detail)
            return
        except BodyTooLargeError as error:
            await send_error(send, TOO_LARGE, str(error))
            return
        except ToldOnceError as error:
            await send_error(send, status_of(error), message_of(error))
            return
        except ClientDisconnectedError:
            return
        manager = await self._manager()
        await manager.serve(scope, _replayed(without_lone_surrogates(body), receive), send, toolbox)

    async def close(self) -> None:
        """End what runs."""
        self._stop.set()
        if self._running is not None:
            await asyncio.wait({self._running})

    async def _manager(self) -> "Manager":
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._ready))
        return await asyncio.shield(self._ready)

    async def _run(self, ready: "asyncio.Future[Manager]") -> None:
        # Loading the SDK takes a second or two, in which the server goes on.
        manager = await asyncio.to_thread(_load_manager)
        async with manager.running():
            ready.set_result(manager)
            await self._stop.wait()

    def _toolbox(self, scope: Scope) -> Toolbox:
        """Return the memories that the sender of a request may use.

        Raises:
            ToldOnceError: The request names no user, or contradicts itself.
            ProblemError: It may not read.
        """
        headers: Headers = tuple(scope["headers"])
        requester = requester_of(scope, headers, self._policy, self._engine.clock.now())
        requester.require(Access.READ)
        reads = _subjects(requester)
        caller = requester.caller
        is_writing = caller is None or all(caller.may(Access.WRITE, subject) for subject in reads)
        is_writing = is_writing and requester.identity.memory is not MemoryMode.READ
        return Toolbox(
            engine=self._engine,
            reads=reads,
            writes=reads[0],
            access=Access.WRITE if is_writing else Access.READ,
        )


def _load_manager() -> "Manager":
    from toldonce.mcp_server.streamable_http import Manager

    return Manager()


def _subjects(requester: Requester) -> tuple[Subject, ...]:
    """Return the subjects that a request reads, the one that it writes to first."""
    scope, caller = requester.identity.scope, requester.caller
    if not scope.only_app or caller is None:
        user = requester.subject(ME, Access.READ)
        return (owned_subject("app", user, scope.app), user) if scope.app else (user,)
    app = caller.app or ""
    home = requester.named or Subject("global", "", caller.tenant or "")
    own = owned_subject("app", home, app) if requester.named else app_of_all_users(home, app)
    if not caller.may(Access.READ, own):
        raise ProblemError(FORBIDDEN, "forbidden", f"this request may not read {requester.shown(own)}")
    return (own,)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return `receive` for an application, with the body that was read already."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> dict[str, object]:
        return waiting.pop() if waiting else dict(await receive())

    return receive_again
