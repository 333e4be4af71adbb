"""One request of the REST API: its caller, its parsed body, its answer or refusal. Serves through Starlette."""

import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from toldonce.chat.identity import IdentityPolicy, identify
from toldonce.engine import AsyncToldOnce, run_in_thread_if_large
from toldonce.errors import BadIdentityError, BadRequestError, ConflictError, ToldOnceError
from toldonce.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Headers,
    MediaTypeError,
    path_user,
    read_body,
)
from toldonce.server.auth.guard import caller_of, max_body_bytes
from toldonce.server.database_wait import while_database_answers
from toldonce.server.json_body import decode_json, require_json
from toldonce.server.request_target import decoded_step, sent_path
from toldonce.server.status import METHOD_NOT_ALLOWED, error_body, message_of, retry_headers, status_of
from toldonce.types import Access, Caller, Identity, Memory, MemoryMode, NewNote, Subject

Shape = TypeVar("Shape", bound=BaseModel)
JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """A parsed request."""

    engine: AsyncToldOnce
    identity: Identity
    user: Subject
    """The user who sent it; the tenant's `global` subject if all users are meant."""
    all_users: bool = False
    """Whether an administrator asks for all users of the tenant."""
    actor: str = "local"
    """Who sent it, for the audit log."""
    is_administrator: bool = False
    """Whether it has an administrator's credential, or is trusted without one."""
    path: Mapping[str, str]
    """Path parameters by name."""
    query: Mapping[str, str]
    body: object = field(repr=False)
    """The decoded JSON; None if there is no body."""

    def parse(self, shape: type[Shape]) -> Shape:
        """Parse the body; a missing body counts as empty.

        Raises:
            BadRequestError: The body does not have that shape; the first error is named, with its value.
        """
        try:
            return shape.model_validate({} if self.body is None else self.body)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            shown = repr(first["input"])[:80]
            message = f"{where or 'the body'}: {first['msg']} (it is {shown})"
            raise BadRequestError(message, param=where or None) from None

    async def add(self, notes: Sequence[NewNote], is_list: bool, *, user: Subject, profile: str | None) -> list[Memory]:
        """Add notes; if a list was sent, errors name the position of the note.

        Raises:
            BadRequestError: A note cannot be kept; then none is.
        """
        if is_list:
            return await self.engine.bulk.add(notes, user=user, profile=profile)
        [note] = notes
        memory = await self.engine.add(
            note.text, user=user, importance=note.importance, type=note.type, profile=profile
        )
        return [memory]

    def limit(self, default: int, maximum: int) -> int:
        """Return the query's `limit`.

        Raises:
            BadRequestError: It is not a whole number from 1 to `maximum`.
        """
        given = self.query.get("limit")
        if given is None:
            return default
        if not (given.isascii() and given.isdigit() and len(given) < 10 and 1 <= int(given) <= maximum):
            raise BadRequestError(f"limit is {given[:40]!r}; it goes from 1 to {maximum}", param="limit")
        return int(given)

    def flag(self, name: str) -> bool:
        """Return a flag of the query, which is false by default.

        Raises:
            BadRequestError: It is neither true nor false.
        """
        given = self.query.get(name, "false").lower()
        if given not in ("true", "false"):
            raise BadRequestError(f"{name} is {given[:40]!r}; it is true or false", param=name)
        return given == "true"


Handler = Callable[[ApiRequest], Coroutine[Any, Any, tuple[int, object]]]
"""Serves a request; returns the status and the data to write as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An HTTP method and path, and their handler."""

    method: str
    path: str
    handler: Handler
    access: Access
    """What a credential must allow."""
    for_administrators: bool = False
    """Whether an administrator who names no user asks for all users of the tenant."""
    for_apps: bool = False
    """Whether a credential for one app alone may use it, on that app's memory and conversations."""
    act: str = ""
    """Its name in the audit log if an administrator does it to one user; empty: it is no administrative act."""


class _SentPathRoute(Route):
    """A route that is found by the path as it was sent: a parameter may hold an encoded slash."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches({**scope, "path": sent_path(scope)})
        try:
            parameters = {name: decoded_step(step) for name, step in found.get("path_params", {}).items()}
        except BadRequestError:
            return Match.NONE, {}
        return match, {**found, "path_params": parameters} if found else found


def routes_of(operations: Sequence[Operation], engine: AsyncToldOnce, policy: IdentityPolicy) -> list[Route]:
    """Build the routes: each operation's path, and the same under `/u/{user}`."""
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    return [
        _SentPathRoute(f"{prefix}{path}", _endpoint(of_path, engine, policy), methods=list(of_path))
        for path, of_path in by_path.items()
        for prefix in ("", "/u/{user}")
    ]


