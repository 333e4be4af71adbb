"""Answers that are no success, as the errors that the library raises. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from toldonce.errors import (
    BadRequestError,
    BadServerError,
    BadSubjectError,
    ChangedMemoryError,
    ConflictError,
    ModelError,
    NoAccessError,
    NoCredentialError,
    ServerUnreachableError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
    ToldOnceError,
    TooManyRequestsError,
    UnknownAppError,
    UnknownConversationError,
    UnknownKeyError,
    UnknownMemoryError,
    UnknownProfileError,
    UnknownTraceError,
)

_NAMED: Mapping[str, tuple[type[ToldOnceError], str]] = {
    "unknown-memory": (UnknownMemoryError, "memory_id"),
    "changed": (ChangedMemoryError, "memory_id"),
    "unknown-conversation": (UnknownConversationError, "conversation"),
    "unknown-app": (UnknownAppError, "app"),
    "unknown-key": (UnknownKeyError, "key_id"),
    "unknown-profile": (UnknownProfileError, "name"),
    "bad-subject": (BadSubjectError, "got"),
}
"""Errors that name what was asked for, by kind of problem, with the attribute that has it."""
_PLAIN: Mapping[str, type[ToldOnceError]] = {
    "unauthenticated": NoCredentialError,
    "forbidden": NoAccessError,
    "unknown-trace": UnknownTraceError,
    "store-full": StoreFullError,
    "store-read-only": StoreReadOnlyError,
    "model-failed": ModelError,
    "try-again": StoreUnavailableError,
    "request-in-progress": StoreUnavailableError,
}
"""Errors that have a message alone."""
_BAD_REQUESTS = frozenset({"bad-request", "too-large", "not-json"})
_CONFLICTS = frozenset({"conflict", "answer-lost", "key-reused"})
_GATEWAY_STATUSES = frozenset({502, 503, 504})
_MAX_SHOWN = 200


class UnknownFormationError(BadRequestError):
    """No formation has this key, or it is not parked."""


def kind_of(problem: Mapping[str, Any]) -> str:
    """Return the kind of a problem: the last part of its type.

    >>> kind_of({"type": "/docs#unknown-memory"})
    'unknown-memory'
    """
    return str(problem.get("type", "")).rpartition("#")[2]


def problem_in(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """Read problem details; empty if the answer has none."""
    if "json" not in headers.get("content-type", ""):
        return {}
    try:
        read = json.loads(body)
    except ValueError:
        return {}
    return read if isinstance(read, dict) and isinstance(read.get("detail"), str) else {}


def error_of(status: int, headers: Mapping[str, str], problem: Mapping[str, Any], request: str) -> ToldOnceError:
    """Return the error that an answer reports.

    Args:
        status: Of the answer, not a success.
        headers: By name in lower case.
        problem: Its problem details; empty without any.
        request: Method and path, for messages.
    """
    if not problem:
        if status in _GATEWAY_STATUSES:
            return ServerUnreachableError(
                f"a proxy in front of the server answered {status} to {request}", is_sent=True
            )
        return BadServerError(f"{request} was answered with {status} and no problem details: is it a ToldOnce server?")
    kind, detail = kind_of(problem), str(problem["detail"])
    if kind in _NAMED:
        class_, attribute = _NAMED[kind]
        # With the server's words, which its own constructor would write again.
        error = class_.__new__(class_, detail)
        setattr(error, attribute, problem.get("given") or "")
        return error
    if kind in _PLAIN:
        return _PLAIN[kind](detail)
    if kind == "unknown-formation":
        return UnknownFormationError(detail)
    param = problem.get("param")
    if kind in _BAD_REQUESTS:
        return BadRequestError(detail, param=param)
    if kind in _CONFLICTS:
        return ConflictError(detail, param=param or "Idempotency-Key")
    if kind == "too-many-requests":
        return TooManyRequestsError(detail, retry_after_s=retry_after_s(headers) or 1.0)
    return BadServerError(f"{request} was answered with {status}: {detail[:_MAX_SHOWN]}")


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return how long the server asks to wait, in seconds; None if it does not say.

    >>> retry_after_s({"retry-after": "3"}), retry_after_s({})
    (3.0, None)
    """
    given = headers.get("retry-after", "")
    return float(given) if given.isascii() and given.isdigit() else None
