"""What an operator's tools ask: `GET /livez`, `/readyz`, `/healthz` and `/metrics`. Serves through the engine."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from importlib.metadata import version
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.engine import AsyncRecollect
from recollect.errors import RecollectError
from recollect.server.exchange import ProxyCounters
from recollect.server.metrics import CONTENT_TYPE, exposition
from recollect.server.status import status_of

T = TypeVar("T")
# A database that has not answered by then does not: whoever asks has a time limit of its own, of some seconds.
ANSWERS_WITHIN_S = 3.0


def monitoring_routes(engine: AsyncRecollect, proxy: ProxyCounters) -> list[Route]:
    """Make the routes."""
    return [
        Route("/livez", _livez, methods=["GET"]),
        Route("/readyz", _readyz(engine), methods=["GET"]),
        Route("/healthz", _healthz(engine, proxy), methods=["GET"]),
        Route("/metrics", _metrics(engine, proxy), methods=["GET"]),
    ]


async def _livez(request: Request) -> Response:
    """Say that this process answers; it asks nobody: to start it again would mend no database."""
    del request
    return _json({"status": "ok"}, 200)


def _readyz(engine: AsyncRecollect) -> Callable[[Request], Awaitable[Response]]:
    async def readyz(request: Request) -> Response:
        """Say whether requests may be sent here: the database answers, and is of the schema that this version knows."""
        del request
        schema, reason = await _in_time(engine.ready)
        if reason is not None:
            return _json({"status": "unavailable", "reason": reason}, 503)
        return _json({"status": "ready", "schema": schema}, 200)

    return readyz


def _healthz(engine: AsyncRecollect, proxy: ProxyCounters) -> Callable[[Request], Awaitable[Response]]:
    async def healthz(request: Request) -> Response:
        """Say whether the database answers, and what was counted since the start."""
        del request
        body: dict[str, object] = {"status": "ok", "version": version("recollect")}
        _, reason = await _in_time(engine.ping)
        if reason is not None:
            body |= {"status": "unavailable", "reason": reason}
        worker = asdict(engine.worker_counters) | {"breaker": asdict(engine.breaker)}
        body |= {"proxy": asdict(proxy), "worker": worker}
        return _json(body, 200 if reason is None else 503)

    return healthz


async def _in_time(ask: Callable[[], Awaitable[T]]) -> tuple[T | None, str | None]:
    """Ask the database; return its answer, or why there is none."""
    try:
        async with asyncio.timeout(ANSWERS_WITHIN_S):
            return await ask(), None
    except TimeoutError:
        return None, f"the database has not answered within {ANSWERS_WITHIN_S:g} s"
    except RecollectError as error:
        return None, str(error)


def _json(body: dict[str, object], status: int) -> Response:
    return Response(json.dumps(body), status, media_type="application/json")


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
