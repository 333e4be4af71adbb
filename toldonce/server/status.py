"""Errors over HTTP: status, message and body, as the clients of a route expect them. Sends through ASGI.

No other module of the server names the code of an error. Errors on the server's side are described in general words:
the details may name its files and addresses, and are in its log.
"""

import logging
from dataclasses import dataclass

from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.base import WireFormat
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT, OTHER_ROUTES
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.errors import (
    BadIdentityError,
    ChangedMemoryError,
    ConflictError,
    NewerSchemaError,
    RequestError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
    SubjectKeyError,
    ToldOnceError,
    TryAgainError,
    UnknownAppError,
    UnknownConversationError,
    UnknownKeyError,
    UnknownMemoryError,
    UnknownTraceError,
    VectorSizeError,
    logged_text,
)
from toldonce.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Headers,
    MediaTypeError,
    Send,
    send_json,
)
from toldonce.server.upstream import UpstreamBrokenError, UpstreamError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served."""

    status: int
    message: str


OK, CREATED, ACCEPTED, NO_CONTENT = 200, 201, 202, 204
SEE_OTHER = 303
BAD_REQUEST = 400
UNAUTHORIZED = 401
FORBIDDEN = 403
NOT_FOUND = 404
METHOD_NOT_ALLOWED = 405
REQUEST_TIMEOUT = 408
CONFLICT = 409
GONE = 410
PRECONDITION_FAILED = 412
TOO_LARGE = 413
UNSUPPORTED_MEDIA_TYPE = 415
UNPROCESSABLE = 422
UPGRADE_REQUIRED = 426
TOO_MANY_REQUESTS = 429
HEADERS_TOO_LARGE = 431
INTERNAL_SERVER_ERROR = 500
NOT_IMPLEMENTED = 501
BAD_GATEWAY = 502
SERVICE_UNAVAILABLE = 503
GATEWAY_TIMEOUT = 504
INSUFFICIENT_STORAGE = 507

# Seconds after which a client should try again: a database that restarts takes some seconds.
RETRY_AFTER_S = 5

# A server that cannot take a request as it is answers with one of these; only then is sending it unaltered worth a try.
ALTERATION_REFUSALS = frozenset({BAD_REQUEST, TOO_LARGE, UNPROCESSABLE})

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (UnknownMemoryError, NOT_FOUND),
    (UnknownConversationError, NOT_FOUND),
    (UnknownTraceError, NOT_FOUND),
    (UnknownAppError, NOT_FOUND),
    (UnknownKeyError, NOT_FOUND),
    (BadIdentityError, FORBIDDEN),
    (ConflictError, CONFLICT),
    (ChangedMemoryError, PRECONDITION_FAILED),
    (RequestError, BAD_REQUEST),
    (StoreFullError, INSUFFICIENT_STORAGE),
    (TryAgainError, SERVICE_UNAVAILABLE),
    (SubjectKeyError, GONE),
    (VectorSizeError, SERVICE_UNAVAILABLE),
    (BodyTooLargeError, TOO_LARGE),
    (MediaTypeError, UNSUPPORTED_MEDIA_TYPE),
    (ClientDisconnectedError, 499),
    (UpstreamBrokenError, BAD_GATEWAY),
)


def status_of(error: ToldOnceError | BodyTooLargeError | MediaTypeError | ConnectionError) -> int:
    """Return the status that tells a client what it can do about an error.

    >>> status_of(BadIdentityError("two users")), status_of(UpstreamError("no answer", timed_out=True))
    (403, 504)
    """
    if isinstance(error, UpstreamError):
        return GATEWAY_TIMEOUT if error.timed_out else BAD_GATEWAY
    return next((status for kind, status in _STATUS if isinstance(error, kind)), INTERNAL_SERVER_ERROR)


_PUBLIC: tuple[tuple[type[Exception], str], ...] = (
    (StoreReadOnlyError, "the database may be read but not written: nothing was written"),
    (StoreUnavailableError, "the database does not answer; try again later"),
    (StoreFullError, "the database has no room left: nothing was written"),
    (TryAgainError, "this cannot be done now; try again later"),
    (NewerSchemaError, "the database was written by a newer ToldOnce"),
    (SubjectKeyError, "what is stored cannot be decrypted: its key was destroyed or is missing"),
    (VectorSizeError, "the embedder gives vectors of another length than the stored ones; its operator must mend it"),
    (UpstreamError, "no connection to the upstream API"),
)


def message_of(error: ToldOnceError | BodyTooLargeError | MediaTypeError | ConnectionError) -> str:
    """Return the message about an error for clients, and log its details.

    >>> message_of(BadIdentityError("two users")), message_of(StoreUnavailableError("/home/ana/db is locked"))
    ('two users', 'the database does not answer; try again later')
    """
    status = status_of(error)
    if (status < INTERNAL_SERVER_ERROR and status != GONE) or isinstance(error, UpstreamBrokenError):
        return str(error)
    logger.warning("a request failed", extra={"error": logged_text(error)})
    if isinstance(error, UpstreamError) and error.timed_out:
        return "the upstream API did not answer in time"
    return next((text for kind, text in _PUBLIC if isinstance(error, kind)), "the server cannot do this; see its log")


def retry_headers(status: int) -> Headers:
    """Return the header that says when to try again, if trying again can help.

    >>> retry_headers(503), retry_headers(400)
    (((b'retry-after', b'5'),), ())
    """
    helps = status in (TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE)
    return ((b"retry-after", str(RETRY_AFTER_S).encode()),) if helps else ()


error_body = OPENAI_CHAT.error
"""Writes an error of any route that is no chat: in the shape that OpenAI's clients expect."""


OLLAMA_ROUTES = (f"POST {OLLAMA_CHAT.route}", *OTHER_ROUTES)
"""Routes of Ollama's own API, with their methods."""
_OLLAMA_PATHS = frozenset(route.partition(" ")[2] for route in OLLAMA_ROUTES)


def format_of(path: str) -> WireFormat:
    """Return the format in whose shape a path has its errors: that of the chats below the same route.

    >>> format_of("/u/ana/v1/messages/batches").route, format_of("/v1/subjects/messages").route
    ('/v1/messages', '/v1/chat/completions')
    >>> format_of("/u/ana/api/tags").route, format_of("/api/memory").route
    ('/api/chat', '/v1/chat/completions')
    """
    route = route_of(path)
    if route in _OLLAMA_PATHS:
        return OLLAMA_CHAT
    return ANTHROPIC_MESSAGES if f"{route}/".startswith("/v1/messages/") else OPENAI_CHAT


def route_of(path: str) -> str:
    """Return a decoded path without `/u/NAME`, query and last slash; empty if it is not below `/v1` or `/api`.

    >>> route_of("/v1/chat/completions"), route_of("/u/ana/v1/messages/?beta=true"), route_of("/u/ana/api/chat")
    ('/v1/chat/completions', '/v1/messages', '/api/chat')
    >>> route_of("/u//v1/messages"), route_of("/messages"), route_of("/v1")
    ('', '', '')
    """
    steps = path.partition("?")[0].removesuffix("/").split("/")
    if steps[1:2] == ["u"] and steps[2:3] != [""]:
        del steps[1:3]
    return "/".join(steps) if steps[:2] in (["", "v1"], ["", "api"]) and len(steps) > 2 else ""


async def send_error(
    send: Send, status: int, message: str, *, param: str | None = None, wire: WireFormat = OPENAI_CHAT
) -> None:
    """Answer a request with an error, in the shape of a format."""
    await send_json(send, status, wire.error(status, message, param=param), retry_headers(status))
