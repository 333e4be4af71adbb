"""What an operator's tools ask: `GET /healthz` and `GET /metrics`. Serves through the engine."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.engine import AsyncRecollect
from recollect.errors import RecollectError
from recollect.server.exchange import ProxyCounters
from recollect.server.metrics import CONTENT_TYPE, exposition
from recollect.server.status import status_of


def watching(engine: AsyncRecollect, proxy: ProxyCounters) -> list[Route]:
    """Make the routes."""
    return [
        Route("/healthz", _healthz(engine, proxy), methods=["GET"]),
        Route("/metrics", _metrics(engine, proxy), methods=["GET"]),
    ]


def _healthz(engine: AsyncRecollect, proxy: ProxyCounters) -> Callable[[Request], Awaitable[Response]]:
    async def healthz(request: Request) -> Response:
        """Say whether the database answers, and what was counted since the start."""
        del request
        body: dict[str, object] = {"status": "ok", "version": version("recollect")}
        status = 200
        try:
            await engine.ping()
        except RecollectError as error:
            body |= {"status": "unavailable", "reason": str(error)}
            status = 503
        worker = asdict(engine.worker_counters) | {"breaker": asdict(engine.breaker)}
        body |= {"proxy": asdict(proxy), "worker": worker}
        return Response(json.dumps(body), status, media_type="application/json")

    return healthz


def _metrics(engine: AsyncRecollect, proxy: ProxyCounters) -> Callable[[Request], Awaitable[Response]]:
    async def metrics(request: Request) -> Response:
        """Write what this process counted."""
        del request
        try:
            text = exposition(engine.metrics, proxy, await engine.sums())
        except RecollectError as error:
            return Response(f"# {error}\n", status_of(error), headers={"content-type": CONTENT_TYPE})
        return Response(text, headers={"content-type": CONTENT_TYPE})

    return metrics
