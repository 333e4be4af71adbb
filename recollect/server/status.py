"""Errors over HTTP: which status each one gets, and the body that OpenAI's clients expect. Sends through ASGI.

No other module of the server names the code of an error.
"""

import json

from recollect.errors import (
    BadIdentityError,
    ChangedMemoryError,
    ConflictError,
    RecollectError,
    RequestError,
    StoreFullError,
    TryAgainError,
    UnknownAppError,
    UnknownConversationError,
    UnknownKeyError,
    UnknownMemoryError,
)
from recollect.server.asgi import BodyTooLargeError, ClientDisconnectedError, Send, send_json
from recollect.server.upstream import UpstreamBrokenError, UpstreamError

OK, CREATED, ACCEPTED, NO_CONTENT = 200, 201, 202, 204
BAD_REQUEST = 400
UNAUTHORIZED = 401
FORBIDDEN = 403
NOT_FOUND = 404
METHOD_NOT_ALLOWED = 405
CONFLICT = 409
PRECONDITION_FAILED = 412
TOO_LARGE = 413
UNSUPPORTED_MEDIA_TYPE = 415
UNPROCESSABLE = 422
TOO_MANY_REQUESTS = 429
INTERNAL_SERVER_ERROR = 500
BAD_GATEWAY = 502
SERVICE_UNAVAILABLE = 503
GATEWAY_TIMEOUT = 504
INSUFFICIENT_STORAGE = 507

# A server that cannot take a request as it is answers with one of these; only then is sending it unaltered worth a try.
ALTERATION_REFUSALS = frozenset({BAD_REQUEST, TOO_LARGE, UNPROCESSABLE})

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (UnknownMemoryError, NOT_FOUND),
    (UnknownConversationError, NOT_FOUND),
    (UnknownAppError, NOT_FOUND),
    (UnknownKeyError, NOT_FOUND),
    (BadIdentityError, FORBIDDEN),
    (ConflictError, CONFLICT),
    (ChangedMemoryError, PRECONDITION_FAILED),
    (RequestError, BAD_REQUEST),
    (StoreFullError, INSUFFICIENT_STORAGE),
    (TryAgainError, SERVICE_UNAVAILABLE),
    (BodyTooLargeError, TOO_LARGE),
    (ClientDisconnectedError, 499),
    (UpstreamBrokenError, BAD_GATEWAY),
)


def status_of(error: RecollectError | BodyTooLargeError | ConnectionError) -> int:
    """Return the status that tells a client what it can do about an error.

    >>> status_of(BadIdentityError("two users")), status_of(UpstreamError("no answer", timed_out=True))
    (403, 504)
    """
    if isinstance(error, UpstreamError):
        return GATEWAY_TIMEOUT if error.timed_out else BAD_GATEWAY
    return next((status for kind, status in _STATUS if isinstance(error, kind)), INTERNAL_SERVER_ERROR)


def error_body(status: int, message: str, *, param: str | None = None) -> bytes:
    """Write an error as OpenAI's clients expect it; its type follows from the status.

    >>> error_body(404, "no")
    b'{"error": {"message": "no", "type": "invalid_request_error", "param": null, "code": null}}'
    """
    kind = "invalid_request_error" if status < INTERNAL_SERVER_ERROR else "server_error"
    return json.dumps({"error": {"message": message, "type": kind, "param": param, "code": None}}).encode()


async def send_error(send: Send, status: int, message: str, *, param: str | None = None) -> None:
    """Answer a request with an error."""
    await send_json(send, status, error_body(status, message, param=param))
