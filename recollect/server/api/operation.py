"""One request of the REST API: who asks, for what, how an answer or refusal is written. Serves through Starlette."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.chat.identity import IdentityPolicy, identify
from recollect.engine import AsyncRecollect, run_in_thread_if_large
from recollect.errors import BadIdentityError, BadRequestError, ConflictError, RecollectError
from recollect.server.asgi import BodyTooLargeError, ClientDisconnectedError, Headers, path_user, read_body
from recollect.server.status import METHOD_NOT_ALLOWED, error_body, status_of
from recollect.types import Identity, Memory, MemoryMode, NewNote, Subject

Shape = TypeVar("Shape", bound=BaseModel)
JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """A request, read."""

    engine: AsyncRecollect
    identity: Identity
    who: Subject
    """Whose request it is."""
    path: Mapping[str, str]
    """Parts of the path by name."""
    query: Mapping[str, str]
    body: object = field(repr=False)
    """The decoded JSON; None where there is no body."""

    def read(self, shape: type[Shape]) -> Shape:
        """Read the body as a shape; no body is an empty one.

        Raises:
            BadRequestError: it has not that shape; the first thing wrong is named, with its value.
        """
        try:
            return shape.model_validate({} if self.body is None else self.body)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            shown = repr(first["input"])[:80]
            message = f"{where or 'the body'}: {first['msg']} (it is {shown})"
            raise BadRequestError(message, param=where or None) from None

    async def add(self, notes: Sequence[NewNote], several: bool, *, user: Subject, profile: str | None) -> list[Memory]:
        """Keep notes; what cannot be kept is named by its place where several were sent.

        Raises:
            BadRequestError: one cannot be kept.
        """
        if several:
            return await self.engine.bulk.add(notes, user=user, profile=profile)
        [one] = notes
        return [await self.engine.add(one.text, user=user, importance=one.importance, type=one.type, profile=profile)]

    def limit(self, default: int, most: int) -> int:
        """Read the query's `limit`.

        Raises:
            BadRequestError: it is no whole number from 1 to `most`.
        """
        given = self.query.get("limit")
        if given is None:
            return default
        if not (given.isascii() and given.isdigit() and len(given) < 10 and 1 <= int(given) <= most):
            raise BadRequestError(f"limit is {given[:40]!r}; it goes from 1 to {most}", param="limit")
        return int(given)

    def flag(self, name: str) -> bool:
        """Read a flag of the query: true or false.

        Raises:
            BadRequestError: it is neither.
        """
        given = self.query.get(name, "false").lower()
        if given not in ("true", "false"):
            raise BadRequestError(f"{name} is {given[:40]!r}; it is true or false", param=name)
        return given == "true"


Handler = Callable[[ApiRequest], Awaitable[tuple[int, object]]]
"""Serves a request: returns the status and what is written as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation."""

    method: str
    path: str
    handler: Handler


def routes_of(operations: Sequence[Operation], engine: AsyncRecollect, policy: IdentityPolicy) -> list[Route]:
    """Make the routes, each under its path and under `/u/{user}` before it."""
    by_path: dict[str, dict[str, Handler]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation.handler
    return [
        Route(f"{prefix}{path}", _serving(handlers, engine, policy), methods=list(handlers))
        for path, handlers in by_path.items()
        for prefix in ("", "/u/{user}")
    ]


def _serving(
    handlers: Mapping[str, Handler], engine: AsyncRecollect, policy: IdentityPolicy
) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        handler = handlers.get("GET" if request.method == "HEAD" else request.method)
        if handler is None:
            return _refusal(METHOD_NOT_ALLOWED, f"{request.method} is none of {', '.join(handlers)}")
        try:
            status, data = await handler(await _asked(request, engine, policy))
        except RecollectError as error:
            param = error.param if isinstance(error, BadRequestError | ConflictError) else None
            return _refusal(status_of(error), str(error), param)
        except BodyTooLargeError as error:
            return _refusal(status_of(error), str(error))
        except ClientDisconnectedError as error:
            return Response(status_code=status_of(error))
        return Response(json.dumps(data).encode("utf-8", "replace"), status, media_type=JSON)

    return serve


async def _asked(request: Request, engine: AsyncRecollect, policy: IdentityPolicy) -> ApiRequest:
    raw = await read_body(request.receive, max_bytes=engine.settings.max_body_bytes)
    body = await run_in_thread_if_large(len(raw), lambda: _decoded(raw))
    headers: Headers = tuple(request.headers.raw)
    identity = identify(
        headers,
        path_user=path_user(request.scope),
        body_user=_named_in(body),
        policy=policy,
        now=engine.clock.now(),
    )
    if identity.memory is MemoryMode.OFF:
        raise BadRequestError("x-recollect-memory is off: there is nothing to read or write here without memory")
    if identity.subject is None:
        raise BadIdentityError("nobody is named: send x-recollect-user, or Open WebUI's signed header off loopback")
    return ApiRequest(
        engine=engine,
        identity=identity,
        who=identity.subject,
        path={name: value for name, value in request.path_params.items() if name != "user"},
        query=dict(request.query_params),
        body=body,
    )


def _named_in(body: object) -> str | None:
    """Return the user that a body's `userId` names."""
    named = body.get("userId") if isinstance(body, dict) else None
    return named if isinstance(named, str) else None


def _decoded(body: bytes) -> Any:
    if not body.strip():
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequestError(f"the body is no JSON: {why[:200]}") from None


def _refusal(status: int, message: str, param: str | None = None) -> Response:
    return Response(error_body(status, message, param=param), status, media_type=JSON)
