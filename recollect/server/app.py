"""The ASGI application: which route is served by what, and what starts and stops with it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route

from recollect.chat.identity import IdentityPolicy
from recollect.engine import AsyncRecollect
from recollect.server.api import OPERATIONS, routes_of
from recollect.server.origin import OriginGuard, is_loopback
from recollect.server.passing import PassThrough
from recollect.server.proxy import ChatProxy
from recollect.server.upstream import Deadlines, HttpUpstream
from recollect.server.watching import watching
from recollect.server.ways import OfflineWay, UpstreamWay, Way
from recollect.settings import Settings

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def identity_policy(settings: Settings) -> IdentityPolicy:
    """Say who is believed: on a loopback address everyone who can connect is the machine's own user."""
    return IdentityPolicy(
        default_user=settings.default_user,
        trusted=is_loopback(settings.host),
        jwt_secret=settings.jwt_secret.get_secret_value() if settings.jwt_secret else None,
        key_profiles=settings.profiles_of_keys,
    )


def open_way(engine: AsyncRecollect) -> Way:
    """Choose who answers, by the settings."""
    settings = engine.settings
    if settings.upstream_url is None:
        return OfflineWay(engine.clock, engine.counter)
    deadlines = Deadlines(
        connect_s=settings.connect_timeout_s,
        first_byte_s=settings.first_byte_timeout_s,
        idle_s=settings.idle_timeout_s,
        total_s=settings.total_timeout_s,
    )
    key = settings.upstream_key.get_secret_value() if settings.upstream_key else None
    return UpstreamWay(HttpUpstream(settings.upstream_url, deadlines), key)


def build_app(engine: AsyncRecollect) -> Starlette:
    """Wire the routes over an open engine; its worker runs while the application does, if the settings say so."""
    way = open_way(engine)
    policy = identity_policy(engine.settings)
    chat = ChatProxy(engine, way, policy)
    through = PassThrough(way, max_body_bytes=engine.settings.max_body_bytes, idle_s=engine.settings.idle_timeout_s)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        worker = asyncio.create_task(engine.work()) if engine.settings.worker else None
        try:
            yield
        finally:
            await chat.close()
            engine.stop_work()
            if worker is not None:
                await asyncio.wait({worker}, timeout=engine.settings.form_timeout_s)
                worker.cancel()
            await way.close()

    routes = [*watching(engine, chat.counters), *routes_of(OPERATIONS, engine, policy)]
    for prefix in ("/v1", "/u/{user}/v1"):
        for ending in ("", "/"):
            routes.append(Route(f"{prefix}/chat/completions{ending}", chat, methods=["POST"]))
        routes.append(Route(f"{prefix}/{{rest:path}}", through, methods=_METHODS))
    settings = engine.settings
    guard = Middleware(OriginGuard, loopback=is_loopback(settings.host), origins=settings.allowed_origins)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)
