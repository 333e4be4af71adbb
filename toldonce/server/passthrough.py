"""All other routes of upstream: relay the bytes both ways, without memory. Raw ASGI."""

import logging
import re
from collections import Counter
from urllib.parse import unquote_to_bytes

from toldonce.chat.json_scanner import MAX_DEPTH
from toldonce.lazy_pattern import LazyPattern
from toldonce.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Headers,
    Receive,
    Scope,
    Send,
    answer_headers,
    header,
    query_of_scope,
    read_body,
    send_body,
    send_start,
    with_write_timeout,
)
from toldonce.server.auth.guard import caller_of, max_body_bytes
from toldonce.server.backends import Backend
from toldonce.server.json_body import is_too_deep, too_deep
from toldonce.server.request_target import is_unambiguous
from toldonce.server.status import BAD_REQUEST, format_of, message_of, send_error, status_of
from toldonce.server.upstream import UpstreamBrokenError, UpstreamError
from toldonce.server.upstream_key import UpstreamKeyPolicy

logger = logging.getLogger(__name__)

# Prompts that are no chats.
CHATS_WITHOUT_MEMORY = frozenset({"/v1/completions", "/api/generate"})
NO_MEMORY = "not on this route"
"""Value of `x-toldonce-memory` in their answers."""
# A path as it was sent, without `/u/NAME`. It begins with a slash: appended to a base URL without a path, anything else
# would name another host. A user may be called v1, and a prefix spelled with percent signs is not ours.
_PATH = LazyPattern(rb"(?:/u/[^/]+)?(/(?:v1|api)/.*)", re.DOTALL)

_BAD_PATH = (
    BAD_REQUEST,
    "the path must begin with /v1/ or /api/, after /u/NAME if that is given, and have no empty, '.' or '..' segments, "
    "backslashes, control characters, '?' or '#', percent-encoded or not",
)


class PassThrough:
    """Relays requests to the backend."""

    def __init__(
        self,
        backend: Backend,
        *,
        max_body_bytes: int,
        idle_s: float,
        max_depth: int = MAX_DEPTH,
        keys: UpstreamKeyPolicy | None = None,
        without_memory: Counter[str] | None = None,
    ) -> None:
        """Create the route.

        Args:
            backend: Answers the requests.
            max_body_bytes: Maximum size of a request's body.
            idle_s: How long a client may leave an answer unread, in seconds.
            max_depth: Maximum nesting of a body of JSON.
            keys: Which requests carry our key; others without a key of their own are refused.
            without_memory: Counts the chats in formats that have no memory, by route.
        """
        self._without_memory = Counter[str]() if without_memory is None else without_memory
        self._keys = keys
        self._backend = backend
        self._max_body_bytes = max_body_bytes
        self._max_depth = max_depth
        self._idle_s = idle_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = tuple((bytes(name), bytes(value)) for name, value in scope["headers"])
        send = with_write_timeout(send, self._idle_s)
        path, caller, wire = _upstream_path(scope), caller_of(scope), format_of(scope["path"])
        if path is None:
            await send_error(send, *_BAD_PATH, wire=wire)
            return
        refusal = self._keys.refusal(scope["method"], path, headers, caller) if self._keys else None
        if refusal is not None:
            await send_error(send, refusal.status, refusal.message, wire=wire)
            return
        try:
            body = await read_body(receive, max_bytes=max_body_bytes(scope, self._max_body_bytes))
        except ClientDisconnectedError:
            return
        except BodyTooLargeError as error:
            await send_error(send, status_of(error), message_of(error), wire=wire)
            return
        if _may_be_json(headers) and await is_too_deep(body, self._max_depth):
            await send_error(send, BAD_REQUEST, too_deep(self._max_depth), param="body", wire=wire)
            return
        carries_key = self._keys is not None and self._keys.is_ours(scope["method"], path, headers, caller)
        try:
            async with self._backend.forward(scope["method"], path, headers, body, carries_key=carries_key) as answer:
                length = header(answer.headers, b"content-length")
                passed = answer_headers(answer.headers, length=int(length) if length else None)
                if note := self._note(scope["method"], path):
                    passed.append((b"x-toldonce-memory", note.encode()))
                await send_start(send, answer.status, passed)
                async for chunk in answer.chunks():
                    await send_body(send, chunk, more=True)
                await send_body(send, b"", more=False)
        except UpstreamError as error:
            await send_error(send, status_of(error), message_of(error), wire=wire)
        except (UpstreamBrokenError, ClientDisconnectedError):
            return  # without the closing chunk: the client must see that the answer broke off

    def _note(self, method: str, path: str) -> str:
        """Return why a chat is relayed without memory; empty for what is no chat."""
        route = path.partition("?")[0].rstrip("/")
        if method != "POST" or route not in CHATS_WITHOUT_MEMORY:
            return "skipped" if _is_chat(path) else ""
        if not self._without_memory[route]:
            logger.warning(
                "prompts on this route pass without memory; the routes of chats have one",
                extra={"route": route},
            )
        self._without_memory[route] += 1
        return NO_MEMORY


def _upstream_path(scope: Scope) -> str | None:
    """Return the path without `/u/NAME`, encoded as it came; None if it is none of upstream's, or ambiguous."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    match = _PATH.fullmatch(raw.split(b"?")[0])
    if match is None or not is_unambiguous(match[1]):
        return None
    return match[1].decode("latin-1") + query_of_scope(scope)


def _may_be_json(headers: Headers) -> bool:
    """Return whether a request's body may be read as JSON: clients that name no content type often mean it."""
    kind = header(headers, b"content-type")
    return kind is None or b"json" in kind.lower()


def _is_chat(path: str) -> bool:
    """Return whether upstream may read a path as one of chats, which get no memory in another spelling.

    >>> _is_chat("/v1/chat%2FCompletions/?x=1"), _is_chat("/v1/chat/completions/chatcmpl-7")
    (True, False)
    """
    steps = unquote_to_bytes(path.partition("?")[0]).lower().split(b"/")
    named = [step for step in steps if step]
    return named[-2:] == [b"chat", b"completions"] or named[1:] in ([b"messages"], [b"responses"])
