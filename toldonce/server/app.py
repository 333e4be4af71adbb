"""The ASGI application: its routes, what starts and stops with it, and what a request gets where the server fails."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT, OTHER_ROUTES
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.engine.preload import load_chats, load_formations, load_turns
from toldonce.metrics import Metrics, ProxyCounters
from toldonce.providers.protocols import Embedder, TokenCounter
from toldonce.server.answer_watch import failure_answer, with_failures_answered
from toldonce.server.api import OPERATIONS, routes_of
from toldonce.server.api.v1 import build_api, is_resource_path, resource_routes, send_refusal
from toldonce.server.asgi import OWN_HEADERS, send_json, with_own_headers
from toldonce.server.auth.authenticator import Authenticator
from toldonce.server.auth.guard import AccessGuard, Refuse
from toldonce.server.backends import Backend, OfflineBackend, UpstreamBackend
from toldonce.server.chat_completions import ChatProxy
from toldonce.server.dashboard.app import Dashboard
from toldonce.server.dashboard.page_answer import send_page_refusal
from toldonce.server.dashboard.paths import ROOT, is_dashboard_path
from toldonce.server.front_proxy import FrontProxy
from toldonce.server.mcp_endpoint import McpEndpoint
from toldonce.server.observability import MONITORING_PATHS, monitoring_routes
from toldonce.server.origin_guard import OriginGuard, is_loopback
from toldonce.server.passthrough import PassThrough
from toldonce.server.resource_metadata import MCP_PATH, METADATA_PATH, ResourceMetadata
from toldonce.server.status import INTERNAL_SERVER_ERROR, format_of, route_of
from toldonce.server.subtree import Subtree
from toldonce.server.upstream import Deadlines
from toldonce.server.upstream_key import UpstreamKeyPolicy, require_guarded_key
from toldonce.server.worker_process import LOOK_S, WorkerProcess
from toldonce.settings import Settings

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
COUNT_TOKENS = "/v1/messages/count_tokens"
"""The route that counts the tokens of a prompt in Anthropic's format, with its memory."""
_OPENAI_LIKE = (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES)
_WIRES = (*_OPENAI_LIKE, OLLAMA_CHAT)
_CHAT_ROUTES = frozenset({*(wire.route for wire in _WIRES), COUNT_TOKENS})
_API_PREFIXES = ("/api/", "/apps/", "/conversations/", MCP_PATH)
# What clients ask for whose base URL lacks `/v1`.
_WITHOUT_V1 = frozenset(
    {
        *(route.removeprefix("/v1") for route in (*(wire.route for wire in _OPENAI_LIKE), COUNT_TOKENS)),
        *("/completions", "/embeddings", "/models"),
    }
)


def identity_policy(settings: Settings) -> IdentityPolicy:
    """Return which claims of identity are believed; where everyone who can connect is trusted, unsigned names are."""
    return IdentityPolicy(
        default_user=settings.default_user,
        trusted=is_loopback(settings.host) or settings.auth == "off",
        jwt_secret=settings.jwt_secret.get_secret_value() if settings.jwt_secret else None,
        key_profiles=settings.profiles_of_keys,
    )


def choose_backend(engine: AsyncToldOnce) -> Backend:
    """Choose what answers chats: the configured upstream, or the built-in model."""
    settings = engine.settings
    if settings.upstream_url is None:
        return OfflineBackend(engine.clock, engine.counter)
    from toldonce.server.http_upstream import HttpUpstream

    deadlines = Deadlines(
        connect_s=settings.connect_timeout_s,
        first_byte_s=settings.first_byte_timeout_s,
        idle_s=settings.idle_timeout_s,
        total_s=settings.total_timeout_s,
    )
    return UpstreamBackend(HttpUpstream(settings.upstream_url, deadlines), upstream_key(settings))


def upstream_key(settings: Settings) -> str | None:
    """Return our upstream key, if both an upstream and a key are configured."""
    return settings.upstream_key.get_secret_value() if settings.upstream_url and settings.upstream_key else None


def key_policy(engine: AsyncToldOnce) -> UpstreamKeyPolicy:
    """Return which requests carry our key upstream."""
    settings = engine.settings
    return UpstreamKeyPolicy(upstream_key(settings), settings.key_routes, identity_policy(settings), engine.clock)


