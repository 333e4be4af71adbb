"""The REST API under `/v1`: finds the operation of a request and answers it. Raw ASGI.

The same request with the same idempotency key has one effect and one answer.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from hashlib import blake2b

from toldonce.chat.identity import Headers, IdentityPolicy
from toldonce.engine import AsyncToldOnce, run_once
from toldonce.errors import BadRequestError, ToldOnceError
from toldonce.server.api.v1.access import requester_of
from toldonce.server.api.v1.method_call import call_method
from toldonce.server.api.v1.operation import (
    NDJSON,
    OCTETS,
    PATH_LIMITS,
    ResourceOperation,
    ResourceReply,
    ResourceRequest,
)
from toldonce.server.api.v1.problems import PROBLEM_JSON, ProblemError, body_of, problem_of
from toldonce.server.api.v1.request import JSON, read_query, read_request_body, with_cursor
from toldonce.server.asgi import (
    OWN_HEADERS,
    BodyTooLargeError,
    ClientDisconnectedError,
    Receive,
    Scope,
    Send,
    send_body,
    send_start,
    with_write_timeout,
)
from toldonce.server.auth.guard import max_body_bytes
from toldonce.server.database_wait import while_database_answers
from toldonce.server.front_proxy import url_prefix
from toldonce.server.request_target import FoundPath, PathTable, path_steps, sent_path
from toldonce.server.status import (
    BAD_REQUEST,
    CONFLICT,
    INTERNAL_SERVER_ERROR,
    METHOD_NOT_ALLOWED,
    NO_CONTENT,
    NOT_FOUND,
    SERVICE_UNAVAILABLE,
    TOO_MANY_REQUESTS,
    UNAUTHORIZED,
    UNPROCESSABLE,
)
from toldonce.types import ClaimState, IdempotencyKey, StoredAnswer, Subject

logger = logging.getLogger(__name__)
_REFUSALS = {
    BAD_REQUEST: "bad-request",
    UNAUTHORIZED: "unauthenticated",
    TOO_MANY_REQUESTS: "too-many-requests",
    SERVICE_UNAVAILABLE: "try-again",
}
# Of paths in problems, in characters.
_MAX_SHOWN_PATH = 300


class RestApi:
    """Answers requests to paths of operations; everything that goes wrong is a problem (RFC 9457)."""

    def __init__(self, operations: Sequence[ResourceOperation], engine: AsyncToldOnce, policy: IdentityPolicy) -> None:
        """Create the application.

        Args:
            operations: What it serves; no two have the same method and path.
            engine: The engine to serve through.
            policy: Which claims of identity in headers are believed.
        """
        self._engine = engine
        self._policy = policy
        self._paths = PathTable((operation.method, operation.path, operation) for operation in operations)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        send = with_write_timeout(send, self._engine.settings.idle_timeout_s)
        path = sent_path(scope)
        try:
            await self._serve(scope, receive, send, path)
        except ProblemError as problem:
            await _send_problem(send, scope, problem, path)
        except ClientDisconnectedError:
            return
        except (ToldOnceError, BodyTooLargeError) as error:
            await _send_problem(send, scope, problem_of(error, now=self._engine.clock.now()), path)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        found = self._find(path)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        operation = found.by_method.get(method)
        if operation is None:
            allowed = ", ".join(sorted({*found.by_method, *(["HEAD"] if "GET" in found.by_method else [])}))
            raise ProblemError(
                METHOD_NOT_ALLOWED,
                "method-not-allowed",
                f"{scope['method'][:40]} is none of {allowed}",
                headers={"Allow": allowed},
            )
        request = await self._read(operation, found.parameters, scope, receive, path)
        if operation.streams_answer:
            await _send_stream(send, request, await _done(request))
            return

        async def run() -> StoredAnswer:
            return _written(request, await _done(request))

        await _send(send, scope, await while_database_answers(self._engine, answer_once(request, run)))

    async def _read(
        self, operation: ResourceOperation, parameters: Mapping[str, str], scope: Scope, receive: Receive, path: str
    ) -> ResourceRequest:
        """Check everything that can be checked without the database, the credential first."""
        settings = self._engine.settings
        headers: Headers = tuple((bytes(name), bytes(value)) for name, value in scope["headers"])
        requester = requester_of(scope, headers, self._policy, self._engine.clock.now())
        requester.require(operation.access)
        if "subject" in parameters:
            requester.subject(parameters["subject"], operation.access)
        query = read_query(operation.query, scope.get("query_string", b""))
        body, raw = await read_request_body(
            operation,
            headers,
            receive,
            max_bytes=max_body_bytes(scope, settings.max_body_bytes),
            max_values=settings.max_json_values,
        )
        return ResourceRequest(
            engine=self._engine,
            operation=operation,
            requester=requester,
            path=parameters,
            raw_path=path,
            headers=headers,
            query=query,
            body=body,
            raw_body=raw,
            receive=receive if operation.streams_body else None,
            max_stream_bytes=max_body_bytes(scope, settings.max_import_bytes),
        )

    def _find(self, path: str) -> FoundPath[ResourceOperation]:
        """Find the operations of a path.

        Raises:
            BadRequestError: The path cannot be decoded, or a parameter in it is too long.
            ProblemError: No operation has this path (404).
        """
        steps = path_steps(path)
        if steps[0] == "u" and steps[2:3] == ["v1"]:
            del steps[:2]
        found = self._paths.find(steps)
        if found is None:
            raise ProblemError(NOT_FOUND, "not-found", f"no operation has the path {path[:_MAX_SHOWN_PATH]}")
        _require_lengths(found.parameters)
        return found


async def _done(request: ResourceRequest) -> ResourceReply:
    """Do what the operation declares, and note it if it is an administrative act."""
    operation = request.operation
    if operation.for_operator:
        request.requester.require_operator()
    await request.engine.admin.refresh_merges()
    reply = await (operation.handler or call_method)(request)
    await note_act(request, reply)
    return reply


def _require_lengths(parameters: Mapping[str, str]) -> None:
    for name, text in parameters.items():
        if len(text) > PATH_LIMITS[name]:
            raise BadRequestError(f"{name} in the path is longer than {PATH_LIMITS[name]} characters", param=name)


async def send_refusal(
    scope: Scope, send: Send, status: int, message: str, headers: Sequence[tuple[bytes, bytes]]
) -> None:
    """Refuse a request before the API sees it, such as one without a valid credential."""
    kind = _REFUSALS.get(status, "forbidden")
    named = {name.decode(): value.decode() for name, value in headers}
    await _send_problem(send, scope, ProblemError(status, kind, message, headers=named), sent_path(scope))


def failure_body(path: str) -> tuple[bytes, str]:
    """Return what a request to a path gets where the server failed, and its type."""
    problem = ProblemError(INTERNAL_SERVER_ERROR, "internal", "the server failed; see its log")
    return body_of(problem, path[:_MAX_SHOWN_PATH]).model_dump_json().encode("utf-8", "replace"), PROBLEM_JSON


async def _send_problem(send: Send, scope: Scope, problem: ProblemError, path: str) -> None:
    body = body_of(problem, path[:_MAX_SHOWN_PATH]).model_dump_json().encode()
    headers = {**problem.headers, "Content-Type": PROBLEM_JSON}
    await _send(send, scope, StoredAnswer(status=problem.status, headers=headers, body=body))


def _written(request: ResourceRequest, reply: ResourceReply) -> StoredAnswer:
    """Write what an operation answers."""
    headers = dict(reply.headers)
    if reply.next_cursor is not None:
        headers["Link"] = (
            f'<{url_prefix()}{with_cursor(request.raw_path, request.query, reply.next_cursor)}>; rel="next"'
        )
    if reply.answer is None:
        return StoredAnswer(status=NO_CONTENT, headers=headers, body=b"")
    headers["Content-Type"] = JSON
    return StoredAnswer(status=request.operation.status, headers=headers, body=reply.answer.model_dump_json().encode())


async def _send_stream(send: Send, request: ResourceRequest, reply: ResourceReply) -> None:
    operation = request.operation
    if reply.stream is None:
        raise TypeError(f"the operation {operation.id} declares a stream, and answers none")
    kind = OCTETS if (request.header("accept") or "").startswith(OCTETS) else NDJSON
    await send_start(send, operation.status, _head({"Content-Type": kind, **reply.headers}))
    async with aclosing(reply.stream) as parts:
        try:
            async for part in parts:
                await send_body(send, part, more=True)
        except ToldOnceError as error:
            logger.warning("a stream broke off", extra={"error": type(error).__name__})
            return  # without its end: the client must see that it is incomplete
    await send_body(send, b"", more=False)


async def _send(send: Send, scope: Scope, answer: StoredAnswer) -> None:
    head = _head(answer.headers)
    if answer.status != NO_CONTENT:
        head.append((b"content-length", str(len(answer.body)).encode()))
    await send_start(send, answer.status, head)
    await send_body(send, b"" if scope["method"] == "HEAD" else answer.body, more=False)


def _head(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    named = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
    return [*OWN_HEADERS, *named]


async def note_act(request: ResourceRequest, reply: ResourceReply) -> None:
    """Append an act that succeeded to the audit log, if the operation is an administrative one for its sender."""
    operation, requester = request.operation, request.requester
    if not operation.act or not (operation.is_act_of_all or requester.is_administrator):
        return
    tenant, target = requester.tenant or "", request.path.get("memory") or request.path.get("decision", "")
    if "subject" in request.path:
        subject = request.target
        tenant, target = subject.tenant, target or str(subject.key)
    await request.engine.keys.note_act(
        operation.act, actor=requester.actor, tenant=tenant, target=target, count=reply.count
    )


HEADER = b"idempotency-key"
REPLAYED = "Idempotency-Replayed"
"""Header of an answer that is given again."""
_MAX_CHARACTERS = 255
_HASH_BYTES = 16
_CLAIM_REFUSALS = {
    ClaimState.RUNNING: (CONFLICT, "request-in-progress", "a request with this idempotency key is still running"),
    ClaimState.LOST: (
        CONFLICT,
        "answer-lost",
        "the request with this idempotency key took effect, but its answer is not kept: read what it did",
    ),
    ClaimState.REUSED: (UNPROCESSABLE, "key-reused", "another request has used this idempotency key: choose another"),
}


async def answer_once(request: ResourceRequest, run: Callable[[], Awaitable[StoredAnswer]]) -> StoredAnswer:
    """Run a request that writes, or give the answer to an equal one again, if it has a key.

    Raises:
        BadRequestError: The key is not one.
        ProblemError: An equal request is running or its answer is lost (409), or another one used the key (422).
    """
    given = [value for name, value in request.headers if name.lower() == HEADER]
    if not given or not request.operation.writes:
        return await run()
    key = _key(given, request)
    is_first = False

    async def first() -> StoredAnswer:
        nonlocal is_first
        is_first = True
        return await run()

    claim = await run_once(request.engine, key, first)
    if claim.answer is None:
        status, kind, detail = _CLAIM_REFUSALS[claim.state]
        headers = {"Retry-After": "1"} if claim.state is ClaimState.RUNNING else {}
        raise ProblemError(status, kind, detail, headers=headers)
    if is_first:
        return claim.answer
    return replace(claim.answer, headers={**claim.answer.headers, REPLAYED: "true"})


def _key(given: list[bytes], request: ResourceRequest) -> IdempotencyKey:
    text = given[0].decode("latin-1")
    if (
        len(given) > 1
        or not 1 <= len(text) <= _MAX_CHARACTERS
        or not all("!" <= character <= "~" for character in text)
    ):
        raise BadRequestError(
            f"Idempotency-Key takes 1 to {_MAX_CHARACTERS} printable ASCII characters without spaces, once",
            param="Idempotency-Key",
        )
    requester = request.requester
    subject = request.target if "subject" in request.path else Subject("global", "", requester.tenant or "")
    actor = "" if requester.caller is None or "subject" in request.path else requester.caller.id
    scope = requester.identity.scope
    asked = (
        *(f"{name}={value}" for name, value in request.path.items() if name != "subject"),
        request.query.model_dump_json(),
        request.body.model_dump_json() if request.body is not None else "",
        request.header("if-match") or "",
        repr(scope),
    )
    return IdempotencyKey(
        subject=subject,
        key=_hash(subject.text, request.operation.id, actor, text),
        request=_hash(*asked),
    )


def _hash(*parts: str) -> bytes:
    """Hash some texts, of which none can pass for two."""
    hashed = blake2b(digest_size=_HASH_BYTES)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    return hashed.digest()