def _endpoint(
    operations: Mapping[str, Operation], engine: AsyncToldOnce, policy: IdentityPolicy
) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        operation = operations.get("GET" if request.method == "HEAD" else request.method)
        if operation is None:
            return _refusal(METHOD_NOT_ALLOWED, f"{request.method} is none of {', '.join(operations)}")
        try:
            _authorize(operation, caller_of(request.scope), request.path_params)
            asked = await _api_request(request, operation, engine, policy)
            status, data = await while_database_answers(engine, _answer(operation, asked))
        except ToldOnceError as error:
            param = error.param if isinstance(error, BadRequestError | ConflictError) else None
            return _refusal(status_of(error), message_of(error), param)
        except (BodyTooLargeError, MediaTypeError) as error:
            return _refusal(status_of(error), message_of(error))
        except ClientDisconnectedError as error:
            return Response(status_code=status_of(error))
        return Response(json.dumps(data).encode("utf-8", "replace"), status, media_type=JSON)

    return serve


async def _answer(operation: Operation, request: ApiRequest) -> tuple[int, object]:
    """Serve a request; append what an administrator did to one user to the audit log."""
    await request.engine.admin.refresh_merges()
    answered = await operation.handler(request)
    if operation.act and request.is_administrator and not request.all_users:
        user, target = request.user, request.path.get("memory")
        await request.engine.keys.note_act(
            operation.act, actor=request.actor, tenant=user.tenant, target=target or str(user.key)
        )
    return answered


def _authorize(operation: Operation, caller: Caller | None, path: Mapping[str, str]) -> None:
    """Refuse what a credential does not allow, before the body is read.

    Raises:
        BadIdentityError: The credential only reads, or is for an app whose memory this is not.
    """
    if caller is None:
        return
    if not caller.access.includes(operation.access):
        raise BadIdentityError(f"this needs {operation.access} access, and the credential has {caller.access}")
    if caller.app is not None and not (operation.for_apps and path.get("app", caller.app) == caller.app):
        raise BadIdentityError("the credential is for the memory of one app alone")


async def _api_request(
    request: Request, operation: Operation, engine: AsyncToldOnce, policy: IdentityPolicy
) -> ApiRequest:
    raw = await read_body(request.receive, max_bytes=max_body_bytes(request.scope, engine.settings.max_body_bytes))
    headers: Headers = tuple(request.headers.raw)
    if raw:
        require_json(headers)
    depth, values = engine.settings.max_json_depth, engine.settings.max_json_values
    body = await run_in_thread_if_large(len(raw), lambda: decode_json(raw, max_depth=depth, max_values=values))
    caller, body_user = caller_of(request.scope), _user_in(body)
    is_open = caller is None and policy.trusted and policy.jwt_secret is None
    asks_for_all = operation.for_administrators and (is_open or (caller is not None and caller.access is Access.ADMIN))
    if asks_for_all:  # without a name it is for all users, not for the default one
        policy = replace(policy, default_user="")
    identity = identify(
        headers,
        path_user=path_user(request.scope),
        body_user=body_user,
        policy=policy,
        now=engine.clock.now(),
        caller=caller,
    )
    if caller is not None and caller.user is not None and body_user not in (None, caller.user, f"user:{caller.user}"):
        raise BadIdentityError("the body's userId names another user than this credential is for")
    if identity.memory is MemoryMode.OFF:
        raise BadRequestError(
            "x-toldonce-memory is off, but this route only reads and writes memories; send it without that header"
        )
    user = identity.subject or (Subject("global", "", identity.tenant) if asks_for_all else None)
    if user is None:
        raise BadIdentityError(
            "the request names no user: send the x-toldonce-user header, or a credential that is for one user"
        )
    return ApiRequest(
        engine=engine,
        identity=identity,
        user=user,
        all_users=identity.subject is None,
        actor="local" if caller is None else caller.id,
        is_administrator=caller is None or caller.access is Access.ADMIN,
        path={name: value for name, value in request.path_params.items() if name != "user"},
        query=dict(request.query_params),
        body=body,
    )


def _user_in(body: object) -> str | None:
    """Return the user that a body's `userId` names."""
    user = body.get("userId") if isinstance(body, dict) else None
    return user if isinstance(user, str) else None


def _refusal(status: int, message: str, param: str | None = None) -> Response:
    retry = {name.decode(): value.decode() for name, value in retry_headers(status)}
    return Response(error_body(status, message, param=param), status, headers=retry, media_type=JSON)