def build_app(
    engine: AsyncToldOnce, counters: ProxyCounters | None = None, *, child: WorkerProcess | None = None
) -> Starlette:
    """Build the application over an open engine; it runs the engine's worker if the settings say so.

    Args:
        engine: The memory to serve.
        counters: Takes the counts of chats; None: counts that its own `/metrics` alone shows.
        child: Runs the worker in a process of its own; None: it runs in this one.

    Raises:
        BadSettingError: Anybody could use the upstream key.
    """
    settings = engine.settings
    require_guarded_key(settings)
    backend, keys, policy = choose_backend(engine), key_policy(engine), identity_policy(settings)
    authenticator = Authenticator.of(engine, policy)
    counters, preload = counters or ProxyCounters(), Preload(engine.counter, engine.own_embedder)
    chats = _chat_routes(engine, backend, policy, keys, counters)
    mcp, metadata = McpEndpoint(engine, policy), ResourceMetadata(settings.jwt_issuer)
    passthrough = PassThrough(
        backend,
        max_body_bytes=settings.max_body_bytes,
        max_depth=settings.max_json_depth,
        idle_s=settings.idle_timeout_s,
        keys=keys,
        without_memory=engine.metrics.without_memory,
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        preload.start()
        worker, looking = _start_worker(engine, child), asyncio.create_task(_look_around(engine))
        try:
            yield
        finally:
            await preload.close()
            for chat in chats.values():
                await chat.close()
            await mcp.close()
            looking.cancel()
            await _end_worker(engine, child, worker)
            await backend.close()

    api = build_api(engine, policy)
    routes: list[Route | Subtree] = [
        *monitoring_routes(engine, counters),
        *routes_of(OPERATIONS, engine, policy),
        *resource_routes(api, people=ROOT if settings.dashboard else None, public_url=settings.public_url),
        Route(MCP_PATH, mcp, methods=["POST"]),
        *(Route(path, metadata, methods=["GET"]) for path in (METADATA_PATH, METADATA_PATH + MCP_PATH)),
    ]
    for route in routes:
        route.app = with_own_headers(route.app)
    if settings.dashboard:
        routes.append(Subtree(is_dashboard_path, Dashboard(engine, policy, authenticator, api)))
    routes += _passed_routes(passthrough)
    in_front = _in_front(settings, authenticator, metadata, engine.metrics)
    return _Application(routes, lifespan, in_front, _preloaded(chats, preload))


def _start_worker(engine: AsyncToldOnce, child: WorkerProcess | None) -> asyncio.Task[None] | None:
    if engine.settings.worker == "off":
        return None
    return asyncio.create_task(engine.admin.run_worker() if child is None else child.run())


async def _look_around(engine: AsyncToldOnce) -> None:
    """Follow what other processes merge and erase, also while no request comes."""
    while True:
        await engine.admin.refresh_merges()
        await asyncio.sleep(LOOK_S)


async def _end_worker(engine: AsyncToldOnce, child: WorkerProcess | None, worker: asyncio.Task[None] | None) -> None:
    engine.admin.stop_worker(promptly=True)
    if child is not None:
        child.stop()
    if worker is not None:
        await asyncio.wait({worker}, timeout=engine.settings.form_timeout_s)
        worker.cancel()


def _chat_routes(
    engine: AsyncToldOnce, backend: Backend, policy: IdentityPolicy, keys: UpstreamKeyPolicy, counters: ProxyCounters
) -> dict[str, ChatProxy]:
    """Return what serves the chats of each format, by its route."""
    chats = {wire.route: ChatProxy(wire, engine, backend, policy, keys, counters=counters) for wire in _WIRES}
    if not backend.needs_valid_requests:  # the built-in model answers and does not count
        chats[COUNT_TOKENS] = chats[ANTHROPIC_MESSAGES.route].counter_at(COUNT_TOKENS)
    return chats


def _passed_routes(passthrough: PassThrough) -> list[Route]:
    """Return the routes that reach upstream without memory: what is left of `/v1`, and Ollama's other ones."""
    passed = [([method], path) for method, _, path in (route.partition(" ") for route in OTHER_ROUTES)]
    passed.append((_METHODS, "/v1/{rest:path}"))
    return [Route(user + path, passthrough, methods=methods) for methods, path in passed for user in ("", "/u/{user}")]


def _in_front(
    settings: Settings, authenticator: Authenticator, metadata: ResourceMetadata, metrics: Metrics
) -> Callable[[ASGIApp], ASGIApp]:
    def in_front(app: ASGIApp) -> ASGIApp:
        """Put in front of an application what each request meets first; the last one here is the first to see it."""
        app = AccessGuard(app, authenticator, _refusing(metadata, settings.public_url))
        loopback = is_loopback(settings.host)
        app = OriginGuard(app, loopback=loopback, origins=settings.allowed_origins, hosts=settings.allowed_hosts)
        app = _below_v1(with_failures_answered(app, metrics, kind_of))
        return FrontProxy(app, public_path=settings.public_path, proxies=settings.trusted_proxies)

    return in_front


class _Application(Starlette):
    """Starlette with the chat route in front of it: its middlewares and its list of routes cost time in each chunk."""

    def __init__(
        self,
        routes: Sequence[BaseRoute],
        lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]],
        in_front: Callable[[ASGIApp], ASGIApp],
        chats: Mapping[str, ASGIApp],
    ) -> None:
        handlers = {HTTPException: _refused, Exception: _failed}
        super().__init__(routes=routes, lifespan=lifespan, exception_handlers=handlers)
        self.router.redirect_slashes = False  # a redirect would name whatever Host the request named
        self._in_front = in_front
        self._chats = chats

    def build_middleware_stack(self) -> ASGIApp:
        """Build what serves a request: the guard, the chat, and then everything else."""
        others = super().build_middleware_stack()

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            is_post = scope["type"] == "http" and scope["method"] == "POST"
            chat = self._chats.get(route_of(scope["path"])) if is_post else None
            await (chat or others)(scope, receive, send)

        return self._in_front(serve)


