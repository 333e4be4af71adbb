"""Errors of the REST API under `/v1`, as problem details (RFC 9457). Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus

from pydantic import Field

from toldonce.errors import (
    BadIdentityError,
    BadRequestError,
    BadSubjectError,
    ChangedMemoryError,
    ConflictError,
    ModelError,
    StoreFullError,
    StoreReadOnlyError,
    SubjectKeyError,
    ToldOnceError,
    TryAgainError,
    UnknownAppError,
    UnknownConversationError,
    UnknownKeyError,
    UnknownMemoryError,
    UnknownProfileError,
    UnknownTraceError,
    VectorSizeError,
)
from toldonce.server.api.v1.fields import Answer
from toldonce.server.asgi import BodyTooLargeError
from toldonce.server.status import BAD_REQUEST, INTERNAL_SERVER_ERROR, TOO_LARGE, message_of, status_of

PROBLEM_JSON = "application/problem+json"
# Where nothing says when the cause will be gone.
_DEFAULT_RETRY_S = 1

KINDS: Mapping[str, str] = {
    "bad-request": "The path, query or body is not as the document says.",
    "bad-subject": "The name cannot be a subject; write kind:name, such as user:ana.",
    "unknown-profile": "No profile has this name.",
    "unauthenticated": "The request needs a credential, or its credential is not valid.",
    "too-many-requests": "The API key has made as many requests as it may: see the header Retry-After.",
    "forbidden": "The credential does not allow this, whether or not what it names exists.",
    "not-found": "No operation has this path.",
    "unknown-memory": "The subject has no memory with this id.",
    "unknown-conversation": "The subject has no conversation with this id.",
    "unknown-app": "No such app.",
    "unknown-trace": "The conversation has no request with this id.",
    "unknown-key": "No API key has this id.",
    "unknown-formation": "No formation has this key, or it is not parked.",
    "method-not-allowed": "The path takes other methods: see the header Allow.",
    "conflict": "What exists cannot be changed like that.",
    "request-in-progress": "A request with this idempotency key is still running.",
    "answer-lost": "The request with this idempotency key took effect, but its answer is not kept any more.",
    "changed": "The memory is not as If-Match says: read it again.",
    "too-large": "The body is larger than the server takes.",
    "not-json": "The body is not declared as application/json.",
    "key-reused": "The idempotency key was used for another request.",
    "store-full": "The disk is full: nothing was written.",
    "store-read-only": "The database may be read but not written: nothing was written.",
    "key-gone": "The subject's data key was destroyed or is missing: what is stored cannot be decrypted.",
    "other-vectors": "The embedder gives vectors of another length than the stored ones.",
    "model-failed": "The language or embedding model failed: send the request again later.",
    "try-again": "Nothing is wrong with the request: send it again later.",
    "internal": "The server failed.",
}
"""All kinds of problems by the last part of their `type`, each with its explanation."""

_KIND_OF: tuple[tuple[type[Exception], str], ...] = (
    (BadSubjectError, "bad-subject"),
    (UnknownProfileError, "unknown-profile"),
    (ChangedMemoryError, "changed"),
    (BadIdentityError, "forbidden"),
    (UnknownMemoryError, "unknown-memory"),
    (UnknownConversationError, "unknown-conversation"),
    (UnknownTraceError, "unknown-trace"),
    (UnknownAppError, "unknown-app"),
    (UnknownKeyError, "unknown-key"),
    (ConflictError, "conflict"),
    (BadRequestError, "bad-request"),
    (StoreFullError, "store-full"),
    (StoreReadOnlyError, "store-read-only"),
    (ModelError, "model-failed"),
    (TryAgainError, "try-again"),
    (SubjectKeyError, "key-gone"),
    (VectorSizeError, "other-vectors"),
    (BodyTooLargeError, "too-large"),
)


class Problem(Answer):
    """Why a request was refused (RFC 9457)."""

    type: str = Field(description="What kind of problem it is: a link into the documentation.")
    title: str
    status: int = Field(ge=BAD_REQUEST, lt=BAD_REQUEST + 200)
    detail: str
    instance: str = Field(description="The path of the request.")
    param: str | None = Field(default=None, description="The field or parameter at fault.")
    given: str | None = Field(default=None, description="The id or name that was asked for, where it is unknown.")


@dataclass(eq=False)
class ProblemError(Exception):
    """A refusal by the server itself."""

    status: int
    kind: str
    """One of `KINDS`."""
    detail: str
    param: str | None = None
    given: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def problem_of(error: ToldOnceError | BodyTooLargeError, *, now: datetime) -> ProblemError:
    """Return how the server answers an error of the engine."""
    status = status_of(error)
    kind = next((kind for cause, kind in _KIND_OF if isinstance(error, cause)), _kind_of_status(status))
    param = error.param if isinstance(error, BadRequestError | ConflictError) else None
    headers = {}
    if isinstance(error, TryAgainError):
        headers["Retry-After"] = str(_seconds_until(getattr(error, "until", None), now))
    return ProblemError(status, kind, message_of(error), param, _given(error), headers)


def _given(error: Exception) -> str | None:
    """Return the id or name that an error is about."""
    match error:
        case UnknownMemoryError() | ChangedMemoryError():
            return error.memory_id
        case UnknownConversationError():
            return error.conversation
        case UnknownAppError():
            return error.app
        case UnknownKeyError():
            return error.key_id
        case UnknownProfileError():
            return error.name
        case BadSubjectError():
            return error.got
        case _:
            return None


def body_of(problem: ProblemError, path: str) -> Problem:
    """Return the answer to a request for a path."""
    return Problem(
        type=f"/docs#{problem.kind}",
        title=HTTPStatus(problem.status).phrase,
        status=problem.status,
        detail=problem.detail,
        instance=path,
        param=problem.param,
        given=problem.given,
    )


def _kind_of_status(status: int) -> str:
    if status == TOO_LARGE:
        return "too-large"
    return "internal" if status >= INTERNAL_SERVER_ERROR else "bad-request"


def _seconds_until(until: datetime | None, now: datetime) -> int:
    return _DEFAULT_RETRY_S if until is None else max(_DEFAULT_RETRY_S, math.ceil((until - now).total_seconds()))
