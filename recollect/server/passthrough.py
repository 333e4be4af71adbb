"""Every other `/v1` route: bytes through, both ways, untouched by memory. Raw ASGI."""

import re
from urllib.parse import unquote_to_bytes

from recollect.server.asgi import (
    BodyTooLargeError,
    ClientDisconnectedError,
    Receive,
    Scope,
    Send,
    answer_headers,
    header,
    query_of_scope,
    read_body,
    send_body,
    send_json,
    send_start,
    with_write_timeout,
)
from recollect.server.backends import Backend
from recollect.server.status import BAD_GATEWAY, GATEWAY_TIMEOUT, PAYLOAD_TOO_LARGE, error_body, error_kind
from recollect.server.upstream import UpstreamBrokenError, UpstreamError
from recollect.server.upstream_key import UpstreamKeyPolicy

# The routes' prefix as it was sent. What follows it begins with a slash: behind a base URL without a path anything else
# would name another host. A user may be called v1, and a prefix spelled with percent signs is not ours.
_BEHIND_V1 = re.compile(rb"(?:/u/[^/]+)?/v1(/.*)", re.DOTALL)


class PassThrough:
    """Passes requests on to whoever answers."""

    def __init__(
        self, way: Backend, *, max_body_bytes: int, idle_s: float, keys: UpstreamKeyPolicy | None = None
    ) -> None:
        """Create the route.

        Args:
            way: Where requests go.
            max_body_bytes: Largest body that is taken.
            idle_s: How long a client may leave an answer unread.
            keys: Which requests carry our key; others that bring none are refused.
        """
        self._keys = keys
        self._way = way
        self._most = max_body_bytes
        self._idle_s = idle_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; its path parameter `rest` is what follows `/v1/`."""
        headers = tuple((bytes(name), bytes(value)) for name, value in scope["headers"])
        send = with_write_timeout(send, self._idle_s)
        path = _path_behind_v1(scope)
        if path is None:
            await self._refuse(send, 400, "a path must begin with /v1/ or /u/NAME/v1/ and must not climb with '..'")
            return
        refusal = self._keys.refusal(scope["method"], path, headers) if self._keys else None
        if refusal is not None:
            await self._refuse(send, refusal.status, refusal.message)
            return
        try:
            body = await read_body(receive, most=self._most)
        except ClientDisconnectedError:
            return
        except BodyTooLargeError as error:
            await self._refuse(send, PAYLOAD_TOO_LARGE, str(error))
            return
        try:
            async with self._way.forward(scope["method"], path, headers, body) as answer:
                length = header(answer.headers, b"content-length")
                passed = answer_headers(answer.headers, length=int(length) if length else None)
                if _is_chat(path):
                    passed.append((b"x-recollect-memory", b"skipped"))
                await send_start(send, answer.status, passed)
                async for chunk in answer.chunks():
                    await send_body(send, chunk, more=True)
                await send_body(send, b"", more=False)
        except UpstreamError as error:
            await self._refuse(send, GATEWAY_TIMEOUT if error.timed_out else BAD_GATEWAY, str(error))
        except (UpstreamBrokenError, ClientDisconnectedError):
            return  # without the closing chunk: what was broken ends as broken

    @staticmethod
    async def _refuse(send: Send, status: int, message: str) -> None:
        await send_json(send, status, error_body(message, kind=error_kind(status)))


def _path_behind_v1(scope: Scope) -> str | None:
    """Return what follows `/v1`, encoded as it came; None where there is no such prefix, or the path climbs."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    found = _BEHIND_V1.fullmatch(raw.split(b"?")[0])
    if found is None or b".." in unquote_to_bytes(found[1]).replace(b"\\", b"/").split(b"/"):
        return None
    return found[1].decode("latin-1") + query_of_scope(scope)


def _is_chat(path: str) -> bool:
    """Tell whether upstream may take a path for its chat completions, which get no memory under another spelling.

    >>> _is_chat("//chat/./Completions/?x=1"), _is_chat("/chat/completions/chatcmpl-7")
    (True, False)
    """
    steps = unquote_to_bytes(path.partition("?")[0]).replace(b"\\", b"/").lower().split(b"/")
    return [step for step in steps if step not in (b"", b".")][-2:] == [b"chat", b"completions"]