def _below_v1(app: ASGIApp) -> ASGIApp:
    async def below_v1(scope: Scope, receive: Receive, send: Send) -> None:
        await app(_with_v1(scope), receive, send)

    return below_v1


def _with_v1(scope: Scope) -> Scope:
    """Return a request as if its client had the base URL with `/v1`, where it asks for a chat or the like without."""
    if scope["type"] != "http" or scope["path"].removesuffix("/") not in _WITHOUT_V1:
        return scope
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return {**scope, "path": f"/v1{scope['path']}", "raw_path": b"/v1" + raw}


def _preloaded(chats: Mapping[str, ChatProxy], preload: "Preload") -> Mapping[str, ASGIApp]:
    """Let the chats of a server that has just started wait: loading in the middle of one would hold up all requests."""

    def waiting(chat: ChatProxy) -> ASGIApp:
        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            await preload.wait_for_chats()
            await chat(scope, receive, send)

        return serve

    return {route: waiting(chat) for route, chat in chats.items()}


def _refusing(metadata: ResourceMetadata, public_url: str | None) -> Refuse:
    async def refuse(
        scope: Scope, send: Send, status: int, message: str, headers: Sequence[tuple[bytes, bytes]]
    ) -> None:
        """Refuse a request without a valid credential, or beyond its limits, in the shape of its path's errors."""
        if is_dashboard_path(scope["path"]):
            await send_page_refusal(scope, send, status, message, public_url=public_url)
        elif is_resource_path(scope["path"]):
            await send_refusal(scope, send, status, message, headers)
        else:
            error = format_of(scope["path"]).error(status, message)
            await send_json(send, status, error, metadata.challenge(scope, headers))

    return refuse


async def _refused(request: Request, error: Exception) -> Response:
    """Refuse a path or method that no route serves, with the body that all errors have."""
    refusal = error if isinstance(error, HTTPException) else HTTPException(INTERNAL_SERVER_ERROR)
    message = f"{request.method} {request.url.path[:200]} is not served here"
    body = format_of(request.url.path).error(refusal.status_code, message)
    return _own_error(body, refusal.status_code, refusal.headers or {})


async def _failed(request: Request, error: Exception) -> Response:
    """Answer where a route failed; Starlette raises the error again, so that it is logged."""
    del error
    body, kind = failure_answer(request.url.path)
    return _own_error(body, INTERNAL_SERVER_ERROR, {}, kind)


def _own_error(body: bytes, status: int, headers: Mapping[str, str], kind: str = "application/json") -> Response:
    own = {name.decode(): value.decode() for name, value in OWN_HEADERS}
    return Response(body, status, headers={**own, **headers}, media_type=kind)


logger = logging.getLogger(__name__)


class Preload:
    """Loads in a thread, in three steps: what holds the interpreter, what chats use, and what formations use."""

    def __init__(self, counter: TokenCounter, embedder: Embedder) -> None:
        self._counter, self._embedder = counter, embedder
        self._loading: asyncio.Task[None] | None = None
        self._chats_loaded = asyncio.Event()
        self._is_closing = False

    def start(self) -> None:
        """Begin to load. Probes and requests that are no chats are answered meanwhile.

        A failure is logged; the first chats then load what they need.
        """
        self._loading = asyncio.create_task(self._load())
        self._loading.add_done_callback(_log_failure)

    async def wait_for_chats(self) -> None:
        """Wait until what chats use is loaded, or loading has failed; return at once if it was never started."""
        if self._loading is not None:
            await self._chats_loaded.wait()

    async def close(self) -> None:
        """Wait until the thread has ended: it stops before the next pattern that formations use."""
        self._is_closing = True
        if self._loading is not None and not self._loading.done():
            await asyncio.wait({self._loading})

    def _load_turns(self) -> None:
        load_turns()
        self._counter.count("loaded")

    async def _load(self) -> None:
        try:
            await asyncio.to_thread(self._load_turns)
            await asyncio.to_thread(load_chats, self._embedder)
        finally:
            self._chats_loaded.set()
        await asyncio.to_thread(load_formations, lambda: self._is_closing)


def _log_failure(loading: asyncio.Task[None]) -> None:
    if not loading.cancelled() and (error := loading.exception()) is not None:
        logger.error("loading ahead failed; the first chats load what they need", exc_info=error)


def kind_of(path: str) -> str:
    """Return which kind of route a path is for, as the metrics name it.

    >>> [kind_of(path) for path in ("/u/ana/api/chat", "/v1/keys", "/u/ana/api/memory", "/v1/embeddings")]
    ['chat', 'api', 'api', 'other']
    """
    if route_of(path) in _CHAT_ROUTES:
        return "chat"
    if path in MONITORING_PATHS:
        return "monitoring"
    if is_dashboard_path(path):
        return "dashboard"
    route = "/" + path.split("/", 3)[-1] if path.startswith("/u/") else path
    return "api" if is_resource_path(path) or route.startswith(_API_PREFIXES) else "other"
