"""Error class to HTTP status and OpenAI's error shape; nothing else knows HTTP codes. Pure."""

import json

from recollect.errors import (
    BadIdentityError,
    ConflictError,
    RecollectError,
    RequestError,
    StoreFullError,
    TryAgainError,
    UnknownAppError,
    UnknownConversationError,
    UnknownMemoryError,
)

UNAUTHORIZED = 401
FORBIDDEN = 403
PAYLOAD_TOO_LARGE = 413
# Statuses with which servers refuse a request they cannot take as it is; only these are worth sending again unaltered.
REFUSALS = frozenset({400, 413, 422})
BAD_GATEWAY = 502
GATEWAY_TIMEOUT = 504

_STATUS: tuple[tuple[type[RecollectError], int], ...] = (
    (UnknownMemoryError, 404),
    (UnknownConversationError, 404),
    (UnknownAppError, 404),
    (BadIdentityError, 403),
    (ConflictError, 409),
    (RequestError, 400),
    (StoreFullError, 507),
    (TryAgainError, 503),
)


def status_of(error: RecollectError) -> int:
    """Return the status that tells a client what it can do about an error.

    >>> status_of(BadIdentityError("two users"))
    403
    """
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def error_body(message: str, *, kind: str, param: str | None = None, code: str | None = None) -> bytes:
    """Write an error as OpenAI's clients expect it.

    >>> error_body("no", kind="invalid_request_error")
    b'{"error": {"message": "no", "type": "invalid_request_error", "param": null, "code": null}}'
    """
    return json.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}}).encode()


def error_kind(status: int) -> str:
    """Name OpenAI's error type for a status.

    >>> error_kind(404), error_kind(503)
    ('invalid_request_error', 'server_error')
    """
    return "invalid_request_error" if status < 500 else "server_error"
